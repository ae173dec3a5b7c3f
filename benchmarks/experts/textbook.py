"""The functions of the example `textbook_algorithms`, which `convert_textbook` converts by the command line."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import textbook_algorithms as plain
from jax import lax
from programs import Pair


def greatest_common_divisor(a: Any, b: Any) -> Any:
    return lax.while_loop(lambda c: c[1] != 0, lambda c: (c[1], c[0] % c[1]), (a, b))[0]


def collatz_steps(n: Any) -> Any:
    def body(carry: Any) -> Any:
        n, steps = carry
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    return lax.while_loop(lambda c: c[0] != 1, body, (n, 0))[1]


def integer_square_root(n: Any) -> Any:
    def newton() -> Any:
        def better(guess: Any) -> Any:
            return (guess + n // guess) // 2

        guess = n // 2
        guess, _ = lax.while_loop(lambda c: c[1] < c[0], lambda c: (c[1], better(c[1])), (guess, better(guess)))
        return guess

    return lax.cond(n < 2, lambda: n, newton)


def is_prime(n: Any) -> Any:
    def search() -> Any:
        divisor = lax.while_loop(lambda d: (d * d <= n) & (n % d != 0), lambda d: d + 2, jnp.asarray(3, n.dtype))
        return divisor * divisor > n

    return lax.cond((n < 2) | (n % 2 == 0), lambda: n == 2, search)


def power_modulo(base: Any, exponent: Any, modulus: Any) -> Any:
    def body(carry: Any) -> Any:
        result, base, exponent = carry
        return jnp.where(exponent % 2 == 1, result * base % modulus, result), base * base % modulus, exponent // 2

    begin = (jnp.ones_like(base), base % modulus, exponent)
    return lax.while_loop(lambda c: c[2] > 0, body, begin)[0]


def fibonacci(n: Any) -> Any:
    return lax.fori_loop(0, n, lambda _, c: (c[1], c[0] + c[1]), (0, 1))[0]


def digit_sum(n: Any) -> Any:
    def body(carry: Any) -> Any:
        n, total = carry
        n, digit = jnp.divmod(n, 10)
        return n, total + digit

    return lax.while_loop(lambda c: c[0] != 0, body, (n, 0))[1]


def is_leap_year(year: Any) -> Any:
    return (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))


def horner(coefficients: Any, x: Any) -> Any:
    return lax.scan(lambda value, c: (value * x + c, None), 0.0, coefficients)[0]


def cube_root(x: Any) -> Any:
    def body(carry: Any) -> Any:
        low, high = carry
        middle = (low + high) / 2
        less = middle**3 < x
        return jnp.where(less, middle, low), jnp.where(less, high, middle)

    low, high = lax.while_loop(lambda c: c[1] - c[0] > 1e-5, body, (jnp.minimum(x, -1.0), jnp.maximum(x, 1.0)))
    return (low + high) / 2


def binary_search(values: Any, wanted: Any) -> Any:
    def body(carry: Any) -> Any:
        low, high, _ = carry
        middle = (low + high) // 2
        value = values[middle]
        found = jnp.where(value == wanted, middle, -1)
        return jnp.where(value < wanted, middle + 1, low), jnp.where(value < wanted, high, middle - 1), found

    return lax.while_loop(lambda c: (c[0] <= c[1]) & (c[2] < 0), body, (0, len(values) - 1, -1))[2]


def insertion_sort(values: Any, count: Any) -> Any:
    def misplaced(carry: Any) -> Any:
        values, at = carry
        return (at > 0) & (values[jnp.maximum(at - 1, 0)] > values[at])

    def swap(carry: Any) -> Any:
        values, at = carry
        low, high = values[at - 1], values[at]
        return values.at[at - 1].set(high).at[at].set(low), at - 1

    return lax.fori_loop(1, count, lambda k, values: lax.while_loop(misplaced, swap, (values, k))[0], values)


def largest_sum(values: Any, count: Any) -> Any:
    def body(at: Any, carry: Any) -> Any:
        best, best_start, best_length, total, start = carry
        fresh = total < 0
        total = jnp.where(fresh, values[at], total + values[at])
        start = jnp.where(fresh, at, start)
        better = total > best
        best = jnp.where(better, total, best)
        best_start = jnp.where(better, start, best_start)
        return best, best_start, jnp.where(better, at - start + 1, best_length), total, start

    return lax.fori_loop(1, count, body, (values[0], 0, 1, values[0], 0))[:3]


def sieve(prime: Any, size: Any) -> Any:
    def strike(number: Any, prime: Any) -> Any:
        _, prime = lax.while_loop(
            lambda c: c[0] < size, lambda c: (c[0] + number, c[1].at[c[0]].set(False)), (number * number, prime)
        )
        return prime

    def body(carry: Any) -> Any:
        number, prime = carry
        return number + 1, lax.cond(prime[number], lambda: strike(number, prime), lambda: prime)

    prime = prime.at[:2].set(False)
    return lax.while_loop(lambda c: c[0] * c[0] < size, body, (jnp.asarray(2, jnp.asarray(size).dtype), prime))[1]


SORTED = np.arange(4000, dtype=np.int32) * 3
SHUFFLED = (37 * np.arange(100, dtype=np.int32) + 11) % 101 - 50

PAIRS = [
    Pair(plain.greatest_common_divisor, greatest_common_divisor, lambda: (1836311903, 1134903170), exact=True),
    Pair(plain.collatz_steps, collatz_steps, lambda: (77031,), plain=lambda: (97,), exact=True),
    Pair(plain.integer_square_root, integer_square_root, lambda: (2_000_000,), exact=True),
    Pair(plain.is_prime, is_prime, lambda: (99_999_989,), plain=lambda: (9973,), exact=True),
    Pair(plain.power_modulo, power_modulo, lambda: (7, 123_456_789, 10_007), exact=True),
    Pair(plain.fibonacci, fibonacci, lambda: (40,), exact=True),
    Pair(plain.digit_sum, digit_sum, lambda: (987_654_321,), exact=True),
    Pair(plain.is_leap_year, is_leap_year, lambda: (2024,), exact=True),
    Pair(plain.horner, horner, lambda: (np.linspace(-1, 1, 1000, dtype=np.float32), np.float32(0.99))),
    Pair(plain.cube_root, cube_root, lambda: (np.float32(-27.0),)),
    Pair(plain.binary_search, binary_search, lambda: (SORTED, SORTED[2900]), exact=True),
    Pair(plain.insertion_sort, insertion_sort, lambda: (SHUFFLED.copy(), len(SHUFFLED)), exact=True),
    Pair(plain.largest_sum, largest_sum, lambda: (SHUFFLED, len(SHUFFLED)), exact=True),
    Pair(plain.sieve, sieve, lambda: (np.ones(5000, bool), 5000), plain=lambda: (np.ones(50, bool), 50), exact=True),
]
