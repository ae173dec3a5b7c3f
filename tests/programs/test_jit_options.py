"""Options of `jax.jit` on converted functions: static arguments, donation, keyword arguments, pytrees in and out."""

import jax
import jax.numpy as jnp
import pytest

import autograph as ag


def scaled_power(x, k, mode="up"):
    y = 1.0
    for _ in range(k):
        y = y * x
    if mode == "up":
        return y
    if x > 1:
        return -y
    return y


@pytest.mark.parametrize("options", [{"static_argnums": (1, 2)}, {"static_argnames": ("k", "mode")}])
def test_static_arguments(options):
    f = ag.jit(scaled_power, **options)
    assert f(jnp.float32(2), 3, "up") == 8
    assert f(jnp.float32(2), 3, "down") == -8
    assert f(jnp.float32(0.5), 2, "down") == 0.25


def test_static_argument_by_keyword():
    f = ag.jit(scaled_power, static_argnames=("k", "mode"))
    assert f(x=jnp.float32(2), k=2, mode="down") == -4


def test_a_static_condition_traces_again_for_another_value():
    traces = []

    @ag.jit(static_argnames="flag")
    def f(x, flag):
        traces.append(flag)
        if flag:
            x = x + 1
        return x

    assert [f(jnp.int32(1), True), f(jnp.int32(5), True), f(jnp.int32(1), False)] == [2, 6, 1]
    assert traces == [True, False]


def test_donation():
    @ag.jit(donate_argnums=0)
    def step(state, n):
        while n > 0:
            state = {"w": state["w"] * 2.0, "count": state["count"] + 1}
            n -= 1
        return state

    state = {"w": jnp.arange(4.0), "count": jnp.int32(0)}
    donated = state["w"]
    state = step(state, 3)
    assert donated.is_deleted()
    assert state["count"] == 3
    assert (state["w"] == jnp.arange(4.0) * 8).all()


def test_vmap_in_axes_with_pytrees():
    def f(p, n):
        while n > 0:
            p = {"a": p["a"] + p["b"], "b": p["b"]}
            n -= 1
        return p["a"]

    batch = {"a": jnp.zeros(3), "b": jnp.float32(2)}
    out = jax.vmap(ag.convert(f), in_axes=({"a": 0, "b": None}, 0))(batch, jnp.array([0, 1, 5]))
    assert out.tolist() == [0, 2, 10]


def test_lower_and_eval_shape():
    def f(x):
        while x < 10:
            x = x * 2
        return x

    jitted = ag.jit(f)
    assert "while" in jitted.lower(jnp.float32(1)).as_text()
    assert jax.eval_shape(jitted, jnp.float32(1)).dtype == jnp.float32


def test_python_number_arguments():
    @ag.jit
    def f(n):
        s = 0
        for i in range(n):
            s += i
        return s

    assert f(5) == 10
    assert f(6) == 15


def test_disable_jit_runs_python():
    seen = []

    @ag.jit
    def f(x):
        if x > 0:
            seen.append(1)
            return x
        return -x

    with jax.disable_jit():
        assert f(3) == 3
    assert seen == [1]


def test_run_functions_eagerly():
    seen = []

    @ag.jit
    def f(x):
        seen.append(isinstance(x, jax.core.Tracer))
        if x > 0:
            return x
        return -x

    ag.run_functions_eagerly(True)
    try:
        assert f(-3) == 3
    finally:
        ag.run_functions_eagerly(False)
    assert seen == [False]
