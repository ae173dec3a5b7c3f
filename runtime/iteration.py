"""What a `for` runs over, when the loop can be staged: a length, arrays to slice, and how an item is made.

| iterable | length | item of turn `k` |
| --- | --- | --- |
| traced array | its leading axis | its `k`-th row |
| `ag.range`, `range` of a traced number | by Python's rule, static where all three numbers are | `start + k * step` |
| `enumerate`, `zip`, `reversed`, `map` of these | the shortest | made of theirs |
| anything else | not staged: Python iterates | |
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime import bounds, iterables
from autograph.runtime.guards import guarded
from autograph.runtime.staging import is_traced


class Items(NamedTuple):
    """The items of a staged loop.

    Attributes:
        length: number of turns, an `int` or a traced integer (negative counts as none).
        arrays: sliced along their leading axis.
        make: `(k, slices) -> item`.
        counts: whether `make` reads `k`.
        backwards: slices are taken from the end.
    """

    length: Any
    arrays: tuple[Any, ...]
    make: Callable[[Any, Sequence[Any]], Any]
    counts: bool
    backwards: bool = False

    def slices(self, k: int) -> list[Any]:
        """The rows that the item of turn `k` is made of."""
        at = self.length - 1 - k if self.backwards else k
        return [lax.index_in_dim(array, at, 0, keepdims=False) for array in self.arrays]

    def after_first(self) -> Items:
        """The items of all turns but the first; the number of turns is known."""
        low, high = (0, self.length - 1) if self.backwards else (1, self.length)
        rest = tuple(lax.slice_in_dim(array, low, high) for array in self.arrays)
        return self._replace(length=self.length - 1, arrays=rest, make=lambda k, slices: self.make(k + 1, slices))

    @property
    def is_static(self) -> bool:
        """Whether the number of turns is known."""
        return not is_traced(self.length)


def items_of(iterable: Any) -> Items | None:
    """The items of `iterable`, or None when Python must iterate it."""
    if not iterables.is_staged_iterable(iterable):
        return None
    if is_traced(iterable):
        return Items(iterable.shape[0], (iterable,), lambda k, slices: slices[0], False)
    kind = type(iterable)
    if kind not in (iterables.Enumerate, iterables.Zip, iterables.Reversed, iterables.Map):
        return None if kind is iterables.Filter else range_items(iterable.start, iterable.stop, iterable.step)
    if iterable.begun:
        return None
    if kind is iterables.Enumerate:
        inner = items_of(iterable.iterable)
        start = iterable.start
        return inner and inner._replace(make=lambda k, slices: (_plus(start, k), inner.make(k, slices)), counts=True)
    if kind is iterables.Reversed:
        return _reversed(iterable.sequence)
    parts = [
        items_of(part) if not isinstance(part, range) else range_items(part.start, part.stop, part.step)
        for part in iterable.iterables
    ]
    together = _together(parts, kind is iterables.Zip and iterable.strict)
    if together is None or kind is iterables.Zip:
        return together
    fn = iterable.fn
    return together._replace(make=lambda k, slices: fn(*together.make(k, slices)))


def _plus(start: Any, k: Any) -> Any:
    return k if type(start) is int and start == 0 else start + k


def _minus(high: Any, low: Any) -> Any:
    return high if type(low) is int and low == 0 else high - low


def range_items(start: Any, stop: Any, step: Any) -> Items:
    """The items of `range(start, stop, step)`; each number may be traced, and the items are Python's (weak) integers."""
    start, stop, step = (_whole(n) for n in (start, stop, step))
    if type(step) is int and step == 0:
        raise ValueError("range() arg 3 must not be zero")
    length: Any
    if all(type(n) is int for n in (start, stop, step)):
        length = len(range(start, stop, step))
    elif type(step) is int:
        distance = _minus(stop, start) if step > 0 else _minus(start, stop)
        stride = abs(step)
        length = distance if stride == 1 else lax.div(distance + (stride - 1), jnp.full_like(distance, stride))
    elif (known := bounds.of(step)) is not None and (known[0] > 0 or known[1] < 0):
        distance, size = (_minus(stop, start), step) if known[0] > 0 else (_minus(start, stop), -step)
        length = lax.div(distance + (size - 1), size)
    else:
        step = guarded(step, lax.ne(step, jnp.zeros_like(step)), ValueError("range() arg 3 must not be zero"))
        distance = jnp.where(step > 0, stop - start, start - stop)
        size = lax.abs(step)
        length = lax.div(distance + (size - 1), size)

    def make(k: Any, slices: Sequence[Any]) -> Any:
        scaled = k if type(step) is int and step == 1 else k * step
        item = _plus(start, scaled)
        return item if reach is None else bounds.declare(item, *reach)

    reach = _reach(start, stop, step)
    return Items(length, (), make, True)


def _reach(start: Any, stop: Any, step: Any) -> bounds.Bounds | None:
    """The least and the greatest number that a range can give, if its beginning and its direction are known."""
    first, last, by = (bounds.of(n) for n in (start, stop, step))
    if first is None or by is None or by[0] <= 0 <= by[1]:
        return None
    limits = jnp.iinfo(jnp.result_type(int))
    if by[0] > 0:
        return first[0], int(limits.max) if last is None else max(last[1] - 1, first[0])
    return int(limits.min) if last is None else min(last[0] + 1, first[1]), first[1]


def _whole(n: Any) -> Any:
    """A bound of a range as a Python integer, or a traced one as Python's would be: weak, of the default size.

    Raises:
        TypeError: it is no integer, in the words of Python and of JAX.
    """
    if not is_traced(n):
        return operator.index(n)
    aval = jax.typeof(n)
    if aval.shape:
        raise TypeError("Only integer scalar arrays can be converted to a scalar index.")
    if aval.dtype != jnp.bool_ and not jnp.issubdtype(aval.dtype, jnp.integer):
        kind = "complex" if jnp.issubdtype(aval.dtype, jnp.complexfloating) else "float"
        raise TypeError(f"'{kind}' object cannot be interpreted as an integer")
    dtype = jnp.result_type(int)
    return n if aval.dtype == dtype and aval.weak_type else convert_weak(n, dtype)


def _reversed(sequence: Any) -> Items | None:
    if not is_traced(sequence):
        inner = items_of(sequence)
        if inner is None or inner.arrays:
            return None
        last = inner.length - 1
        return inner._replace(make=lambda k, slices: inner.make(last - k, slices))
    return Items(sequence.shape[0], (sequence,), lambda k, slices: slices[0], False, True)


def _together(parts: Sequence[Items | None], strict: bool) -> Items | None:
    """Several items side by side; None when one of them is Python's."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    lengths = [part.length for part in known]
    if all(part.is_static for part in known):
        length = min(lengths)
        if strict and length != max(lengths):
            return None
    elif strict:
        return None
    else:
        length = lengths[0]
        for other in lengths[1:]:
            length = jnp.minimum(length, other)
    arrays: list[Any] = []
    slots: list[tuple[int, int]] = []
    for part in known:
        slots.append((len(arrays), len(arrays) + len(part.arrays)))
        for array in part.arrays:
            array = lax.rev(array, (0,)) if part.backwards else array
            arrays.append(
                lax.slice_in_dim(array, 0, length) if not is_traced(length) and array.shape[0] > length else array
            )

    def make(k: Any, slices: Sequence[Any]) -> Any:
        return tuple(part.make(k, slices[a:b]) for part, (a, b) in zip(known, slots))

    return Items(length, tuple(arrays), make, any(part.counts for part in known))
