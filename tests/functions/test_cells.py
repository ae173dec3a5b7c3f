"""Cells: what a function reads and writes while it is traced, and the program with these as inputs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

import autograph as ag
from autograph.functions.cells import Tracing, tracing, with_variables_as_inputs


def test_what_is_read_becomes_an_input_and_what_is_written_a_result() -> None:
    first, second = ag.Variable(1.0), ag.Variable(jnp.arange(2.0))
    variables: Any = None

    def body(x: Any) -> Any:
        nonlocal variables
        with Tracing() as variables:
            assert tracing() is variables
            first.assign(first + x)
            return second[0] * first.value, [value for _, value in variables.written()]

    closed = jax.make_jaxpr(body)(2.0)
    assert tracing() is None and [id(v) for v in variables.read()] == [id(first), id(second)]
    assert [id(v) for v, _ in variables.written()] == [id(first)]
    program = with_variables_as_inputs(closed, 2)
    run = jax.jit(lambda *inputs: jax.core.eval_jaxpr(program.jaxpr, program.consts, *inputs))
    result, written = run(jnp.float32(2.0), jnp.float32(10.0), jnp.array([3.0, 0.0]))
    assert (float(result), float(written)) == (36, 12) and float(first.value) == 1


def test_a_function_traced_in_another_has_cells_of_its_own() -> None:
    with Tracing() as outer:
        with Tracing() as inner:
            assert tracing() is inner
        assert tracing() is outer


def test_only_a_write_after_a_kept_read_makes_jax_keep_others() -> None:
    v, count = ag.Variable(1.0), 0

    @jax.jit
    def shared(x: Any) -> Any:
        nonlocal count
        count += 1
        return x * 2

    kept = jax.jit(lambda x: shared(x) + v.value)

    def writes(x: Any) -> Any:
        x = shared(x)
        v.assign_add(x)
        return shared(x)

    def reads(x: Any) -> Any:
        return kept(x), kept(x), v.assign_add(1.0).value, kept(x)

    for f, traces in ((writes, 1), (writes, 0), (reads, 1), (writes, 1), (writes, 0)):
        before = count
        ag.function(lambda x, f=f: f(x))(jnp.float32(1))
        assert count - before == traces
