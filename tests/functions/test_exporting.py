"""Programs of `ag.function` under `jax.export`: the call of an export raises what the function raises, and so where it was read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag


class TooLarge(ValueError):
    """An exception of the user's, which is made of two things."""

    def __init__(self, value: Any, most: int) -> None:
        super().__init__(value, most)


@ag.function
def doubled_to_ten(x: Any, name: str, most: int = 100) -> Any:
    if x[0] < 0:
        raise ValueError(f"{name}: {x[0]:.1f} is negative")
    if x[0] > most:
        raise TooLarge(x[0], most)
    count = 0
    while x[0] < 10:
        x = x * 2
        count += 1
        assert count < 50, count
    return {"x": x, "count": count}


def exports(read: bool) -> Any:
    concrete = doubled_to_ten.get_concrete_function(ag.TensorSpec([2]), "speed")
    exported = concrete.export(["cpu", "cuda", "tpu"])
    return jax.export.deserialize(exported.serialize()) if read else exported


TEXT = Path(__file__).read_text(encoding="utf-8").splitlines()
LINES = [number for number, line in enumerate(TEXT, 1) if line.strip().startswith(("raise ", "assert count"))]
FAILURES = [(-1.0, ValueError, r"speed: -1\.0 is negative"), (0.0, AssertionError, "50"), (200.0, ValueError, "200")]


@pytest.mark.parametrize("read", [False, True])
def test_results_and_exceptions_are_those_of_the_function(read: bool) -> None:
    call = exports(read).call
    results = call(jnp.array([3.0, 1.0]))
    assert results["x"].tolist() == [12, 4] and int(results["count"]) == 2
    for value, kind, text in FAILURES:
        with pytest.raises(kind, match=text) as caught:
            call(jnp.array([value, 1.0]))
        frame = caught.traceback[-1]
        assert Path(frame.path).name == Path(__file__).name and frame.lineno + 1 in LINES
    if not read:
        with pytest.raises(TooLarge):
            call(jnp.array([200.0, 1.0]))


@pytest.mark.parametrize("read", [False, True])
def test_in_other_programs_the_checks_stay(read: bool) -> None:
    call = exports(read).call
    good = jnp.array([3.0, 1.0])
    assert jax.jit(call)(good)["x"].tolist() == ag.function(call)(good)["x"].tolist() == [12, 4]
    for value, kind, text in FAILURES:
        with pytest.raises(kind, match=text):
            ag.function(call)(jnp.array([value, 1.0]))
        with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match=text):
            jax.block_until_ready(jax.jit(call)(jnp.array([value, 1.0])))


@pytest.mark.parametrize("read", [False, True])
def test_derivatives_and_open_sizes(read: bool) -> None:
    @ag.function
    def norm(x: Any) -> Any:
        assert jnp.all(x > 0), "not positive"
        return jnp.sum(x**2)

    exported = norm.get_concrete_function(ag.TensorSpec([None])).export()
    if read:
        exported = jax.export.deserialize(exported.serialize(vjp_order=1))
    for n in (2, 3):
        assert float(exported.call(jnp.ones(n))) == n and jax.grad(exported.call)(jnp.ones(n)).tolist() == [2.0] * n
        for call in (exported.call, jax.grad(exported.call)):
            with pytest.raises(AssertionError, match="not positive"):
                call(-jnp.ones(n))


def test_values_that_have_no_words_show_their_type() -> None:
    @ag.function
    def draw(key: Any, x: Any) -> Any:
        if x > 3:
            raise ValueError(f"{key} and {x}")
        return jax.random.normal(key) * 0 + x

    concrete = draw.get_concrete_function(jax.random.key(0), jnp.float32(0))
    for exported in (concrete.export(), jax.export.deserialize(concrete.export().serialize())):
        assert float(exported.call(jax.random.key(1), jnp.float32(2))) == 2
        with pytest.raises(ValueError, match=r"key<fry>\[\] and 4\.0"):
            exported.call(jax.random.key(1), jnp.float32(4))


def test_one_without_checks_is_an_export_like_any_other() -> None:
    @ag.function
    def add(x: Any) -> Any:
        return x + 1 if x > 0 else x

    exported = add.get_concrete_function(ag.TensorSpec([])).export()
    assert exported.out_tree == jax.tree.structure(1) and float(exported.call(jnp.float32(1))) == 2


def test_an_index_is_checked_in_other_programs_too() -> None:
    pick = ag.function(lambda i: [10.0, 20.0][i])
    call = pick.get_concrete_function(ag.TensorSpec([], "int32")).export().call
    for compiled in (call, ag.function(call), jax.jit(call)):
        assert float(compiled(jnp.int32(1))) == 20
        with pytest.raises((IndexError, ValueError, jax.errors.JaxRuntimeError), match="list index out of range"):
            jax.block_until_ready(compiled(jnp.int32(5)))


def test_a_handler_around_the_call_is_refused() -> None:
    call = exports(False).call

    @ag.function
    def guarded(x: Any) -> Any:
        try:
            return call(x)["count"]
        except ValueError:
            return -1

    with pytest.raises(ag.StagingError, match="a handler around it would catch it"):
        guarded(jnp.array([3.0, 1.0]))


def test_an_argument_of_arrays_and_other_values_is_refused_by_its_name() -> None:
    @ag.function
    def scaled(settings: Any, factor: float) -> Any:
        return settings["x"] * factor if settings["mode"] == "once" else settings["x"]

    concrete = scaled.get_concrete_function({"x": ag.TensorSpec([]), "mode": "once"}, 2.0)
    with pytest.raises(ag.AutoGraphError, match=r"settings\['mode'\] of scaled\(\) is 'once', which an export"):
        concrete.export()
