"""Arrays of a traced size, where it is known how large that is at most: `np.zeros(len(y))`, `np.arange(min(n, 100))`.

What is known comes from the program: the length of a slice or of a selection, the index of a loop, `n % 10`, `min(n, 100)`.

>>> import jax
>>> from autograph.runtime.tracing.integer_ranges import declare_range
>>> @jax.jit
... def f(n):
...     n = declare_range(n, 0, 4)
...     return SIZED["ones"](n), SIZED["arange"](1, n)
>>> f(3)
(BoundedArray([1., 1., 1.], dtype=float32), BoundedArray([1, 2], dtype=int32))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.runtime.checks.guards import guard_index
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.bounded_array import BoundedArray
from autograph.runtime.values.rows import Rows, Span, greater, integer, minus, plus

_LARGEST = 2**24
"""An array of more elements is not made for a bound alone: it may be that of nothing but a type."""


def _rows_of(n: Any) -> Any:
    """Returns the rows of an axis of a traced length; None where nothing says how long it is at most."""
    if n.shape or n.dtype.kind not in "iu":
        return None
    n = integer(n)
    bounds = integer_ranges.range_of(n)
    if bounds is None or bounds[1] > _LARGEST:
        return None
    if not integer_ranges.is_natural(n):
        n = guard_index(n, n >= 0, ValueError("negative dimensions are not allowed"))
    return Span(0, n, max(bounds[1], 0))


def _filled(value: Any, default: Any) -> Callable[..., Any]:
    def make(shape: Any, dtype: Any = default) -> BoundedArray | None:
        rows: list[Rows | None] = []
        sizes = []
        for n in shape if type(shape) in (tuple, list) else [shape]:
            span = _rows_of(n) if is_traced(n) else None
            if is_traced(n) and span is None:
                return None
            rows.append(span)
            sizes.append(n if span is None else span.size)
        return BoundedArray(jnp.full(sizes, value, dtype), tuple(rows))

    return make


def _full(shape: Any, fill_value: Any, dtype: Any = None) -> BoundedArray | None:
    return _filled(fill_value, None)(shape, dtype)


def _arange(*bounds: Any, dtype: Any = None) -> BoundedArray | None:
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    if not all(isinstance(n, int | np.integer) or (is_traced(n) and n.dtype.kind in "iu" and not n.shape) for n in (start, stop)):
        return None
    if type(step) is not int or step < 1:
        return None
    start = integer(start)
    count = minus(greater(integer(stop), start), start)
    rows = _rows_of(count if step == 1 else (count + (step - 1)) // step)
    return rows and BoundedArray((plus(start, jnp.arange(rows.size) * step)).astype(dtype or int), (rows,))


SIZED: dict[str, Callable[..., Any]] = {
    "zeros": _filled(0, float), "ones": _filled(1, float), "empty": _filled(0, float), "full": _full, "arange": _arange,
}  # fmt: skip
"""The functions, by NumPy's names; each returns None where nothing says how long an axis is at most."""
