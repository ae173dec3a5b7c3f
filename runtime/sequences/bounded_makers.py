"""Arrays of a traced size, where it is known how large that is at most: `np.zeros(len(y))`, `np.arange(min(n, 100))`.

What is known comes from the program: the length of a slice or of a selection, the index of a loop, `n % 10`, `min(n, 100)`, the
tests of the branches around, and the checks before (`assert n <= 100`, `ag.at_most(n, 100)`, `ag.jit(bounds=)`). What tests and
checks say is checked again here, where room is made.

>>> import jax
>>> from autograph.runtime.tracing.integer_ranges import declare_range
>>> @jax.jit
... def f(n):
...     n = declare_range(n, 0, 4)
...     return SIZED["ones"].make(n), SIZED["arange"].make(1, n)
>>> f(3)
(BoundedArray([1., 1., 1.], dtype=float32), BoundedArray([1, 2], dtype=int32))
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from autograph.runtime.checks.guards import guard_index
from autograph.runtime.heap import path_conditions
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.tracing.array_types import type_of
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.bounded_array import BoundedArray, refused
from autograph.runtime.values.rows import Rows, Span, greater, integer, minus, plus

_LARGEST = 2**24
"""An axis of more rows is not made for a bound alone: it may be that of nothing but a type."""
_MOST_ELEMENTS = 2**28
"""The same of all axes."""
_NEGATIVE = "negative dimensions are not allowed"


def rows_of_size(n: Any, error: Exception | None = None, most: float = math.inf, what: str = "an array") -> Span:
    """Returns the rows of an axis of a traced length, as many as there are at most.

    Args:
        n: an integer scalar.
        error: what NumPy raises where it is negative; None where it cannot be, unless it wraps around.
        most: a bound, if nothing wraps around.
        what: has so many rows.
    Raises:
        StagingError: nothing says how large it is at most.
    """
    n = integer(n)
    size, is_supposed = _most(integer_ranges.range_of(n)), False
    if size > _LARGEST:
        size, is_supposed = min(most, _most(path_conditions.supposed_bounds(n))), True
    if size > _LARGEST:
        raise refusal(
            f"{what} has a traced size, and nothing says how large that is at most",
            why="a compiled program makes room before it runs",
            instead="`assert n <= 100` (or `n = min(n, 100)`) before it, `n = ag.at_most(n, 100)`, or "
            "`ag.jit(f, bounds={'n': 100})`",
            page="array-of-a-traced-size",
        )
    size, is_natural = max(int(size), 0), error is None or integer_ranges.is_natural(n)
    checked = n
    if error is not None and not is_natural:
        checked = guard_index(checked, n >= 0, error)
    if is_supposed:
        over = ValueError(f"the size of {what} is more than {size}, which the program says to be its bound")
        checked = guard_index(checked, (n >= 0) & (n <= size), over)
    if checked is n and (is_supposed or not is_natural):  # a program without checks
        checked = jnp.clip(n, 0, size)
    return Span(0, checked, size)


def _most(bounds: Any) -> float:
    return math.inf if bounds is None else bounds[1]


def _shape(shape: Any) -> tuple[list[int], list[Rows | None]]:
    """Returns the shape of a buffer, and the rows of each axis."""
    sizes, rows = list[int](), list[Rows | None]()
    for n in shape if type(shape) in (tuple, list) else [shape]:
        if is_traced(n) and (n.shape or n.dtype.kind not in "iu"):
            raise TypeError(f"expected a sequence of integers or a single integer, got {type_of(n)}")
        rows.append(rows_of_size(n, ValueError(_NEGATIVE)) if is_traced(n) else None)
        sizes.append(operator.index(n) if rows[-1] is None else rows[-1].size)
    if min(sizes) < 0:
        raise ValueError(_NEGATIVE)
    if math.prod(sizes) > _MOST_ELEMENTS:
        raise refusal(
            f"an array has room for {' * '.join(map(str, sizes))} elements, if its sizes are what their bounds say",
            why="a compiled program makes room before it runs",
            instead="say smaller bounds: `assert n <= 100`",
            page="array-of-a-traced-size",
        )
    return sizes, rows


def _filled(value: Any, default: Any) -> Callable[..., Any]:
    def make(shape: Any, dtype: Any = None, order: str = "C") -> BoundedArray:
        sizes, rows = _shape(shape)
        return BoundedArray(jnp.full(sizes, value, dtype or default), tuple(rows))

    return make


def _full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C") -> BoundedArray:
    sizes, rows = _shape(shape)
    fill_value = jnp.asarray(fill_value) if type(fill_value) in (list, tuple) else fill_value
    given = np.shape(fill_value)
    if any(size != 1 for size, of_axis in zip(given[::-1], rows[::-1], strict=False) if of_axis is not None):
        raise refused("full() with an array along an axis")
    return BoundedArray(jnp.full(sizes, fill_value, dtype), tuple(rows))


def _filled_like(value: Any) -> Callable[..., Any]:
    def make(a: Any, dtype: Any = None, order: str = "K", subok: bool = True, *, shape: Any) -> BoundedArray:
        return _filled(value, jnp.result_type(a))(shape, dtype)

    return make


def _full_like(a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, *, shape: Any) -> Any:
    return _full(shape, fill_value, dtype or jnp.result_type(a))


def _eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = None, order: str = "C") -> BoundedArray:
    (size, others), rows = _shape((N, N if M is None else M))
    is_diagonal = jnp.arange(size)[:, None] + k == jnp.arange(others)
    return BoundedArray(is_diagonal.astype(dtype or float), tuple(rows))


def _identity(n: Any, dtype: Any = None) -> BoundedArray:
    return _eye(n, dtype=dtype)


def _arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    start, stop = (0, start) if stop is None else (start, stop)
    given = start, stop, step
    if is_traced(step) or step == 0 or any(np.ndim(x) or jnp.result_type(x).kind not in "iu" for x in given):
        return None
    dtype = dtype or jnp.result_type(start, stop, step)
    start, stop, step = integer(start), integer(stop), operator.index(step)
    low, high = (start, stop) if step > 0 else (stop, start)
    by = abs(step)
    if (distance := integer_ranges.distance_of(high, low)) is not None:
        return (plus(start, jnp.arange(max(-(-distance // by), 0)) * step)).astype(dtype)
    distance = minus(greater(high, low), low)
    least, greatest = path_conditions.supposed_bounds(low), path_conditions.supposed_bounds(high)
    most = math.inf if least is None or greatest is None else -((least[0] - greatest[1]) // by)
    rows = rows_of_size(distance if by == 1 else (distance + (by - 1)) // by, None, most)
    return BoundedArray(plus(start, jnp.arange(rows.size) * step).astype(dtype), (rows,))


def _linspace(  # the parameters are NumPy's
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None, axis: int = 0
) -> Any:
    if np.ndim(start) or np.ndim(stop) or is_traced(endpoint) or retstep:
        raise refused("linspace() of arrays, or with `retstep=True`,")
    if num.shape or num.dtype.kind not in "iu":
        raise TypeError(f"'{num.dtype}' object cannot be interpreted as an integer")
    rows = rows_of_size(num, ValueError("Number of samples must be non-negative."))
    number = jnp.arange(rows.size)
    kind = jnp.result_type(start, stop)
    kind = kind if jnp.issubdtype(kind, jnp.inexact) else jnp.result_type(float)
    first, last = jnp.asarray(start, kind), jnp.asarray(stop, kind)
    steps = jnp.maximum(rows.length - bool(endpoint), 1).astype(kind)
    values = first + number.astype(kind) * ((last - first) / steps)
    if endpoint:
        values = jnp.where((number == rows.length - 1) & (number > 0), last, values)
    if dtype is not None and jnp.issubdtype(dtype, jnp.integer):
        values = jnp.floor(values)
    return BoundedArray(values.astype(dtype or kind), (rows,))


class Maker(NamedTuple):
    """A function that makes arrays of a size.

    Attributes:
        make: does it where a size is traced; it returns None for what is not possible then.
        sizes: the positions and the names of the parameters which say the size.
    """

    make: Callable[..., Any]
    sizes: dict[str, int | None]


SIZED: dict[str, Maker] = {
    **{name: Maker(_filled(value, float), {"shape": 0}) for name, value in (("zeros", 0), ("ones", 1), ("empty", 0))},
    "full": Maker(_full, {"shape": 0}),
    **{f"{name}_like": Maker(_filled_like(value), {"shape": None}) for name, value in (("zeros", 0), ("ones", 1), ("empty", 0))},
    "full_like": Maker(_full_like, {"shape": None}),
    "eye": Maker(_eye, {"N": 0, "M": 1}),
    "identity": Maker(_identity, {"n": 0}),
    "arange": Maker(_arange, {"start": 0, "stop": 1, "step": 2}),
    "linspace": Maker(_linspace, {"num": 2}),
}
"""The functions, by NumPy's names; those of jax.numpy have the same."""
for _name, _maker in SIZED.items():
    _maker.make.__qualname__ = _name  # Python says it of a keyword that there is not
