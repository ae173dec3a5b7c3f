"""What `assert`, `raise` and list indices cost a compiled program: each beside the same program traced without checks.

Once as calls of the host (`ag.jit`), once as an error code that each call reads (`ag.function`); every result is read.

python benchmarks/checks.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from measure import least, table

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


def ten_checks(x: Any) -> Any:
    assert x >= 0, f"{x} is negative"
    if x > 100:
        raise ValueError(f"{x} is large")
    assert x != 50
    if x == 60:
        raise KeyError(x)
    assert x < 90, "near the end"
    assert x != 1, "one"
    if x == 2:
        raise ValueError(f"{x} is two")
    assert x != 3, f"{x} is three"
    assert x != 7
    if x == 8:
        raise IndexError("eight")
    return jnp.sqrt(x)


def list_index(x: Any) -> Any:
    return [1.0, 2.0, 3.0][x.astype(int) - 2]


def assert_in_a_loop(x: Any) -> Any:
    for _ in ag.range(ITERATIONS):
        assert x >= 0, "negative"
        x = x * 0.5 + 1.0
    return x


def list_index_in_a_loop(x: Any) -> Any:
    values = [x, x + 1.0, x + 2.0]
    for _ in ag.range(ITERATIONS):
        x = x * 0.5 + values[(x * 0.0).astype(int)]
    return x


PROGRAMS: list[tuple[Callable[[Any], Any], int]] = [
    (one_assert, 1),
    (five_checks, 1),
    (ten_checks, 1),
    (list_index, 1),
    (assert_in_a_loop, ITERATIONS),
    (list_index_in_a_loop, ITERATIONS),
]


def programs(fn: Callable[[Any], Any], x: Any) -> tuple[Callable[[], Any], ...]:
    """Calls of the function without checks and with them, traced now: under `ag.jit`, then under `ag.function`."""
    ag.set_checks(False)
    try:
        unchecked = ag.jit(lambda x: ag.convert(fn)(x))
        jax.block_until_ready(unchecked(x))
    finally:
        ag.set_checks(True)
    runs = unchecked, ag.jit(fn), ag.function(fn, checks=False), ag.function(fn)
    return tuple(lambda run=run: np.asarray(run(x)) for run in runs)  # type: ignore[misc]  # mypy infers no type for a default


def main() -> None:
    x = jnp.float32(4.0)
    rows, calls, loops = [], [], []
    for fn, iterations in PROGRAMS:
        times = [time / iterations * 1e6 for time in least(*programs(fn, x), rounds=200, span=0.001)]
        per = "an iteration" if iterations > 1 else "a call"
        cells = [f"{times[0]:.3f}", f"{times[1] - times[0]:+.3f}", f"{times[2]:.3f}", f"{times[3] - times[2]:+.3f}"]
        rows.append((fn.__name__.replace("_", " "), *cells, per))
        (loops if iterations > 1 else calls).append(times)
    print(table(("program", "ag.jit us", "checks us", "ag.function us", "checks us", ""), rows))
    for k, name in ((0, "ag.jit"), (2, "ag.function")):
        ratio = max(times[k + 1] / times[k] for times in calls)
        added = max(times[k + 1] - times[k] for times in loops)
        print(f"checks of {name}: a call at most {ratio:.2f} times, an iteration of a loop at most +{added:.2f} us")


if __name__ == "__main__":
    main()
