"""Checks in what JAX's transformations and control flow make of a function: the first one that fails, with its values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import autograph as ag
from autograph.functions.error_codes import error_of, with_error_code
from autograph.jax_internals import check_jaxpr


def checked(x):
    assert x >= 0, f"{x} is negative"
    if x > 3:
        raise ValueError(f"{x:.1f} is large")
    return x * [1.0, 2.0, 3.0][jnp.asarray(x).astype(int)]


inner = ag.convert(checked)


@jax.custom_jvp
def with_a_jvp(x):
    return inner(x)


with_a_jvp.defjvp(lambda primals, tangents: (with_a_jvp(*primals), tangents[0] * inner(primals[0])))


@jax.custom_vjp
def with_a_vjp(x):
    return inner(x)


with_a_vjp.defvjp(lambda x: (inner(x), x), lambda x, g: (g * inner(x),))

SCALARS: dict[str, Callable[[Any], Any]] = {
    "jit": lambda x: jax.jit(inner)(x) + jax.jit(inner)(x),
    "ag.jit": lambda x: ag.jit(checked)(x) + ag.jit(checked)(0.5),
    "vmap": lambda x: jax.vmap(inner)(jnp.stack([0.5, x, x - 0.25])),
    "vmap of jit": lambda x: jax.vmap(jax.jit(inner))(jnp.stack([0.5, x, x - 0.25])),
    "vmap of vmap": lambda x: jax.vmap(jax.vmap(inner))(jnp.stack([0.5, x, 0.25, 1.0]).reshape(2, 2)),
    "jvp": lambda x: jax.jvp(inner, (x,), (1.0,)),
    "grad": lambda x: jax.grad(inner)(x),
    "value and grad": lambda x: jax.value_and_grad(inner)(x),
    "hessian": lambda x: jax.hessian(inner)(x),
    "vmap of grad": lambda x: jax.vmap(jax.grad(inner))(jnp.stack([0.5, x])),
    "checkpoint": lambda x: jax.checkpoint(inner)(x),  # type: ignore[attr-defined]  # of a stub
    "grad of checkpoint": lambda x: jax.grad(jax.checkpoint(inner))(x),  # type: ignore[attr-defined]  # of a stub
    "composite": lambda x: lax.composite(inner, "my.name")(x),
    "custom_jvp": lambda x: with_a_jvp(x),
    "grad of custom_jvp": lambda x: jax.grad(with_a_jvp)(x),
    "custom_vjp": lambda x: with_a_vjp(x),
    "grad of custom_vjp": lambda x: jax.grad(with_a_vjp)(x),
    "scan": lambda x: lax.scan(lambda carry, y: (carry + inner(x) + y, carry), 0.0, jnp.arange(3.0)),
    "reversed scan": lambda x: lax.scan(lambda c, y: (c + y, inner(y + x)), 0.0, jnp.array([-0.25, 0.0]), reverse=True),
    "map": lambda x: lax.map(inner, jnp.stack([0.5, x])),
    "fori_loop": lambda x: lax.fori_loop(0, 3, lambda i, y: y + inner(x), 0.0),
    "while_loop": lambda x: lax.while_loop(lambda y: y < 6.0, lambda y: y + 2.0 + inner(x), 0.0),
    "test of a while_loop": lambda x: lax.while_loop(lambda y: inner(x) + y < 6.0, lambda y: y + 2.0, 0.0),
    "vmap of while_loop": lambda x: jax.vmap(
        lambda a: lax.while_loop(lambda y: y < a * 6.0, lambda y: y + 2.0 + inner(x), 0.0)
    )(jnp.arange(3.0)),
    "vmap of a test": lambda x: jax.vmap(
        lambda a: lax.while_loop(lambda y: inner(x) + y < a * 6.0, lambda y: y + 2.0, 0.0)
    )(jnp.arange(3.0)),
    "cond": lambda x: lax.cond(x < 100, inner, jnp.sin, x),
    "cond that costs": lambda x: lax.cond(x < 100, lambda x: jnp.linalg.det(inner(x) * jnp.eye(9)), jnp.sin, x),
    "switch": lambda x: lax.switch(jnp.int32(1), [jnp.sin, inner, lambda x: inner(x) + 1], x),
}


def compiled(function: Callable[..., Any], *args: Any) -> Callable[..., tuple[list[Any], BaseException | None]]:
    """What a function gives: its results, and the exception that the program tells of."""
    found = with_error_code(jax.make_jaxpr(function)(*args))
    assert found is not None
    new, checks, _ = found
    check_jaxpr(new.jaxpr)
    lowered = jax.jit(lambda *xs: jax.core.eval_jaxpr(new.jaxpr, new.consts, *xs)).lower(*jax.tree.leaves(args))
    assert "callback" not in lowered.as_text()
    program = lowered.compile()

    def call(*args: Any) -> tuple[list[Any], BaseException | None]:
        *results, words = program(*jax.tree.leaves(args))
        return results, error_of(checks, np.asarray(words))

    return call


def run(function: Callable[..., Any], *args: Any) -> tuple[list[Any], BaseException | None]:
    return compiled(function, *args)(*args)


@pytest.mark.parametrize("name", SCALARS)
def test_transforms_and_control_flow(name: str) -> None:
    function = SCALARS[name]
    call = compiled(function, 1.0)
    results, error = call(1.0)
    assert error is None
    for x, y in zip(results, jax.tree.leaves(jax.jit(function)(1.0)), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5)
    for x, kind, text in ((-1.5, AssertionError, "-1.5 is negative"), (4.0, ValueError, "4.0 is large")):
        _, error = call(x)
        assert (type(error), str(error)) == (kind, text)
    assert type(call(3.0)[1]) is IndexError


def squared(x, n):
    while n > 0:
        assert x < 20, f"{x} at {n}"
        x, n = x * x, n - 1
    return x


@pytest.mark.slow
def test_loops_remain_differentiable() -> None:
    loop = ag.convert(squared)
    for function in (jax.grad(loop), jax.value_and_grad(loop), jax.hessian(loop)):
        results, error = run(function, 1.5, 2)
        assert error is None
        np.testing.assert_allclose(results, jax.tree.leaves(function(1.5, 2)), rtol=1e-5)
        assert str(run(function, 2.0, 4)[1]) == "256.0 at 1"


def test_a_loop_that_carries_the_words_is_still_differentiated() -> None:
    """The derivative of the new program, where its rules are JAX's and the library's own for loops."""
    new, *_ = with_error_code(jax.make_jaxpr(ag.convert(squared))(1.5, 2))  # type: ignore[misc]  # it has checks

    def value(x: Any) -> Any:
        return jax.core.eval_jaxpr(new.jaxpr, new.consts, x, 2)[0]

    np.testing.assert_allclose(jax.grad(value)(1.5), 4 * 1.5**3, rtol=1e-5)


def test_lanes_that_are_done_keep_their_values() -> None:
    function = jax.vmap(ag.convert(squared))
    args = jnp.array([2.0, 1.5, 1.0]), jnp.array([1, 2, 7])
    results, error = run(function, *args)
    assert error is None
    np.testing.assert_allclose(results[0], [4.0, 1.5**4, 1.0], rtol=1e-6)
    _, error = run(function, jnp.array([2.0, 1.0, 2.0]), jnp.array([1, 2, 7]))
    assert str(error) == "256.0 at 4"


def test_the_first_lane_that_fails_is_shown() -> None:
    function = jax.vmap(inner)
    assert str(run(function, jnp.array([1.0, -2.0, -3.0]))[1]) == "-2.0 is negative"


def test_a_program_does_not_grow_with_its_lanes() -> None:
    function = jax.vmap(jax.vmap(inner))
    few, many = (jax.make_jaxpr(function)(jnp.ones((n, 3))) for n in (1, 1000))
    assert len(few.eqns) == len(many.eqns)
    values = jnp.ones((40, 3)).at[7, 1].set(-2.5).at[9, 0].set(-3.5)
    assert str(run(function, values)[1]) == "-2.5 is negative"
    assert run(function, jnp.ones((0, 3)))[1] is None


def test_lanes_of_an_unknown_number() -> None:
    [shape] = jax.export.symbolic_args_specs((jnp.zeros(1),), "n")
    new, checks, _ = with_error_code(jax.make_jaxpr(jax.vmap(inner))(shape))  # type: ignore[misc]  # it has checks
    exported = jax.export.export(jax.jit(lambda x: jax.core.eval_jaxpr(new.jaxpr, new.consts, x)))(shape)
    words = np.asarray(exported.call(jnp.array([1.0, 2.0, 5.0]))[-1])
    assert str(error_of(checks, words)) == "5.0 is large"


def test_constants_of_what_is_inlined() -> None:
    table = np.arange(4.0, dtype=np.float32)

    @jax.custom_jvp
    def looked_up(x):
        return inner(x) + table.sum() * jnp.asarray(table)

    looked_up.defjvp(lambda primals, tangents: (looked_up(*primals), tangents[0] * table))
    results, error = run(looked_up, 1.0)
    assert error is None
    np.testing.assert_allclose(results[0], 2.0 + 6 * table)
    assert str(run(lambda x: jax.jit(looked_up)(x), -1.0)[1]) == "-1.0 is negative"


def test_a_print_stays() -> None:
    def prints(x):
        jax.debug.print("{}", x)
        return inner(x)

    new, checks, _ = with_error_code(jax.make_jaxpr(prints)(1.0))  # type: ignore[misc]  # it has checks
    assert len(new.effects) == 1 and len(checks) == 3


def test_what_is_not_known_keeps_its_callback() -> None:
    def solves(x):
        return lax.custom_linear_solve(lambda v: inner(x) * v, x, lambda matvec, b: matvec(b))

    assert with_error_code(jax.make_jaxpr(solves)(1.0)) is None
    program = jax.make_jaxpr(lambda x: solves(inner(x)))(1.0)
    new, checks, _ = with_error_code(program)  # type: ignore[misc]  # it has checks
    assert len(checks) == 3
    assert "callback" in jax.jit(lambda x: jax.core.eval_jaxpr(new.jaxpr, new.consts, x)).lower(1.0).as_text()


@pytest.mark.parametrize(
    "value",
    [
        jnp.float32(1.1),
        jnp.float16(-1.5),
        jnp.bfloat16(jnp.inf),
        jnp.int8(-7),
        jnp.uint8(200),
        jnp.uint32(2**32 - 1),
        jnp.int32(-(2**31)),
        jnp.bool_(True),
        jnp.complex64(complex(1, -jnp.inf)),
        jnp.arange(4, dtype=jnp.int16) - 2,
        jnp.array([[True, False]]),
        jnp.array([1 + 2j, jnp.nan], jnp.complex64),
        jnp.zeros((0, 3)),
        jnp.float8_e4m3fn(1.5),
        2.5,
        7,
        2j,
    ],
    ids=str,
)
def test_values_of_every_type_in_messages(value: Any) -> None:
    def f(x, fails):
        if fails:
            raise ValueError(f"{x}", x)
        return x

    _, error = run(ag.convert(f), value, True)
    with pytest.raises(ValueError) as caught:
        f(value, True)
    assert error is not None
    assert [str(x) for x in error.args] == [str(x) for x in caught.value.args]
    assert isinstance(value, bool) or value is True or type(error.args[1]) is type(value) or value.dtype == bool


def test_values_of_64_bits() -> None:
    def f(x, k, z):
        assert x > 0, f"{x} {k} {z}"
        return x

    with jax.enable_x64(True):
        args = np.float64(-0.1), np.int64(-(2**40) - 1), np.complex128(0.1 - 0.3j)
        assert str(run(ag.convert(f), *args)[1]) == "-0.1 -1099511627777 (0.1-0.3j)"


def test_exported_for_three_platforms_with_an_unknown_batch() -> None:
    def mean(x):
        if x.max() > 10:
            raise ValueError(f"{x.max()} is too large")
        for i in ag.range(jnp.asarray(x.shape[0])):
            if x[i].sum() < 0:
                raise LookupError(f"{x[i]} at {i}")
        assert x.min() > -9, f"{x:.1f} at {x.shape[0]}"
        return x.mean(0)

    [shape] = jax.export.symbolic_args_specs((jnp.zeros((1, 2)),), "n, 2")
    new, checks, _ = with_error_code(jax.make_jaxpr(ag.convert(mean))(shape))  # type: ignore[misc]  # it has checks
    program = jax.jit(lambda x: jax.core.eval_jaxpr(new.jaxpr, new.consts, x))
    exported = jax.export.export(program, platforms=["cpu", "cuda", "tpu"])(shape)
    for x, text in (
        ([[1.0, 2.0]] * 3, None),
        ([[1.0, 11.0]], "11.0 is too large"),
        ([[1.0, 2.0], [-1.0, -2.0]], "[-1. -2.] at 1"),
        ([[9.5, -9.5]], "float32[n,2] at 1"),
    ):
        *_, words = exported.call(jnp.array(x))
        error = error_of(checks, np.asarray(words))
        assert (error and str(error)) == text
    assert checks[-1].parts == ("float32[n,2]", " at ", (1, "", ""))


def test_references_are_written_as_before() -> None:
    def scans(r, x):
        def step(carry, y):
            r[...] += inner(y)
            return carry + y, r[...]

        return lax.scan(step, x, jnp.arange(2.0) + x)

    def loops(r, x):
        def step(y):
            r[...] += y
            return y + 1

        return lax.while_loop(lambda y: inner(y) < 4.0, step, x)

    def branches(r, x):
        def write(x):
            r[...] = inner(x)
            return x

        return lax.cond(x > -9, write, jnp.negative, x)

    def calls(r, x):
        @jax.jit
        def write(x):
            r[...] = inner(x)
            return r[...] + x

        return write(x) + 1

    for function in (scans, loops, branches, calls):
        new, checks, _ = with_error_code(jax.make_jaxpr(function)(jax.new_ref(1.0), 1.0))  # type: ignore[misc]  # it has checks
        check_jaxpr(new.jaxpr)
        program = jax.jit(lambda r, x, new=new: jax.core.eval_jaxpr(new.jaxpr, new.consts, r, x))
        mine, theirs = jax.new_ref(1.0), jax.new_ref(1.0)
        *results, words = program(mine, 0.5)
        assert error_of(checks, np.asarray(words)) is None, function
        np.testing.assert_allclose(results[0], jax.tree.leaves(jax.jit(function)(theirs, 0.5))[0])
        np.testing.assert_allclose(mine[...], theirs[...])
        assert str(error_of(checks, np.asarray(program(mine, 5.0)[-1]))) == "5.0 is large"
