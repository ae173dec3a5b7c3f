"""What a call of `ag.function` costs in the steady state, beside the same call of `jax.jit`, in one run.

python benchmarks/function_calls.py
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from measure import least, table

import autograph as ag

x, y = jnp.ones(10), jnp.float32(2.0)
leaves = {f"leaf{i}": jnp.ones(4) for i in range(100)}
total = ag.Variable(0.0)


def product(x: Any, y: Any) -> Any:
    return x * y


def scaled(x: Any, n: int) -> Any:
    return x * n


def by_keyword(x: Any, *, n: int) -> Any:
    return x * n


def of_tree(tree: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf + 1, tree)


def checked(x: Any, y: Any) -> Any:
    if y < 0:
        raise ValueError(f"{y} is negative")
    return x * y


def with_flag(x: Any, y: Any) -> Any:
    return x * y, y < 0


def flagged(call: Callable[..., Any]) -> Any:
    """The same with `jax.jit`: one value is read at the call."""
    result, failed = call(x, y)
    if failed:
        raise ValueError
    return result


def counted(x: Any, y: Any) -> Any:
    total.assign_add(1.0)
    return x * y


def with_state(total: Any, x: Any, y: Any) -> Any:
    return total + 1.0, x * y


@dataclasses.dataclass(frozen=True)
class Settings:
    """Python values that are compared by equality."""

    n: int
    name: str


def configured(x: Any, settings: Settings) -> Any:
    return x * settings.n


class Model:
    """A plain object: its programs are found by its identity."""

    @ag.function
    def __call__(self, x: Any, y: Any) -> Any:
        return x * y


class Static:
    """The same for `jax.jit`, to which it is a static argument."""

    def __call__(self, x: Any, y: Any) -> Any:
        return x * y


def rows() -> list[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """What is measured: its name, the call of `jax.jit` and that of `ag.function`."""
    f, g = jax.jit(product), ag.function(product)
    static, special = jax.jit(scaled, static_argnames="n"), ag.function(scaled)
    static_keyword, special_keyword = jax.jit(by_keyword, static_argnames="n"), ag.function(by_keyword)
    settings = Settings(3, "fast")
    static_settings, special_settings = jax.jit(configured, static_argnums=1), ag.function(configured)
    tree, tree_of_ours = jax.jit(of_tree), ag.function(of_tree)
    flag = jax.jit(with_flag)
    check, count = ag.function(checked), ag.function(counted)
    state, zero = jax.jit(with_state), jnp.float32(0.0)
    model, other = Model(), Static()
    method = jax.jit(Static.__call__, static_argnums=0)
    return [
        ("two arrays", lambda: f(x, y), lambda: g(x, y)),
        ("an array by keyword", lambda: f(x, y=y), lambda: g(x, y=y)),
        ("a Python number", lambda: static(x, 3), lambda: special(x, 3)),
        ("a Python number by keyword", lambda: static_keyword(x, n=3), lambda: special_keyword(x, n=3)),
        ("a frozen object", lambda: static_settings(x, settings), lambda: special_settings(x, settings)),
        ("a pytree of 100 arrays", lambda: tree(leaves), lambda: tree_of_ours(leaves)),
        ("a method", lambda: method(other, x, y), lambda: model(x, y)),
        ("a check", lambda: flagged(flag), lambda: check(x, y)),
        ("a variable", lambda: state(zero, x, y), lambda: count(x, y)),
    ]


def main() -> None:
    lines, ratios = [], {}
    measured = rows()
    least(*measured[0][1:])  # the processor is warm for the first row as it is for the others
    for name, plain, ours in measured:
        jit, function = least(plain, ours)
        ratios[name] = function / jit
        lines.append((name, f"{jit * 1e6:.2f}", f"{function * 1e6:.2f}", f"{ratios[name]:.2f}"))
    print(table(("a call with", "jax.jit us", "ag.function us", "ratio"), lines))
    others = max(ratio for name, ratio in ratios.items() if name not in ("two arrays", "a check", "a variable"))
    print(f"calls: arrays {ratios['two arrays']:.2f}, Python values, keywords and trees at most {others:.2f} times jax.jit")


if __name__ == "__main__":
    main()
