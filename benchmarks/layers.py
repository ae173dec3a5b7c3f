"""What it costs a trace that the methods of a deep model are found, beside the same model with `@ag.convert` on each method.

python benchmarks/layers.py        with Flax installed (`pip install -e ".[frameworks]"`)

The step is the gradient of a Flax model of 12, 50 and 100 layers, each with an `if`. `found` has one `ag.jit` outside;
`decorated` has one too, and `@ag.convert` on the methods.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
from measure import table

import autograph as ag

DEPTHS = [12, 50, 100]
ROUNDS = 6


class Layer(nn.Module):
    def setup(self) -> None:
        self.dense = nn.Dense(8)

    def __call__(self, x: Any) -> Any:
        y = self.dense(x)
        if jnp.max(y) > 1.0:
            y = y / 2
        return x + y


class Net(nn.Module):
    depth: int

    def setup(self) -> None:
        self.layers = [Layer() for _ in range(self.depth)]

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return jnp.sum(x)


class DecoratedLayer(nn.Module):
    def setup(self) -> None:
        self.dense = nn.Dense(8)

    @ag.convert
    def __call__(self, x: Any) -> Any:
        y = self.dense(x)
        if jnp.max(y) > 1.0:
            y = y / 2
        return x + y


class DecoratedNet(nn.Module):
    depth: int

    def setup(self) -> None:
        self.layers = [DecoratedLayer() for _ in range(self.depth)]

    @ag.convert
    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return jnp.sum(x)


def trace(net: nn.Module, params: Any, x: Any) -> float:
    """The processor time of one trace, in milliseconds."""
    step = ag.jit(lambda params, x: jax.grad(lambda params: net.apply(params, x))(params))
    begun = time.process_time()
    step.trace(params, x)
    return (time.process_time() - begun) * 1e3


def looks(net: nn.Module, params: Any, x: Any) -> int:
    """How many calls of a later trace look at what a library may call."""
    found = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal found
        found += event == "call" and frame.f_code.co_filename.endswith("conversion/reach.py")

    sys.setprofile(count)
    try:
        trace(net, params, x)
    finally:
        sys.setprofile(None)
    return found


def main() -> None:
    rows, ratios = [], []
    x = jnp.ones(8)
    for depth in DEPTHS:
        found, decorated = Net(depth), DecoratedNet(depth)
        params = [net.init(jax.random.key(0), x) for net in (found, decorated)]
        times = [(trace(found, params[0], x), trace(decorated, params[1], x)) for _ in range(ROUNDS)][1:]
        ours, theirs = min(a for a, _ in times), min(b for _, b in times)
        ratios.append(ours / theirs)
        rows.append((str(depth), f"{ours:.0f}", f"{theirs:.0f}", f"{ratios[-1]:.2f}", str(looks(found, params[0], x))))
    print(table(("layers", "found ms", "decorated ms", "ratio", "looks of a later trace"), rows))
    print(f"layers: a trace takes {min(ratios):.2f} to {max(ratios):.2f} times that with decorated methods")


if __name__ == "__main__":
    main()
