"""The items of a staged loop; those of a range, whose numbers may be traced, or known in each iteration of the loops around.

>>> import jax
>>> items = range_items(2, 9, 3)
>>> items.length, items.make(2, ())
(3, 8)
>>> jax.make_jaxpr(lambda n: range_items(0, n, 1).length)(5).out_avals
[ShapedArray(int32[], weak_type=True)]
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.checks.guards import guard_index
from autograph.runtime.tracing import integer_ranges, sizes
from autograph.runtime.tracing.array_types import is_integer_type
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known.number import KnownTracer, bounds_of, is_whole, lifted
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.rows import plus


class Walk(NamedTuple):
    """A range as a loop by hand steps through it: `item = start`; `while goes_on(item)`; `item += step`.

    Attributes:
        test: computes what the test needs, before the loop; returns `goes_on`.
        known: declares what is known of the size of an item.
        of_iteration: where what is stepped through are the numbers of the iterations of a list that may change meanwhile: its item.
    """

    start: Any
    step: Any
    test: Callable[[], Callable[[Any], Any]]
    known: Callable[[Any], Any]
    of_iteration: Callable[[Any], Any] | None = None


class Items(NamedTuple):
    """The items of a staged loop.

    Attributes:
        count: number of iterations, or a size that is not known (`sizes`), or a number that is known in each iteration of the loops
            around; or a function that computes it, as a traced integer (negative counts as none).
        arrays: sliced along their leading axis.
        make: `(k, slices) -> item`.
        counts: whether `make` reads `k`.
        backwards: slices are taken from the end.
        walk: how to step from item to item without a count of the iterations.
        is_lenient: whether the items come from `ag.range` (see `known.levels.Level`).
        is_rest: whether an iteration ran by itself before.
        most: where the count is traced, how many iterations there are at most, or a list that has no more elements; or None.
    """

    count: Any
    arrays: tuple[Any, ...]
    make: Callable[[Any, Sequence[Any]], Any]
    counts: bool
    backwards: bool = False
    walk: Walk | None = None
    is_lenient: bool = False
    is_rest: bool = False
    most: Any = None

    @property
    def length(self) -> Any:
        """The number of iterations; where it is traced, computed anew."""
        return self.count() if callable(self.count) else self.count

    @property
    def lengths(self) -> Any:
        """The number of iterations in each iteration of the loops around, as a row; None where that is not known."""
        return self.count.row if type(self.count) is KnownTracer else None

    def slices(self, k: int) -> list[Any]:
        """Returns the rows that the item of iteration `k` is made of."""
        at = self.length - 1 - k if self.backwards else k
        return [lax.index_in_dim(array, at, 0, keepdims=False) for array in self.arrays]

    def after_first(self) -> Items:
        """Returns the items of all iterations but the first; the number of iterations is known, or the items are no slices."""
        count: Any = (lambda: self.length - 1) if callable(self.count) else self.count - 1
        if self.lengths is not None:
            count = one_of_two(max, count, 0)
        low, high = (0, -1) if self.backwards else (1, None)
        rest = tuple(lax.slice_in_dim(array, low, high) for array in self.arrays)
        make = self.make
        return self._replace(count=count, arrays=rest, make=lambda k, slices: make(k + 1, slices), walk=None, is_rest=True)

    @property
    def is_static(self) -> bool:
        """Whether the number of iterations is known."""
        return isinstance(self.count, int)

    @property
    def is_counted(self) -> bool:
        """Whether the number of iterations is a number or a size, and so the length of a `scan`."""
        return self.is_static or sizes.is_size(self.count)

    @property
    def is_fixed(self) -> bool:
        """Whether the number of iterations does not depend on what they do; a list may grow or shrink meanwhile."""
        return self.walk is None or self.walk.of_iteration is None

    def number(self, item: Any, start: Any, step: Any) -> Any:
        """Returns the item of an iteration, a tracer, as a number that is known in each iteration, where the length is known.

        Args:
            start, step: its first number, and by how much it grows.
        """
        is_known = (self.is_static or self.lengths is not None) and progress.level is not None
        return progress.level.number(item, start, step) if is_known and is_whole(start) and is_whole(step) else item

    @property
    def last(self) -> int:
        """The greatest number that an iteration can have."""
        return self.count - 1 if self.is_static else int(jnp.iinfo(_integer()).max) - 1


def length_of(numbers: range) -> int:
    """Counts the numbers of a range; `len` fails where there are more than `sys.maxsize`.

    >>> length_of(range(1, 10**30)) == 10**30 - 1, length_of(range(5, -4, -3)), length_of(range(5, 5))
    (True, 3, 0)
    """
    start, stop, step = numbers.start, numbers.stop, numbers.step
    distance, size = (stop - start, step) if step > 0 else (start - stop, -step)
    return max(0, (distance + size - 1) // size)


def range_items(start: Any, stop: Any, step: Any) -> Items:
    """Makes the items of `range(start, stop, step)`; each number may be traced, and the items are Python's (weak) integers."""
    start, stop, step = (whole(n) for n in (start, stop, step))
    if sizes.is_size(step) or any(map(is_traced, (start, stop, step))):
        start, stop, step = map(_valued, (start, stop, step))
    if type(step) is int and step == 0:
        raise ValueError("range() arg 3 must not be zero")
    reach, by = _reach(start, stop, step), integer_ranges.range_of(step)

    def known(item: Any) -> Any:
        if by is not None and not by[0] <= 0 <= by[1]:
            integer_ranges.declare_least(item, *((start, 0) if by[0] > 0 else (stop, 1)))
            if by[0] > 0 and is_traced(stop):
                integer_ranges.declare_less(item, stop)
        return item if reach is None else integer_ranges.declare_range(item, *reach)

    def make(k: Any, slices: Sequence[Any]) -> Any:
        scaled = k if type(step) is int and step == 1 else k * step
        return known(plus(start, scaled))

    count: Any = functools.partial(_iterations, start, stop, step)
    if all(type(n) is int for n in (start, stop, step)):
        count = length_of(range(start, stop, step))
    elif type(step) is int and not (is_traced(start) or is_traced(stop)):
        count = _size_of(start, stop, step)
    elif (length := _known_length(start, stop, step)) is not None:
        count = length
    return Items(count, (), make, True, walk=_walk(start, stop, step, known), most=_most(reach, by))


def _valued(n: Any) -> Any:
    """Returns a bound of a range as an integer of the program, of which is known what was known of the size."""
    reach = integer_ranges.range_of(n) if sizes.is_size(n) else None
    return sizes.traced(n) if reach is None else integer_ranges.declare_range(sizes.traced(n), *reach)


def _size_of(start: Any, stop: Any, step: int) -> Any:
    """Returns the number of iterations of a range, one of whose bounds is a size that is not known."""
    distance, size = (stop - start, step) if step > 0 else (start - stop, -step)
    return sizes.largest((distance + size - 1) // size, 0)


def one_of_two(fn: Any, x: Any, y: Any) -> Any:
    """Returns the smaller one (`min`) or the larger one (`max`) of two numbers that are known in each iteration."""
    return fn(x, y) if type(x) is type(y) is int else lifted(fn, x, y)


def _known_length(start: Any, stop: Any, step: Any) -> Any:
    """Returns the number of iterations of a range of known numbers, as one; None where it is not known."""
    if type(step) is int and (distance := _distance(start, stop)) is not None:
        return length_of(range(0, distance, step))
    by = bounds_of(step)
    if not all(map(is_whole, (start, stop, step))) or by[0] <= 0 <= by[1]:
        return None
    distance, size = (stop - start, step) if by[0] > 0 else (start - stop, -step)
    found = one_of_two(max, (distance + (size - 1)) // size, 0)
    return found if is_whole(found) else None


def _distance(start: Any, stop: Any) -> int | None:
    """Returns how far one number is from another that is computed from it: `n - 1` and `n + 2`, whatever `n` is."""
    (one, less), (other, more) = _shifted(start), _shifted(stop)
    return more - less if one is other else None


def _shifted(x: Any) -> tuple[Any, int]:
    """Returns the number to which a known int is added, and the int."""
    shift = 0
    while type(x) is KnownTracer and x.kind is int and x.fn in (operator.add, operator.sub):
        left, right = x.args
        if type(left) is int and x.fn is operator.add:
            left, right = right, left
        if type(right) is not int:
            break
        x, shift = left, shift + (right if x.fn is operator.add else -right)
    return x, shift


def _iterations(start: Any, stop: Any, step: Any) -> Any:
    """Returns the number of iterations of a range, one of whose numbers is traced."""
    by = integer_ranges.range_of(step)
    if by == (1, 1) and type(start) is int and start == 0:
        return stop
    low, high, size = (n if is_traced(n) else _held(n) for n in (start, stop, step))
    if by is None or by[0] <= 0 <= by[1]:
        size = guard_index(size, lax.ne(size, jnp.zeros_like(size)), ValueError("range() arg 3 must not be zero"))
        up = lax.gt(size, jnp.zeros_like(size))
        low, high, size = lax.select(up, low, high), lax.select(up, high, low), lax.abs(size)
    elif by[1] < 0:
        low, high, size = high, low, lax.neg(size)
    # The distance of two integers may be too large for one, not for an unsigned one.
    unsigned = np.dtype(f"u{_integer()}")
    distance, size = (lax.convert_element_type(n, unsigned) for n in (lax.sub(high, low), size))
    one, most = unsigned.type(1), unsigned.type(jnp.iinfo(_integer()).max)
    iterations = lax.min(lax.add(lax.div(lax.sub(distance, one), size), one), most)
    iterations = lax.convert_element_type(iterations, _integer())
    return convert_weak(lax.select(lax.lt(low, high), iterations, lax.full_like(iterations, 0)), _integer())


def _held(n: int) -> Any:
    """Returns a known bound of a range as an integer of the program."""
    limits = jnp.iinfo(_integer())
    if limits.min <= n <= limits.max:
        return _integer().type(n)
    raise refusal(
        f"a range has a traced bound, and {n}, which no integer of the program can hold",
        why="integers of a compiled program have 32 bits, or 64 where `jax_enable_x64` is set",
        instead=f"a bound up to {limits.max}, or `jax.config.update('jax_enable_x64', True)`",
        page="range-beyond-integers",
    )


def _walk(start: Any, stop: Any, step: Any, known: Callable[[Any], Any]) -> Walk | None:
    """Says how to step through a range, if no step is known to wrap around and come back into it."""
    by = integer_ranges.range_of(step)
    if by is None or by[0] <= 0 <= by[1]:
        return None
    limits = jnp.iinfo(_integer())
    first, last = (integer_ranges.range_of(n) or (int(limits.min), int(limits.max)) for n in (start, stop))
    if by[0] > 0:
        beyond, span, size = last[1] + by[1] - 1, last[1] - first[0], by[1]
    else:
        beyond, span, size = last[0] + by[0] + 1, first[1] - last[0], -by[0]
    if min(first[0], last[0]) < limits.min or max(first[1], last[1]) > limits.max:
        return None
    if size == 1 or limits.min <= beyond <= limits.max:
        until = sizes.traced(stop)
        return Walk(sizes.traced(start), step, lambda: lambda item: item < until if by[0] > 0 else item > until, known)
    if span + size > 2**limits.bits:
        return None

    def test() -> Callable[[Any], Any]:
        # The number after the last item: it may wrap around, but no item is equal to it.
        end = start + _iterations(*map(sizes.traced, (start, stop, step))) * step
        return lambda item: item != end

    return Walk(sizes.traced(start), step, test, known)


def _integer() -> np.dtype[Any]:
    """Returns the dtype that an array has for a Python int."""
    return np.dtype(jnp.result_type(int))


def _reach(start: Any, stop: Any, step: Any) -> integer_ranges.Bounds | None:
    """Returns the least and the greatest number that a range can give, if its beginning and its direction are known."""
    first, last, by = (integer_ranges.range_of(n) for n in (start, stop, step))
    if first is None or by is None or by[0] <= 0 <= by[1]:
        return None
    limits = jnp.iinfo(_integer())
    if by[0] > 0:
        return first[0], int(limits.max) if last is None else max(last[1] - 1, first[0])
    return int(limits.min) if last is None else min(last[0] + 1, first[1]), first[1]


def _most(reach: integer_ranges.Bounds | None, by: integer_ranges.Bounds | None) -> int | None:
    """Returns how many numbers a range has at most, of what is known of its numbers and of its step."""
    if reach is None or by is None:
        return None
    found = (reach[1] - reach[0]) // max(by[0], -by[1]) + 1
    return found if found <= MOST_BOUNDED else None


MOST_BOUNDED = 1 << 24
"""A range of more numbers has no bound: it may be that of nothing but a type."""


def whole(n: Any) -> Any:
    """Returns a bound of a range as a Python int, or a traced one as Python's would be: weak, of the default size. A size is one.

    Raises:
        TypeError: it is no integer, in the words of Python and of JAX.
    """
    if not is_traced(n):
        return n if sizes.is_size(n) else operator.index(n)
    aval = jax.typeof(n)
    if aval.shape:
        raise TypeError("Only integer scalar arrays can be converted to a scalar index.")
    if not is_integer_type(aval.dtype):
        kind = "complex" if jnp.issubdtype(aval.dtype, jnp.complexfloating) else "float"
        raise TypeError(f"'{kind}' object cannot be interpreted as an integer")
    dtype = _integer()
    return n if aval.dtype == dtype and aval.weak_type else convert_weak(n, dtype)
