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

import itertools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.runtime.tracing.known.evaluation import MOST_CELLS, NotKnown, Row, TooMany, choice
from autograph.runtime.tracing.known.levels import Level
from autograph.runtime.tracing.known.number import KnownTracer

MOST_STEPS = 1 << 24
"""The most operations that are computed ahead for one loop: Python takes about a second for them."""

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
    return code.function(range(level.length), lines, f"[{code.left}]"), code.inputs


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
    return count.of(inits, [column(level, x.row) for x in count.inputs])


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
    rows = [x for x in (*inits, *(x.row for x in count.inputs)) if type(x) is Row]
    shape = np.broadcast_shapes(*(row.values.shape[max(row.values.ndim - level.depth, 0) :] for row in rows))
    starts = [_of_cells(x, shape) if type(x) is Row else itertools.repeat(x) for x in inits]
    columns = [_of_cells(x.row, shape, level) for x in count.inputs]
    runs = active((1, *shape))
    lengths, steps = np.zeros(shape, np.int64), 0
    for cell, *begin in zip(range(lengths.size), *starts):
        if runs is not None and not runs.reshape(-1)[cell]:
            continue
        found, _ = count.of(begin, [column_of_cell[cell] for column_of_cell in columns])
        lengths.reshape(-1)[cell] = found
        steps += found * count.cost
        if steps > MOST_STEPS:
            raise TooMany(f"it takes more than {MOST_STEPS:,} operations of Python")
    return lengths


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
        steps = range(min(level.length, self._most))
        self._run = code.function(steps, [*lines, "if not goes_on: return n, True"], "n, False", "n = 0")
        if any(x.row is None for x in self.inputs):
            raise TooMany(f"there are more than {MOST_CELLS:,} iterations")

    def of(self, inits: Sequence[Any], columns: Sequence[Any]) -> tuple[int, bool]:
        """Counts; returns also whether the test ends the loop."""
        try:
            found: tuple[int, bool] = self._run(*inits, *columns)
        except Exception as error:
            raise NotKnown(f"Python raises {type(error).__name__} in an iteration") from None
        if found == (self._most, False):
            raise TooMany(f"there are more than {self._most:,} iterations")
        return found


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
        missing = [a for a in x.args if type(a) is KnownTracer and id(a) not in seen] if x.is_open else []
        if missing:
            pending += missing
            continue
        pending.pop()
        if id(x) not in seen:
            seen.add(id(x))
            found.append(x)
    return found


def column(level: Level, row: Row | None) -> list[Any]:
    """Collects the number of each iteration, in its class in Python."""
    if row is None:
        raise TooMany(f"there are more than {MOST_CELLS:,} iterations")
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
            if not x.is_open:
                self.inputs.append(x)
            elif x.fn is None:
                raise NotKnown("it depends on a variable of a loop around")
            else:
                lines.append(f"x{len(self.names)} = {_expression(x.fn, [self.name_of(a) for a in x.args], self.scope)}")
            self.names[id(x)] = f"x{len(self.names)}"
        return lines

    def step(self, nexts: Sequence[Any]) -> str:
        """Returns the line that gives the variables their next numbers."""
        return f"{self.left}, = {', '.join(map(self.name_of, nexts))}," if nexts else "pass"

    def function(self, steps: range, lines: Sequence[str], result: str, begin: str = "") -> Any:
        """Makes the function whose iterations have these lines."""
        self.scope["steps"] = steps
        columns = [self.names[id(x)] for x in self.inputs]
        source = "\n".join([
            f"def run({', '.join(filter(None, [self.left, *(f'of_{name}' for name in columns)]))}):",
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
