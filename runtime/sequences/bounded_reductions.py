"""Reductions of bounded arrays: sums, extremes and their places, means, norms.

| function | what it computes |
| --- | --- |
| `sum`, `prod`, `any`, `all`, `max`, `min` | JAX's reduction, with the neutral element in the spare rows |
| `mean`, `var`, `std`, `norm`, `average` | sums, divided by the length |
| `argmax`, `argmin` | the first row that is an element and has the extreme value |

>>> REDUCTIONS["mean"](BoundedArray.of(jnp.arange(4.0), 3)).item()
1.0
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.runtime.checks.guards import guard_index
from autograph.runtime.sequences.bounded_operands import elementwise, product
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.values import rows as row_sets
from autograph.runtime.values.bounded_array import BoundedArray, of_array, refused, simplified
from autograph.runtime.values.rows import Span, all_rows, minus

Axis = int | tuple[int, ...] | None


def axes_of(x: BoundedArray, axis: Axis) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    axes = [operator.index(k) for k in (axis if isinstance(axis, tuple) else (axis,))]
    for k in axes:
        if not -x.ndim <= k < x.ndim:
            raise np.exceptions.AxisError(k, x.ndim)
    return tuple(k % x.ndim for k in axes)


def _left(x: BoundedArray, axes: Sequence[int], result: Any, keepdims: bool) -> Any:
    """Returns the result of a reduction over axes, with the rows of those that are left."""
    rows = [None if k in axes else one for k, one in enumerate(x.rows) if keepdims or k not in axes]
    return simplified(result, rows)


def _count(x: BoundedArray, axes: Sequence[int]) -> Any:
    return functools.reduce(operator.mul, (x.shape[k] for k in axes), 1)


def _least(dtype: Any) -> Any:
    """Returns the least value of a dtype."""
    if jnp.issubdtype(dtype, jnp.floating):
        return -jnp.inf
    return False if jnp.issubdtype(dtype, jnp.bool_) else jnp.iinfo(dtype).min


def greatest_of(dtype: Any) -> Any:
    if jnp.issubdtype(dtype, jnp.floating):
        return jnp.inf
    return True if jnp.issubdtype(dtype, jnp.bool_) else jnp.iinfo(dtype).max


def _reduction(name: str, neutral: Any) -> Callable[..., Any]:
    def reduce(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
        x = of_array(a)
        if type(neutral) is bool:
            x = BoundedArray(x.data != 0, x.rows)
        axes = axes_of(x, axis)
        return _left(x, axes, getattr(jnp, name)(x.filled(neutral), axis=axes, keepdims=keepdims), keepdims)

    return reduce


def _extreme(name: str) -> Callable[..., Any]:
    def reduce(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
        x = of_array(a)
        axes = axes_of(x, axis)
        neutral = _not_empty(x, axes, f"zero-size array to reduction operation {name}imum which has no identity", _last(name, x))
        return _left(x, axes, getattr(jnp, name)(x.filled(neutral), axis=axes, keepdims=keepdims), keepdims)

    return reduce


def _last(name: str, x: BoundedArray) -> Any:
    """Returns what stands behind all elements, for the greatest or the least one."""
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        raise refused(f"{name}() of complex numbers")
    return _least(x.dtype) if name.endswith("max") else greatest_of(x.dtype)


def _not_empty(x: BoundedArray, axes: Sequence[int], text: str, value: Any) -> Any:
    """Returns a value; the program fails where one of some axes is empty."""
    checked = jnp.asarray(value, x.dtype)
    other = jnp.asarray(not value if x.dtype.kind == "b" else 1 if value == 0 else 0, x.dtype)  # so that the check has a use
    for k in axes:
        rows = x.rows[k]
        if rows is not None and not _has_some(rows.length):
            length = guard_index(jnp.asarray(rows.length), jnp.asarray(rows.length > 0), ValueError(text))
            checked = jnp.where(length > 0, checked, other)
    return checked


def _has_some(length: Any) -> bool:
    known = integer_ranges.range_of(length)
    return known is not None and known[0] > 0


def inexact(a: Any) -> BoundedArray:
    """Returns the same in floats, in which sums and squares of small integers fit."""
    x = of_array(a)
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else BoundedArray(x.data.astype(float), x.rows)


_SUM = _reduction("sum", 0)


def _mean(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    x = inexact(a)
    return _SUM(x, axis, keepdims=keepdims) / _count(x, axes_of(x, axis))


def _var(a: Any, axis: Axis = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    x = of_array(a)
    distance = elementwise("subtract", operator.sub, x, _mean(x, axis, keepdims=True))
    squares = elementwise("square", lambda d: jnp.real(d * jnp.conj(d)), distance)
    count = _count(x, axes_of(x, axis)) - ddof
    return _SUM(squares, axis, keepdims=keepdims) / row_sets.greater(count, 0)


def _std(a: Any, axis: Axis = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    return _root(_var(a, axis, ddof=ddof, keepdims=keepdims))


def _root(x: Any) -> Any:
    return elementwise("sqrt", jnp.sqrt, x)


def _norm(x: Any, ord: None = None, axis: int | None = None, keepdims: bool = False) -> Any:
    x = inexact(x)
    if ord is not None or (axis is not None and not isinstance(axis, int)):
        return NotImplemented
    squares = elementwise("square", lambda d: jnp.real(d * jnp.conj(d)), x)
    return _root(_SUM(squares, axis, keepdims=keepdims))


def _average(a: Any, axis: int | None = None, weights: Any = None) -> Any:
    if weights is None:
        return _mean(a, axis)
    x, w = of_array(a), inexact(weights)
    if x.ndim != w.ndim:
        return NotImplemented
    axes = axes_of(x, axis)
    total = _SUM(w, axis)
    if type(total) is BoundedArray or total.ndim:
        return NotImplemented
    text = "Weights sum to zero, can't be normalized"
    checked = guard_index(jnp.asarray(0), total != 0, ZeroDivisionError(text))
    return _SUM(elementwise("multiply", operator.mul, x, w), axes) / jnp.where(checked == 0, total, jnp.nan)


def _covariance(m: Any, y: Any = None, *, ddof: Any = 1) -> Any:
    x = inexact(m)
    if y is not None:
        both = elementwise("stack", lambda a, b: jnp.stack([a, b]), x, inexact(y))
        if x.ndim != 1:
            return NotImplemented
        x = of_array(both) if type(both) is not BoundedArray else BoundedArray(both.data, (None, *both.rows))
    elif x.ndim == 1:
        return _var(x, ddof=ddof)
    if x.ndim != 2:
        return NotImplemented
    distance = elementwise("subtract", operator.sub, x, _mean(x, 1, keepdims=True))
    count = row_sets.greater(x.shape[1] - ddof, 0)
    return product(distance, elementwise("conjugate", jnp.conj, of_array(distance).T)) / count


def _correlation(x: Any, y: Any = None) -> Any:
    c = _covariance(x, y)
    if c is NotImplemented or type(c) is BoundedArray or c.ndim != 2 or jnp.iscomplexobj(c):
        return NotImplemented
    deviation = jnp.sqrt(jnp.diagonal(c))
    return jnp.clip(c / deviation[:, None] / deviation[None, :], -1, 1)


def vector_of(a: Any, name: str, axis: Axis = None) -> tuple[BoundedArray, Any]:
    """Returns a bounded array of one axis, and its rows."""
    x = of_array(a)
    if x.ndim != 1:
        raise refused(f"{name}() of an array of {x.ndim} axes")
    axes_of(x, axis)
    return x, x.rows[0] or all_rows(x.data.shape[0])


def _place_of_extreme(name: str) -> Callable[..., Any]:
    def find(a: Any, axis: Axis = None) -> Any:
        x, rows = vector_of(a, name, axis)
        best = getattr(jnp, name[3:])(x.filled(_last(name, x)))
        found = jnp.argmax(rows.mask() & ((x.data == best) | ((x.data != x.data) & (best != best))))
        place = minus(found, rows.start) if type(rows) is Span else jnp.cumsum(rows.mask())[found] - 1
        if not _has_some(rows.length):
            error = ValueError(f"attempt to get {name} of an empty sequence")
            place = guard_index(jnp.asarray(place), jnp.asarray(rows.length > 0), error)
        return integer_ranges.declare_range(place, 0, max(rows.size - 1, 0))

    return find


REDUCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _reduction(name, neutral) for name, neutral in (("sum", 0), ("prod", 1), ("any", False), ("all", True))},
    **{name: _extreme(name[-3:]) for name in ("max", "min", "amax", "amin")},
    **{name: _place_of_extreme(name) for name in ("argmax", "argmin")},
    "mean": _mean, "var": _var, "std": _std, "norm": _norm, "average": _average, "cov": _covariance, "corrcoef": _correlation,
    "count_nonzero": lambda a: _SUM(a != 0),
}  # fmt: skip
"""The functions, by NumPy's names."""
