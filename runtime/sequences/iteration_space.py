"""What a `for` runs over, when the loop can be staged: a length, arrays to slice, and how an item is made.

| iterable | length | item of iteration `k` |
| --- | --- | --- |
| traced array | its leading axis | its `k`-th row |
| `ag.range`, `range` of a traced number or size | by Python's rule, static where all three numbers are | `start + k * step` |
| `enumerate`, `zip`, `reversed`, `map` of these | the shortest | made of theirs |
| anything else | not staged: Python iterates | |

>>> items_of(range(3)) is None, items_of(range(3), of_numbers=True).length
(True, 3)
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.sequences import array_items, iterables
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.sequences.loop_items import Items, Walk, one_of_two, range_items
from autograph.runtime.tracing import integer_ranges, sizes
from autograph.runtime.tracing.known import lookups
from autograph.runtime.tracing.known.limits import needs_number
from autograph.runtime.tracing.known.number import is_whole
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.bounded_array import BoundedArray, simplified
from autograph.runtime.values.rows import all_rows, plus


def items_of(iterable: Any, of_numbers: bool = False) -> Items | None:
    """Makes the items of `iterable`, None where Python must iterate it; `of_numbers`: unless it gives Python numbers alone."""
    kind = type(iterable)
    if not iterables.is_staged_iterable(iterable):
        return _of_numbers(iterable) if of_numbers else None
    if kind is BoundedList:
        return _of_list(iterable)
    if kind is BoundedArray:
        return _of_bounded(iterable)
    if is_traced(iterable):
        return _of_array(iterable)
    if kind not in (iterables.Enumerate, iterables.Zip, iterables.Reversed, iterables.Map):
        bounds = () if kind is iterables.Filter else (iterable.start, iterable.stop, iterable.step)
        return range_items(*bounds)._replace(is_lenient=not iterable.is_builtin) if bounds else None
    if iterable.is_started:
        return None
    if kind is iterables.Enumerate:
        inner = items_of(iterable.iterable, of_numbers)
        start = iterable.start
        if inner is not None and inner.walk is not None and inner.walk.of_iteration is not None:
            element = inner.walk.of_iteration
            return inner._replace(walk=inner.walk._replace(of_iteration=lambda k: (plus(start, k), element(k))))
        return inner and inner._replace(
            make=lambda k, slices: (plus(start, k), inner.make(k, slices)), counts=True, walk=None
        )
    if kind is iterables.Reversed:
        return _reversed(iterable.sequence, of_numbers)
    if not of_numbers and all(items_of(part) is None for part in iterable.iterables):
        return None
    parts = [items_of(part, of_numbers=True) for part in iterable.iterables]
    together = _together(parts, kind is iterables.Zip and iterable.strict)
    if together is None or kind is iterables.Zip:
        return together
    fn = iterable.fn
    if (walk := together.walk) is not None and (of_parts := walk.of_iteration) is not None:
        return together._replace(walk=walk._replace(of_iteration=lambda k: fn(*of_parts(k))))
    return together._replace(make=lambda k, slices: fn(*together.make(k, slices)))


def _of_numbers(numbers: Any) -> Items | None:
    """Makes the items of a range, or of a list, a tuple or a NumPy array of numbers."""
    kind = type(numbers)
    if kind is range:
        return range_items(numbers.start, numbers.stop, numbers.step)
    if kind is not np.ndarray and not (kind in (list, tuple) and set(map(type, numbers)) in ({int}, {float})):
        return None
    if not iterables.may_be_long(numbers):
        return None

    def make(k: Any, slices: Sequence[Any]) -> Any:
        found = numbers[k] if type(k) is int else lookups.number_at(numbers, k)
        if found is NotImplemented:  # of a list that the loop changes
            raise needs_number("it changes the list over which it runs")
        return found

    return Items(len(numbers), (), make, True)


def is_open_iterable(iterable: Any) -> bool:
    """Whether `iterable` is a range of traced numbers, an axis of a size that is not known, or made of such."""
    items = items_of(iterable) if type(iterable) is not BoundedList else None
    return items is not None and not items.is_static


def has_bound(iterable: Any) -> bool:
    """Whether `iterable` has a traced number of items, of which is known how many they are at most."""
    items = items_of(iterable)
    return items is not None and callable(items.count) and items.most is not None


def _of_array(array: Any, backwards: bool = False) -> Items:
    """Makes the items of an array."""
    items = Items(array.shape[0], (array,), lambda k, slices: slices[0], False, backwards)
    return items if items.is_static or sizes.is_known(items.count, ">", 0) else _by_number(items)


def _by_number(items: Items) -> Items:
    """Makes the same items, each read by its number: JAX makes no loop over the slices of an axis that may be empty."""

    def make(k: Any, slices: Sequence[Any]) -> Any:
        at = items.length - 1 - k if items.backwards else k
        return items.make(k, [array_items.read_item(array, at) for array in items.arrays])

    return Items(items.count, (), make, True, walk=items.walk)


def _of_list(xs: BoundedList) -> Items:
    """Makes the items of a list that may grow or shrink while the loop runs, which reads its length before each iteration."""

    def inside(k: Any) -> Any:
        return k < xs.size

    walk = Walk(0, 1, lambda: inside, lambda k: integer_ranges.declare_least(k, 0), xs.element)
    return Items(lambda: xs.size, (), lambda k, _: xs.element(k), True, walk=walk, most=xs)


def _of_bounded(array: BoundedArray) -> Items:
    """Makes the items of an array of unknown length, each read by its number."""
    array = array.compact()
    rows = array.rows[0] or all_rows(array.data.shape[0])

    def make(k: Any, slices: Sequence[Any]) -> Any:
        return simplified(array_items.read_item(array.data, k), list(array.rows[1:]))

    return Items(lambda: rows.length, (), make, True, most=array.data.shape[0])


def _of_list_backwards(xs: BoundedList) -> Items:
    """Makes the items of a list from the last one on, which is the one that it has when the loop begins."""
    last = xs.checked_size() - 1

    def inside(k: Any) -> Any:
        return (k <= last) & (last - k < xs.size)

    walk = Walk(0, 1, lambda: inside, lambda k: integer_ranges.declare_least(k, 0), lambda k: xs.element(last - k))
    return Items(lambda: last + 1, (), lambda k, _: xs.element(last - k), True, walk=walk, most=xs)


def _reversed(sequence: Any, of_numbers: bool) -> Items | None:
    if type(sequence) is BoundedList and sequence.is_traced():
        return _of_list_backwards(sequence)
    if not is_traced(sequence):
        inner = items_of(sequence, of_numbers)
        if inner is None or inner.arrays or (inner.walk is not None and inner.walk.of_iteration):
            return None
        last = inner.length - 1
        return inner._replace(make=lambda k, slices: inner.make(last - k, slices), walk=None)
    return _of_array(sequence, backwards=True)


def _walked_together(parts: Sequence[Items]) -> Items:
    """Makes items of several, side by side, of which some are of lists that may grow or shrink while the loop runs."""
    parts = [part if not part.is_fixed else _by_number(part) for part in parts]
    tests = [None if part.is_fixed or part.walk is None else part.walk.test() for part in parts]

    def inside(k: Any) -> Any:
        tested = [k < part.length if test is None else test(k) for part, test in zip(parts, tests, strict=True)]
        return functools.reduce(operator.and_, tested)

    def element(k: Any) -> Any:
        return tuple(part.make(k, ()) for part in parts)

    walk = Walk(0, 1, lambda: inside, lambda k: integer_ranges.declare_least(k, 0), element)
    bounds = [part.count if part.is_static else part.most for part in parts]
    known = [n for n in bounds if type(n) is int]
    most = min(known) if known else next((n for n in bounds if n is not None), None)
    lengths = [part.length for part in parts]
    return Items(lambda: functools.reduce(jnp.minimum, lengths), (), lambda k, _: element(k), True, walk=walk, most=most)


def _together(parts: Sequence[Items | None], strict: bool) -> Items | None:
    """Makes items of several, side by side; None when one of them is Python's."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    if not all(part.is_fixed for part in known):
        return None if strict else _walked_together(known)
    if any(sizes.is_size(part.count) and not sizes.is_known(part.count, ">", 0) for part in known):
        known = [_by_number(part) for part in known]
    count: Any
    if all(part.is_counted for part in known):
        count = functools.reduce(sizes.smallest, (part.count for part in known))
        if strict and not all(sizes.is_known(part.count, "==", count) for part in known):
            return None
    elif strict:
        return None
    elif all(is_whole(part.count) for part in known):
        count = functools.reduce(functools.partial(one_of_two, min), (part.count for part in known))
    else:

        def count() -> Any:
            return functools.reduce(jnp.minimum, (part.length for part in known))

    arrays: list[Any] = []
    slots: list[tuple[int, int]] = []
    for part in known:
        slots.append((len(arrays), len(arrays) + len(part.arrays)))
        for array in part.arrays:
            array = lax.rev(array, (0,)) if part.backwards else array
            arrays.append(
                array
                if not (type(count) is int or sizes.is_size(count)) or sizes.is_known(array.shape[0], "<=", count)
                else lax.slice_in_dim(array, 0, count)
            )

    def make(k: Any, slices: Sequence[Any]) -> Any:
        return tuple(part.make(k, slices[a:b]) for part, (a, b) in zip(known, slots))

    bounds = [part.count if part.is_static else part.most for part in known]
    most = min((n for n in bounds if type(n) is int), default=None)
    is_lenient = any(part.is_lenient for part in known)
    return Items(count, tuple(arrays), make, any(part.counts for part in known), is_lenient=is_lenient, most=most)
