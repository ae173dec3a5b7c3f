"""Functions of NumPy and methods of arrays for bounded arrays, by name: `np.sum(y)`, `y.mean()`, `jnp.concatenate([y, z])`.

| function | what it computes |
| --- | --- |
| those of elements (`np.sqrt`, `np.where(m, a, b)`) | whole buffers |
| those that reduce, sort, or put elements elsewhere | see `bounded_reductions`, `bounded_orders`, `bounded_shapes` |
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
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.runtime.heap import array_views
from autograph.runtime.sequences.bounded_items import read_rows
from autograph.runtime.sequences.bounded_operands import einsum, elementwise, product
from autograph.runtime.sequences.bounded_orders import ORDERS
from autograph.runtime.sequences.bounded_reductions import REDUCTIONS, vector_of
from autograph.runtime.sequences.bounded_shapes import SHAPES
from autograph.runtime.values.bounded_array import BoundedArray, of_array, refused
from autograph.runtime.values.rows import Chosen


def _flatnonzero(a: Any) -> BoundedArray:
    x = of_array(a)
    if any(x.rows):
        x, _ = vector_of(x.compact(), "flatnonzero")
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
    def make(a: Any, dtype: Any = None, order: str = "K") -> BoundedArray:
        return BoundedArray(jnp.full_like(a.data, value, dtype), a.rows)

    return make


def _full_like(a: Any, fill_value: Any, dtype: Any = None, order: str = "K") -> BoundedArray:
    if type(a) is not BoundedArray or np.ndim(fill_value):
        raise refused("full_like() with an array to fill in")
    return _like(fill_value)(a, dtype)


def _clip(a: Any, a_min: Any = None, a_max: Any = None) -> Any:
    if a_min is not None:
        a = elementwise("maximum", jnp.maximum, a, a_min)
    return a if a_max is None else elementwise("minimum", jnp.minimum, a, a_max)


def _divmod(x1: Any, x2: Any) -> Any:
    return elementwise("floor_divide", operator.floordiv, x1, x2), elementwise("remainder", operator.mod, x1, x2)


def _copy(a: Any) -> BoundedArray:
    if type(a) is not BoundedArray:
        raise refused("making an array of several ones")
    return BoundedArray(array_views.copied(a.data, [a.data]), a.rows)


def _astype(a: BoundedArray, dtype: Any) -> BoundedArray:
    return BoundedArray(array_views.copied(a.data.astype(dtype), [a.data]), a.rows)


CALLS: dict[str, Callable[..., Any]] = {
    **REDUCTIONS, **ORDERS, **SHAPES,
    "flatnonzero": _flatnonzero, "nonzero": _nonzero, "argwhere": _argwhere, "where": _where, "compress": _compress,
    "extract": _extract, "dot": _dot, "matmul": product, "inner": _dot, "vdot": _vdot, "outer": _outer, "einsum": einsum,
    "zeros_like": _like(0), "empty_like": _like(0), "ones_like": _like(1), "full_like": _full_like,
    "copy": _copy, "array": _copy, "asarray": lambda a: a,
    "ravel": lambda a: SHAPES["reshape"](a, -1), "flatten": lambda a: _copy(SHAPES["reshape"](a, -1)), "transpose": lambda a: a.T,
    "astype": _astype, "shape": lambda a: a.shape, "size": lambda a: a.size, "ndim": lambda a: a.ndim,
    "clip": lambda a, a_min, a_max: _clip(a, a_min, a_max), "divmod": _divmod,
    "real": lambda a: elementwise("real", jnp.real, a), "imag": lambda a: elementwise("imag", jnp.imag, a),
    "round": lambda a, decimals=0: elementwise("rint", functools.partial(jnp.round, decimals=decimals), a),
}  # fmt: skip
"""The functions, by NumPy's names."""

OF_ARRAYS: dict[str, Callable[..., Any]] = {**CALLS, "clip": _clip}
"""The same, as methods of arrays."""

METHODS = frozenset(
    "sum prod any all max min argmax argmin mean var std cumsum cumprod reshape ravel flatten transpose astype copy clip dot "
    "nonzero round argsort repeat trace diagonal searchsorted".split()
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

_OF_LISTS = frozenset("concatenate hstack vstack stack column_stack".split())


def computed(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], calls: dict[str, Callable[..., Any]] = CALLS) -> Any:
    """Returns the result of the function of NumPy of that name, or of the method of arrays (`OF_ARRAYS`).

    Raises:
        StagingError: it, or an argument of it, is not written for arrays of unknown length.
    """
    args = tuple(x.whole_axis() if hasattr(type(x), "whole_axis") else x for x in args)  # a list of unknown length
    fn = calls.get(name)
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
