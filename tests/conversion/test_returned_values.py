"""What a compiled program cannot return, and who may take it."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag


def test_the_part_of_the_result_is_named() -> None:
    def items(x: Any) -> Any:
        return list({"a": x}.items())

    with pytest.raises(ag.StagingError, match=r"items\(\) returns a string, 'a', at \[0\]\[0\](.|\n)*return list"):
        ag.jit(items)(1.0)
    assert ag.function(items)(1.0) == [("a", 1.0)]


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda x: (x, b"ab"), r"bytes, b'ab', at \[1\]"),
        (lambda x: type(x), "a class, float"),
        (lambda x: (x, jnp.sin), r"a \w+ at \[1\]"),
        (lambda x: (x, range(3)), r"a range at \[1\]"),
        (lambda x: (x, x.dtype), r"a Float32DType at \[1\]"),
        (lambda x: (x, {"a"}), r"a set object at \[1\]"),
        (lambda x: (x, 2**40), r"the integer 1099511627776 at \[1\]"),
        (lambda x: {1: x, "a": x}, "a dict whose keys have no order"),
        (lambda x: f"{x}", "a string with a traced value in it"),
        (lambda x: str(x) + "!", "a string with a traced value in it"),
    ],
)
@pytest.mark.parametrize(
    "around", [ag.jit, lambda f: jax.jit(ag.convert(f)), lambda f: jax.jit(functools.partial(ag.convert(f)))]
)
def test_what_is_no_array_is_refused_by_name(make: Any, what: str, around: Any) -> None:
    with pytest.raises(ag.StagingError, match=rf"<lambda>\(\) returns {what}\n  at .*test_returned_values.py"):
        around(make)(1.0)


def test_lanes_return_arrays_alone() -> None:
    with pytest.raises(ag.StagingError, match=r"returns a string, 'a', at \[1\]"):
        jax.vmap(ag.convert(lambda x: (x, "a")))(jnp.arange(3.0))


def test_an_auxiliary_result_may_be_anything() -> None:
    def cost(x: Any) -> Any:
        return (x * x if x > 0 else -x), "cost"

    assert jax.grad(ag.convert(cost), has_aux=True)(3.0) == (6.0, "cost")

    @jax.jit
    def slope(x: Any) -> Any:
        return jax.grad(ag.convert(cost), has_aux=True)(x)[0]

    assert slope(3.0) == 6.0


def test_code_between_may_use_the_string() -> None:
    @ag.convert
    def named(x: Any) -> Any:
        return "double", (x if x > 0 else -x)

    @jax.jit
    def outer(x: Any) -> Any:
        name, value = named(x)
        return {"double": 2 * value}[name]

    assert outer(-3.0) == 6.0


def test_arrays_numbers_and_none_are_results() -> None:
    def parts(x: Any) -> Any:
        return {"a": (x, 1, 2.5, True, 1j, None), "b": [np.float32(2), np.arange(3), jax.random.key(0)], 3: ()}["a"]

    assert ag.jit(parts)(1.0) == (1.0, 1, 2.5, True, 1j, None)


def test_of_two_returns_the_function_is_shown() -> None:
    def sign(x: Any) -> Any:
        y = x + 1
        if y is None:
            return y
        return "plus", y

    with pytest.raises(ag.StagingError, match=r"returns a string, 'plus', at \[0\](.|\n)*def sign"):
        ag.jit(sign)(1.0)


def test_an_open_size_is_a_result() -> None:
    (n,) = jax.export.symbolic_shape("n")

    def sizes(x: Any) -> Any:
        return len(x), x.shape[0] + 1, x.sum()

    exported = jax.export.export(ag.jit(sizes))(jax.ShapeDtypeStruct((n,), jnp.float32))
    assert [int(x) for x in exported.call(jnp.ones(3))] == [3, 4, 3]
