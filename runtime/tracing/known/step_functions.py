"""Python functions that compute the variables of a loop from iteration to iteration, generated from known numbers.

>>> from autograph.runtime.tracing.known.levels import Level
>>> from autograph.runtime.tracing.known.number import opened
>>> loop = Level(5)
>>> n = opened(27, None, loop)
>>> run, columns = step_function(loop, [n], [n // 2])
>>> run(27), columns
([0], [])
>>> iterations_until(loop, [n], [27], [n // 2], n // 2 > 1)  # while n > 1: n //= 2
(4, True)
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograph.runtime.tracing.known.evaluation import (
    MOST_CELLS,
    PYTHONS,
    NotKnown,
    Row,
    TooMany,
    by_vectors,
    choice,
    row_of,
)
from autograph.runtime.tracing.known.levels import Level
from autograph.runtime.tracing.known.number import KnownTracer

MOST_STEPS = 1 << 24
"""The most operations that are computed ahead for one loop: Python takes about a second for them."""

_MOST_STEPS_OF_ENDS = 1 << 26
"""The same, where the loop would be refused: about two seconds."""

_TOO_MANY_ITERATIONS = f"there are more than {MOST_CELLS:,} iterations"

_SYMBOLS: dict[Any, str] = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//", operator.mod: "%",
    operator.pow: "**", operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=", operator.eq: "==",
    operator.ne: "!=", operator.and_: "&", operator.or_: "|", operator.xor: "^", operator.lshift: "<<", operator.rshift: ">>",
}  # fmt: skip


def step_function(
    level: Level, variables: Sequence[KnownTracer], nexts: Sequence[Any], keep: Sequence[Any] = ()
) -> tuple[Any, list[KnownTracer]]:
    """Makes a function of the numbers before a loop, which returns those behind it; `keep` is given those of each iteration.

    Returns:
        the function, and the known numbers of which it takes the columns behind the numbers.
    Raises:
        NotKnown: there are too many operations, or a number depends on a variable of a loop around.
    """
    nodes = nodes_of(nexts)
    if level.length * (len(nodes) + 1) > MOST_STEPS:
        raise TooMany(f"it takes {level.length * (len(nodes) + 1):,} operations of Python")
    code = _Code(variables)
    lines = [*(f"keep{k}(v{k})" for k in range(len(keep))), *code.lines_of(nodes), code.step(nexts)]
    code.scope.update({f"keep{k}": one for k, one in enumerate(keep)})
    run = code.function(lines, f"[{code.left}]")
    return functools.partial(run, range(level.length)), code.inputs


def iterations_until(
    level: Level, variables: Sequence[KnownTracer], inits: Sequence[Any], nexts: Sequence[Any], test: Any
) -> tuple[int, bool]:
    """Counts the iterations of a loop that a test may end; returns also whether it does.

    Args:
        level: says how many iterations there are at most.
        inits, nexts: of the variables; see `recurrences.run_ahead`.
        test: whether the loop goes on after an iteration, computed from the variables at its beginning.
    Raises:
        NotKnown: a number is not known, there are too many iterations, or Python raises in one.
    """
    count = _Count(level, variables, nexts, test)
    if not all(x.row is not None and is_of_one_loop(x.row, level) for x in count.inputs):
        raise NotKnown("the loops around decide it, too")
    found = _until_a_flag_changes(level, variables, inits, nexts, test)
    return found if found is not None else count.of(inits, [column(level, x.row) for x in count.inputs])


def _until_a_flag_changes(
    level: Level, variables: Sequence[KnownTracer], inits: Sequence[Any], nexts: Sequence[Any], test: Any
) -> tuple[int, bool] | None:
    """Counts as `iterations_until` does, in all iterations at once; None where NumPy may not give what Python gives.

    The variables must be flags which no iteration changes before the one that ends the loop: `if i * 2 > n: break` sets one.
    """
    if any(type(init) is not bool for init in inits):
        return None
    values = {id(v): np.asarray(init) for v, init in zip(variables, inits, strict=True)}
    for x in nodes_of([test, *nexts]):
        if id(x) not in values:
            if x.row is not None:
                found = x.row.values.reshape(-1) if x.row.kind in PYTHONS else None
            else:
                found = by_vectors(x.fn, [values[id(a)] if type(a) is KnownTracer else np.asarray(a) for a in x.args])
            if found is None:
                return None
            values[id(x)] = found
    ends, *lefts = (np.broadcast_to(values.get(id(x), x), (level.length,)) for x in (test, *nexts))
    if any(left.dtype != bool for left in (ends, *lefts)):
        return None
    ends = ~ends
    changes = functools.reduce(operator.or_, (left != init for left, init in zip(lefts, inits, strict=True)), ends)
    first = int(changes.argmax())
    if not changes[first]:
        return level.length, False
    return (first + 1, True) if ends[first] else None


def lengths_until(
    level: Level, variables: Sequence[KnownTracer], inits: Sequence[Any], nexts: Sequence[Any], test: Any, active: Any
) -> Any:
    """Counts the iterations of a loop that a test may end, in each iteration of the loops around; returns an array.

    Args:
        inits: numbers, or rows over the iterations of the loops around.
        active: says in which of these the loop runs (see `number.runs_in`).
    Raises:
        NotKnown: see `iterations_until`.
    """
    count = _Count(level, variables, nexts, test)
    shape, cells = _cells(level, inits, count.inputs, active)
    lengths, steps = np.zeros(shape, np.int64), 0
    for cell, begin, columns in cells:
        found, _ = count.of(begin, columns)
        lengths.reshape(-1)[cell] = found
        steps += found * count.cost
        if steps > MOST_STEPS:
            raise TooMany(f"it takes more than {MOST_STEPS:,} operations of Python")
    return lengths


def ends_of(
    level: Level, variables: Sequence[KnownTracer], inits: Sequence[Any], nexts: Sequence[Any], active: Any
) -> tuple[list[Any], list[tuple[int, int]]]:
    """Computes what variables hold behind a loop which has too many iterations to keep the numbers of each.

    Args:
        inits, active: see `lengths_until`.
    Returns:
        a number for each variable, or a row over the iterations of the loops around; and the least and the greatest number that
        it holds at the beginning of an iteration.
    Raises:
        NotKnown: a number is not known, Python raises in an iteration, or there are too many.
    """
    code, nodes = _Code(variables), nodes_of(nexts)
    names = [code.names[id(v)] for v in variables]
    bounds = [f"if {v} < low_{v}: low_{v} = {v}\n        elif {v} > high_{v}: high_{v} = {v}" for v in names]
    begin = "; ".join(f"low_{v} = high_{v} = {v}" for v in names)
    result = f"[{code.left}], [{', '.join(f'(low_{v}, high_{v})' for v in names)}]"
    run = code.function([*bounds, *code.lines_of(nodes), code.step(nexts)], result, begin)
    shape, cells = _cells(level, inits, code.inputs, active)
    lengths = np.broadcast_to(level.length if level.lengths is None else level.lengths, shape).reshape(-1)
    steps = int(lengths.sum()) * (len(nodes) + 1)
    if steps > _MOST_STEPS_OF_ENDS:
        raise TooMany(f"it takes {steps:,} operations of Python")
    lasts = [_in_cells(init, shape) for init in inits]
    ranges: list[list[Any]] = [[] for _ in variables]
    for cell, start, columns in cells:
        if not lengths[cell]:
            continue
        try:
            ends, within = run(range(lengths[cell]), *start, *columns)
        except Exception as error:
            raise NotKnown(f"Python raises {type(error).__name__} in an iteration") from None
        for last, range_, end, both in zip(lasts, ranges, ends, within, strict=True):
            last[cell] = end
            range_ += both
    rows = [row_of(last, shape) for last in lasts]
    return [row if shape else row.constant() for row in rows], [(min(found, default=0), max(found, default=0)) for found in ranges]


def _cells(
    level: Level, inits: Sequence[Any], inputs: Sequence[KnownTracer], active: Any
) -> tuple[tuple[int, ...], Iterator[tuple[int, list[Any], list[Any]]]]:
    """Goes through the iterations of the loops around in which a loop runs.

    Returns:
        how many there are on each axis; and the number of each, what the variables hold before the loop, the columns of the inputs.
    """
    if any(x.row is None and x.level is not level for x in inputs):
        raise TooMany(_TOO_MANY_ITERATIONS)
    firsts = [x.row if type(x) is KnownTracer else x for x in (level.start, level.step)]
    rows = [x for x in (*inits, *firsts, *(x.row for x in inputs)) if type(x) is Row]
    around = [row.values.shape[max(row.values.ndim - level.depth, 0) :] for row in rows]
    shape = np.broadcast_shapes(*around, () if level.lengths is None else level.lengths.shape)
    starts = [_in_cells(x, shape) for x in inits]
    columns = [
        [itertools.count(*both) for both in zip(*(_in_cells(x, shape) for x in firsts))]
        if x.row is None
        else _of_cells(x.row, shape, level)
        for x in inputs
    ]
    runs = active((1, *shape))
    runs = itertools.repeat(True) if runs is None else runs.reshape(-1)
    begins = zip(*starts) if starts else itertools.repeat(())
    counted = zip(range(math.prod(shape)), begins, runs)
    return shape, ((cell, list(begin), [column[cell] for column in columns]) for cell, begin, runs_here in counted if runs_here)


class _Count:
    """Counts the iterations of a loop; see `iterations_until`.

    Attributes:
        inputs: the known numbers that it needs a column of. cost: the operations of one iteration.
    """

    def __init__(self, level: Level, variables: Sequence[KnownTracer], nexts: Sequence[Any], test: Any) -> None:
        code, nodes = _Code(variables), nodes_of([test, *nexts])
        self.inputs, self.cost = code.inputs, len(nodes) + 1
        lines = [*code.lines_of(nodes), f"goes_on = {code.name_of(test)}", code.step(nexts), "n += 1"]
        self._most = MOST_STEPS // self.cost
        run = code.function([*lines, "if not goes_on: return n, True"], "n, False", "n = 0")
        self._run = functools.partial(run, range(min(level.length, self._most)))
        if any(x.row is None for x in self.inputs):
            raise TooMany(_TOO_MANY_ITERATIONS)

    def of(self, inits: Sequence[Any], columns: Sequence[Any]) -> tuple[int, bool]:
        """Counts; returns also whether the test ends the loop."""
        try:
            found: tuple[int, bool] = self._run(*inits, *columns)
        except Exception as error:
            raise NotKnown(f"Python raises {type(error).__name__} in an iteration") from None
        if found == (self._most, False):
            raise TooMany(f"there are more than {self._most:,} iterations")
        return found


def _in_cells(x: Any, shape: tuple[int, ...]) -> list[Any]:
    """Returns a number for each iteration of the loops around."""
    return _of_cells(x, shape) if type(x) is Row else [x] * math.prod(shape)


def _is_item(x: KnownTracer) -> bool:
    """Whether a number is the item of its loop, of which there are too many."""
    return x.fn is None and x.emitted is not None and x.emitted[0] is x.level.item


def _of_cells(row: Any, shape: tuple[int, ...], level: Level | None = None) -> list[Any]:
    """Returns a number for each iteration of the loops around; of an input (`level`) what gives one in each of this loop's."""
    values = row.values
    if level is None or values.ndim <= level.depth or values.shape[0] == 1:
        flat = np.broadcast_to(values[0] if level is not None and values.ndim > level.depth else values, shape).reshape(-1)
        numbers = list(flat) if issubclass(row.kind, np.generic) else flat.tolist()
        return numbers if level is None else [itertools.repeat(number) for number in numbers]
    cells = np.broadcast_to(values, (len(values), *shape)).reshape(len(values), -1).T
    return [column(level, Row(cell, row.kind)) for cell in cells]


def nodes_of(nexts: Sequence[Any]) -> list[KnownTracer]:
    """Collects all known numbers in expressions, operands before the numbers that are made of them."""
    found: list[KnownTracer] = []
    seen: set[int] = set()
    pending = [x for x in nexts if type(x) is KnownTracer]
    while pending:
        x = pending[-1]
        missing = [a for a in x.args if type(a) is KnownTracer and id(a) not in seen] if x.row is None else []
        if missing:
            pending += missing
            continue
        pending.pop()
        if id(x) not in seen:
            seen.add(id(x))
            found.append(x)
    return found


def outline(x: Any, names: dict[int, Any]) -> list[Any]:
    """Describes how a number is computed: equal descriptions are of equal computations.

    Args:
        names: of the variables, by id.

    >>> loop = Level(5)
    >>> n = KnownTracer(int, None, None, loop)
    >>> outline(n // 2 + 1, {id(n): "n"})
    ['n', (<built-in function floordiv>, 0, '2'), (<built-in function add>, 1, '1')]
    """
    nodes = nodes_of([x])
    place = {id(node): k for k, node in enumerate(nodes)}
    return [
        names[id(node)]
        if id(node) in names
        else (node.fn, *(place[id(a)] if type(a) is KnownTracer else repr(a) for a in node.args))
        if node.row is None
        else (node.kind, node.row.values.shape, node.row.values.tobytes())
        for node in nodes
    ] or [repr(x)]


def is_of_one_loop(row: Row, level: Level) -> bool:
    """Whether the iterations of a loop alone decide a number."""
    values = row.values
    return bool(values.size == 1 or (values.ndim > level.depth and values.size == values.shape[0]))


def column(level: Level, row: Row | None) -> list[Any]:
    """Collects the number of each iteration, in its class in Python."""
    if row is None:
        raise TooMany(_TOO_MANY_ITERATIONS)
    flat = np.broadcast_to(row.values.reshape(-1), (level.length,))
    return list(flat) if issubclass(row.kind, np.generic) else flat.tolist()


class _Code:
    """The source of a function that is generated.

    Attributes:
        names: of the numbers that have one, by id.
        scope: the globals of the function.
        inputs: the numbers of which the function takes a column.
        left: the variables, as the target of an assignment.
    """

    def __init__(self, variables: Sequence[KnownTracer]) -> None:
        self.names = {id(v): f"v{k}" for k, v in enumerate(variables)}
        self.scope: dict[str, Any] = {"zip": zip}
        self.inputs: list[KnownTracer] = []
        self.left = ", ".join(self.names[id(v)] for v in variables)

    def name_of(self, x: Any) -> str:
        """Returns the name of a number."""
        if type(x) is KnownTracer:
            return self.names[id(x)]
        self.scope[name := f"c{len(self.scope)}"] = x
        return name

    def lines_of(self, nodes: Sequence[KnownTracer]) -> list[str]:
        """Returns the lines that compute those of the numbers which have no name yet."""
        lines = []
        for x in nodes:
            if id(x) in self.names:
                continue
            if x.row is not None or _is_item(x):
                self.inputs.append(x)
            elif x.fn is None and x.is_open:
                raise NotKnown("it depends on a variable of a loop around")
            elif not callable(x.fn):
                raise TooMany(_TOO_MANY_ITERATIONS)
            else:
                lines.append(f"x{len(self.names)} = {_expression(x.fn, [self.name_of(a) for a in x.args], self.scope)}")
            self.names[id(x)] = f"x{len(self.names)}"
        return lines

    def step(self, nexts: Sequence[Any]) -> str:
        """Returns the line that gives the variables their next numbers."""
        return f"{self.left}, = {', '.join(map(self.name_of, nexts))}," if nexts else "pass"

    def function(self, lines: Sequence[str], result: str, begin: str = "") -> Any:
        """Makes the function whose iterations have these lines; its first argument says how many there are, as a range."""
        columns = [self.names[id(x)] for x in self.inputs]
        source = "\n".join([
            f"def run({', '.join(filter(None, ['steps', self.left, *(f'of_{name}' for name in columns)]))}):",
            f"    {begin or 'pass'}",
            f"    for {', '.join(['_', *columns])}, in zip({', '.join(['steps', *(f'of_{name}' for name in columns)])}):",
            *(f"        {line}" for line in lines),
            f"    return {result}",
        ])  # fmt: skip
        exec(compile(source, "<numbers of a loop>", "exec"), self.scope)
        return self.scope["run"]


def _expression(fn: Any, args: list[str], scope: dict[str, Any]) -> str:
    if fn is choice:
        return "{1} if {0} else {2}".format(*args)
    if fn in _SYMBOLS:
        return f" {_SYMBOLS[fn]} ".join(args)
    scope[name := f"f{len(scope)}"] = fn
    return f"{name}({', '.join(args)})"
