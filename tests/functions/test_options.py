"""The options of `jax.jit` that `ag.function` passes on."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import autograph as ag


def update(state: Any, x: Any, *, rate: Any = 0.5) -> Any:
    return jax.tree.map(lambda s: s + rate * x, state)


@pytest.mark.parametrize("options", [{"donate_argnums": 0}, {"donate_argnames": ("state",)}])
def test_donated_arrays_are_gone(options: Any) -> None:
    g = ag.function(update, **options)
    state = {"a": jnp.ones(3), "b": jnp.ones(3)}
    x = jnp.ones(3)
    g(state, x)
    assert state["a"].is_deleted() and state["b"].is_deleted() and not x.is_deleted()


def test_shardings() -> None:
    mesh = Mesh(np.array(jax.devices()[:1]), ("i",))
    sharding = NamedSharding(mesh, PartitionSpec("i"))
    for options in ({"in_shardings": sharding}, {"in_shardings": (sharding, None)}, {"out_shardings": sharding}):
        result = ag.function(update, **options)({"a": jnp.ones(4)}, jnp.ones(4))["a"]
        assert result.sharding.is_equivalent_to(sharding, 1) and result.tolist() == [1.5] * 4


def test_device_and_compiler_options() -> None:
    g = ag.function(update, compiler_options={"xla_cpu_enable_fast_math": False}, keep_unused=True)
    assert g([jnp.ones(2)], jnp.ones(2))[0].tolist() == [1.5, 1.5]
    for options in ({"device": jax.devices("cpu")[0]}, {"backend": "cpu"}):
        with pytest.warns(DeprecationWarning, match="backend and device argument on jit is deprecated"):
            assert ag.function(update, **options)([jnp.ones(2)], jnp.ones(2))[0].tolist() == [1.5, 1.5]
    with pytest.warns(DeprecationWarning), pytest.raises(RuntimeError, match="Unknown backend cpuu"):
        ag.function(update, backend="cpuu")(jnp.ones(2), jnp.ones(2))


def test_a_function_is_a_call_in_the_program_around_or_inlined() -> None:
    def calls(f: Any) -> list[Any]:
        return [(eqn.primitive, eqn.params.get("inline")) for eqn in jax.make_jaxpr(f)(1.0).eqns]

    def plus_one(x: Any) -> Any:
        return x + 1

    for is_inlined in (False, True):  # JAX 0.12 keeps the call, and inlines it later
        assert calls(ag.function(plus_one, inline=is_inlined)) == calls(jax.jit(plus_one, inline=is_inlined))
    assert calls(ag.function(plus_one, inline=True)) != calls(ag.function(plus_one))


def test_shardings_inside_another_program() -> None:
    mesh = Mesh(np.array(jax.devices()[:1]), ("i",))
    sharding = NamedSharding(mesh, PartitionSpec("i"))
    variable = ag.Variable(2.0)
    [eqn] = jax.make_jaxpr(ag.function(lambda x: x + 1, in_shardings=sharding))(jnp.ones(4)).eqns
    assert eqn.params["in_shardings"] == (sharding,)
    g = ag.function(lambda x: jnp.sum(x * variable.value), in_shardings=sharding)
    assert jax.grad(g)(jnp.ones(4)).tolist() == [2.0] * 4


def test_there_are_no_static_arguments() -> None:
    with pytest.raises(TypeError, match="ag.function has no static_argnums: each argument that is no array is static"):
        ag.function(update, static_argnums=0)
    for options in ({"donate_argnums": 3}, {"donate_argnames": "other"}):
        with pytest.raises(ValueError, match=r"there is no parameter (3|'other') to be donated: there are state, "):
            ag.function(update, **options)(jnp.ones(2), jnp.ones(2))
    with pytest.raises(TypeError, match="no option 'donate'"):
        ag.function(update, donate=0)
    with pytest.raises(ValueError, match="checks='later' is none of True, 'deferred', False"):
        ag.function(update, checks="later")


def test_shardings_of_arguments_beside_variables() -> None:
    sharding = NamedSharding(Mesh(np.array(jax.devices()[:1]), ("d",)), PartitionSpec("d"))
    total = ag.Variable(0.0)

    @ag.function(in_shardings=sharding)
    def add(x: Any) -> Any:
        total.assign_add(x.sum())
        return x * 2

    assert add(jnp.ones(4)).tolist() == add(jnp.ones(4)).tolist() == [2] * 4 and float(total) == 8
    assert float(jax.grad(lambda x: add(x).sum())(jnp.ones(2))[0]) == 2 and float(total) == 10
