"""What `enumerate`, `zip`, `reversed`, `map` and `filter` return when a traced array or a staged range lies beneath.

Each is an iterator that does in plain Python what the builtin does, so that library code can consume it (which unrolls
the loop), and keeps its parts in attributes, so that a `for` statement can stage it whole while nothing has been taken
from it.

>>> import jax, jax.numpy as jnp
>>> pairs = Enumerate(jnp.arange(3) * 10, 1)
>>> pairs.is_started, [(i, int(x)) for i, x in pairs], pairs.is_started
(False, [(1, 0), (2, 10), (3, 20)], True)
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from autograph import switches
from autograph.jax_internals import is_tracing
from autograph.runtime.heap.iterators import StagedIterator
from autograph.runtime.sequences import counted_range
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.tracing.families import BUILTIN_VALUES
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.bounded_array import BoundedArray


@dataclass(slots=True, eq=False)
class _Staged(StagedIterator):
    """An iterator that remembers what it is made of until the first item is taken."""

    _items: Iterator[Any] | None = field(default=None, init=False)

    @property
    def is_started(self) -> bool:
        """Whether an item was taken, so that the parts no longer say what is left."""
        return self._items is not None

    def exhaust(self) -> None:
        """What a loop leaves behind that took every item without iterating."""
        self._items = iter(())

    def _start(self) -> Iterator[Any]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._items is None:
            self._items = self._start()
        return next(self._items)


@dataclass(slots=True, eq=False)
class Enumerate(_Staged):
    """`enumerate(iterable, start)`; `start` may be traced."""

    iterable: Any
    start: Any = 0

    def _start(self) -> Iterator[Any]:
        if is_traced(self.start):
            return ((self.start + i, x) for i, x in builtins.enumerate(self.iterable))
        return builtins.enumerate(self.iterable, self.start)


@dataclass(slots=True, eq=False)
class Zip(_Staged):
    """`zip(*iterables, strict=strict)`."""

    iterables: tuple[Any, ...]
    strict: bool = False

    def _start(self) -> Iterator[Any]:
        return builtins.zip(*self.iterables, strict=self.strict)


@dataclass(slots=True, eq=False)
class Reversed(_Staged):
    """`reversed(sequence)`."""

    sequence: Any

    def _start(self) -> Iterator[Any]:
        return builtins.reversed(self.sequence)


@dataclass(slots=True, eq=False)
class Map(_Staged):
    """`map(fn, *iterables)`; `fn` is converted already."""

    fn: Callable[..., Any]
    iterables: tuple[Any, ...]

    def _start(self) -> Iterator[Any]:
        return builtins.map(self.fn, *self.iterables)


@dataclass(slots=True, eq=False)
class Filter(_Staged):
    """`filter(fn, iterable)`; `fn` is converted already, or None."""

    fn: Callable[[Any], Any] | None
    iterable: Any

    def _start(self) -> Iterator[Any]:
        return builtins.filter(known_test(self.fn), self.iterable)


def known_test(fn: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """The test of `filter(fn, items)`, refused where it is traced."""

    def test(item: Any) -> Any:
        result = item if fn is None else fn(item)
        if is_traced(result):
            raise refusal(
                "filter() by a traced test has no known number of items",
                why="the items are taken one by one while the program is traced",
                instead="write the test as an `if` in the loop, or mask: `jnp.where(test, value, neutral)`",
                page="filter",
            )
        return result

    return test


STAGED = frozenset({Enumerate, Zip, Reversed, Map, Filter})
FEW = min(8, switches.level("AUTOGRAPH_UNROLL_BELOW") or 8)
"""A loop of fewer iterations over Python's numbers is not tried as one of the program (`operators.long_loops`)."""


def may_be_long(x: Any) -> bool:
    """Whether a loop over Python's numbers may become one of the program: a range, a list, a tuple or a NumPy array of them."""
    kind = type(x)
    if kind is builtins.range:
        return is_tracing() and bool(x[FEW - 1 : FEW])
    if kind in (list, tuple):
        return len(x) >= FEW and type(x[0]) in (int, float) and is_tracing()
    return kind is np.ndarray and x.ndim == 1 and len(x) >= FEW and x.dtype.kind in "iuf" and is_tracing()


def is_staged_iterable(x: Any) -> bool:
    """Whether a `for` over `x` becomes a `lax` loop: a traced array, a staged range, or one of the above, which may."""
    kind = type(x)
    if kind in BUILTIN_VALUES:
        return False
    if kind in STAGED:
        return True
    if kind is BoundedList or kind is BoundedArray:
        return bool(x.is_traced())
    if is_traced(x):
        return bool(jax.typeof(x).shape)
    return kind is counted_range.range
