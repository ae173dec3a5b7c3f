"""What `assert`, `raise` and list indices cost a compiled program: each beside the same program traced without checks.

Once as calls of the host (`ag.jit`), once as an error code that is read after the call (`ag.function`); every result is read.

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
from autograph.functions.error_codes import raise_failed, with_error_code

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
    """Calls of the program, which is traced now: without checks, with calls of the host, with an error code."""
    ag.set_checks(False)
    try:
        plain = jax.jit(lambda x: ag.convert(fn)(x))
        jax.block_until_ready(plain(x))
    finally:
        ag.set_checks(True)
    calling = jax.jit(lambda x: ag.convert(fn)(x))
    found = with_error_code(jax.make_jaxpr(lambda x: ag.convert(fn)(x))(x))
    assert found is not None
    new, checks = found
    coded = jax.jit(lambda x: jax.core.eval_jaxpr(new.jaxpr, new.consts, x))

    def read() -> Any:
        result, words = coded(x)
        raise_failed(checks, np.asarray(words))
        return np.asarray(result)

    return lambda: np.asarray(plain(x)), lambda: np.asarray(calling(x)), read


def main() -> None:
    x = jnp.float32(4.0)
    rows, added = [], []
    for fn, iterations in PROGRAMS:
        plain, calling, coded = least(*programs(fn, x), span=0.005)
        added.append([(time - plain) / iterations * 1e6 for time in (calling, coded)])
        per = "an iteration" if iterations > 1 else "a call"
        more = [f"{number:+.3f}" for number in added[-1]]
        rows.append((fn.__name__.replace("_", " "), f"{plain / iterations * 1e6:.3f}", *more, per))
    print(table(("program", "without checks us", "calls of the host us", "error code us", ""), rows))
    calls = [time for (_, iterations), time in zip(PROGRAMS, added, strict=True) if iterations == 1]
    loops = [time for (_, iterations), time in zip(PROGRAMS, added, strict=True) if iterations > 1]
    for k, name in enumerate(("checks", "error codes")):
        most = max(time[k] for time in calls), max(time[k] for time in loops)
        print(f"{name}: +{most[0]:.0f} us a call at most, +{most[1]:.2f} us an iteration of a loop at most")


if __name__ == "__main__":
    main()
