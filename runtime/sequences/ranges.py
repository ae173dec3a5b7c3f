"""What ranges say of themselves where a bound, an index or a value is traced: by arithmetic, as Python's ranges do.

>>> import jax
>>> from autograph.directives import range as ag_range
>>> def f(n):
...     numbers = ag_range(1, n, 3)
...     return range_length(numbers), item(numbers, -1), count_in_range(numbers, 4), index(numbers, 7)
>>> [int(k) for k in jax.jit(f)(12)]
[4, 10, 1, 2]
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.checks.guards import guard_index
from autograph.runtime.sequences import counted_range, loop_items, membership, traced_index
from autograph.runtime.sequences.comparison import may_be_traced
from autograph.runtime.sequences.loop_items import whole as whole
from autograph.runtime.tracing import integer_ranges, sizes
from autograph.runtime.tracing.array_types import scalar
from autograph.runtime.tracing.known.number import kind_of
from autograph.runtime.tracing.refusals import message_of_failure, refusal
from autograph.runtime.tracing.staging import is_traced


def is_open(x: Any) -> bool:
    """Whether `x` is a range of which a bound is traced, or a size that is not known."""
    return type(x) is counted_range.range and any(is_traced(n) or sizes.is_size(n) for n in (x.start, x.stop, x.step))


def _known(numbers: Any) -> range:
    return range(*map(operator.index, (numbers.start, numbers.stop, numbers.step)))


def numpy_array(numbers: Any, dtype: Any) -> Any:
    """`np.array(numbers, dtype)`.

    Raises:
        StagingError: the range is open.
    """
    if is_open(numbers):
        raise refusal(
            "an array is made of a range with a traced bound",
            why="how many numbers it has is only known when the program runs, and arrays of a compiled program have known shapes",
            instead="ask the range itself (`len`, `sum`, `max`, `in`, a `for` loop), or make an array of the largest size and "
            "mask it (`jnp.where(jnp.arange(N) < n, x, 0)`)",
            page="array-of-an-open-range",
        )
    return np.array(_known(numbers), dtype)


def range_length(numbers: Any) -> Any:
    """`len(numbers)` of an open range."""
    items = loop_items.range_items(numbers.start, numbers.stop, numbers.step)
    if not callable(items.count):
        return items.length
    return convert_weak(lax.max(items.length, lax.full_like(items.length, 0)), jnp.result_type(int))


def iterate_over(numbers: Any, backwards: bool = False) -> Iterator[Any]:
    """Iterates over the numbers of a range with a traced bound whose length is known: `range(i, i + 3)` of a known number `i`.

    Raises:
        TypeError: its length is not known.
    """
    items = loop_items.range_items(numbers.start, numbers.stop, numbers.step)
    if not items.is_static:
        operator.index(range_length(numbers))  # which says so
    places = range(items.length)
    return (items.make(k, ()) for k in (reversed(places) if backwards else places))


def array_between(start: Any, stop: Any, step: Any = 1) -> Any:
    """Makes the array of `range(start, stop, step)`, of numbers that are known in each iteration; None where its length is not."""
    if not all(kind_of(x) is int for x in (start, stop, step)):
        return None
    items = loop_items.range_items(start, stop, step)
    return jnp.arange(items.length) * step + start if items.is_static else None


def ends(numbers: Any, name: str) -> tuple[Any, Any]:
    """The first and the last number of an open range; the compiled program fails where there is none."""
    size = sizes.traced(range_length(numbers))
    error = ValueError(f"{name}() arg is an empty sequence")
    last = numbers.start + (size - 1) * numbers.step
    return guard_index(jnp.asarray(numbers.start), size > 0, error), guard_index(last, size > 0, error)


def first_number(numbers: Any, message: str) -> Any:
    """The first number of an open range; the compiled program fails with a `TypeError` where there is none."""
    return guard_index(jnp.asarray(numbers.start), sizes.traced(range_length(numbers)) > 0, TypeError(message))


def item(numbers: Any, position: Any) -> Any:
    """`numbers[position]`; the compiled program fails where there is no such number.

    Raises:
        StagingError: a slice of an open range.
    """
    if not is_open(numbers):
        known = _known(numbers)
        return traced_index.get_from_range(known, position) if is_traced(position) else known[position]
    if isinstance(position, slice):
        raise refusal(
            "a range with a traced bound is sliced",
            why="how many numbers it has is only known when the program runs",
            instead="write the bounds of the slice into the range: `range(start + 1, stop)` for `range(start, stop)[1:]`",
            page="slice-of-an-open-range",
        )
    size = range_length(numbers)
    if sizes.is_size(size) and type(position) is int:
        place = position if position >= 0 else size + position
        if sizes.is_known(place, ">=", 0) and sizes.is_known(place, "<", size):
            return numbers.start + place * numbers.step
    size = sizes.traced(size)
    if is_traced(position):
        at = traced_index.integer_index(position, "range")
        at = at if integer_ranges.is_natural(at) else lax.select(at < 0, at + size, at)
    elif not hasattr(type(position), "__index__"):
        return range(0)[position]  # Python's TypeError
    else:
        at = operator.index(position)
        at = jnp.asarray(at) if at >= 0 else size + at
    at = guard_index(at, (at >= 0) & (at < size), IndexError("range object index out of range"))
    return scalar(numbers.start + at * numbers.step, int)


def count_in_range(numbers: Any, value: Any) -> Any:
    """`numbers.count(value)`."""
    if not is_open(numbers) and not may_be_traced(value):
        return _known(numbers).count(value)
    found = membership.contains(value, numbers)
    return scalar(found, int) if is_traced(found) else int(found)


def index(numbers: Any, value: Any) -> Any:
    """`numbers.index(value)`; the compiled program fails where the value is missing."""
    if not is_open(numbers) and not may_be_traced(value):
        return _known(numbers).index(value)
    found = membership.contains(value, numbers)
    text = "x is not in range" if is_traced(value) else message_of_failure(range(0).index, value)  # up to 3.13 with the value
    if found is False:
        raise ValueError(text)
    # The distance of two integers may be too large for one, not for an unsigned one.
    start, step, value = (jnp.asarray(n, jnp.result_type(int)) for n in (numbers.start, numbers.step, value))
    unsigned = np.dtype(f"u{start.dtype}")
    distance = lax.select(step > 0, value - start, start - value)
    place = lax.div(lax.convert_element_type(distance, unsigned), lax.convert_element_type(lax.abs(step), unsigned))
    return scalar(guard_index(place, jnp.asarray(found), ValueError(text)), int)
