"""Functions of bounded arrays that sort or search: `np.sort(y)`, `np.median(y)`, `np.unique(y)`, `np.isin(y, z)`.

What sorts has the greatest value behind the elements, and NaN where the elements may be NaN.

>>> y = BoundedArray.of(jnp.array([3.0, 1.0, 2.0, 0.0]), 3)
>>> ORDERS["sort"](y), ORDERS["argsort"](y), ORDERS["quantile"](y, 0.75).item()
(BoundedArray([1., 2., 3.], dtype=float32), BoundedArray([1, 2, 0], dtype=int32), 2.5)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.runtime.checks.guards import guard_index
from autograph.runtime.sequences.bounded_operands import elementwise
from autograph.runtime.sequences.bounded_reductions import axes_of, greatest_of, inexact, vector_of
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.bounded_array import BoundedArray, of_array, refused
from autograph.runtime.values.rows import Chosen, Span, are_at_front, minus, smaller


def _behind(x: BoundedArray) -> Any:
    return jnp.nan if jnp.issubdtype(x.dtype, jnp.inexact) else greatest_of(x.dtype)


def _sort(a: Any, axis: int | None = -1) -> BoundedArray:
    x = of_array(a)
    if axis is None and x.ndim != 1:
        raise refused(f"sort() of an array of {x.ndim} axes")
    [k] = axes_of(x, -1 if axis is None else axis)
    rows, own = list(x.rows), x.rows[k]
    if own is not None:
        alone = BoundedArray(x.data, tuple(one if n == k else None for n, one in enumerate(rows)))
        x, rows[k] = BoundedArray(alone.filled(_behind(x)), x.rows), Span(0, own.length, own.size)
    return BoundedArray(jnp.sort(x.data, axis=k), tuple(rows))


def _argsort(a: Any, axis: int | None = -1) -> BoundedArray:
    x, rows = vector_of(a, "argsort", axis)
    order = jnp.lexsort((x.data, ~rows.mask()))
    places = minus(order, rows.start) if type(rows) is Span else (jnp.cumsum(rows.mask()) - 1)[order]
    return BoundedArray(places, (Span(0, rows.length, rows.size),))


def _median(a: Any, axis: int | None = None) -> Any:
    vector_of(a, "median", axis)
    x = _sort(inexact(a))
    n = x.rows[0].length  # type: ignore[union-attr]  # what is sorted has rows
    low, high = (jnp.take(x.data, k, mode="clip") for k in ((n - 1) // 2, n // 2))
    return jnp.where((n > 0) & ~jnp.any(jnp.isnan(x.filled(0))), (low + high) / 2, jnp.nan)


def _quantile(a: Any, q: Any) -> Any:
    vector_of(a, "quantile")
    if jnp.issubdtype(of_array(a).dtype, jnp.complexfloating) or type(q) is BoundedArray or is_traced(q):
        return NotImplemented
    if not np.all((np.asarray(q) >= 0) & (np.asarray(q) <= 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    x = _sort(inexact(a))
    n = x.rows[0].length  # type: ignore[union-attr]  # what is sorted has rows
    error = IndexError("index -1 is out of bounds for axis 0 with size 0")
    n = guard_index(jnp.asarray(n), jnp.asarray(n > 0), error)
    place = jnp.asarray(q, x.dtype) * (n - 1)
    low = jnp.floor(place)
    one, other = (jnp.take(x.data, k.astype(int), mode="clip") for k in (low, jnp.minimum(low + 1, n - 1)))
    found = jnp.where(low == place, one, one + (other - one) * (place - low))
    return jnp.where((n > 0) & ~jnp.any(jnp.isnan(x.filled(0))), found, jnp.nan)


def _percentile(a: Any, q: Any) -> Any:
    if type(q) is BoundedArray or is_traced(q):
        return NotImplemented
    if not np.all((np.asarray(q) >= 0) & (np.asarray(q) <= 100)):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return _quantile(a, np.asarray(q) / 100)


def _unique(ar: Any) -> BoundedArray:
    x = _sort(of_array(ar) if type(ar) is BoundedArray else jnp.ravel(ar), None)
    if x.rows[0] is None:
        x = BoundedArray(x.data, (Span(0, x.data.shape[0], x.data.shape[0]),))
    if jnp.issubdtype(x.dtype, jnp.inexact):
        same = (x.data[1:] == x.data[:-1]) | (jnp.isnan(x.data[1:]) & jnp.isnan(x.data[:-1]))
    else:
        same = x.data[1:] == x.data[:-1]
    first = jnp.concatenate([jnp.ones(min(1, x.data.size), bool), ~same])
    return BoundedArray(x.data, (Chosen(first & x.mask()),))


def _isin(element: Any, test_elements: Any) -> Any:
    given = of_array(jnp.asarray(test_elements) if type(test_elements) in (list, tuple) else test_elements)
    those, mask = given.data.reshape(-1), jnp.broadcast_to(given.mask(), given.data.shape).reshape(-1)
    return elementwise("isin", lambda x: jnp.any((jnp.asarray(x)[..., None] == those) & mask, -1), element)


def _searchsorted(a: Any, v: Any, side: str = "left") -> Any:
    x, rows = vector_of(of_array(a).compact(), "searchsorted")
    assert are_at_front(rows)
    data = x.filled(_behind(x))
    return elementwise("searchsorted", lambda w: smaller(jnp.searchsorted(data, w, side=side), rows.length), v)


def _interp(x: Any, xp: Any, fp: Any) -> Any:
    if type(xp) is BoundedArray or type(fp) is BoundedArray:
        return NotImplemented
    return elementwise("interp", lambda w: jnp.interp(w, jnp.asarray(xp), jnp.asarray(fp)), x)


ORDERS: dict[str, Callable[..., Any]] = {
    "sort": _sort, "argsort": _argsort, "median": _median, "quantile": _quantile, "percentile": _percentile, "unique": _unique,
    "isin": _isin, "searchsorted": _searchsorted, "interp": _interp,
}  # fmt: skip
"""The functions, by NumPy's names."""
