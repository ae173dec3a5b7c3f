"""Functions of NumPy and methods of arrays for bounded arrays: `np.sum(y)`, `y.mean()`, `np.sort(y)`, `jnp.concatenate([y, z])`.

| function | what it computes |
| --- | --- |
| those of elements (`np.sqrt`, `np.where(m, a, b)`) | whole buffers |
| `sum`, `prod`, `any`, `all`, `max`, `min` | JAX's reduction, with the neutral element in the spare rows |
| `mean`, `var`, `std`, `norm` | sums, divided by the length |
| `argmax`, `argmin` | the first row that is an element and has the extreme value |
| `sort`, `median`, `unique` | a sort with the greatest value behind the elements |
| `cumsum`, `cumprod` | that of the buffer, with the neutral element in the spare rows |
| `concatenate`, `append`, `hstack` | each part is written over the spare rows of the part before |
| `flatnonzero`, `nonzero`, `where(m)`, `argwhere` | the numbers of all rows, of which the mask chooses |

The others are refused by name. Sums are associated as JAX associates those of the buffer.

>>> import jax
>>> @jax.jit
... def f(x):
...     return computed("flatnonzero", (x > 1,), {}), computed("unique", (x,), {})
>>> f(jnp.array([2, 1, 2, 3]))
(BoundedArray([0, 2, 3], dtype=int32), BoundedArray([1, 2, 3], dtype=int32))
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.checks.guards import guard_index
from autograph.runtime.heap import array_views
from autograph.runtime.sequences.bounded_items import read_rows
from autograph.runtime.sequences.bounded_operands import elementwise, product
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.values import rows as row_sets
from autograph.runtime.values.bounded_array import BoundedArray, of_array, refused, simplified
from autograph.runtime.values.rows import Chosen, Span, all_rows, minus, plus

Axis = int | tuple[int, ...] | None


def _axes(x: BoundedArray, axis: Axis) -> tuple[int, ...]:
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


def _greatest(dtype: Any) -> Any:
    if jnp.issubdtype(dtype, jnp.floating):
        return jnp.inf
    return True if jnp.issubdtype(dtype, jnp.bool_) else jnp.iinfo(dtype).max


def _reduction(name: str, neutral: Any) -> Callable[..., Any]:
    def reduce(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
        x = of_array(a)
        if type(neutral) is bool:
            x = BoundedArray(x.data != 0, x.rows)
        axes = _axes(x, axis)
        return _left(x, axes, getattr(jnp, name)(x.filled(neutral), axis=axes, keepdims=keepdims), keepdims)

    return reduce


def _extreme(name: str) -> Callable[..., Any]:
    def reduce(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
        x = of_array(a)
        axes = _axes(x, axis)
        neutral = _not_empty(x, axes, f"zero-size array to reduction operation {name}imum which has no identity", _last(name, x))
        return _left(x, axes, getattr(jnp, name)(x.filled(neutral), axis=axes, keepdims=keepdims), keepdims)

    return reduce


def _last(name: str, x: BoundedArray) -> Any:
    """Returns what stands behind all elements, for the greatest or the least one."""
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        raise refused(f"{name}() of complex numbers")
    return _least(x.dtype) if name.endswith("max") else _greatest(x.dtype)


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


def _inexact(a: Any) -> BoundedArray:
    """Returns the same in floats, in which sums and squares of small integers fit."""
    x = of_array(a)
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else BoundedArray(x.data.astype(float), x.rows)


def _mean(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    x = _inexact(a)
    return CALLS["sum"](x, axis, keepdims=keepdims) / _count(x, _axes(x, axis))


def _var(a: Any, axis: Axis = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    x = of_array(a)
    distance = elementwise("subtract", operator.sub, x, _mean(x, axis, keepdims=True))
    squares = elementwise("square", lambda d: jnp.real(d * jnp.conj(d)), distance)
    count = _count(x, _axes(x, axis)) - ddof
    return CALLS["sum"](squares, axis, keepdims=keepdims) / row_sets.greater(count, 0)


def _std(a: Any, axis: Axis = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    return computed("sqrt", (_var(a, axis, ddof=ddof, keepdims=keepdims),), {})


def _norm(x: Any) -> Any:
    x = _inexact(x)
    squares = elementwise("square", lambda d: jnp.real(d * jnp.conj(d)), x)
    return jnp.sqrt(CALLS["sum"](squares))


def _vector(a: Any, name: str, axis: Axis = None) -> tuple[BoundedArray, Any]:
    """Returns a bounded array of one axis, and its rows."""
    x = of_array(a)
    if x.ndim != 1:
        raise refused(f"{name}() of an array of {x.ndim} axes")
    _axes(x, axis)
    return x, x.rows[0] or all_rows(x.data.shape[0])


def _place_of_extreme(name: str) -> Callable[..., Any]:
    def find(a: Any, axis: Axis = None) -> Any:
        x, rows = _vector(a, name, axis)
        best = getattr(jnp, name[3:])(x.filled(_last(name, x)))
        found = jnp.argmax(rows.mask() & ((x.data == best) | ((x.data != x.data) & (best != best))))
        place = minus(found, rows.start) if type(rows) is Span else jnp.cumsum(rows.mask())[found] - 1
        if not _has_some(rows.length):
            error = ValueError(f"attempt to get {name} of an empty sequence")
            place = guard_index(jnp.asarray(place), jnp.asarray(rows.length > 0), error)
        return integer_ranges.declare_range(place, 0, max(rows.size - 1, 0))

    return find


def _sort(a: Any, axis: Axis = -1) -> BoundedArray:
    x, rows = _vector(a, "sort", axis)
    behind = jnp.nan if jnp.issubdtype(x.dtype, jnp.inexact) else _greatest(x.dtype)
    return BoundedArray(jnp.sort(x.filled(behind)), (Span(0, rows.length, rows.size),))


def _median(a: Any, axis: Axis = None) -> Any:
    x = _sort(_inexact(a), axis)
    n = x.rows[0].length  # type: ignore[union-attr]  # what is sorted has rows
    low, high = (jnp.take(x.data, k, mode="clip") for k in ((n - 1) // 2, n // 2))
    return jnp.where((n > 0) & ~jnp.any(jnp.isnan(x.filled(0))), (low + high) / 2, jnp.nan)


def _scan(name: str, neutral: Any) -> Callable[..., Any]:
    def scan(a: Any, axis: Axis = None) -> Any:
        x, rows = _vector(a, name, axis)
        dtype = jnp.sum(x.data[:0]).dtype  # small integers are added in a wider type
        return BoundedArray(getattr(jnp, name)(x.filled(neutral), dtype=dtype), (rows,))

    return scan


def _flip(m: Any, axis: Axis = None) -> BoundedArray:
    x = of_array(m)
    axes = _axes(x, axis)
    rows = tuple(one.backwards() if one is not None and k in axes else one for k, one in enumerate(x.rows))
    return BoundedArray(lax.rev(x.data, axes), rows)


def _concatenate(arrays: Sequence[Any], axis: int = 0) -> Any:
    parts = [of_array(one).compact() for one in arrays]
    if any(x.ndim == 0 or any(x.rows[1:]) for x in parts) or axis not in (0, -parts[0].ndim):
        raise refused("concatenating along this axis")
    dtype, size = jnp.result_type(*(x.data for x in parts)), sum(x.data.shape[0] for x in parts)
    data, at = jnp.zeros((size, *parts[0].data.shape[1:]), dtype), 0
    for x in parts:
        data = lax.dynamic_update_slice_in_dim(data, x.data.astype(dtype), at, 0)
        at = plus(at, x.data.shape[0] if x.rows[0] is None else x.rows[0].length)
    return BoundedArray(data, (Span(0, at, size), *(None,) * (data.ndim - 1)))


def _append(arr: Any, values: Any) -> Any:
    return _concatenate([of_array(arr), of_array(jnp.ravel(jnp.asarray(values)) if type(values) is not BoundedArray else values)])


def _diff(a: Any) -> Any:
    x, _ = _vector(a, "diff")
    return elementwise("subtract", operator.sub, read_rows(x, slice(1, None)), read_rows(x, slice(None, -1)))


def _flatnonzero(a: Any) -> BoundedArray:
    x = of_array(a)
    if any(x.rows):
        x, _ = _vector(x.compact(), "flatnonzero")
    mask = (x.filled(0) if any(x.rows) else x.data).reshape(-1) != 0
    return BoundedArray(jnp.arange(mask.shape[0]), (Chosen(mask),))


def _nonzero(a: Any) -> tuple[Any, ...]:
    x = of_array(a)
    if x.ndim == 1:
        return (_flatnonzero(x),)
    if any(x.rows):
        raise refused("nonzero() of an array of several axes")
    rows = Chosen((x.data != 0).reshape(-1))
    places = jnp.unravel_index(jnp.arange(x.data.size), x.data.shape)
    return tuple(BoundedArray(place, (rows,)) for place in places)


def _argwhere(a: Any) -> BoundedArray:
    places = _nonzero(a)
    return BoundedArray(jnp.stack([one.data for one in places], 1), (places[0].rows[0], None))


def _where(condition: Any, *values: Any) -> Any:
    return elementwise("where", jnp.where, condition, *values) if values else _nonzero(condition)


def _unique(ar: Any) -> BoundedArray:
    x = _sort(of_array(ar) if type(ar) is BoundedArray else jnp.ravel(ar))
    if jnp.issubdtype(x.dtype, jnp.inexact):
        same = (x.data[1:] == x.data[:-1]) | (jnp.isnan(x.data[1:]) & jnp.isnan(x.data[:-1]))
    else:
        same = x.data[1:] == x.data[:-1]
    first = jnp.concatenate([jnp.ones(min(1, x.data.size), bool), ~same])
    return BoundedArray(x.data, (Chosen(first & x.mask()),))


def _compress(condition: Any, a: Any) -> Any:
    mask = of_array(condition != 0)
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return read_rows(jnp.ravel(a) if type(a) is not BoundedArray else a, mask)


def _extract(condition: Any, arr: Any) -> Any:
    return read_rows(jnp.ravel(arr), of_array(jnp.ravel(condition) != 0))


def _dot(a: Any, b: Any) -> Any:
    left, right = of_array(a), of_array(b)
    return product(left, right) if left.ndim and right.ndim else elementwise("multiply", operator.mul, a, b)


def _vdot(a: Any, b: Any) -> Any:
    return product(elementwise("conjugate", jnp.conj, a), b)


def _outer(a: Any, b: Any) -> Any:
    a, b = (x if type(x) is BoundedArray else jnp.ravel(x) for x in (a, b))
    left, right = (read_rows(of_array(x), index) for x, index in ((a, (slice(None), None)), (b, (None, slice(None)))))
    return elementwise("multiply", operator.mul, left, right)


def _like(value: Any) -> Callable[..., Any]:
    def make(a: Any, dtype: Any = None) -> BoundedArray:
        return BoundedArray(jnp.full_like(a.data, value, dtype), a.rows)

    return make


def _reshape(a: BoundedArray, *shape: Any) -> Any:
    wanted = tuple(shape[0]) if len(shape) == 1 and type(shape[0]) in (tuple, list) else shape
    if a.ndim == 1 and all(type(n) is int for n in wanted) and sorted(wanted) == [-1] + [1] * (len(wanted) - 1):
        return read_rows(a, tuple(slice(None) if n == -1 else None for n in wanted))
    raise refused("reshaping")


def _clip(a: Any, a_min: Any = None, a_max: Any = None) -> Any:
    if a_min is not None:
        a = elementwise("maximum", jnp.maximum, a, a_min)
    return a if a_max is None else elementwise("minimum", jnp.minimum, a, a_max)


def _copy(a: Any) -> BoundedArray:
    if type(a) is not BoundedArray:
        raise refused("making an array of several ones")
    return BoundedArray(array_views.copied(a.data, [a.data]), a.rows)


def _astype(a: BoundedArray, dtype: Any) -> BoundedArray:
    return BoundedArray(array_views.copied(a.data.astype(dtype), [a.data]), a.rows)


CALLS: dict[str, Callable[..., Any]] = {
    **{name: _reduction(name, neutral) for name, neutral in (("sum", 0), ("prod", 1), ("any", False), ("all", True))},
    **{name: _extreme(name[-3:]) for name in ("max", "min", "amax", "amin")},
    **{name: _place_of_extreme(name) for name in ("argmax", "argmin")},
    "mean": _mean, "var": _var, "std": _std, "norm": _norm, "median": _median, "sort": _sort, "unique": _unique,
    "cumsum": _scan("cumsum", 0), "cumprod": _scan("cumprod", 1), "flip": _flip, "flipud": lambda m: _flip(m, 0),
    "concatenate": _concatenate, "hstack": _concatenate, "append": _append, "diff": _diff,
    "flatnonzero": _flatnonzero, "nonzero": _nonzero, "argwhere": _argwhere, "where": _where,
    "count_nonzero": lambda a: CALLS["sum"](a != 0), "compress": _compress, "extract": _extract,
    "dot": _dot, "matmul": product, "inner": _dot, "vdot": _vdot, "outer": _outer, "reshape": _reshape,
    "zeros_like": _like(0), "empty_like": _like(0), "ones_like": _like(1), "copy": _copy, "array": _copy, "asarray": lambda a: a,
    "ravel": lambda a: _reshape(a, -1), "flatten": lambda a: _copy(_reshape(a, -1)), "transpose": lambda a: a.T, "astype": _astype,
    "shape": lambda a: a.shape, "size": lambda a: a.size, "ndim": lambda a: a.ndim,
    "clip": _clip,
    "real": lambda a: elementwise("real", jnp.real, a), "imag": lambda a: elementwise("imag", jnp.imag, a),
    "round": lambda a, decimals=0: elementwise("rint", functools.partial(jnp.round, decimals=decimals), a),
}
"""The functions, by NumPy's names."""

METHODS = frozenset(
    "sum prod any all max min argmax argmin mean var std cumsum cumprod reshape ravel flatten transpose astype copy clip dot "
    "nonzero round".split()
)
"""The methods of arrays among them."""

MAKERS = frozenset("flatnonzero nonzero argwhere where unique compress extract".split())
"""The functions that make an array of unknown length of traced arrays whose lengths are known."""


def _of_elements(name: str, operands: int) -> Callable[..., Any] | None:
    """Returns what applies a ufunc to each element; None where jax.numpy gives another result than NumPy."""
    ufunc, of_jax = getattr(np, name, None), getattr(jnp, name, None)
    if not isinstance(ufunc, np.ufunc) or of_jax is None or ufunc.signature or name in _OTHERWISE:
        return None
    if (ufunc.nin, ufunc.nout) != (operands, 1):
        return None
    return functools.partial(elementwise, ufunc.__name__, of_jax)


_OTHERWISE = frozenset(("reciprocal", "spacing"))
"""Functions that NumPy computes in integers, or in wider floats, for integers."""

_OF_LISTS = frozenset(("concatenate", "hstack"))


def computed(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns the function of NumPy of that name.

    Raises:
        StagingError: it, or an argument of it, is not written for arrays of unknown length.
    """
    args = tuple(x.whole_axis() if hasattr(type(x), "whole_axis") else x for x in args)  # a list of unknown length
    fn = CALLS.get(name)
    if fn is None:
        fn = _of_elements(name, len(args))
    if fn is None:
        raise refused(f"{name}()")
    lists = [x for x in args if type(x) in (list, tuple)]
    if name not in _OF_LISTS and any(type(y) is BoundedArray or hasattr(type(y), "whole_axis") for x in lists for y in x):
        raise refused(f"{name}() of a list of arrays")
    try:
        inspect.signature(fn).bind(*args, **kwargs)
    except TypeError:
        result = NotImplemented
    else:
        result = fn(*args, **kwargs)
    if result is NotImplemented:
        raise refused(f"{name}() with these arguments")
    return result
