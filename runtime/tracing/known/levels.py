"""Loops of known length that are being traced: the axes on which known numbers differ.

>>> import jax
>>> def f(item):
...     level = Level(4)
...     index = level.number(item, start=10, step=2)
...     return print(index.row.values, index.bounds) or item
>>> _ = jax.make_jaxpr(f)(0)
[10 12 14 16] (10, 16)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.jax_internals import TRACE_STATE
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known import evaluation
from autograph.runtime.tracing.known.number import KnownTracer, made


class Level:
    """A loop that is being traced, whose iterations are numbered.

    Attributes:
        length: how many iterations there are, at most.
        lengths: how many there are in each iteration of the loops around, where they differ: an array. All numbers of such a loop
            are computed for `length` iterations.
        inside: which of these there are; None where these are too many.
        reached: the same, or only in which iterations of the loops around there is one.
        is_lenient: whether the program computes, in its own types, the numbers that are too many for Python.
        parent, depth: the loop around it, and how many there are.
        item, start, step: the tracer of the item, its first number, and by how much the next one is greater. The item is None where
            nothing counts the iterations.
        trace: that of an iteration.
        mixes_floats: whether a variable holds NumPy's float in some iterations and Python's in others; it counts as NumPy's in all.
        impossible: open numbers that the program was asked for, which has no form of them.
        names, tables, reports: for `loop_reports`: of variables that are known numbers; the numbers that became tables, and the
            bytes of each, by id; what is to be said of the loops inside, and their places.
    """

    def __init__(self, length: int, lengths: Any = None, is_lenient: bool = False) -> None:
        self.length, self.lengths, self.is_lenient = length, lengths, is_lenient
        self.parent: Level | None = progress.level
        if self.parent is None:
            progress.calls = 0
        self.depth: int = 0 if self.parent is None else self.parent.depth + 1
        self.inside: Any = None
        self.reached: Any = None
        if lengths is not None and length * lengths.size <= evaluation.MOST_CELLS:
            self.inside = self.reached = self.along(np.arange(length)) < lengths
        elif lengths is not None:
            self.reached = lengths[None] > 0
        self.item: Any = None
        self.trace: Any = None
        self.start, self.step = 0, 1
        self.mixes_floats = False
        self.impossible: list[KnownTracer] = []
        self.names: list[str] = []
        self.reports: list[tuple[Any, str]] = []
        self.tables: dict[int, tuple[KnownTracer, int]] = {}

    def chain(self) -> list[Level]:
        """Returns the loops around it and itself, outermost first."""
        return [*(self.parent.chain() if self.parent else ()), self]

    def note_mixed_floats(self) -> None:
        """Notes, also of the loops around, that a variable holds floats of two classes."""
        for level in self.chain():
            level.mixes_floats = True

    def number(self, item: Any, start: Any = 0, step: Any = 1) -> Any:
        """Returns the item of a loop over `range(start, start + length * step, step)` as a known number.

        Args:
            item: its tracer.
            start, step: numbers; of a loop inside of others, known ones.
        """
        self.item, self.start, self.step = item, start, step
        if self.lengths is not None:
            return self._number_inside(item, start, step)
        last = start + (self.length - 1) * step
        bounds = (min(start, last), max(start, last))
        integer_ranges.declare_range(item, *bounds)
        if self.length == 1:
            return start
        row = None
        if self.length <= evaluation.MOST_CELLS:
            row = evaluation.Row(self.along(np.arange(self.length, dtype=np.int64) * step + start), int)
        found = KnownTracer(int, row, bounds, self)
        found.emitted = item, TRACE_STATE.value
        return found

    def _number_inside(self, item: Any, start: Any, step: Any) -> Any:
        first, by = (x if type(x) is int else x.row.values for x in (start, step))
        is_run = np.broadcast_to(self.lengths > 0, np.broadcast_shapes(self.lengths.shape, np.shape(first), np.shape(by)))
        ends = [np.broadcast_to(first + by * k, is_run.shape)[is_run] for k in (0, self.lengths - 1)]
        bounds = int(np.min(ends)), int(np.max(ends))
        row = None
        if self.inside is not None:
            # The last number again where there is no iteration, so that there are no other numbers than Python has.
            k = np.minimum(self.along(np.arange(self.length)), np.maximum(self.lengths - 1, 0))
            row = evaluation.Row(np.where(is_run, first + by * k, bounds[0]), int)
        integer_ranges.declare_range(item, *bounds)
        found = KnownTracer(int, row, bounds, self)
        found.emitted = item, TRACE_STATE.value
        return found

    def last(self, values: Any) -> Any:
        """Returns what the last iteration has of values, the first axis of which is that of this loop; there is at least one."""
        if self.lengths is None or len(values) == 1:
            return values[-1]
        at = np.broadcast_to(self.lengths - 1, np.broadcast_shapes(self.lengths.shape, values.shape[1:]))
        return np.take_along_axis(np.broadcast_to(values, (len(values), *at.shape)), at[None], axis=0)[0]

    def along(self, values: Any) -> Any:
        """Returns one value for each iteration, on the axis of this loop."""
        return values.reshape((len(values), *[1] * self.depth))


def position_in(level: Level) -> Any:
    """Returns the number of an iteration of a loop, from 0, as a known number of which the program has no value."""
    return made(evaluation.Row(level.along(np.arange(level.length)), int), level)


def column_of(x: KnownTracer, length: int) -> list[Any]:
    """Returns the number of each iteration of a loop that has just been traced: a Python number, or one of the loops around."""
    assert x.row is not None
    depth = 0 if progress.level is None else progress.level.depth + 1
    values = x.row.values
    if values.ndim <= depth:
        return [x] * length
    rows = [evaluation.Row(values[t], x.kind) for t in range(values.shape[0])] * (length if values.shape[0] == 1 else 1)
    if progress.level is None:
        return values.tolist() if not issubclass(x.kind, np.generic) else list(values)
    return [made(row, progress.level) for row in rows]
