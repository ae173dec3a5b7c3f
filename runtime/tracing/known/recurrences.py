"""Recurrences of known numbers, such as `count += 1` or `t += dt`, computed by Python before the loop is compiled.

| recurrence | computed by |
| --- | --- |
| `v + x`, `v - x`, `v * x`, of one variable, or under a test | NumPy's `accumulate`, which goes from left to right like Python |
| any other, of numbers | a Python function, generated from the expressions |
| any other, inside of other loops | NumPy, on vectors over the iterations of these |

>>> from autograph.runtime.tracing.known.number import opened
>>> a, b = (opened(n, None, Level(6)) for n in (0, 1))
>>> columns, last = run_ahead(Level(6), [a, b], [0, 1], [b, a + b])  # a, b = b, a + b
>>> columns[0].values.tolist(), last
([0, 1, 1, 2, 3, 5], [8, 13])
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.runtime.tracing.known import evaluation
from autograph.runtime.tracing.known.evaluation import NotKnown, Row, TooMany, choice, row_of
from autograph.runtime.tracing.known.levels import Level
from autograph.runtime.tracing.known.number import KnownTracer, is_open_number, lifted, made
from autograph.runtime.tracing.known.step_functions import MOST_STEPS, column, is_of_one_loop, nodes_of, step_function

_PER_VECTOR = 16  # an operation on a vector takes so many times as long as one on numbers
Values = list[Any]
Rows = dict[int, Row]
"""Rows of known numbers, by the id of the number, instead of their own: in the iterations of a loop around that are asked for."""


def run_ahead(
    level: Level, variables: Sequence[KnownTracer], inits: Values, nexts: Values, rows: Rows | None = None
) -> tuple[list[Row], Values]:
    """Computes the numbers that variables hold in each iteration of a loop.

    Args:
        variables: open numbers.
        inits: their numbers before the loop, or rows over the iterations of the loops around.
        nexts: the numbers at the end of an iteration, computed from the variables.
    Returns:
        a row for each variable, of the numbers at the beginning of each iteration; and the numbers, or rows, behind the loop.
    Raises:
        NotKnown: a number is not known in each iteration, or there are too many.
    """
    rows = rows or {}
    if len(variables) == 1 and (series := _accumulated(level, variables[0], inits[0], nexts[0], rows)) is not None:
        return [series[0]], [series[1]]
    nodes = nodes_of(nexts)
    of_nodes = [_row(x, rows) for x in nodes]
    if any(row is None and not x.is_open for x, row in zip(nodes, of_nodes, strict=True)):
        raise TooMany(f"there are more than {evaluation.MOST_CELLS:,} iterations")
    if any(type(init) is Row for init in inits) or not all(
        row is None or is_of_one_loop(row, level) for row in of_nodes
    ):
        return _by_vectors(level, variables, inits, nexts, rows)
    return _by_python(level, variables, inits, nexts, rows)


def until_the_end(level: Level, variable: KnownTracer, after: Any) -> Any:
    """Returns what a variable holds after an iteration: what it held before, where the loop has ended.

    Raises:
        NotKnown: there are too many iterations.
    """
    if level.lengths is None or after is variable:
        return after
    if level.inside is None:
        raise TooMany(f"there are {level.length * level.lengths.size:,} iterations")
    return lifted(choice, made(Row(level.inside, bool), level), after, variable)


def _row(x: KnownTracer, rows: Rows) -> Row | None:
    return rows.get(id(x), x.row)


def _accumulated(level: Level, variable: KnownTracer, init: Any, after: Any, rows: Rows) -> tuple[Row, Any] | None:
    """Computes a sum or a product of one variable; None of anything else."""
    fn, right, where = step_of(variable, after, rows)
    if fn is None:
        return None
    start = init if type(init) is Row else row_of([init], ())
    step = _row(right, rows) if type(right) is KnownTracer else row_of([right], ())
    if (
        step is None
        or not {start.kind, step.kind} <= {int, float, bool}
        or object in (start.values.dtype, step.values.dtype)
    ):
        return None
    kind = float if float in (start.kind, step.kind) else int
    if kind is not start.kind:  # its class changes in the first iteration
        return None
    if kind is float and step.kind is int and np.abs(step.values.astype(np.float64)).max() > 2.0**53:
        return None
    values = step.values.astype(np.float64 if kind is float else np.int64)
    if where is not None:
        values = np.where(where.values, values, values.dtype.type(_NEUTRAL[fn]))
    shape = np.broadcast_shapes((level.length, *[1] * level.depth), start.values.shape, values.shape)
    if math.prod(shape) > evaluation.MOST_CELLS:
        raise TooMany(f"there are {math.prod(shape):,} iterations")
    before = np.broadcast_to(start.values, (1, *shape[1:])).astype(values.dtype)
    terms = np.concatenate([before, np.broadcast_to(values, shape)])
    if kind is int and (fn is operator.mul or np.abs(terms.astype(np.float64)).sum() >= 2.0**62):
        return None
    with np.errstate(all="ignore"):
        series = _ACCUMULATED[fn].accumulate(terms, axis=0)
    return Row(series[:-1], kind), _number_or_row(series[-1], kind)


def growth(variable: KnownTracer, after: Any) -> int | None:
    """Returns by which int a variable grows in each iteration; None where it does not grow evenly."""
    fn, right, where = step_of(variable, after, {})
    if where is not None or type(right) is not int or variable.kind is not int or fn is operator.mul:
        return None
    return right if fn is operator.add else -right


def step_of(variable: KnownTracer, after: Any, rows: Rows) -> tuple[Any, Any, Row | None]:
    """Finds the operation, the operand and the iterations of `v = v + x`, under a test or not; no operation for anything else."""
    where = None
    if type(after) is KnownTracer and after.fn is choice and after.is_open and any(x is variable for x in after.args[1:]):
        test, if_true, if_false = after.args
        where = _row(test, rows)
        if where is None or where.kind is not bool:
            return None, None, None
        after = if_true
        if if_true is variable:
            where, after = where._replace(values=~where.values), if_false
    if type(after) is not KnownTracer or after.fn not in _ACCUMULATED or len(after.args) != 2:
        return None, None, None
    left, right = after.args
    if right is variable and after.fn is not operator.sub:
        left, right = right, left
    if left is not variable or (is_open_number(right) and id(right) not in rows):
        return None, None, None
    return after.fn, right, where


_ACCUMULATED: dict[Any, Any] = {operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply}
_NEUTRAL = {operator.add: -0.0, operator.sub: 0.0, operator.mul: 1}


def _number_or_row(values: Any, kind: type) -> Any:
    row = Row(values, kind)
    return row if values.size > 1 else row.constant()


# --- by a Python function ---


def _by_python(
    level: Level, variables: Sequence[KnownTracer], inits: Values, nexts: Values, rows: Rows
) -> tuple[list[Row], Values]:
    if level.length > evaluation.MOST_CELLS:
        raise TooMany(f"there are {level.length:,} iterations")
    series: list[list[Any]] = [[] for _ in variables]
    run, inputs = step_function(level, variables, nexts, [numbers.append for numbers in series])
    try:
        last = run(*inits, *(column(level, _row(x, rows)) for x in inputs))
    except Exception as error:
        raise NotKnown(f"Python raises {type(error).__name__} in an iteration") from None
    found = [row_of(numbers) for numbers in series]
    for row, number in zip(found, last, strict=True):
        if type(number) is not row.kind:
            raise NotKnown("it is of several kinds")
    return [Row(level.along(row.values), row.kind) for row in found], last


# --- by vectors ---


def _by_vectors(
    level: Level, variables: Sequence[KnownTracer], inits: Values, nexts: Values, rows: Rows
) -> tuple[list[Row], Values]:
    nodes = nodes_of(nexts)
    if level.length * (len(nodes) + 1) * _PER_VECTOR > MOST_STEPS:
        raise TooMany(f"it takes {level.length * (len(nodes) + 1):,} operations on the iterations of other loops")
    state: Values = list(inits)
    series: list[list[Any]] = [[] for _ in variables]
    for t in range(level.length):
        known: dict[int, Any] = {id(v): value for v, value in zip(variables, state, strict=True)}
        for numbers, value in zip(series, state, strict=True):
            numbers.append(value)
        for x in nodes:
            if id(x) not in known:
                known[id(x)] = _around(_at(x, t, level, known, rows), level)
        state = [known[id(x)] if type(x) is KnownTracer else x for x in nexts]
    return [_stacked(level, numbers, last) for numbers, last in zip(series, state, strict=True)], state


def _stacked(level: Level, column: Values, last: Any) -> Row:
    """Makes one row of the numbers, or rows, of all iterations."""
    kinds = {value.kind if type(value) is Row else type(value) for value in (*column, last)}
    if len(kinds) != 1:
        raise NotKnown("it is of several kinds")
    (kind,) = kinds
    if all(type(value) is not Row for value in column):
        return Row(level.along(row_of(column).values), kind)
    values = [value.values if type(value) is Row else np.asarray(value) for value in column]
    shape = np.broadcast_shapes(*(value.shape for value in values))
    if math.prod(shape) * level.length > evaluation.MOST_CELLS:
        raise TooMany(f"there are {math.prod(shape) * level.length:,} iterations")
    stacked = np.stack([np.broadcast_to(value, shape) for value in values])
    return Row(stacked.reshape(len(values), *[1] * (level.depth - len(shape)), *shape), kind)


def _around(x: Any, level: Level) -> Any:
    """Drops the axes of a row except those of the loops around; a number stays the same."""
    return (
        x
        if type(x) is not Row
        else x._replace(values=x.values.reshape(x.values.shape[max(x.values.ndim - level.depth, 0) :]))
    )


def _at(x: KnownTracer, t: int, level: Level, known: dict[int, Any], rows: Rows) -> Any:
    """Computes a known number in one iteration: a number, or a row over the iterations of the loops around."""
    if not x.is_open:
        row = _row(x, rows)
        assert row is not None
        values = row.values
        if values.ndim > level.depth:
            values = values[t if values.shape[0] > 1 else 0]
        return _number_or_row(values, row.kind)
    if x.fn is None:
        raise NotKnown("it depends on a variable of a loop around")
    args = [known[id(a)] if type(a) is KnownTracer else a for a in x.args]
    if any(type(a) is Row for a in args):
        return evaluation.evaluate(x.fn, args)
    try:
        return x.fn(*args)
    except NotKnown:
        raise
    except Exception as error:
        raise NotKnown(f"Python raises {type(error).__name__} in an iteration") from None


# --- loops inside of the loop whose variables are computed ---


class Fold:
    """A function of the numbers before an inner loop: the number behind it of one of its variables.

    Its arguments are the numbers of the variables, then the numbers of the iterations of the loops around (`positions`).

    >>> from autograph.runtime.tracing.known.number import opened
    >>> count = opened(0, None, Level(5))
    >>> Fold(Level(5), [count], [count + 2], 0)(100)
    110
    """

    def __init__(
        self, level: Level, variables: Sequence[KnownTracer], nexts: Values, which: int, depths: Sequence[int] = ()
    ) -> None:
        self.level, self.variables, self.nexts, self.which, self.depths = level, variables, nexts, which, depths
        own = {id(v) for v in variables}
        self._others = [x for x in nodes_of(nexts) if not x.is_open and id(x) not in own]
        self._function: Any = None

    def __call__(self, *args: Any) -> Any:
        if self._function is None:
            self._function = step_function(self.level, self.variables, self.nexts)
        run, inputs = self._function
        count = len(self.variables)
        rows = self._rows(args[count:])
        return run(*args[:count], *(column(self.level, _row(x, rows)) for x in inputs))[self.which]

    def of_rows(self, args: Sequence[Any]) -> Row:
        """Returns the number for each iteration of the loops around, as a row."""
        count = len(self.variables)
        found = run_ahead(self.level, self.variables, list(args[:count]), self.nexts, self._rows(args[count:]))[1][
            self.which
        ]
        return found if type(found) is Row else row_of([found], ())

    def _rows(self, positions: Sequence[Any]) -> Rows:
        """Selects the iterations of the loops around that are asked for, of numbers that depend on them."""
        asked = {depth: k for depth, k in zip(self.depths, positions, strict=True) if type(k) is not Row}
        if not asked:
            return {}
        rows: Rows = {}
        for x in self._others:
            assert x.row is not None
            values = x.row.values
            where: list[Any] = [slice(None)] * values.ndim
            for depth, k in asked.items():
                if depth < values.ndim and values.shape[values.ndim - 1 - depth] > 1:
                    where[values.ndim - 1 - depth] = slice(k, k + 1)
            rows[id(x)] = x.row._replace(values=values[tuple(where)])
        return rows


def loops_around(level: Level, nexts: Values) -> tuple[list[KnownTracer], list[int]]:
    """Finds the numbers in expressions that the loops around a loop decide alone, and the depths of those that decide others."""
    alone: list[KnownTracer] = []
    depths: set[int] = set()
    for x in nodes_of(nexts):
        if x.is_open:
            continue
        if x.row is None:
            raise TooMany(f"there are more than {evaluation.MOST_CELLS:,} iterations")
        values = x.row.values
        if values.ndim <= level.depth:
            alone.append(x)
        else:
            depths |= {depth for depth in range(level.depth) if values.shape[values.ndim - 1 - depth] > 1}
    return alone, sorted(depths)
