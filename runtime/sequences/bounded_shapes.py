"""Functions that put the elements of bounded arrays elsewhere: `np.concatenate([y, z])`, `np.stack`, `np.roll`, `cumsum`.

>>> y = BoundedArray.of(jnp.arange(4), 3)
>>> SHAPES["concatenate"]([y, y]), SHAPES["roll"](y, 1)
(BoundedArray([0, 1, 2, 0, 1, 2], dtype=int32), BoundedArray([2, 0, 1], dtype=int32))
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from autograph.runtime.heap import array_views
from autograph.runtime.sequences.bounded_items import read_rows
from autograph.runtime.sequences.bounded_operands import elementwise, together
from autograph.runtime.sequences.bounded_reductions import Axis, axes_of, vector_of
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.bounded_array import BoundedArray, of_array, refused, simplified
from autograph.runtime.values.rows import Rows, Span, greater, plus, smaller


def _scan(name: str, neutral: Any) -> Callable[..., Any]:
    def scan(a: Any, axis: int | None = None) -> Any:
        x = of_array(a)
        if axis is None and x.ndim != 1:
            raise refused(f"{name}() of an array of {x.ndim} axes")
        [k] = axes_of(x, 0 if axis is None else axis)
        dtype = jnp.sum(x.data[:0]).dtype  # small integers are added in a wider type
        return simplified(getattr(jnp, name)(x.filled(neutral), axis=k, dtype=dtype), list(x.rows))

    return scan


def _flip(m: Any, axis: Axis = None) -> BoundedArray:
    x = of_array(m)
    axes = axes_of(x, axis)
    rows = tuple(one.backwards() if one is not None and k in axes else one for k, one in enumerate(x.rows))
    return BoundedArray(lax.rev(x.data, axes), rows)


def _concatenate(arrays: Sequence[Any], axis: int = 0) -> Any:
    parts = [of_array(one).compact() for one in arrays]
    if any(x.ndim == 0 for x in parts):
        raise refused("concatenating along this axis")
    [k] = axes_of(parts[0], axis)
    if any(one is not None for x in parts for n, one in enumerate(x.rows) if n != k):
        raise refused("concatenating along this axis")
    dtype, size = jnp.result_type(*(x.data for x in parts)), sum(x.data.shape[k] for x in parts)
    shape, at = list(parts[0].data.shape), 0
    shape[k] = size
    if any(x.data.ndim != len(shape) or x.data.shape[:k] + x.data.shape[k + 1 :] != (*shape[:k], *shape[k + 1 :]) for x in parts):
        raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    data = jnp.zeros(shape, dtype)
    for x in parts:
        data = lax.dynamic_update_slice_in_dim(data, x.data.astype(dtype), at, k)
        rows = x.rows[k]
        at = plus(at, x.data.shape[k] if rows is None else rows.length)
    return BoundedArray(data, tuple(Span(0, at, size) if n == k else None for n in range(data.ndim)))


def _hstack(tup: Sequence[Any]) -> Any:
    return _concatenate(tup, 0 if of_array(tup[0]).ndim == 1 else 1)


def _stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    parts = [of_array(one) for one in arrays]
    if len({x.ndim for x in parts}) > 1:
        raise ValueError("all input arrays must have the same shape")
    for k in range(parts[0].ndim):
        if len({x.data.shape[k] for x in parts if x.rows[k] is None}) > 1:
            raise ValueError("all input arrays must have the same shape")
    buffers, rows = together(parts)
    if any(x.shape != buffers[0].shape for x in buffers):
        raise refused("stacking these arrays")
    at = operator.index(axis) % (parts[0].ndim + 1)
    return simplified(jnp.stack(buffers, at), [*rows[:at], None, *rows[at:]])


def _vstack(tup: Sequence[Any]) -> Any:
    return _stack(tup) if of_array(tup[0]).ndim == 1 else _concatenate(tup)


def _column_stack(tup: Sequence[Any]) -> Any:
    return _stack(tup, 1) if all(of_array(x).ndim == 1 for x in tup) else NotImplemented


def _append(arr: Any, values: Any) -> Any:
    return _concatenate([of_array(arr), of_array(jnp.ravel(jnp.asarray(values)) if type(values) is not BoundedArray else values)])


def _diff(a: Any) -> Any:
    x, _ = vector_of(a, "diff")
    return elementwise("subtract", operator.sub, read_rows(x, slice(1, None)), read_rows(x, slice(None, -1)))


def _reshape(a: BoundedArray, *shape: Any) -> Any:
    wanted = tuple(shape[0]) if len(shape) == 1 and type(shape[0]) in (tuple, list) else shape
    if a.ndim == 1 and all(type(n) is int for n in wanted) and sorted(wanted) == [-1] + [1] * (len(wanted) - 1):
        return read_rows(a, tuple(slice(None) if n == -1 else None for n in wanted))
    raise refused("reshaping")


def _front(a: Any, name: str) -> tuple[Any, Any, int]:
    """Returns the buffer of a vector with its elements at the front, how many there are, and how many rows."""
    x, rows = vector_of(of_array(a).compact(), name)
    return x.data, rows.length, rows.size


def _roll(a: Any, shift: Any) -> Any:
    data, n, size = _front(a, "roll")
    if is_traced(shift) and shift.shape:
        return NotImplemented
    places = (jnp.arange(size) - shift) % greater(n, 1)
    return BoundedArray(jnp.take(data, places, mode="clip"), (Span(0, n, size),))


def _repeat(a: Any, repeats: Any) -> Any:
    if type(repeats) is not int or repeats < 0:
        return NotImplemented
    data, n, size = _front(a, "repeat")
    return BoundedArray(jnp.repeat(data, repeats), (Span(0, n * repeats, size * repeats),))


def _tile(A: Any, reps: Any) -> Any:
    if type(reps) is not int or reps < 0:
        return NotImplemented
    data, n, size = _front(A, "tile")
    places = jnp.arange(size * reps) % greater(n, 1)
    return BoundedArray(jnp.take(data, places, mode="clip"), (Span(0, n * reps, size * reps),))


def _matrix(a: Any, name: str) -> tuple[BoundedArray, list[Any]]:
    """Returns a matrix with its elements at the front of both axes, and its lengths."""
    x = of_array(a).compact()
    if x.ndim != 2:
        raise refused(f"{name}() of an array of {x.ndim} axes")
    return x, [n if rows is None else rows.length for n, rows in zip(x.data.shape, x.rows, strict=True)]


def _diagonal(a: Any) -> Any:
    x, (n, m) = _matrix(a, "diagonal")
    data = jnp.diagonal(x.data)
    array_views.note_choice(data, [of_array(a).data])  # a view, which NumPy does not let be written
    array_views.note_read_only(data)
    return BoundedArray(data, (Span(0, smaller(n, m), data.shape[0]),))


def _diag(v: Any) -> Any:
    x = of_array(v).compact()
    if x.ndim != 1:
        return _diagonal(v)
    rows: Rows | None = x.rows[0]
    return BoundedArray(jnp.diag(x.data), (rows, rows))


def _trace(a: Any) -> Any:
    found = _diagonal(a)
    return jnp.sum(found.filled(0))


def _triangle(name: str) -> Callable[..., Any]:
    def call(m: Any, k: int = 0) -> Any:
        x, _ = _matrix(m, name)
        return BoundedArray(getattr(jnp, name)(x.data, k), x.rows)

    return call


SHAPES: dict[str, Callable[..., Any]] = {
    "cumsum": _scan("cumsum", 0), "cumprod": _scan("cumprod", 1), "flip": _flip, "flipud": lambda m: _flip(m, 0),
    "concatenate": _concatenate, "hstack": _hstack, "vstack": _vstack, "stack": _stack, "column_stack": _column_stack,
    "append": _append, "diff": _diff, "reshape": _reshape, "roll": _roll, "repeat": _repeat, "tile": _tile, "trace": _trace,
    "diag": _diag, "diagonal": _diagonal, "triu": _triangle("triu"), "tril": _triangle("tril"),
}  # fmt: skip
"""The functions, by NumPy's names."""
