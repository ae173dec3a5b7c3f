"""Methods of NumPy's ufuncs on traced values: `np.hypot.outer(a, b)`, `np.fmax.reduce(a)`, `np.maximum.accumulate(a)`.

jax.numpy has these methods for some ufuncs only; most are plain functions there. The methods apply such a function in
the order in which NumPy does: `outer` by broadcasting, the others element after element along an axis.

NumPy says what the dtype is: it is asked with arrays of one element, and raises what it raises for the program's own.

| method | what runs |
| --- | --- |
| `outer` | the function, once |
| `reduce` | jax.numpy's reduction (`sum`, `max`, `all`, ...) where there is one, else a loop |
| `accumulate` | `cumsum`, `cumprod`, `cummax`, `cummin`; else a scan |
| `reduceat` | a loop |
| `at` | nothing: it changes an array in place, and is refused |

>>> import jax
>>> jax.jit(lambda a: ufunc_result(np.hypot.reduce, jnp.hypot, (a,), {}))(jnp.array([3.0, 4.0]))
Array(5., dtype=float32)
>>> jax.jit(lambda a: ufunc_result(np.subtract.outer, jnp.subtract, (a, a), {}))(jnp.array([5, 3]))
Array([[ 0,  2],
       [-2,  0]], dtype=int32)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.analyses.numpy_writes import PLACES_OF_OUT
from autograph.runtime.library.numpy_outputs import call_with_outputs, has_outputs
from autograph.runtime.library.numpy_trials import stand_in, with_refusal
from autograph.runtime.tracing.refusals import refusal

_RUNNING: dict[str, Callable[..., Any]] = {
    "add": lax.cumsum,
    "multiply": lax.cumprod,
    "maximum": lax.cummax,
    "minimum": lax.cummin,
}
"""Ufuncs whose `accumulate` is a JAX operation."""

_WRONG = frozenset((np.power, np.arctan2))
"""Ufuncs whose loops read the element that they have just written."""

_LISTS = (list, tuple, range)


def ufunc_result(f: Any, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns what a method `f` of a ufunc returns; `call` is the ufunc on traced values."""
    fn, name = f.__self__, f.__name__
    if name == "at":
        raise refusal(
            f"numpy.{fn.__name__}.at() changes an array in place",
            why="an argument is traced, and arrays of a compiled program are values",
            instead="use the array that JAX returns, `x = jnp.asarray(x).at[i].add(v)`, or write a loop over the indices",
            page="numpy-in-place",
        )
    if name != "outer" and fn in _WRONG:
        raise refusal(
            f"numpy.{fn.__name__}.{name}() of a traced array",
            why="NumPy skips elements of it, how many depends on the machine",
            instead="write a loop over the elements (`for x in a[1:]:`)",
            page="numpy-function-without-counterpart",
        )
    place = PLACES_OF_OUT.get(name, slice(99, 99))
    if has_outputs(args, kwargs, place):
        compute = functools.partial(_of_method, f, call)
        return call_with_outputs(f"numpy.{fn.__name__}.{name}", compute, args, kwargs, place, is_ufunc=name == "outer")
    kwargs = {key: value for key, value in kwargs.items() if key != "out"}
    args = tuple(jnp.asarray(x) if type(x) in _LISTS and n == 0 else x for n, x in enumerate(args))
    return with_refusal(
        lambda: _METHODS[name](fn, call, *args, **kwargs), f, f"numpy.{fn.__name__}.{name}", args, kwargs
    )


def _of_method(f: Any, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return ufunc_result(f, call, args, kwargs)


def _outer(fn: np.ufunc, call: Callable[..., Any], a: Any, b: Any, /, **kwargs: Any) -> Any:
    a, b = (lax.convert_element_type(x, jnp.asarray(x).dtype) for x in (a, b))  # a number becomes an array, as in NumPy
    dtype = _canonical(fn.outer(np.ones(1, a.dtype), np.ones(1, b.dtype), **kwargs))
    if dtype in (jnp.float16, jnp.int8):  # of bools or narrow integers, which JAX computes in a wider type
        a, b = _cast(a, dtype), _cast(b, dtype)
    return _apply(fn, call, a.reshape(a.shape + (1,) * b.ndim), b, dtype)


def _reduce(
    fn: np.ufunc,
    call: Callable[..., Any],
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    keepdims: bool = False,
    **options: Any,
) -> Any:
    a, initial, where = jnp.asarray(array), options.pop("initial", np._NoValue), options.pop("where", True)
    like = np.ones([min(n, 1) for n in a.shape], a.dtype)
    at: Any = where if where is True else np.ones((1,) * np.ndim(where), bool)
    known = {} if initial is np._NoValue else {"initial": stand_in(initial)}
    dtype = _canonical(fn.reduce(like, axis=axis, dtype=dtype, keepdims=keepdims, where=at, **known, **options))
    a = _cast(a, dtype)
    start = fn.identity if initial is np._NoValue else initial
    reduce = getattr(getattr(jnp, fn.__name__), "reduce", None)
    if reduce is not None and fn.__name__ in _REDUCED:
        extra = {} if where is True else {"where": jnp.asarray(where)}
        extra = extra if initial is np._NoValue else extra | {"initial": initial}
        return reduce(a, axis=axis, keepdims=keepdims, **extra).astype(dtype)
    axes = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(n % a.ndim for n in axes) if a.ndim else ()
    mask = jnp.broadcast_to(jnp.asarray(where), a.shape)
    left = [n for n in range(a.ndim) if n not in axes]
    shape = [a.shape[n] for n in left]
    rows, taken = (x.transpose(*axes, *left).reshape(-1, *shape) for x in (a, mask))
    first = 1 if start is None else 0  # NumPy begins with the identity, which counts: `np.gcd.reduce([-2])` is 2
    value = rows[0] if first else jnp.full(shape, start, dtype)

    def step(k: Any, value: Any) -> Any:
        new = _apply(fn, call, value, rows[k], dtype)
        return new if where is True else jnp.where(taken[k], new, value)

    value = lax.fori_loop(first, len(rows), step, value)
    return jnp.expand_dims(value, axes) if keepdims else value


_REDUCED = frozenset("add multiply maximum minimum logical_and logical_or".split())
"""Ufuncs whose `reduce` is a reduction of jax.numpy; what it does for others is a loop."""


def _accumulate(fn: np.ufunc, call: Callable[..., Any], array: Any, axis: Any = 0, dtype: Any = None) -> Any:
    a = jnp.asarray(array)
    like = np.ones([min(n, 1) for n in a.shape], a.dtype)
    dtype = _canonical(fn.accumulate(like, axis=axis, dtype=dtype))
    a, axis = _cast(a, dtype), axis % a.ndim
    if fn.__name__ in _RUNNING and dtype.kind != "b":
        return _RUNNING[fn.__name__](a, axis)
    rows = jnp.moveaxis(a, axis, 0)
    if not len(rows):
        return a

    def step(value: Any, row: Any) -> Any:
        new = _apply(fn, call, value, row, dtype)
        return new, new

    _, found = lax.scan(step, rows[0], rows[1:])
    return jnp.moveaxis(jnp.concatenate([rows[:1], found]), 0, axis)


def _reduceat(
    fn: np.ufunc,
    call: Callable[..., Any],
    array: Any,
    indices: Any,
    axis: Any = 0,
    dtype: Any = None,
) -> Any:
    a, first = jnp.asarray(array), np.asarray(indices) if type(indices) in _LISTS else indices
    like = np.ones([min(n, 1) for n in a.shape], a.dtype)
    dtype = _canonical(fn.reduceat(like, [0], axis=axis, dtype=dtype))
    rows = jnp.moveaxis(_cast(a, dtype), axis, 0)
    if not isinstance(first, jax.core.Tracer):
        np.empty(len(rows))[np.asarray(first)]  # raises for a place outside
    after = jnp.append(jnp.asarray(first)[1:], len(rows))
    shape = (-1, *(1,) * (a.ndim - 1))

    def step(k: Any, found: Any) -> Any:
        is_inside = ((k > first) & (k < after)).reshape(shape)
        return jnp.where(is_inside, _apply(fn, call, found, rows[k], dtype), found)

    return jnp.moveaxis(lax.fori_loop(0, len(rows), step, rows[jnp.asarray(first)]), 0, axis)


def _apply(fn: np.ufunc, call: Callable[..., Any], x: Any, y: Any, dtype: Any) -> Any:
    """Applies a ufunc to two arrays, and returns the dtype; of half floats it computes in 32 bits, as NumPy does."""
    if dtype == jnp.float16 and fn is not np.nextafter:
        x, y = x.astype(jnp.float32), y.astype(jnp.float32)
    return call(x, y).astype(dtype)


def _canonical(example: Any) -> Any:
    return jax.dtypes.canonicalize_dtype(example.dtype)


def _cast(a: Any, dtype: Any) -> Any:
    return a != 0 if dtype.kind == "b" and a.dtype.kind != "b" else lax.convert_element_type(a, dtype)


_METHODS: dict[str, Callable[..., Any]] = {
    "outer": _outer,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "reduceat": _reduceat,
}
