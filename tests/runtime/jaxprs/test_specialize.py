"""Jaxprs some of whose bools are known."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph as ag
from autograph.runtime.jaxprs.specialize import under


@pytest.mark.parametrize("both", [False, True])
def test_the_negation_of_a_known_bool_is_known_also_where_it_was_known_before(both) -> None:
    def f(p, x):
        q = lax.bitwise_not(p)
        return lax.select(q, x, -x), q

    jaxpr = jax.make_jaxpr(f)(True, 1.0).jaxpr
    known = {jaxpr.invars[0]: False}
    if both:
        known[jaxpr.eqns[0].outvars[0]] = True
    found = under(jaxpr, known)
    assert found.outs[0] is jaxpr.invars[1] and found.truth(found.outs[1]) is True
    assert not any(eqn.primitive.name == "select_n" for eqn in found.eqns)


def test_a_loop_that_never_counts_its_generator_is_right() -> None:

    @ag.jit
    def f(b):
        p, i = jnp.asarray(1), 1
        while i < 7:
            i += 1
            p += all((b * g * i) % 5 == 2 for g in range(3) if i > 2654435761)
        return p

    assert f(3) == 7
