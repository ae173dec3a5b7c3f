"""Tells which rows of an axis are elements of a bounded array: a span of them, or those that a mask chose.

The others are *spare* rows. A slice and a mask leave the elements where they are; `moved` puts them elsewhere, where two operands
hold theirs in different rows.

| rows | made by | mask |
| --- | --- | --- |
| `Span(start, length, size)` | `x[a:b]`, `np.sort(y)`, `np.concatenate` | `start <= k < start + length` |
| `Chosen(mask, length)` | `x[mask]`, `np.unique(x)`, `x[a:b:2]` | itself |

>>> import jax
>>> jax.jit(lambda k: Span(1, k, 4).mask())(2)
Array([False,  True,  True, False], dtype=bool)
>>> jax.jit(lambda m: moved(jnp.arange(4), 0, Chosen(m), Span(0, 2, 4)))(jnp.array([False, True, False, True]))[:2]
Array([1, 3], dtype=int32)
"""

from __future__ import annotations

import operator
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph import verbosity
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.refusals import user_expression
from autograph.runtime.tracing.same_values import are_same, are_same_integers
from autograph.runtime.tracing.staging import is_traced


class Span:
    """The rows of an axis from one on.

    Attributes:
        size: how many rows the axis has; an int.
        start, length: an int or a traced one, from 0 to `size`.
    """

    __slots__ = ("length", "size", "start")

    def __init__(self, start: Any, length: Any, size: int) -> None:
        self.size, self.start, self.length = size, _within(start, size), _within(length, size)

    @property
    def parts(self) -> tuple[Any, Any]:
        """Returns the values that a pytree of it holds."""
        return self.start, self.length

    @property
    def end(self) -> Any:
        """The row behind the last element."""
        return plus(self.start, self.length)

    def mask(self) -> Any:
        """Tells which rows are elements."""
        rows = jnp.arange(self.size)
        below = None if are_same_integers(self.end, self.size) else rows < self.end
        if type(self.start) is int and self.start == 0:
            return rows < self.size if below is None else below
        return rows >= self.start if below is None else (rows >= self.start) & below

    def is_like(self, other: Rows) -> bool:
        """Whether the elements are known to begin in the same row as those of another axis, of as many rows."""
        return type(other) is Span and self.size == other.size and are_same_integers(self.start, other.start)

    def backwards(self) -> Span:
        """Returns the rows of the reversed axis."""
        return Span(minus(self.size, self.end), self.length, self.size)

    def of_length(self, length: Any) -> Span:
        """Returns the same, of a length that was checked."""
        return Span(self.start, length, self.size)


class Chosen:
    """The rows of an axis that a mask chose, in their order.

    Attributes:
        length: how many rows are elements; counted at once, for a branch or a loop that asks would count in a trace of its own.
        size: how many rows the axis has; an int.
    """

    __slots__ = ("_mask", "_unchecked", "length", "size")

    def __init__(self, mask: Any, length: Any = None, size: int | None = None, unchecked: Any = None) -> None:
        self._mask, self.size = mask, mask.shape[0] if size is None else size
        self._unchecked = mask if unchecked is None else unchecked
        self.length = _within(jnp.sum(mask), self.size) if length is None and size is None else length

    @property
    def parts(self) -> tuple[Any, Any]:
        """Returns the values that a pytree of it holds."""
        return self._mask, self.length

    def mask(self) -> Any:
        """Tells which rows are elements."""
        return self._mask

    def is_like(self, other: Rows) -> bool:
        """Whether the same rows are known to be elements of another axis."""
        return type(other) is Chosen and self.size == other.size and are_same(self._unchecked, other._unchecked)

    def backwards(self) -> Chosen:
        """Returns the rows of the reversed axis."""
        return Chosen(lax.rev(self._mask, (0,)), self.length)

    def of_length(self, length: Any) -> Chosen:
        """Returns the same, of a length that was checked: who uses the mask uses the check, also of a mask that XLA knows."""
        return Chosen(self._mask == (length >= 0), length, unchecked=self._unchecked)


Rows = Span | Chosen


def _within(n: Any, size: int) -> Any:
    """Returns an integer that is known to lie between 0 and a size."""
    known = integer_ranges.range_of(n) if is_traced(n) else (0, size)
    return n if known is not None and known[0] >= 0 and known[1] <= size else integer_ranges.declare_range(n, 0, size)


def all_rows(size: int, kind: type[Rows] = Span) -> Any:
    """Returns all rows of an axis, as a `Span` or as a `Chosen`."""
    return Span(0, size, size) if kind is Span else Chosen(np.ones(size, bool), size)


def are_at_front(rows: Rows) -> bool:
    """Whether the first element is known to be the first row, and the others to follow it."""
    return type(rows) is Span and type(rows.start) is int and rows.start == 0


def tell_cost(what: str) -> None:
    """Says at verbosity 2 what an operation of the user's costs beside itself: a sort, a move, a check."""
    if verbosity.level > 1 and (place := user_expression()) is not None:
        filename, line, source = place
        verbosity.tell_statement(2, (filename, line), f"`{source}`: {what}" if source else what)


def moved(data: Any, axis: int, there: Rows, here: Rows) -> Any:
    """Puts the elements of an array, which are the rows `there` of an axis, into the rows `here` of an axis of any size.

    What stands in spare rows has no meaning.
    """
    if isinstance(there, Chosen):
        tell_cost("a sort of the mask brings the elements that it chose to the front")
        data = jnp.take(data, jnp.argsort(~there.mask(), stable=True), axis=axis)
        there = Span(0, there.length, there.size)
    if isinstance(here, Chosen):
        tell_cost("one operand is moved to the rows that a mask chose in the other (a running count of the mask, and a gather)")
        return jnp.take(data, plus(there.start, jnp.cumsum(here.mask()) - 1), axis=axis, mode="clip")
    if there.is_like(here):
        return data
    tell_cost("one operand is moved to the rows where the elements of the other stand (a pad and a slice)")
    pads = [(0, 0, 0)] * data.ndim
    pads[axis] = (here.size, here.size, 0)
    padded = lax.pad(data, jnp.zeros((), data.dtype), pads)
    return lax.dynamic_slice_in_dim(padded, minus(plus(there.start, here.size), here.start), here.size, axis)


def plus(a: Any, b: Any) -> Any:
    """`a + b`, of which nothing is computed where one is 0."""
    if type(a) is int and a == 0:
        return b
    return a if type(b) is int and b == 0 else a + b


def minus(a: Any, b: Any) -> Any:
    """`a - b`, of which nothing is computed where `b` is 0."""
    return a if type(b) is int and b == 0 else a - b


def integer(n: Any) -> Any:
    """Returns an integer as an int, or as a traced one of the program's own type, with what is known of its size."""
    if not is_traced(n):
        return operator.index(n)
    if n.shape or n.dtype.kind not in "iub":
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    bounds = integer_ranges.range_of(n)
    if type(n) is KnownTracer:
        n = n.value
    dtype = jnp.result_type(int)
    if n.dtype.kind == "u" and n.dtype.itemsize >= dtype.itemsize:
        n = jnp.minimum(n, jnp.iinfo(dtype).max)  # it is no negative number
    n = n if n.dtype == dtype else lax.convert_element_type(n, dtype)
    return n if bounds is None or integer_ranges.range_of(n) is not None else integer_ranges.declare_range(n, *bounds)


def greater(a: Any, b: Any) -> Any:
    """Returns the greater one of two integers."""
    return max(a, b) if type(a) is int and type(b) is int else jnp.maximum(a, b)


def smaller(a: Any, b: Any) -> Any:
    """Returns the smaller one of two integers."""
    return min(a, b) if type(a) is int and type(b) is int else jnp.minimum(a, b)


def bound_of_slice(k: Any, count: Any, size: int, default: Any) -> Any:
    """Returns a bound of a slice of `count` elements, at most `size`: counted from the front, from 0 to `count`."""
    if k is None:
        return default
    if type(count) is int and not is_traced(k):
        return slice(k, None).indices(count)[0]
    k = integer(k)
    known = integer_ranges.range_of(k)
    if known is None or known[0] < 0:
        k = greater(jnp.where(k < 0, k + count, k) if is_traced(k) else k + count, 0)
    known = integer_ranges.range_of(k)
    fits = known is not None and type(count) is int and known[1] <= count
    return k if fits else _within(smaller(k, count), size)


def span_of(part: slice, count: Any, size: int) -> Span:
    """Tells which of `count` elements a slice without a step takes, as rows of an axis of `size`."""
    start, stop = bound_of_slice(part.start, count, size, 0), bound_of_slice(part.stop, count, size, count)
    if type(start) is int and start == 0:
        return Span(0, stop, size)
    length = minus(stop, start)
    is_natural = part.stop is None or integer_ranges.is_natural(length)
    return Span(start, length if is_natural else greater(length, 0), size)
