"""What type checkers must say of the public names: `.ci/run` gives this file to mypy and to pyright, and runs it."""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from collections.abc import Callable
from typing import assert_type

import jax
import jax.numpy as jnp

import autograph as ag


@ag.jit
def scaled(x: jax.Array, factor: float = 2.0) -> jax.Array:
    return x * factor if x > 0 else -x


@ag.jit(static_argnames="n")
def power(x: float, *, n: int) -> float:
    return x**n


@ag.convert
def sign(x: float) -> int:
    return 1 if x > 0 else -1


class Model:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    @ag.jit
    def scaled(self: Model, x: float) -> float:
        return x * self.rate if x > 0 else x

    @staticmethod
    @ag.jit
    def step(x: jax.Array) -> jax.Array:
        return x + 1 if x > 0 else x

    @classmethod
    @ag.jit(static_argnums=0)
    def made(cls, x: float) -> float:
        return x


jax.tree_util.register_pytree_node(Model, lambda model: ((model.rate,), None), lambda _, leaves: Model(*leaves))

one = jnp.float32(1.0)
assert_type(scaled(one), jax.Array)
assert_type(scaled(one, factor=3.0), jax.Array)
assert_type(scaled.lower(one), jax.stages.Lowered)
assert_type(scaled.trace(one, 2.0), jax.stages.Traced)
scaled.eval_shape(one)
scaled.clear_cache()
assert_type(power(2.0, n=2), float)
power.lower(2.0, n=2).compile()
assert_type(sign(1.0), int)
assert_type(ag.jit(sign)(1.0), int)
ag.jit(sign, inline=True).lower(1.0)

model = Model(0.1)
assert_type(model.scaled(1.0), float)
Model.scaled.lower(model, 1.0)
assert_type(model.step(one), jax.Array)
Model.step.lower(one)
assert_type(Model.made(1.0), float)


def apply(f: Callable[[jax.Array], jax.Array]) -> jax.Array:
    return f(one)


apply(scaled)
apply(model.step)

if ag.functions_run_eagerly():  # never: these are for the checkers, each a mistake
    scaled("text")  # type: ignore[arg-type]
    scaled.lower(factor=1.0)  # type: ignore[call-arg]
    power(2.0, 2)  # type: ignore[call-arg]
    model.scaled("text")  # type: ignore[arg-type]
    Model.step.lower()  # type: ignore[call-arg]


@ag.function
def polymorphic(x: jax.Array, name: str = "a") -> dict[str, jax.Array]:
    return {name: x if x > 0 else -x}


@ag.function(input_signature=[ag.TensorSpec([None])], reduce_retracing=True, checks="deferred")
def of_any_size(x: jax.Array) -> jax.Array:
    return jnp.sum(x)


class Counter:
    def __init__(self) -> None:
        self.count = ag.Variable(0)

    @ag.function
    def increment(self, by: int = 1) -> ag.Variable:
        return self.count.assign_add(by)


assert_type(polymorphic(one, name="b"), dict[str, jax.Array])
assert_type(polymorphic.get_concrete_function(one), ag.ConcreteFunction)
assert_type(polymorphic.tracing_count, int)
assert_type(of_any_size(jnp.ones(3)), jax.Array)
assert_type(Counter().increment(by=2), ag.Variable)
assert_type(Counter().count.value, jax.Array)
polymorphic(one, 3)  # type: ignore[arg-type]
