"""The timings of TensorFlow's guide to graphs, on JAX: `power(x, 100)` and a small dense model, eagerly and as one graph.

python benchmarks/guides.py [--plot guides.png]

TensorFlow's guide reports 4.185 s eagerly against 0.776 s for 1,000 calls of `power` (5.4 times), and 7.82 s against 5.81 s for
10,000 calls of the model (1.35 times). The plot wants matplotlib.
"""

from __future__ import annotations

import argparse
from typing import Any

import jax
import jax.numpy as jnp
from measure import medians, table

import autograph as ag

GREY = "#808890"

def power(x: Any, y: int) -> Any:
    """The guide's function: x multiplied by itself y times, as matrices."""
    result = jnp.eye(10, dtype=jnp.int32)
    for _ in range(y):
        result = jnp.matmul(x, result)
    return result


class SequentialModel:
    """The guide's model: three dense layers of 256 with ReLU, and ten outputs by softmax."""

    def __init__(self) -> None:
        sizes = (28 * 28, 256, 256, 256, 10)
        keys = jax.random.split(jax.random.key(0), len(sizes) - 1)
        self.layers = [
            (jax.random.normal(key, (a, b)) / a**0.5, jnp.zeros(b))
            for key, a, b in zip(keys, sizes, sizes[1:], strict=False)
        ]

    def __call__(self, x: Any) -> Any:
        x = jnp.reshape(x, (x.shape[0], -1))
        for number, (w, b) in enumerate(self.layers):
            x = x @ w + b
            if number < len(self.layers) - 1:
                x = jnp.maximum(x, 0)
        return jax.nn.softmax(x)


def measured() -> list[tuple[str, float, float, float]]:
    """What is called, seconds of a call eagerly and as a graph, and TensorFlow's ratio."""
    x = jax.random.randint(jax.random.key(1), (10, 10), -1, 2, jnp.int32)
    graph_of_power = ag.function(power)
    model, images = SequentialModel(), jax.random.uniform(jax.random.key(2), (60, 28, 28))
    graph_of_model = ag.function(model)
    found = []
    for name, eager, graph, theirs in (
        ("power(x, 100)", lambda: power(x, 100), lambda: graph_of_power(x, 100), 4.185 / 0.776),
        ("dense model", lambda: model(images), lambda: graph_of_model(images), 7.82 / 5.81),
    ):
        found.append((name, *medians(eager, graph), theirs))
    return found  # type: ignore[return-value]  # of two medians


def plot(rows: list[tuple[str, float, float, float]], path: str) -> None:
    """Bars of the times, eagerly and as a graph."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    # Grey letters and no ground: the page around may be light or dark.
    grey = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    pyplot.rcParams.update({**dict.fromkeys(grey, GREY), "svg.fonttype": "none", "svg.hashsalt": path})
    figure, axes = pyplot.subplots(1, len(rows), figsize=(8, 3.2))
    for axis, (name, eager, graph, _) in zip(axes, rows, strict=True):
        bars = axis.bar(["eager", "graph"], [eager * 1e6, graph * 1e6], color=["#9aa3b2", "#4b7bec"], width=0.6)
        axis.bar_label(bars, fmt="%.0f", color=GREY)
        axis.set_title(f"{name}: {eager / graph:.1f} times")
        axis.set_ylabel("microseconds a call")
        axis.spines[["top", "right"]].set_visible(False)
        axis.margins(y=0.15)
    figure.tight_layout()
    figure.savefig(path, dpi=150, transparent=True, metadata={"Date": None} if path.endswith(".svg") else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="FILE", help="a picture of the times")
    options = parser.parse_args()
    rows = measured()
    lines = [
        (name, f"{eager * 1e6:.0f}", f"{graph * 1e6:.0f}", f"{eager / graph:.1f}", f"{theirs:.2f}")
        for name, eager, graph, theirs in rows
    ]
    print(table(("call", "eager us", "graph us", "ratio", "ratio of TensorFlow's guide"), lines))
    if options.plot:
        plot(rows, options.plot)
    print("guides: " + ", ".join(f"{name} {eager / graph:.1f} times" for name, eager, graph, _ in rows))


if __name__ == "__main__":
    main()
