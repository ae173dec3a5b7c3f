"""Concrete functions: what they take, what they say of themselves, and the errors for what they do not take."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.functions.signatures import SignatureError


@ag.function
def scaled(x: Any, by: Any, *, add: Any = 0) -> Any:
    """Of an array and Python numbers."""
    return {"scaled": x * by + add}


def test_row_14_from_arrays_specs_and_python_values() -> None:
    for x in (jnp.ones(2), np.ones(2, np.float32), ag.TensorSpec([2]), jax.ShapeDtypeStruct((2,), "float32")):
        concrete = scaled.get_concrete_function(x, 3)
        assert str(concrete) == "scaled(x: float32[2], by: 3, add: 0) -> {'scaled': float32[2]}"
    assert scaled.tracing_count == 1 and repr(concrete) == f"<ConcreteFunction {concrete}>"


def test_row_14_is_called_by_position_and_by_keyword() -> None:
    concrete = scaled.get_concrete_function(ag.TensorSpec([2]), 3, add=1)
    x = jnp.arange(2.0)
    for found in (concrete(x), concrete(x=x), concrete(x, 3), concrete(x, by=3, add=1)):
        assert found["scaled"].tolist() == [1, 4]
    pytest.raises(TypeError, concrete)
    pytest.raises(TypeError, concrete, x, 3, 4, 5)


def test_row_14_signatures() -> None:
    concrete = scaled.get_concrete_function(ag.TensorSpec([2]), 3)
    spec = jax.ShapeDtypeStruct((2,), np.dtype("float32"))
    assert concrete.structured_input_signature == ((spec, 3), {"add": 0})
    assert concrete.structured_outputs == {"scaled": spec} and concrete.captures == []
    ids = jax.ShapeDtypeStruct((2,), np.dtype("int32"))
    assert scaled.get_concrete_function(ids, 3).structured_outputs == {"scaled": ids}


def test_row_14_a_string_that_the_program_chooses_is_one_of_several() -> None:
    @ag.function
    def size(x: Any) -> Any:
        return {"size": "big" if x > 10 else "small", "unit": "m"}

    concrete = size.get_concrete_function(ag.TensorSpec([]))
    assert str(concrete) == "size(x: float32[]) -> {'size': 'big' | 'small', 'unit': 'm'}"
    assert concrete.structured_outputs["size"].options == ("big", "small")
    assert concrete(jnp.float32(3)) == {"size": "small", "unit": "m"}


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (jnp.float32(7.4), r"'x' of f\(\) is float32\[\] where int32\[\] is expected"),
        (7.4, r"'x' of f\(\) is the float 7.4 where int32\[\] is expected"),
        (jnp.int8(7), r"'x' of f\(\) is int8\[\] where int32\[\] is expected"),
        (jnp.ones(2, int), r"'x' of f\(\) is int32\[2\] where int32\[\] is expected"),
        ("text", r"'x' of f\(\) is the str 'text' where int32\[\] is expected"),
        ([1], r"'x' of f\(\) is a container where int32\[\] is expected"),
    ],
)
def test_row_15_another_dtype_or_shape_is_named(given: Any, what: str) -> None:
    @ag.function
    def f(x: Any) -> Any:
        return x + 1

    concrete = f.get_concrete_function(ag.TensorSpec([], "int32"))
    assert int(concrete(7)) == int(concrete(jnp.int32(7))) == 8
    for kind in (ValueError, TypeError, SignatureError, ag.AutoGraphError):
        with pytest.raises(kind, match=what):
            concrete(given)
    assert f.tracing_count == 1


def test_row_15_another_literal_is_named() -> None:
    concrete = scaled.get_concrete_function(ag.TensorSpec([2]), 3)
    with pytest.raises(SignatureError, match=r"'by' of scaled\(\) is the int 4 where the int 3 is expected"):
        concrete(jnp.ones(2), 4)
    with pytest.raises(SignatureError, match=r"'x' of scaled\(\) is nothing where float32\[2\] is expected"):
        concrete(None, 3)


def test_literals_in_containers_are_given_with_their_container() -> None:
    @ag.function
    def scaled_all(batch: Any, pair: Any, by: int = 2) -> Any:
        return batch["x"] * (by if batch["mode"] == "fast" else 0) + pair[0] * pair[1]

    x = jnp.ones(2)
    concrete = scaled_all.get_concrete_function({"x": x, "mode": "fast"}, [3, ag.TensorSpec([2])])
    assert concrete({"x": x, "mode": "fast"}, [3, x]).tolist() == [5, 5]
    with pytest.raises(SignatureError, match=r"'batch\['mode'\]' of scaled_all\(\) is the str 'slow' where the str 'fast' is"):
        concrete({"x": x, "mode": "slow"}, [3, x])
    with pytest.raises(SignatureError, match=r"'pair\[0\]' of scaled_all\(\) is the int 4 where the int 3 is expected"):
        concrete({"x": x, "mode": "fast"}, [4, x])
    with pytest.raises(SignatureError, match=r"'batch\['mode'\]' of scaled_all\(\) is nothing where the str 'fast' is"):
        concrete({"x": x}, [3, x])
    with pytest.raises(SignatureError, match=r"'pair\[1\]' of scaled_all\(\) is float32\[3\] where float32\[2\] is expected"):
        concrete({"x": x, "mode": "fast"}, [3, jnp.ones(3)])


def test_of_a_method_takes_the_object_first() -> None:
    class Model:
        w = 2.0

        @ag.function
        def __call__(self, x: Any) -> Any:
            return self.w * x

    model = Model()
    concrete = model.__call__.get_concrete_function(ag.TensorSpec([]))  # type: ignore[attr-defined]
    assert float(concrete(model, jnp.float32(3))) == float(concrete(x=jnp.float32(3))) == 6


def test_row_14_the_graph_has_the_names_of_arguments_and_variables() -> None:
    total = ag.Variable(0.0, name="total")

    @ag.function
    def add(named: Any, y: Any) -> Any:
        while y < 10:
            y = y * 2
        return total.assign_add(named["x"] + y)

    graph = add.get_concrete_function({"x": ag.TensorSpec([])}, ag.TensorSpec([])).graph
    assert all(name in str(graph) for name in ("named['x']: float32[]", "y: float32[]", "total: float32[]"))
    assert any(operation.kind == "while" for operation in graph.operations()) and "stablehlo.while" in graph.stablehlo()
    assert graph.cost() and graph.memory()


def test_row_14_export_and_analyses() -> None:
    concrete = scaled.get_concrete_function(ag.TensorSpec([2]), 3, add=1)
    exported = concrete.export(["cpu", "cuda", "tpu"])
    assert exported.platforms == ("cpu", "cuda", "tpu") and exported.call(jnp.ones(2))["scaled"].tolist() == [4, 4]
    assert concrete.cost_analysis()["flops"] > 0 and concrete.memory_analysis()["argument_size_in_bytes"] == 8


def test_an_export_without_state_is_asked_of_one_with_state() -> None:
    total = ag.Variable(0.0)

    @ag.function
    def counts(x: Any) -> Any:
        return total.assign_add(x)

    with pytest.raises(ag.AutoGraphError, match="has variables, which an export"):
        counts.get_concrete_function(ag.TensorSpec([])).export()


def test_what_xla_makes_of_a_program_with_open_sizes_is_refused() -> None:
    concrete = ag.function(lambda x: x * 2, input_signature=[ag.TensorSpec([None])]).get_concrete_function()
    assert "mul" in str(concrete.graph) and "stablehlo" in concrete.graph.stablehlo()
    for ask in (concrete.graph.optimized_hlo, concrete.cost_analysis, concrete.memory_analysis):
        with pytest.raises(ag.AutoGraphError, match=r"the program of <lambda>\(\) has open sizes, and XLA compiles it"):
            ask()


def test_open_sizes_may_be_0_and_those_of_one_name_are_equal() -> None:
    size = ag.TensorSpec(["n"])
    concrete = ag.function(lambda x, y: jnp.sum(x) + jnp.sum(y)).get_concrete_function(size, size)
    assert [float(concrete(jnp.ones(n), jnp.ones(n))) for n in (0, 1, 3)] == [0, 2, 6]
    with pytest.raises(SignatureError, match=r"arguments 'x' and 'y' of <lambda>\(\) have sizes 3 and 4"):
        concrete(jnp.ones(3), jnp.ones(4))
