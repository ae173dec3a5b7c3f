"""What objects and classes cost that a function does not use: trace time, and calls of Python functions, of one program.

python benchmarks/reach.py

The program has ten ifs, a while and a for over `config.rate`. It closes over an object of 20, 200 and 2,000 parts, has it as a
global, as `self`, as an argument, or as a pytree (of which JAX itself makes an argument for each leaf); and 20,000 classes more.
"""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from typing import Any

import generated
import jax
from measure import table

import autograph as ag

SIZES = [20, 200, 2_000]
CLASSES = 20_000
BODY = (
    "".join(f"    if x > {i}.0:\n        x = x * config.rate\n    else:\n        x = x + {i}.0\n" for i in range(10))
    + """    n = 0
    while x > 1.0:
        x = x * config.rate
        n += 1
    for k in range(n):
        x = x + config.rate
    return x
"""
)


class Part:
    def __init__(self, i: int) -> None:
        self.weight, self.name, self.flags = float(i), f"part {i}", {"on": True}


@jax.tree_util.register_pytree_node_class
class Config:
    """An object of many parts, one of which is used."""

    def __init__(self, parts: int) -> None:
        self.rate = 0.5
        self.parts = [Part(i) for i in range(parts // 2)]
        self.table = {f"part {i}": Part(i) for i in range(parts - parts // 2)}

    def tree_flatten(self) -> tuple[list[Any], None]:
        return [self.rate, *(part.weight for part in self.parts)], None

    @classmethod
    def tree_unflatten(cls, structure: None, leaves: Any) -> Any:
        made = object.__new__(cls)
        made.rate, *made.parts = leaves
        return made


def taking(parameters: str) -> Callable[..., Any]:
    return generated.function(f"def program({parameters}):\n{BODY}")


def positions(parts: int) -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """The program with its object in each place: a name, the function, and its arguments."""
    inside = textwrap.indent(BODY, "    ")
    around = generated.function(f"def program(config):\n    def inner(x):\n{inside}    return inner\n")
    yield "closes over it", ag.convert(around(Config(parts))), (1.0,)
    of_global = taking("x")
    of_global.__globals__["config"] = Config(parts)
    yield "a global", ag.convert(of_global), (1.0,)
    of_self = type("Model", (Config,), {"run": taking("config, x")})
    yield "self", ag.convert(of_self(parts).run), (1.0,)
    calling = generated.function(
        "def program(config, f):\n    def inner(x):\n        return f(config, x)\n    return inner\n"
    )
    yield "an argument", ag.convert(calling(Config(parts), taking("config, x"))), (1.0,)
    yield "a pytree", ag.convert(taking("config, x")), (Config(parts), 1.0)


def cost(fn: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[float, int]:
    """The least processor time of a trace in milliseconds, and the calls of Python functions that are not JAX's."""

    def trace() -> Any:
        return jax.jit(lambda *given: fn(*given)).trace(*arguments)

    for _ in range(2):
        trace()
    times = []
    for _ in range(15):
        begun = time.process_time()
        trace()
        times.append(time.process_time() - begun)
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call") and f"site-packages{'/'}jax" not in frame.f_code.co_filename

    sys.setprofile(count)
    try:
        trace()
    finally:
        sys.setprofile(None)
    return min(times) * 1e3, calls


def main() -> None:
    rows, worst = [], 0.0
    for name in [name for name, _, _ in positions(1)]:
        found = [cost(fn, given) for n in SIZES for at, fn, given in positions(n) if at == name]
        rows.append((name, *(f"{ms:.1f}" for ms, _ in found), *(str(calls) for _, calls in found)))
        if name != "a pytree":
            worst = max(worst, found[-1][1] / found[0][1])
    sizes = [f"{n} parts" for n in SIZES]
    print(table(("object", *(f"{n} ms" for n in sizes), *(f"{n} calls" for n in sizes)), rows), end="\n\n")
    _, fn, given = next(positions(SIZES[0]))
    before = cost(fn, given)
    kept = [type(f"Class{i}", (), {"__module__": "example"}) for i in range(CLASSES)]
    after = cost(fn, given)
    print(f"{len(kept)} classes more: {before[0]:.1f} ms, then {after[0]:.1f}; {before[1]} calls, then {after[1]}")
    print(f"calls: {SIZES[-1]} parts over {SIZES[0]} {worst:.2f}, classes {after[1] / before[1]:.2f}")


if __name__ == "__main__":
    main()
