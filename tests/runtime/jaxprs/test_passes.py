"""The passes over staged loops and conditionals: what a pass leaves is checked, where the library is debugged."""

from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from autograph import errors
from autograph.runtime.jaxprs import passes


def doubled(x: Any) -> Any:
    while x < 100:
        if x > 7:
            x = x * 2
        x = x + 1
    return x


def without_equations(statement: Any) -> Any:
    """A pass that forgets what the results are computed by."""
    region = statement.regions[1]
    region.jaxpr = region.jaxpr.replace(eqns=[])
    return statement


@pytest.mark.parametrize("table", ["LOOP_PASSES", "CONDITIONAL_PASSES"])
def test_a_pass_that_breaks_the_program_is_found_where_it_is_debugged(monkeypatch: Any, table: str) -> None:
    monkeypatch.setattr(errors, "DEBUG", True)
    monkeypatch.setattr(passes, table, (without_equations,))
    with pytest.raises(Exception, match="not defined|not in scope"):
        jax.make_jaxpr(ag.convert(doubled))(1)


def test_the_passes_leave_programs(monkeypatch: Any) -> None:
    monkeypatch.setattr(errors, "DEBUG", True)
    assert int(jax.jit(ag.convert(doubled))(jnp.int32(1))) == doubled(1)
