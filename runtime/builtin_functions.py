"""Python's numeric builtins on traced values; on anything else they are the builtins themselves.

| builtin | on traced values |
| --- | --- |
| `int`, `float`, `complex`, `bool` | a scalar of Python's type: weakly typed, so that it promotes as a Python number does; `int` truncates toward zero |
| `min`, `max` | the first of the smallest or largest, by `<` and `>` as Python compares (a NaN never replaces an earlier value) |
| `sum` | of an array: over its leading axis, in its own dtype (bools count as ints); of anything else: Python's own, term by term |
| `any`, `all` | a traced bool; all elements are evaluated |
| `pow(a, b, m)` | the power, reduced at each squaring |
| `range` | `ag.range`: a counted loop |
| `enumerate`, `zip`, `reversed`, `map`, `filter` | the iterators of `iterables`, which a `for` stages whole |

`abs`, `divmod`, `len`, `round` and two-argument `pow` are right on traced arrays without help: arrays define their methods.

NB integers are fixed-width when traced: `int(x)` of a float beyond the range of the default int type does not hold.

>>> import jax
>>> float(jax.jit(builtin(min))(3.0, 2.0)), int(jax.jit(builtin(int))(-2.7))
(2.0, -2)
>>> builtin(min)([3, 1, 2]), builtin(print) is print
(1, True)
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime import iterables
from autograph.runtime.primitives import predicate
from autograph.runtime.refusals import refusal
from autograph.runtime.selection import largest, smallest
from autograph.runtime.staging import is_traced

_MISSING: Any = object()


def builtin(fn: Any) -> Any:
    """The version of a builtin function or type that also takes traced values; `fn` itself where there is none."""
    return BUILTINS.get(fn, fn)


def _scalar(x: Any, name: str) -> Any:
    """`x`, of shape (); raises as the eager conversion does."""
    aval = jax.typeof(x)
    if aval.shape:
        raise TypeError(f"Only scalar arrays can be converted to Python scalars; got arr.ndim={len(aval.shape)}")
    if name != "complex" and jnp.issubdtype(aval.dtype, jnp.complexfloating):
        raise TypeError(f"{name}() argument must be a string or a real number, not 'complex'")
    return x


def _bool(*args: Any) -> Any:
    if len(args) == 1 and is_traced(args[0]):
        return predicate(args[0])
    return bool(*args)


def _int(*args: Any, **kwargs: Any) -> Any:
    if len(args) == 1 and not kwargs and is_traced(args[0]):
        x = _scalar(args[0], "int")
        return convert_weak(x, jnp.result_type(int))  # the conversion truncates
    return int(*args, **kwargs)


def _float(*args: Any) -> Any:
    if len(args) == 1 and is_traced(args[0]):
        return convert_weak(_scalar(args[0], "float"), jnp.result_type(float))
    return float(*args)


def _complex(*args: Any, **kwargs: Any) -> Any:
    if not any(map(is_traced, (*args, *kwargs.values()))):
        return complex(*args, **kwargs)
    parts = dict(zip(("real", "imag"), args), **kwargs)
    dtype = jnp.result_type(complex)
    real, imag = (convert_weak(_scalar(parts.get(k, 0), "complex"), dtype) for k in ("real", "imag"))
    return real if "imag" not in parts else real + imag * 1j


def _round(*args: Any, **kwargs: Any) -> Any:
    ndigits = kwargs.get("ndigits", args[1] if len(args) > 1 else None)
    if is_traced(ndigits):
        raise refusal("round() needs a known number of digits, and `ndigits` is traced", "Pass a Python int.")
    return round(*args, **kwargs)


def _pow(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None or not any(map(is_traced, (base, exp, mod))):
        return pow(base, exp, mod)
    if not all(jnp.issubdtype(jax.typeof(v).dtype, jnp.integer) for v in (base, exp, mod)):
        raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    base, exp, mod = jnp.broadcast_arrays(base, exp, mod)
    one = jnp.ones_like(mod) % mod

    def square(carry: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        result, factor, left = carry
        result = jnp.where(left & 1 == 1, result * factor % mod, result)
        return result, factor * factor % mod, left >> 1

    return lax.while_loop(lambda carry: jnp.any(carry[2] > 0), square, (one, base % mod, exp))[0]


def _sum(iterable: Any, /, start: Any = 0) -> Any:
    if not is_traced(iterable) or not jax.typeof(iterable).shape:
        return sum(iterable, start)
    terms = iterable + 0 if jax.typeof(iterable).dtype == jnp.bool_ else iterable
    total = lax.reduce_sum_p.bind(terms, axes=(0,)) if False else jnp.sum(terms, axis=0, dtype=terms.dtype)
    return start + total


def _truths(values: Any) -> Any:
    """The traced truth values of an iterable's items; a known item is passed on as it is."""
    if is_traced(values):
        aval = jax.typeof(values)
        if len(aval.shape) == 1:
            return [values != 0 if aval.dtype != jnp.bool_ else values]
    return values


def _any(iterable: Any, /) -> Any:
    if is_traced(iterable) and len(jax.typeof(iterable).shape) == 1:
        return jnp.any(iterable)
    found = None
    for item in iterable:
        if is_traced(item):
            truth = predicate(item)
            found = truth if found is None else lax.bitwise_or(found, truth)
        elif item:
            return True
    return False if found is None else found


def _all(iterable: Any, /) -> Any:
    if is_traced(iterable) and len(jax.typeof(iterable).shape) == 1:
        return jnp.all(iterable)
    found = None
    for item in iterable:
        if is_traced(item):
            truth = predicate(item)
            found = truth if found is None else lax.bitwise_and(found, truth)
        elif not item:
            return False
    return True if found is None else found
