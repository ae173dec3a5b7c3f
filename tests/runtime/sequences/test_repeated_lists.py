"""`[0] * n` of a traced number, and programs that fill such a list: as in Python, for numbers up to the bound."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag


def sieve(n: Any) -> Any:
    n = min(n, 30)
    is_prime = [True] * (n + 1)
    is_prime[0] = is_prime[1] = False
    p = 2
    while p * p <= n:
        if is_prime[p]:
            for q in range(p * p, n + 1, p):
                is_prime[q] = False
        p += 1
    return [i for i in range(n + 1) if is_prime[i]]


def ways_to_pay(n: Any) -> Any:
    assert n <= 30
    ways = [0] * (n + 1)
    ways[0] = 1
    for coin in (1, 2, 5):
        for i in range(coin, n + 1):
            ways[i] += ways[i - coin]
    return ways[n]


def catalan(n: Any) -> Any:
    n = min(n, 30)
    found = (n + 2) * [0]
    found[0] = found[1] = 1
    for i in range(2, n + 1):
        for j in range(i):
            found[i] += found[j] * found[i - 1 - j] % 1009
    return found[n] % 1009


def several(n: Any) -> Any:
    n = ag.at_most(n, 30)
    pairs = [(1, 0.5)] * n
    return [1, 2] * n, pairs, [n] * 2, [] * n, [True] * (n - 3)


def widened(n: Any) -> Any:
    n = min(n, 30)
    xs = [0] * n
    for i in range(len(xs)):
        xs[i] = i / 2
    xs.append(7)
    return xs


PROGRAMS: list[Callable[[Any], Any]] = [sieve, ways_to_pay, catalan, several, widened]


def plain(x: Any) -> Any:
    return [plain(part) for part in x] if isinstance(x, list | tuple) else float(x)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(program: Callable[[Any], Any]) -> None:
    compiled = ag.jit(program)
    for n in (30, 17, 2, 1) + ((0, -4) if program is several else ()):
        assert plain(compiled(n)) == plain(program(n)), n


def test_more_than_the_bound_and_out_of_range() -> None:
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="AssertionError"):
        ag.jit(ways_to_pay)(31)

    def read(n: Any, i: Any) -> Any:
        xs = [5] * min(n, 9)
        return xs[i]

    assert ag.jit(read)(4, 3) == 5
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="list index out of range"):
        ag.jit(read)(4, 4)


def test_the_number_may_be_anything_that_python_takes() -> None:
    assert ag.jit(lambda x: [x] * len(x))(jnp.ones(2))[1].tolist() == [1, 1]  # a known number
    assert ag.jit(lambda x: len([x] * (x > 0)))(1.0) == 1
    with pytest.raises(TypeError):
        ag.jit(lambda x: [1] * x)(1.5)


def test_lanes() -> None:
    counts = jax.vmap(ag.jit(lambda n: sum([3] * min(n, 9))))(jnp.arange(5))
    assert counts.tolist() == [0, 3, 6, 9, 12]
