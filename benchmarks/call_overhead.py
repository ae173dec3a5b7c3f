"""What conversion costs a call: `ag.jit` over `jax.jit`, and a converted function over the plain one, nothing traced.

python benchmarks/call_overhead.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from measure import medians, table

import autograph as ag


def trivial(x: float) -> float:
    return x


def branches(x: float, limit: float = 3.0) -> float:
    if x > limit:
        return limit
    return x


def loop(n: int) -> int:
    total = 0
    for i in range(n):
        if i % 3 == 0:
            total += i
        elif i % 3 == 1:
            total -= 1
    return total


def helper(i: int) -> int:
    return i + 1


def loop_with_calls(n: int) -> int:
    total = 0
    for i in range(n):
        total = helper(total) + abs(i)
    return total


def comprehension(n: int) -> int:
    return sum([k * k for k in range(n) if k % 2])


def closure(n: int) -> int:
    count = 0

    def add(k: int) -> None:
        nonlocal count
        count += k

    for k in range(n):
        add(k)
    return count


CALLS: list[tuple[str, Callable[..., Any], tuple[Any, ...], int]] = [
    ("trivial", trivial, (1.0,), 1),
    ("branches", branches, (1.0,), 1),
    ("nested function, each call", closure, (10_000,), 10_000),
]
BODIES: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    ("loop of 10,000 iterations", loop, (10_000,)),
    ("loop with calls", loop_with_calls, (10_000,)),
    ("comprehension", comprehension, (10_000,)),
]


def compiled() -> tuple[tuple[str, ...], float]:
    def program(x: Any, y: Any) -> Any:
        return x + y

    ours, theirs = ag.jit(program), jax.jit(program)
    x = jnp.float32(1)
    a, b = medians(lambda: ours(x, x), lambda: theirs(x, x), rounds=15)
    kind = "the same type" if type(ours) is type(theirs) else f"{type(ours).__name__} for {type(theirs).__name__}"
    return ("ag.jit, " + kind, f"{b * 1e9:.0f}", f"{(a - b) * 1e9:+.0f}", f"{a / b:.3f}"), a / b


def compare(fn: Callable[..., Any], arguments: tuple[Any, ...]) -> list[float]:
    """Seconds of a call of the converted function and of the plain one."""
    converted = ag.convert(fn)
    return medians(lambda: converted(*arguments), lambda: fn(*arguments), rounds=15)


def main() -> None:
    first, jit_ratio = compiled()
    rows, added, ratios = [first], [], []
    for title, fn, arguments, calls in CALLS:
        ours, plain = compare(fn, arguments)
        added.append((ours - plain) / calls * 1e9)
        rows.append((title, f"{plain / calls * 1e9:.0f}", f"{added[-1]:+.0f}", f"{ours / plain:.3f}"))
    for title, fn, arguments in BODIES:
        ours, plain = compare(fn, arguments)
        ratios.append(ours / plain)
        rows.append((title, f"{plain * 1e9:.0f}", f"{(ours - plain) * 1e9:+.0f}", f"{ours / plain:.3f}"))
    print(table(("call", "plain ns", "added ns", "ratio"), rows))
    print(
        f"ag.jit over jax.jit {jit_ratio:.3f}; converted over plain: +{max(added):.0f} ns a call at most, "
        f"loop bodies {max(ratios):.3f} at most"
    )


if __name__ == "__main__":
    main()
