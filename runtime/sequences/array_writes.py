"""Computes what functions of NumPy leave in an array that they write: `np.copyto(x, v)`, `np.add.at(x, i, v)`, `np.sum(a, out=x)`.

| function | what is in the array afterwards |
| --- | --- |
| with `out=` | the result, in the dtype of the array; where `where=` is false, the old elements |
| `copyto`, `putmask`, `place` | the values where the mask is true |
| `put`, `put_along_axis`, `fill_diagonal` | the values at the places |
| `ufunc.at` | the array after one operation for each index; repeated indices count |
| `nan_to_num(copy=False)` | numbers instead of NaN and infinities |

The array keeps its dtype. Values that NumPy would not cast to it are refused by name, and so are those that it would cut down.

>>> left_by("put", jnp.zeros(3), ([0, -1], [1, 2]), {}), left_by("putmask", jnp.arange(3), ([True, False, True], 7), {})
(Array([1., 0., 2.], dtype=float32), Array([7, 1, 7], dtype=int32))
>>> left_in_output("add", jnp.zeros(2), jnp.ones((), int), where=[True, False], is_ufunc=True)
Array([1., 0.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.heap import array_views
from autograph.runtime.sequences import array_items, narrow_integers
from autograph.runtime.tracing import host
from autograph.runtime.tracing.array_types import is_of_higher_kind
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_array_like, is_tracer
from autograph.runtime.values.bounded_array import BoundedArray, refused

_OF_SAME_DTYPE = frozenset("argmax argmin nanargmax nanargmin take compress dot einsum multi_dot".split())
"""Functions that take no `out` of another dtype than that of their result."""

_READS_ON = frozenset("concat concatenate stack ptp".split())
"""Functions that read their arguments after they have begun to write the result."""

_REPEATED = frozenset("clip fix outer percentile quantile".split())
"""Functions besides ufuncs whose result is repeated where `out` has more elements."""

_SUMS = frozenset(
    "sum prod mean cumsum cumprod nansum nanprod nanmean nancumsum nancumprod cumulative_sum cumulative_prod "
    "reduce accumulate".split()
)
"""Functions that compute in the dtype of `out` where that is a wide one."""


def contents_after(name: str, f: Any, x: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Returns what `f(x, *args)`, which writes its first argument, or `f(*args, out=x)` leaves in an array `x`.

    Args:
        name: that of the function or method of NumPy.
    """
    call = host.calls.converted(f)
    if name == "at":
        return after_at(f.__self__, host.calls.converted(f.__self__), x, *args)
    if name in VERSIONS:
        return left_by(name, x, args, keywords)
    where = keywords.pop("where", True) if isinstance(f, np.ufunc) else True
    keywords = in_wide_dtype(name, x, args, keywords, 1 if is_array_like(getattr(f, "__self__", None)) else 2)
    value = call(*operands_where(args, where), **keywords)
    return left_in_output(name, x, value, args, where=where, is_ufunc=isinstance(f, np.ufunc))


def in_wide_dtype(name: str, x: Any, args: tuple[Any, ...], keywords: dict[str, Any], place: int) -> dict[str, Any]:
    """Returns the keywords of a function with `out=x`, with the dtype of `x` where NumPy adds up in that one, of 64 bits.

    Args:
        place: that of `dtype` among the positional arguments.
    """
    is_wide = name in _SUMS and len(args) <= place and jax.dtypes.canonicalize_dtype(x.dtype) in (np.float64, np.complex128)
    return {**keywords, "dtype": x.dtype} if is_wide and keywords.get("dtype") is None else keywords


def left_in_output(
    name: str, x: Any, value: Any, args: tuple[Any, ...] = (), *, where: Any = True, is_ufunc: bool = False
) -> Any:
    """Returns what a function of NumPy that returns `value` leaves in `x` if it is called with `out=x`.

    Args:
        name, args: those of the function; is_ufunc: whether it is a ufunc, whose result may be repeated.
        where: where `x` is written.

    Raises:
        ValueError: the result has another shape.
        StagingError: NumPy would not cast the result to the dtype of `x`.
    """
    if type(x) is BoundedArray or type(value) is BoundedArray:
        if where is not True or name in _OF_SAME_DTYPE:
            raise refused(f"{name}() with `out`" if where is True else f"{name}() with `out` and `where`")
        check_cast(jnp.asarray(value).dtype if type(value) is not BoundedArray else value.dtype, x.dtype)
        return value
    value = jnp.asarray(value)
    if name in _OF_SAME_DTYPE and value.dtype != jax.dtypes.canonicalize_dtype(x.dtype):
        raise array_items.another_dtype(value.dtype, x.dtype)
    if name in _READS_ON and _share(x, args):
        raise refusal(
            f"numpy.{name}() writes an array that it reads",
            why="NumPy reads what it has just written there",
            instead=f"assign its result: `x[...] = np.{name}(...)`",
            page="numpy-out",
        )
    check_cast(value.dtype, x.dtype)
    if value.shape != x.shape and not ((is_ufunc or name in _REPEATED) and _is_broadcast(value.shape, x.shape)):
        raise ValueError(f"output array of shape {x.shape} does not match the result of {name}, of shape {value.shape}")
    value = lax.convert_element_type(value, jax.dtypes.canonicalize_dtype(x.dtype))
    return jnp.broadcast_to(value, x.shape) if where is True else _where(where, value, x)


def _where(mask: Any, value: Any, x: Any) -> Any:
    mask = jnp.asarray(mask)
    if not _is_broadcast(mask.shape, x.shape):
        raise ValueError(f"where mask of shape {mask.shape} does not fit an array of shape {x.shape}")
    return jnp.where(mask, value, x)


def _is_broadcast(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    return len(shape) <= len(to) and all(n in (1, m) for n, m in zip(shape[::-1], to[::-1], strict=False))


def _share(x: Any, args: tuple[Any, ...]) -> bool:
    """Whether an array may share elements with one of some arguments."""
    known = {id(base) for base in array_views.bases(x)} if is_tracer(x) else {id(x)}
    given = [base for leaf in jax.tree.leaves(args) for base in (array_views.bases(leaf) if is_tracer(leaf) else [leaf])]
    return any(id(base) in known for base in given)


def check_cast(dtype: Any, to: Any) -> None:
    """Refuses to put numbers of a dtype into an array of another one where NumPy's rule `same_kind` does not let it."""
    are_whole = dtype.kind in "iu" and to.kind in "iu"
    if is_of_higher_kind(dtype, to) or (are_whole and not np.can_cast(dtype, to, "same_kind")):
        raise array_items.another_dtype(dtype, to)


def operands_where(args: tuple[Any, ...], where: Any) -> tuple[Any, ...]:
    """Returns the operands of a ufunc with 1 where `where` is false: what is not computed has no derivative, and so no NaN."""
    if where is True or not any(map(is_tracer, args)) or any(type(x) is BoundedArray for x in args):
        return args
    mask = _array(where)
    return tuple(
        jnp.where(mask, x, jnp.ones((), x.dtype)) if is_tracer(x) and jnp.issubdtype(x.dtype, jnp.inexact) else x for x in args
    )


def left_by(name: str, x: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Returns what a function of NumPy of that name leaves in its first argument `x`.

    Args:
        args: the arguments behind `x`.
    """
    if type(x) is BoundedArray or any(type(value) is BoundedArray for value in (*args, *keywords.values())):
        raise refused(f"{name}()")
    return VERSIONS[name](jnp.asarray(x), *args, **keywords)


def _array(x: Any) -> Any:
    return jnp.asarray(x) if type(x) in (list, tuple) else x


def _values(x: Any, value: Any) -> Any:
    """Returns values that are written, flat and in the dtype of the array."""
    if not isinstance(value, (list, tuple)) and jnp.ndim(value) and not np.can_cast(value.dtype, x.dtype, "safe"):
        raise array_items.another_dtype(value.dtype, x.dtype)
    return jnp.ravel(array_items.in_dtype_of(x, value))


def _copyto(x: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Any:
    narrow_integers.check_numbers(src, x.dtype)
    value = jnp.asarray(src)
    if casting != "unsafe" or is_of_higher_kind(value.dtype, x.dtype):
        check_cast(value.dtype, x.dtype)
        if casting not in ("same_kind", "unsafe") and not np.can_cast(value.dtype, x.dtype, casting):  # type: ignore[arg-type]  # a string
            raise array_items.another_dtype(value.dtype, x.dtype)
    value = lax.convert_element_type(value, x.dtype)
    return jnp.broadcast_to(value, x.shape) if where is True else _where(where, value, x)


def _put(x: Any, ind: Any, v: Any, mode: str = "raise") -> Any:
    v, ind = _values(x, v), _array(ind)
    if not v.size or not jnp.size(ind):
        return x
    ind, flat = jnp.ravel(ind), jnp.ravel(x)
    if mode != "raise":
        ind = jnp.clip(ind, 0, flat.size - 1) if mode == "clip" else ind % flat.size
    return array_items.put_item(jnp.resize(v, ind.shape), flat, ind).reshape(x.shape)


def _putmask(x: Any, mask: Any, values: Any) -> Any:
    mask, values = jnp.asarray(mask), _values(x, values)
    if mask.size != x.size:
        raise ValueError("putmask: mask and data must be the same size")
    return jnp.where(mask.reshape(x.shape), jnp.resize(values, x.shape), x) if values.size else x


def _place(x: Any, mask: Any, vals: Any) -> Any:
    return jnp.place(x, _array(mask), _values(x, vals), inplace=False)


def _put_along_axis(x: Any, indices: Any, values: Any, axis: Any) -> Any:
    return jnp.put_along_axis(x, _array(indices), array_items.in_dtype_of(x, values), axis=axis, inplace=False)


def _fill_diagonal(x: Any, val: Any, wrap: bool = False) -> Any:
    if x.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if x.ndim > 2 and len(set(x.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    step = int(1 + np.cumprod(x.shape[:-1]).sum()) if x.ndim > 2 else x.shape[1] + 1
    places = np.arange(0, x.size if wrap or x.ndim > 2 else min(x.size, x.shape[1] ** 2), step)
    value, flat = array_items.in_dtype_of(x, val), jnp.ravel(x)
    value = jnp.resize(value, places.shape) if jnp.ndim(value) and jnp.size(value) else value
    return array_items.put_item(value, flat, places).reshape(x.shape)


def _nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    return jnp.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


VERSIONS: dict[str, Callable[..., Any]] = {
    "copyto": _copyto,
    "fill_diagonal": _fill_diagonal,
    "nan_to_num": _nan_to_num,
    "place": _place,
    "put": _put,
    "put_along_axis": _put_along_axis,
    "putmask": _putmask,
}
"""By the names of functions that write their first argument."""

WRITE_FIRST = frozenset((*VERSIONS, "at"))
"""Functions that write their first argument, and the method of ufuncs that does."""


def after_at(f: np.ufunc, call: Callable[..., Any], x: Any, indices: Any, *operand: Any) -> Any:
    """Returns what `f.at(x, indices, *operand)` leaves in `x`; `call` computes `f` of traced values.

    Raises:
        StagingError: the result has another dtype than the array.
    """
    if type(x) is BoundedArray or any(type(value) is BoundedArray for value in (indices, *operand)):
        raise refused(f"{f.__name__}.at()")
    x = jnp.asarray(x)
    parts = tuple(map(_array, indices)) if type(indices) is tuple else _array(indices)
    if not any(map(is_tracer, jax.tree.leaves(indices))):
        np.broadcast_to(False, x.shape)[indices]  # raises for an index out of bounds
    narrow_integers.check_numbers(operand, x.dtype)
    values = [_array(value) for value in operand]
    result = jax.eval_shape(call, x, *values).dtype
    if result != x.dtype:
        raise array_items.another_dtype(result, x.dtype)
    places = jnp.arange(x.size).reshape(x.shape)[parts]
    values = [jnp.broadcast_to(lax.convert_element_type(jnp.asarray(v), x.dtype), places.shape) for v in values]
    flat, places, values = jnp.ravel(x), places.ravel(), [v.ravel() for v in values]
    method = _SCATTERING.get(f.__name__)
    if method is not None and x.dtype != bool:
        return getattr(flat.at[places], method)(*values).reshape(x.shape)

    def step(k: Any, flat: Any) -> Any:
        return flat.at[places[k]].set(call(flat[places[k]], *(v[k] for v in values)).astype(x.dtype))

    return lax.fori_loop(0, places.size, step, flat).reshape(x.shape)


_SCATTERING = {"add": "add", "subtract": "subtract", "multiply": "multiply", "maximum": "max", "minimum": "min"}
"""Ufuncs whose `at` is an operation of JAX; what it does for others is a loop."""
