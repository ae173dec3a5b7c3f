"""Number theory, roots and the Mandelbrot set: scalar loops whose length depends on the numbers."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import autograph as ag

from .pair import Pair


def collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def collatz_expert(n: Any) -> Any:
    def body(carry: Any) -> Any:
        n, steps = carry
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    return lax.while_loop(lambda carry: carry[0] != 1, body, (n, 0))[1]


def gcd(a: Any, b: Any) -> Any:
    while b:
        a, b = b, a % b
    return a


def gcd_expert(a: Any, b: Any) -> Any:
    return lax.while_loop(lambda c: c[1] != 0, lambda c: (c[1], c[0] % c[1]), (a, b))[0]


def newton(a: Any, tolerance: Any) -> Any:
    """The cube root by Newton's iteration."""
    x = a
    while abs(x * x * x - a) > tolerance:
        x = x - (x * x * x - a) / (3 * x * x)
    return x


def newton_expert(a: Any, tolerance: Any) -> Any:
    return lax.while_loop(lambda x: jnp.abs(x * x * x - a) > tolerance, lambda x: x - (x * x * x - a) / (3 * x * x), a)


def bisection(low: Any, high: Any, tolerance: Any) -> Any:
    """The zero of `x**3 - x - 2`: a bounded loop that is left early."""
    for _ in range(200):
        if high - low < tolerance:
            break
        middle = (low + high) / 2
        if middle * middle * middle - middle - 2 > 0:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def bisection_expert(low: Any, high: Any, tolerance: Any) -> Any:
    def test(carry: Any) -> Any:
        k, low, high = carry
        return (k < 200) & (high - low >= tolerance)

    def body(carry: Any) -> Any:
        k, low, high = carry
        middle = (low + high) / 2
        above = middle * middle * middle - middle - 2 > 0
        return k + 1, jnp.where(above, low, middle), jnp.where(above, middle, high)

    _, low, high = lax.while_loop(test, body, (0, low, high))
    return (low + high) / 2


def mandelbrot(c: Any) -> Any:
    """The number of iterations until a point escapes."""
    z = 0 * c
    for iteration in range(200):
        if z.real * z.real + z.imag * z.imag > 4:
            return iteration
        z = z * z + c
    return 200


def mandelbrot_expert(c: Any) -> Any:
    def test(carry: Any) -> Any:
        iteration, z = carry
        return (iteration < 200) & (z.real * z.real + z.imag * z.imag <= 4)

    return lax.while_loop(test, lambda carry: (carry[0] + 1, carry[1] * carry[1] + c), (0, 0 * c))[0]


def plane() -> np.ndarray:
    """64 x 48 points of the complex plane around the set."""
    x, y = np.linspace(-2, 0.6, 64, dtype=np.float32), np.linspace(-1.2, 1.2, 48, dtype=np.float32)
    return (x[None, :] + 1j * y[:, None]).astype(np.complex64)


def count_primes(is_prime: Any) -> Any:
    """The sieve of Eratosthenes, in place; the flags come in as True."""
    n = len(is_prime)
    is_prime[0] = False
    is_prime[1] = False
    for p in ag.range(2, math.isqrt(n) + 1):
        if is_prime[p]:
            for multiple in range(p * p, n, p):
                is_prime[multiple] = False
    return is_prime.sum()


def count_primes_expert(is_prime: Any) -> Any:
    n = is_prime.shape[0]
    is_prime = is_prime.at[0].set(False).at[1].set(False)

    def strike(p: Any, flags: Any) -> Any:
        def body(carry: Any) -> Any:
            multiple, flags = carry
            return multiple + p, lax.dynamic_update_index_in_dim(flags, False, multiple, 0)

        return lax.while_loop(lambda carry: carry[0] < n, body, (p * p, flags))[1]

    def body(p: Any, flags: Any) -> Any:
        return lax.cond(flags[p], lambda: strike(p, flags), lambda: flags)

    return lax.fori_loop(2, math.isqrt(n) + 1, body, is_prime).sum()


PAIRS = [
    Pair(collatz, collatz_expert, lambda: (77031,), plain=lambda: (97,), exact=True),
    Pair(gcd, gcd_expert, lambda: (1836311903, 1134903170), exact=True),
    Pair(newton, newton_expert, lambda: (np.float32(3e4), np.float32(0.1))),
    Pair(bisection, bisection_expert, lambda: (np.float32(0), np.float32(1e6), np.float32(1e-6))),
    Pair(
        mandelbrot,
        mandelbrot_expert,
        lambda: (plane(),),
        mapped=lambda f: jax.vmap(jax.vmap(f)),
        plain=lambda: (plane()[20, 30],),
        exact=True,
    ),
    Pair(
        count_primes,
        count_primes_expert,
        lambda: (np.ones(20_000, bool),),
        plain=lambda: (np.ones(60, bool),),
        exact=True,
    ),
]
