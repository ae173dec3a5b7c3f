"""`round(x)` and `round(x, k)` of traced numbers, also where `k` is only known when the program runs.

>>> import jax
>>> f = jax.jit(lambda x, k: round_to(x, k))
>>> [round(float(f(12.375, k)), 6) for k in (2, 0, -1, 60)], [int(f(1250, k)) for k in (1, -2, -3, -60)]
([12.38, 12.0, 10.0, 12.375], [1250, 1200, 1000, 0])
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.library import arithmetic_errors
from autograph.runtime.tracing import sizes
from autograph.runtime.tracing.array_types import scalar, type_of
from autograph.runtime.tracing.staging import is_traced


def rounded(number: Any, ndigits: Any = None) -> Any:
    """`round(number, ndigits)`: of a Python number an integer; to tens and hundreds, where JAX has no rule, as Python."""
    number = sizes.traced(number)
    if is_traced(ndigits):
        return round_to(number, ndigits)
    if not is_traced(number):
        return round(number, ndigits)
    dtype = jax.typeof(number).dtype
    if jnp.issubdtype(dtype, jnp.complexfloating):
        raise TypeError("type complex doesn't define __round__ method")
    if dtype == jnp.bool_:
        number, dtype = scalar(number, int), jnp.dtype(int)
    if ndigits is None and type_of(number).weak and not jax.typeof(number).shape:
        if jnp.issubdtype(dtype, jnp.integer):
            return number
        return arithmetic_errors.check_call("round", scalar(round(number), int), (number,))
    if type(ndigits) is int and ndigits and jnp.issubdtype(dtype, jnp.floating):
        return round_float(number, ndigits)
    if not (isinstance(ndigits, int) and ndigits < 0 and jnp.issubdtype(dtype, jnp.integer)):
        return round(number, ndigits)
    unit, largest = 10**-ndigits, jnp.iinfo(dtype).max
    if unit // 2 > largest:
        return number * 0
    if unit > largest:
        return rounded(number.astype(int), ndigits)
    quotient, rest = jnp.divmod(number, unit)
    return (quotient + ((rest > unit - rest) | ((rest == unit - rest) & (quotient % 2 == 1)))) * unit


def round_to(number: Any, digits: Any) -> Any:
    """`round(number, digits)` for traced `digits`: a float or an integer, as `number` is one.

    Raises:
        TypeError: what Python does not round, or not to that.
    """
    number, digits = jnp.asarray(number), jnp.asarray(digits)
    if not jnp.issubdtype(digits.dtype, jnp.integer) and digits.dtype != jnp.bool_:
        raise TypeError("'float' object cannot be interpreted as an integer")
    if jnp.issubdtype(number.dtype, jnp.complexfloating):
        raise TypeError("type complex doesn't define __round__ method")
    digits = digits.astype(int)
    is_weak = type_of(number).weak or (number.dtype == jnp.bool_ and not number.ndim)
    number = number.astype(int) if number.dtype == jnp.bool_ else number
    rounded = (_float if jnp.issubdtype(number.dtype, jnp.floating) else _integer)(number, digits)
    return convert_weak(rounded, rounded.dtype) if is_weak else rounded


def round_float(x: Any, digits: int) -> Any:
    """`round(x, digits)`. JAX multiplies by a power of ten, whose product with a large number is none of the type."""
    if abs(digits) > _MOST:
        return round_to(x, digits)
    near = round(x, digits)
    return jnp.where(jnp.isfinite(near), near, x)


_MOST = 30
"""Powers of ten that a 32-bit float holds, with their inverses."""


def _float(x: Any, digits: Any) -> Any:
    dtype = jnp.promote_types(x.dtype, jnp.float32)
    limits = jnp.finfo(dtype)
    most = int(np.log10(float(limits.max)))
    unit = jnp.asarray(np.array([10.0**k for k in range(most + 1)], dtype))[jnp.clip(jnp.abs(digits), 0, most)]
    wide = lax.convert_element_type(x, dtype)
    scaled = jnp.where(digits < 0, wide / unit, wide * unit)
    near = jnp.round(scaled)
    near = jnp.where(digits < 0, near * unit, near / unit)
    has_fraction = jnp.abs(scaled) < 2.0**limits.nmant  # else the number is a multiple already, or no finite number is
    rounded = jnp.where(has_fraction & (digits <= most), lax.convert_element_type(near, x.dtype), x)
    return jnp.where((digits < -most) & jnp.isfinite(x), x * 0, rounded)


def _integer(x: Any, digits: Any) -> Any:
    """To the nearest ten, hundred, ...; of two that are as near to the even one."""
    most = int(np.log10(float(jnp.iinfo(x.dtype).max)))
    places = jnp.clip(-digits, 0, most + 1)
    unit = jnp.asarray(np.array([10**k for k in range(most + 1)], x.dtype))[jnp.minimum(places, most)]
    quotient, rest = jnp.divmod(x, unit)
    up = (rest > unit - rest) | ((rest == unit - rest) & (quotient % 2 == 1))
    return jnp.where(places == 0, x, jnp.where(places > most, x * 0, (quotient + up) * unit))
