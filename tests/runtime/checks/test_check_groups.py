"""Checks in a row are one conditional of the program: which of them fails, and what stays between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph as ag


def three_checks(x: Any, y: Any) -> Any:
    assert x >= 0, f"{x} is negative"
    z = x * 2
    if z > 100:
        raise ValueError(f"{z} is large")
    assert y != 3, f"{y} is three"
    return jnp.sqrt(z) + y


def forty_checks(x: Any) -> Any:
    for k in range(40):
        ag.set_loop_options(unroll=True)
        assert x != k, f"{x} is {k}"
    return x


def primitives(fn: Callable[..., Any], *args: Any) -> list[str]:
    """The conditionals, loops and calls of the host of the traced program, in order."""
    names = [eqn.primitive.name for eqn in jax.make_jaxpr(ag.convert(fn))(*args).eqns]
    return [name for name in names if name in ("cond", "while", "scan") or name.startswith("debug")]


def message(run: Callable[..., Any], *args: Any) -> str:
    """The last line of what a call raises; nothing where it raises nothing."""
    try:
        jax.block_until_ready(run(*args))
    except Exception as error:
        return str(error).splitlines()[-1]
    return ""


def plain(fn: Callable[..., Any], *args: Any) -> str:
    """What plain Python says; pytest adds lines to assertions."""
    try:
        fn(*args)
    except Exception as error:
        return str(error).splitlines()[0]
    return ""


HOW: list[Callable[[Any], Callable[..., Any]]] = [
    ag.jit,
    ag.function,
    lambda fn: jax.grad(ag.jit(fn)),
    lambda fn: jax.jit(jax.grad(ag.convert(fn))),
    lambda fn: lambda *args: jax.vmap(ag.jit(fn))(*(jnp.stack([jnp.ones_like(x), x]) for x in args)),
    lambda fn: lambda x, y: jax.vmap(ag.jit(fn), (None, 0))(x, jnp.stack([jnp.ones_like(y), y])),
    lambda fn: jax.jit(lambda *args: ag.jit(fn)(*args)),
    lambda fn: ag.jit(lambda x, y: lax.scan(lambda carry, _: (carry, ag.convert(fn)(x, y)), x, None, length=2)),
]


@pytest.mark.parametrize("how", HOW)
def test_the_first_of_the_checks_in_a_row_that_fails_raises_its_own_exception_with_its_values(how: Any) -> None:
    run = how(three_checks)
    for x, y in ((4.0, 1), (-1.0, 1), (-1.0, 3), (60.0, 1), (60.0, 3), (4.0, 3)):
        args = jnp.float32(x), jnp.int32(y)
        wanted = plain(three_checks, *args)
        found = message(run, *args)
        assert found.endswith(wanted) and bool(found) == bool(wanted), (x, y)


def test_checks_in_a_row_are_one_conditional() -> None:
    assert primitives(three_checks, 4.0, 1) == ["cond"]
    text = ag.jit(three_checks).lower(4.0, 1).compile().as_text()
    assert text.count(" conditional(") == 1


@pytest.mark.parametrize("how", [ag.jit, ag.function])
def test_of_many_checks_each_fails_by_itself(how: Any) -> None:
    run = how(forty_checks)
    for k in (0, 15, 16, 17, 39):
        assert message(run, jnp.float32(k)).endswith(f"{float(k)} is {k}")
    assert run(jnp.float32(40)) == 40
    assert primitives(forty_checks, 40.0) == ["cond"] * 3


def test_a_print_between_two_checks_stays_between_them() -> None:
    def f(x: Any) -> Any:
        assert x > 0, "first"
        jax.debug.print("{}", x)
        assert x > 1, "second"
        return x

    assert [name[:5] for name in primitives(f, 4.0)] == ["cond", "debug", "cond"]


def test_a_check_stays_before_a_loop_that_does_not_end_without_it() -> None:
    def f(x: Any) -> Any:
        assert x > 0, "first"
        n = 0
        while n * x < 10:
            n += 1
        assert n > 3, "second"
        return n

    assert primitives(f, 4.0) == ["cond", "while", "cond"]
    for run in (ag.jit(f), ag.function(f)):
        assert [message(run, jnp.float32(x)).rpartition(" ")[2] for x in (-1, 9, 2)] == ["first", "second", ""]


@pytest.mark.parametrize("how", [ag.jit, ag.function])
def test_iterations_that_are_taken_back_take_no_check_before_them_with_them(how: Any) -> None:
    """The test of the loop is known at first, so an iteration is traced by itself, until the next test is traced."""

    def f(x: Any) -> Any:
        assert x > 0, "before"
        y = 0
        while y < 5:
            assert x != 3, "inside"
            y = y + x
        assert y != 6, "after"
        return y

    run = how(f)
    assert [message(run, jnp.float32(x)).rpartition(" ")[2] for x in (-1, 3, 2, 4)] == ["before", "inside", "after", ""]
