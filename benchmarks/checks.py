"""What `assert`, `raise` and list indices cost a compiled program: each beside the same program traced without checks.

python benchmarks/checks.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from measure import medians, table

import autograph as ag

ITERATIONS = 10_000


def one_assert(x: Any) -> Any:
    assert x >= 0, f"{x} is negative"
    return jnp.sqrt(x)


def five_checks(x: Any) -> Any:
    assert x >= 0, "negative"
    if x > 100:
        raise ValueError(f"{x} is large")
    assert x != 50
    if x == 60:
        raise KeyError(x)
    assert x < 90, "near the end"
    return jnp.sqrt(x)


def list_index(x: Any) -> Any:
    return [1.0, 2.0, 3.0][x.astype(int) % 3]


def assert_in_a_loop(x: Any) -> Any:
    for _ in ag.range(ITERATIONS):
        assert x >= 0, "negative"
        x = x * 0.5 + 1.0
    return x


def list_index_in_a_loop(x: Any) -> Any:
    values = [x, x + 1.0, x + 2.0]
    for i in ag.range(ITERATIONS):
        x = x * 0.5 + values[(x > i).astype(int)]
    return x


PROGRAMS: list[tuple[Callable[[Any], Any], int]] = [
    (one_assert, 1),
    (five_checks, 1),
    (list_index, 1),
    (assert_in_a_loop, ITERATIONS),
    (list_index_in_a_loop, ITERATIONS),
]


def traced(fn: Callable[[Any], Any], enabled: bool, x: Any) -> Callable[[], Any]:
    """A call of the program, which is traced now."""
    ag.set_checks(enabled)
    try:
        program = jax.jit(lambda x: ag.convert(fn)(x))
        jax.block_until_ready(program(x))
    finally:
        ag.set_checks(True)
    return lambda: program(x)


def main() -> None:
    x = jnp.float32(4.0)
    rows, added = [], []
    for fn, iterations in PROGRAMS:
        checked, plain = medians(traced(fn, True, x), traced(fn, False, x), rounds=9)
        added.append((checked - plain) / iterations * 1e6)
        per = "an iteration" if iterations > 1 else "a call"
        rows.append((fn.__name__.replace("_", " "), f"{plain / iterations * 1e6:.3f}", f"{added[-1]:+.3f}", per))
    print(table(("program", "without checks us", "added us", ""), rows))
    print(f"checks: +{max(added[:2]):.0f} us a call at most, +{max(added[3:]):.2f} us an iteration of a loop at most")


if __name__ == "__main__":
    main()
