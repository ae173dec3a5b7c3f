"""The rows of what TensorFlow's users know that are no part of `ag.function` alone, each by its number."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import autograph as ag


def test_row_4_converted_source_and_function() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            return x
        return -x

    text = ag.to_code(f)
    assert "if_stmt" in text and compile(text, "f.py", "exec")
    assert float(jax.jit(ag.to_graph(f))(-2.0)) == 2


@pytest.mark.parametrize("kind", ["function", "method", "class"])
def test_row_5_do_not_convert(kind: str) -> None:
    def plain(x: Any) -> Any:
        return x if x > 0 else -x

    class Model:
        def call(self, x: Any) -> Any:
            return plain(x) if kind == "x" else x if x > 0 else -x

    if kind == "method":
        Model.call = ag.do_not_convert(Model.call)  # type: ignore[method-assign]
    target = ag.do_not_convert({"function": plain, "class": Model}.get(kind, Model))
    callee = target if kind == "function" else Model().call
    with pytest.raises(jax.errors.TracerBoolConversionError):
        ag.function(lambda x: callee(x))(jnp.float32(1))


def count(n: Any) -> Any:
    """Each statement of the row."""
    seen, table, total = [], {"a": 0}, 0
    for i in range(5):
        if i == 3:
            continue
        elif n > i and i < 4:
            seen.append(i)
        else:
            seen.append(-i)
    else:
        total += len(seen)
    while total < n:
        total += 2
        if total > 12 or not (0 <= total < 100):
            break
    table["a"] = total
    match total % 3:
        case 0:
            total += 100
        case _:
            total -= 1
    if (last := seen.pop()) > 0:
        total = total + last
    assert total != 7, f"total is {total}"
    if total == 9:
        raise ValueError(f"{total}")
    return total + table["a"] + sum(x * x for x in seen)


def test_row_8_control_flow_of_every_form() -> None:
    compiled = ag.function(count)
    for n in range(16):
        expected: Any
        try:
            expected = count(n)
        except (AssertionError, ValueError) as error:
            with pytest.raises(type(error), match=str(error).splitlines()[0]):  # pytest adds lines to that of an assert
                compiled(jnp.int32(n))
        else:
            assert int(compiled(jnp.int32(n))) == expected, n
    assert compiled.tracing_count == 1


def test_row_9_a_loop_over_python_s_range_unrolls_and_over_ag_range_does_not() -> None:
    def unrolled(x: Any) -> Any:
        for _ in range(10):
            x += 1
        return x

    def looped(x: Any) -> Any:
        for _ in ag.range(10):
            x += 1
        return x

    def kinds(fn: Any) -> list[str]:
        return [str(eqn.primitive) for eqn in ag.graph(ag.function(fn), jnp.int32(0)).jaxpr.eqns]

    assert kinds(unrolled) == ["add"] * 10
    assert kinds(looped) in (["while"], ["scan"])


def test_row_10_loops_written_by_hand() -> None:
    @ag.function
    def by_hand(x: Any) -> Any:
        return lax.while_loop(lambda x: x < 100, lambda x: 2 * x, x)

    @ag.function
    def in_python(x: Any) -> Any:
        while x < 100:
            x = 2 * x
        return x

    assert int(by_hand(jnp.int32(3))) == int(in_python(jnp.int32(3))) == 192


@pytest.mark.slow
def test_row_30_a_model_of_layers_with_control_flow_trains_and_runs_eagerly() -> None:
    class Dense:
        def __init__(self, key: Any, inputs: int, outputs: int) -> None:
            self.w = ag.Variable(jax.random.normal(key, (inputs, outputs)) / inputs**0.5)
            self.b = ag.Variable(jnp.zeros(outputs))

        def __call__(self, x: Any, w: Any, b: Any) -> Any:
            return x @ w + b

    class Model:
        def __init__(self) -> None:
            first, second = jax.random.split(jax.random.key(0))
            self.layers = [Dense(first, 2, 8), Dense(second, 8, 1)]

        def __call__(self, weights: Any, x: Any) -> Any:
            for number, (layer, (w, b)) in enumerate(zip(self.layers, weights, strict=True)):
                x = layer(x, w, b)
                if number == 0 and jnp.any(x > 0):
                    x = jnp.maximum(x, 0)
            return x[:, 0]

        @ag.function
        def fit(self, x: Any, y: Any, rate: float) -> Any:
            """Whole training, with early stopping."""

            def loss(weights: Any) -> Any:
                return jnp.mean((self(weights, x) - y) ** 2)

            value, steps = jnp.inf, 0
            while value > 0.05 and steps < 500:
                weights = [(layer.w.value, layer.b.value) for layer in self.layers]
                value, gradients = jax.value_and_grad(loss)(weights)
                for layer, (w, b) in zip(self.layers, gradients, strict=True):
                    layer.w.assign_sub(rate * w)
                    layer.b.assign_sub(rate * b)
                steps += 1
            return value, steps

    x = jnp.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = jnp.array([0.0, 1.0, 1.0, 2.0])
    compiled, eager = Model(), Model()
    value, steps = compiled.fit(x, y, 0.1)
    with ag.run_functions_eagerly(True):
        expected, count = eager.fit(x, y, 0.1)
    assert int(steps) == int(count) > 1 and np.allclose(value, expected, rtol=1e-4)
    assert np.allclose(compiled.layers[0].w.value, eager.layers[0].w.value, rtol=1e-3, atol=1e-5)
