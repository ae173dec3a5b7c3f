"""`ag.graph` and what a graph says of its program."""

import functools
import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from tests.graphs import programs
from tests.graphs.test_reading import line_of


def kinds(graph: ag.Graph) -> list[str]:
    return [operation.kind for operation in graph.operations()]


def test_row_9_a_python_range_has_ten_additions_and_a_staged_one_has_one_loop() -> None:
    assert kinds(ag.graph(programs.unrolled, 1.0)) == ["add"] * 10
    loop = ag.graph(programs.staged, 1.0)
    assert kinds(loop) == ["scan", "add"] and len(loop.tree.parts) == 1


def test_a_graph_of_arrays_of_any_size() -> None:
    for f in (jnp.sum, jax.jit(jnp.sum), lambda a: a * 2 if a.shape[0] == 1 else a):
        assert "a: float32[none_0]" in str(ag.graph(f, ag.TensorSpec([None])))


def test_row_14_a_graph_has_its_jaxpr_its_texts_its_cost_and_its_memory() -> None:
    graph = ag.graph(programs.branches, 1.0)
    assert [equation.primitive.name for equation in graph.jaxpr.eqns] == ["gt", "convert_element_type", "cond"]
    assert "stablehlo.case" in graph.stablehlo() and "HloModule" in graph.optimized_hlo()
    assert graph.cost()["flops"] > 0
    assert graph.memory()["argument_size_in_bytes"] == 4
    assert repr(graph) == f"<graph of branches: {len(graph.operations())} operations>"


def test_row_29_the_optimised_program_is_shown_beside_the_traced_one() -> None:
    def twice(x: Any) -> Any:
        return (jnp.sin(x) + jnp.sin(x)) * jax.lax.reduce_sum(jax.lax.iota(jnp.float32, 4), axes=(0,))

    graph = ag.graph(twice, jnp.float32(1))
    assert kinds(graph) == ["sin", "sin", "add", "iota", "reduce_sum", "mul"]
    optimised = graph.optimized_hlo()
    assert optimised.count("sine(") == 1  # common parts are computed once
    assert "constant(6)" in optimised and "reduce(" not in optimised  # what no argument changes is a number
    assert graph.stablehlo().count("stablehlo.sine") == 2


@pytest.mark.parametrize("wrap", [ag.convert, ag.jit, jax.jit, functools.partial, lambda f: f])
def test_what_a_graph_is_of(wrap: Any) -> None:
    graph = ag.graph(wrap(programs.halved), jax.ShapeDtypeStruct((3,), "float32"))
    assert graph.name == "halved" and kinds(graph).count("while") == 1
    assert [value.type for value in graph.tree.outputs] == ["float32[3]"]


def test_arguments_are_pytrees_with_names() -> None:
    graph = ag.graph(lambda p, x: p["w"] * x, {"w": jnp.ones(3)}, x=2.0)
    assert [str(value) for value in graph.tree.inputs] == ["p['w']: float32[3]", "x: float32[]"]


def test_what_is_traced_already_is_a_graph_by_name() -> None:
    traced = jax.jit(lambda x: x + 1).trace(1.0)
    graph = ag.Graph("step", traced)
    assert graph.tree.name == "step" and kinds(graph) == ["add"]

    class Concrete:
        def __init__(self) -> None:
            self.graph = graph

    made: Any = Concrete()
    assert ag.graph(made) is graph


def test_a_program_that_is_refused_says_so() -> None:
    def grows(x: Any) -> Any:
        while x.sum() < 10:
            x = jnp.concatenate([x, x])
        return x

    with pytest.raises(ag.StagingError, match="'x'"):
        ag.graph(grows, jnp.ones(2))


def test_row_28_profiles_name_the_statements() -> None:
    statement, loop = (f"{word}_{line_of(text)}" for word, text in (("if", "if x > 0"), ("while", "while jnp.max")))
    names = set(re.findall(r'op_name="([^"]*)"', ag.graph(programs.branches, jnp.float32(1)).optimized_hlo()))
    assert any(f"jit(branches)/{statement}/cond/branch_1_fun/{loop}/while/body" in name for name in names)
