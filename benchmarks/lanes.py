"""Loops behind conditions, alone and under `vmap`, beside the same program in `lax` by hand.

Under `vmap` a lane that does not reach a loop makes no iteration of it. By hand it makes as many as it likes, so every loop
here ends at `MOST` iterations at the latest: without that bound the program by hand would never return.

python benchmarks/lanes.py
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from measure import least, table

import autograph as ag

MOST = 2_000
LANES = 64


def behind_an_if(n: Any) -> Any:
    k = 0
    if n > 0:
        while n != 1 and k < MOST:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            k += 1
    return k


def inside_a_loop(n: Any) -> Any:
    k = 0
    while n > 0:
        a = n
        while a != 0 and k < MOST:
            a = a // 2
            k += 1
        n = n - 3
    return k


def _collatz(n: Any) -> Any:
    def body(carry: Any) -> Any:
        n, k = carry
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), k + 1

    return lax.while_loop(lambda c: (c[0] != 1) & (c[1] < MOST), body, (n, 0))[1]


def behind_a_cond(n: Any) -> Any:
    return lax.cond(n > 0, _collatz, lambda n: 0, n)


def inside_a_while_loop(n: Any) -> Any:
    def body(carry: Any) -> Any:
        n, k = carry
        k = lax.while_loop(lambda c: (c[0] != 0) & (c[1] < MOST), lambda c: (c[0] // 2, c[1] + 1), (n, k))[1]
        return n - 3, k

    return lax.while_loop(lambda c: c[0] > 0, body, (n, 0))[1]


PAIRS: list[tuple[Callable[..., Any], Callable[..., Any], int]] = [
    (behind_an_if, behind_a_cond, 27),
    (inside_a_loop, inside_a_while_loop, 1_000),
]


def main() -> None:
    rows = []
    for ours, by_hand, n in PAIRS:
        alone = [jax.jit(ag.convert(ours)), jax.jit(by_hand)]
        one = jnp.int32(n)
        mixed = jnp.where(jnp.arange(LANES) % 4 == 0, -jnp.arange(LANES), jnp.arange(LANES) % 20 + 1)
        mapped = [jax.jit(jax.vmap(f)) for f in alone]
        for what, fns, argument in (("one value", alone, one), (f"{LANES} lanes", mapped, mixed)):
            assert (fns[0](argument) == fns[1](argument)).all()
            mine, theirs = least(*(functools.partial(f, argument) for f in fns))
            rows.append(
                (f"{ours.__name__}, {what}", f"{mine * 1e6:.1f}", f"{theirs * 1e6:.1f}", f"{mine / theirs:.2f}")
            )
    print(table(("program", "µs", "lax µs", "ratio"), rows))


if __name__ == "__main__":
    main()
