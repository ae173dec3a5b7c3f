"""Functions that are saved in the tests, each with its signatures and with calls; and an object that knows what is saved of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import autograph as ag
from autograph.saved.entries import Check, Entry

B, C = jax.export.symbolic_shape("b, c")
SCALAR = jax.ShapeDtypeStruct((), jnp.float32)
VECTOR = jax.ShapeDtypeStruct((B,), jnp.float32)


@dataclass(frozen=True)
class Example:
    """A function, what it is saved for, and calls: of each the positional arguments, and those by name."""

    fn: Callable[..., Any]
    signatures: Sequence[Any]
    calls: Sequence[tuple[tuple[Any, ...], dict[str, Any]]]
    vjp_order: int = 0

    @property
    def name(self) -> str:
        return self.fn.__name__


class Point(NamedTuple):
    x: Any
    y: Any


def cube_root(a):
    x = a
    for iteration in ag.range(100):
        step = (x - a / x**2) / 3
        if abs(step) < 1e-5 * x:
            return x, iteration
        x = x - step
    return jnp.nan, iteration


def collatz(n):
    """The number of steps to 1."""
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps = steps + 1
    return steps


def dense(params, x, activation="relu"):
    for layer in params["layers"]:
        x = x @ layer["w"] + layer["b"]
        if activation == "relu":
            x = jnp.where(x > 0, x, 0)
    return {"logits": x, "largest": x.argmax(axis=-1), "activation": activation, "unused": None}


def power(x, n):
    result = jnp.ones_like(x)
    for _ in ag.range(n):
        result = result * x
    return result


def nearest(points, to, *, skip=None):
    best, where = jnp.inf, -1
    for i, point in enumerate(points):
        distance = ((point - to.x) ** 2).sum() + to.y
        if i != skip and distance < best:
            best, where = distance, i
    return Point(best, where)


def total(first, *others, scale=1.0, **named):
    result = first
    for other in others:
        result = result + other.sum()
    for name in sorted(named):
        result = result + named[name] * scale
    return [result, (scale,)]


@ag.jit
def clipped(x, low=0.0, high=float("inf")):
    if x.sum() > high:
        return x / x.sum()
    return jnp.maximum(x, low)


def walk(key, steps):
    at = jnp.zeros(2)
    while steps > 0:
        key, step = jax.random.split(key)
        at = at + jax.random.normal(step, (2,))
        steps = steps - 1
    return at, key


def halves(x):
    out = []
    while x.shape[0] > 1:
        x = x[: x.shape[0] // 2]
        out.append(x.astype(jnp.bfloat16))
    return out, x.dtype == jnp.uint32


def sigmoid_until(x, limit):
    count = 0
    while x.max() > limit:
        x = jax.nn.sigmoid(x) * x
        count += 1
    return x.sum(), count


def _layers(sizes):
    weights = [np.sin(np.arange(n * m) + i).reshape(n, m) for i, (n, m) in enumerate(zip(sizes, sizes[1:]))]
    return {"layers": [{"w": w.astype("float32"), "b": np.zeros(w.shape[1], "float32")} for w in weights]}


POINTS = np.array([[0, 1], [2, 2], [5, 0]], "float32")
EXAMPLES = [
    Example(cube_root, [(SCALAR,)], [((np.float32(27),), {}), ((2.0,), {})]),
    Example(collatz, [(np.int32(1),)], [((np.int32(27),), {}), ((6,), {})]),
    Example(
        dense,
        [
            (_layers((3, 5, 2)), jax.ShapeDtypeStruct((B, 3), jnp.float32)),
            (_layers((3, 2)), jax.ShapeDtypeStruct((B, 3), jnp.float32), "none"),
        ],
        [((_layers((3, 5, 2)), np.ones((n, 3), "float32")), {}) for n in (1, 4)]
        + [((_layers((3, 2)),), {"x": np.ones((2, 3), "float32"), "activation": "none"})],
        vjp_order=1,
    ),
    Example(
        power,
        [(VECTOR, 2), (VECTOR, 5), {"x": SCALAR, "n": np.int32(0)}],
        [((np.array([1, 2, 3], "float32"), 2), {}), ((np.ones(1, "float32"), 5), {}), ((), {"n": np.int32(7), "x": 2.0})],
    ),
    Example(
        nearest,
        [(list(POINTS), Point(POINTS[0], 0.5))],
        [((list(POINTS), Point(np.array([4, 1], "float32"), 0.5)), {})],
    ),
    Example(
        total,
        [(SCALAR,), (SCALAR, VECTOR, VECTOR), {"first": SCALAR, "scale": 2.0, "b": SCALAR, "a": SCALAR}],
        [
            ((1.0,), {}),
            ((1.0, np.ones(3, "float32"), np.ones(3, "float32")), {}),
            ((np.float32(1),), {"a": 2.0, "b": 3.0, "scale": 2.0}),
        ],
    ),
    Example(
        clipped,
        [(VECTOR,), (VECTOR, -1.0, 2.5)],
        [((np.array([-3, 3], "float32"),), {}), ((np.ones(3, "float32"), -1.0, 2.5), {})],
    ),
    Example(walk, [(jax.random.key(0), np.int32(0))], [((jax.random.key(3), 4), {})]),
    Example(
        halves,
        [(np.zeros(8, dtype),) for dtype in ("int8", "float16", "uint32", "bool")],
        [((np.arange(8) > 4,), {}), ((np.arange(8, dtype="uint32"),), {})],
    ),
    Example(sigmoid_until, [(VECTOR, SCALAR)], [((np.array([1, 2, 3], "float32"), 0.1), {})], vjp_order=2),
]  # fmt: skip


class Account:
    """An object with a balance and a check, as a function with variables is: it makes its entry itself."""

    __name__ = "withdraw"

    def __init__(self, balance: float) -> None:
        self.balance = jnp.float32(balance)

    def __saved_entries__(self, platforms: Sequence[str]) -> Sequence[Entry]:
        def program(balance: Any, key: Any, amount: Any) -> Any:
            code = jnp.where(amount < 0, 1, jnp.where(amount > balance, 2, 0)).astype(jnp.int32)
            left = jnp.where(code == 0, balance - amount, balance)
            return left, amount, left, jax.random.split(key)[0], code, amount, balance

        key = jax.random.key(7)
        exported = jax.export.export(jax.jit(program), platforms=platforms)(SCALAR, key, SCALAR)
        checks = (
            Check("ValueError", ("a negative amount: ", (0, "", "")), "account.py", 8),
            Check(
                "OverdrawnError", ((0, ".2f", ""), " of ", (1, "8.1f", "")), "account.py", 10, base="ArithmeticError"
            ),
        )
        parameter = inspect.Parameter("amount", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        outputs = {"dict": [["left", "*"], ["taken", "*"]]}
        state = {"balance": self.balance, "key": key}
        return [Entry(exported, (parameter,), {"amount": "*"}, outputs, state, checks)]
