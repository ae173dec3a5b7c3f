"""`pow(base, exponent, modulus)` on traced integers, without overflow of any product.

>>> int(modular_power(jnp.int32(7), jnp.int32(123456), jnp.int32(2147483647))), pow(7, 123456, 2147483647)
(744111946, 744111946)
>>> int(modular_power(3, jnp.int32(-1), 7)), int(modular_power(jnp.int32(2), 3, -5)), int(modular_power(jnp.int32(2), 0, 1))
(5, -2, 0)
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax


def modular_power(base: Any, exponent: Any, modulus: Any) -> Any:
    """`pow(base, exponent, modulus)` of integer scalars; a negative exponent raises the inverse.

    What Python refuses (a modulus of 0, a base without inverse) has no defined result here.
    """
    kind = jnp.promote_types(jnp.result_type(int), jnp.result_type(base, exponent, modulus))
    b, e, m = (lax.convert_element_type(v, kind) for v in (base, exponent, modulus))
    size = jnp.abs(m)
    b = jnp.remainder(b, size)
    if not (isinstance(exponent, int) and exponent >= 0):
        b = lax.cond(e < 0, lambda: _inverse(b, size), lambda: b)
        e = jnp.abs(e)
    wide = jnp.uint64 if jnp.iinfo(kind).bits == 64 else jnp.uint32
    n = lax.convert_element_type(size, wide)

    def step(carry: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        result, factor, left = carry
        result = jnp.where(left & 1 == 1, _multiply(result, factor, n), result)
        return result, _multiply(factor, factor, n), left >> 1

    start = (jnp.ones_like(n) % n, lax.convert_element_type(b, wide), e)
    result = lax.convert_element_type(lax.while_loop(lambda carry: carry[2] > 0, step, start)[0], kind)
    return jnp.where((m < 0) & (result != 0), result + m, result)


def _multiply(a: Any, b: Any, n: Any) -> Any:
    """`a * b % n` by doubling: sums of two residues fit, since `n` has a bit to spare."""

    def step(carry: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        total, term, left = carry
        total = jnp.where(left & 1 == 1, (total + term) % n, total)
        return total, (term + term) % n, left >> 1

    return lax.while_loop(lambda carry: carry[2] > 0, step, (jnp.zeros_like(n), a, b))[0]


def _inverse(a: Any, n: Any) -> Any:
    """The inverse of `a` modulo `n`, by the extended algorithm of Euclid."""

    def step(carry: tuple[Any, Any, Any, Any]) -> tuple[Any, Any, Any, Any]:
        r0, r1, t0, t1 = carry
        q = r0 // r1
        return r1, r0 - q * r1, t1, t0 - q * t1

    zero = jnp.zeros_like(a)
    return jnp.remainder(lax.while_loop(lambda c: c[1] != 0, step, (n, a, zero, zero + 1))[2], n)
