"""Functions of NumPy that raise where JAX's own return something: what stands for them on traced values.

| function | JAX's own |
| --- | --- |
| `full_like(b, 300)`, `insert`, `piecewise`, `max(initial=300)` of narrow integers | casts the number |
| `arctan2`, `logaddexp`, `radians`, `positive` | take complex numbers, or bools |
| `fft.fft(axis=None)`, `ediff1d(to_end=...)` of another kind | return something |
| `concatenate(dtype=...)` of a lower kind, `float32(1j)` | drop a part of the numbers |
| `unravel_index` of what is outside, `nanargmax` of NaNs, negative weights of `cov` | return something |

>>> VERSIONS["arctan2"](1j, 1.0)
Traceback (most recent call last):
    ...
TypeError: ufunc 'arctan2' not supported for the input types, ...
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.runtime.checks.guards import guard_index
from autograph.runtime.library.numpy_matrices import versions_of
from autograph.runtime.sequences import narrow_integers
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.tracing.array_types import is_of_higher_kind, scalar
from autograph.runtime.tracing.staging import is_traced, is_tracer


def _refusing(found: Any, parameter: str, position: int, /, a: Any, *args: Any, **kwargs: Any) -> Any:
    """Stands for a function that puts a number into an array: it refuses what the dtype cannot hold."""
    number = args[position] if len(args) > position else kwargs.get(parameter)
    if type(number) is int and not 0 <= number <= 127:
        dtype = kwargs.get("dtype")
        if dtype is None:
            dtype = jax.typeof(a).dtype
            if found in (jnp.sum, jnp.prod) and dtype.kind in "biu":
                dtype = np.uint64 if dtype.kind == "u" else np.int64  # in which NumPy adds up
        dtype = np.dtype(dtype)
        if narrow_integers.is_beyond(number, dtype):
            raise narrow_integers.out_of_bounds(number, dtype)
    return found(a, *args, **kwargs)


@functools.wraps(jnp.piecewise)
def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any) -> Any:
    narrow_integers.check_numbers([*funclist], jnp.result_type(x))
    return jnp.piecewise(x, condlist, funclist, *args, **kwargs)


def _casting(found: Any, /, arrays: Any, *args: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """Stands for a function that joins arrays: to a `dtype` that NumPy does not cast them to."""
    if dtype is not None and kwargs.get("casting", "same_kind") == "same_kind":
        for have in (jnp.asarray(x).dtype for x in arrays):
            if is_of_higher_kind(have, np.dtype(dtype)):
                wanted = f"dtype('{have}') to dtype('{np.dtype(dtype)}')"
                raise TypeError(f"Cannot cast array data from {wanted} according to the rule 'same_kind'")
    return found(arrays, *args, dtype=dtype, **kwargs)


def _real_number(found: Any, /, x: Any = 0, *args: Any) -> Any:
    """Stands for a type of real numbers: it takes no complex Python number."""
    if is_tracer(x) and x.aval.weak_type and not x.shape and x.dtype.kind == "c":
        x = scalar(x, float if found.__name__.startswith("float") else int)  # says what is wrong
    return found(x, *args)


def _of_types(found: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Stands for a function that JAX has for more types than NumPy, which says so."""
    try:
        getattr(np, found.__name__).resolve_dtypes((*(jnp.result_type(x) for x in args), None))
    except TypeError as error:
        raise TypeError(str(error)) from None
    return found(*args, **kwargs)


def _along_axis(found: Any, /, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """Stands for a transform along one axis: JAX takes `None` for the last one."""
    if axis is None:
        raise TypeError("tuple indices must be integers or slices, not NoneType")
    return found(a, n, axis, norm)


@functools.wraps(jnp.ediff1d)
def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    kind = jnp.result_type(ary)
    for key, value in (("to_end", to_end), ("to_begin", to_begin)):
        if value is not None and not np.can_cast(jnp.asarray(value).dtype, kind, "same_kind"):
            raise TypeError(f"dtype of `{key}` must be compatible with input `ary` under the `same_kind` rule.")
    return jnp.ediff1d(ary, to_end, to_begin)


@functools.wraps(jnp.cov)
def _cov(m: Any, y: Any = None, *args: Any, **options: Any) -> Any:
    for key in ("fweights", "aweights"):
        weights: Any = options.get(key)
        if is_traced(weights):
            error = ValueError(f"{key} cannot be negative")
            options[key] = guard_index(weights, jnp.all(weights >= 0), error)
    return jnp.cov(m, y, *args, **options)


@functools.wraps(jnp.unravel_index)
def _unravel_index(indices: Any, shape: Any, order: str = "C") -> Any:
    if is_traced(indices):
        size = math.prod(shape) if isinstance(shape, tuple | list) else shape
        if not integer_ranges.is_inside(indices, size):
            error = ValueError(f"an index is out of bounds for array with size {size}")
            indices = guard_index(indices, jnp.all((indices >= 0) & (indices < size)), error)
    indices = jnp.asarray(indices).astype(int)
    if order == "F":
        return jnp.unravel_index(indices, tuple(shape)[::-1])[::-1]
    return jnp.unravel_index(indices, shape)


def _of_numbers(found: Any, /, a: Any, *args: Any, **kwargs: Any) -> Any:
    """Stands for `nanargmax` and its like: the program fails where a slice has NaNs alone."""
    index = found(a, *args, **kwargs)
    if not is_traced(index) or not jnp.issubdtype(jnp.asarray(a).dtype, jnp.inexact):
        return index
    return guard_index(index, jnp.all(index >= 0), ValueError("All-NaN slice encountered"))


VERSIONS: dict[str, Callable[..., Any]] = {
    **versions_of("concat concatenate hstack stack vstack", _casting),
    **versions_of("float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64", _real_number),
    **versions_of("nanargmax nanargmin", _of_numbers),
    **versions_of("arctan2 deg2rad degrees logaddexp logaddexp2 positive rad2deg radians", _of_types),
    **versions_of("max min amax amin", _refusing, "initial", 3),
    **versions_of("sum prod", _refusing, "initial", 4),
    **versions_of("fft.fft fft.hfft fft.ifft fft.ihfft fft.irfft fft.rfft", _along_axis),
    "cov": _cov,
    "ediff1d": _ediff1d,
    **versions_of("full_like", _refusing, "fill_value", 0),
    **versions_of("insert", _refusing, "values", 1),
    "piecewise": _piecewise,
    "unravel_index": _unravel_index,
}
"""The versions of functions, by the names in NumPy."""
