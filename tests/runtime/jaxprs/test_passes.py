"""The passes over staged loops and conditionals: what a pass leaves is checked, and the error says which pass it was."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from autograph.runtime.carry.fixed_point import Carry
from autograph.runtime.jaxprs import checks, passes
from autograph.runtime.jaxprs.checks import BrokenPass


def shown(x: Any) -> Any:
    while x < 100:
        jax.debug.print("a")
        jax.debug.print("b")
        if x > 7:
            jax.debug.print("c")
            jax.debug.print("d")
            x = x * 2 + 1
        x = x + 1
    return x


def _with_equations(statement: Any, change: Callable[[list[Any]], list[Any]]) -> Any:
    """A loop with other equations in its body, a conditional with others where its test is true."""
    region = statement.regions[1]
    region.jaxpr = region.jaxpr.replace(eqns=change(list(region.jaxpr.eqns)))
    return statement


def undefining(statement: Any) -> Any:
    return _with_equations(statement, lambda eqns: [eqn for eqn in eqns if eqn.effects])


def using_before(statement: Any) -> Any:
    return _with_equations(statement, lambda eqns: [eqns[-1], *eqns[:-1]])


def silencing(statement: Any) -> Any:
    return _with_equations(statement, lambda eqns: eqns[1:])


def reordering(statement: Any) -> Any:
    return _with_equations(statement, lambda eqns: [eqns[1], eqns[0], *eqns[2:]])


@pytest.mark.parametrize("table", ["LOOP_PASSES", "CONDITIONAL_PASSES"])
@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (undefining, "left a region that is no program"),
        (using_before, "left a region that is no program"),
        (silencing, "left the effects"),
        (reordering, "left the effects"),
    ],
)
def test_a_pass_that_breaks_the_program_is_named(monkeypatch: Any, table: str, broken: Any, why: str) -> None:
    monkeypatch.setattr(passes, table, (broken,))
    with pytest.raises(BrokenPass, match=f"{broken.__name__} {why}"):
        jax.make_jaxpr(ag.convert(shown))(1)


def test_a_pass_that_changes_a_type_is_named(monkeypatch: Any) -> None:
    def retyping(loop: Any) -> Any:
        return loop._replace(init=[jnp.float32(x) for x in loop.init])

    monkeypatch.setattr(passes, "LOOP_PASSES", (retyping,))
    with pytest.raises(BrokenPass, match=r"retyping left regions whose types differ: int32\[\] and float32\[\]"):
        jax.make_jaxpr(ag.convert(shown))(1)


def test_a_form_that_breaks_the_program_is_named(monkeypatch: Any) -> None:
    def unnamed(loop: Any) -> Any:
        return passes.Form(lambda bind: bind(loop.test, loop.body, [jnp.float32(x) for x in loop.init]), loop.body)

    monkeypatch.setattr(passes, "LOOP_FORMS", (unnamed,))
    with pytest.raises(BrokenPass, match=r"unnamed left regions whose types differ"):
        jax.make_jaxpr(ag.convert(shown))(1)


def test_nothing_is_checked_without_the_flag(monkeypatch: Any) -> None:
    monkeypatch.setattr(passes, "STRICT", False)
    monkeypatch.setattr(passes, "LOOP_PASSES", (silencing,))
    assert str(jax.make_jaxpr(ag.convert(shown))(1)).count("debug_") == 3


def test_the_passes_leave_programs() -> None:
    assert passes.STRICT  # as in all tests
    assert int(jax.jit(ag.convert(shown))(jnp.int32(1))) == shown(1)


def test_a_mistake_is_not_hidden_by_another_attempt(monkeypatch: Any) -> None:
    """An `AttributeError` of the user's code may unroll the loop, and one of the library's must not in a test."""

    def collect(*args: Any) -> Any:
        return args[0].no_such_attribute

    monkeypatch.setattr(Carry, "collect", collect)
    with pytest.raises(checks.Mistake, match="no_such_attribute"):
        jax.make_jaxpr(ag.convert(shown))(1)
