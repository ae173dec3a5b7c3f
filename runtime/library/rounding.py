"""`round(x, k)` where `k` is only known when the program runs.

>>> import jax
>>> f = jax.jit(lambda x, k: round_to(x, k))
>>> [round(float(f(12.375, k)), 6) for k in (2, 0, -1, 60)], [int(f(1250, k)) for k in (1, -2, -3, -60)]
([12.38, 12.0, 10.0, 12.375], [1250, 1200, 1000, 0])
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax


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
    if jnp.issubdtype(number.dtype, jnp.floating):
        return _float(number, digits)
    return _integer(number.astype(int) if number.dtype == jnp.bool_ else number, digits)


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
    return jnp.where(digits < -most, x * 0, rounded)


def _integer(x: Any, digits: Any) -> Any:
    """To the nearest ten, hundred, ...; of two that are as near to the even one."""
    most = int(np.log10(float(jnp.iinfo(x.dtype).max)))
    places = jnp.clip(-digits, 0, most + 1)
    unit = jnp.asarray(np.array([10**k for k in range(most + 1)], x.dtype))[jnp.minimum(places, most)]
    quotient, rest = jnp.divmod(x, unit)
    up = (rest > unit - rest) | ((rest == unit - rest) & (quotient % 2 == 1))
    return jnp.where(places == 0, x, jnp.where(places > most, x * 0, (quotient + up) * unit))
