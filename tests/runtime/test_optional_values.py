"""What is `None` or a value is used only where a test shows that there is a value; else it is refused by name."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph as ag


def returned(c):
    x = None
    if c > 0:
        x = c
    if x is not None and c > 1:
        return c
    return x


def used_in_the_wrong_arm(c):
    x = None
    if c > 0:
        x = c
    if x is None:
        return c
    elif c > 1:
        x = None
    return x + 1


def used_after_a_guarded_use(c):
    x = None
    if c > 0:
        x = c
    y = 0.0 if x is None else x
    return y + x


def shown_by_one_of_two(c):
    x = None
    if c > 0:
        x = c
    if x is not None or c < -1:
        return x
    return c


def shown_of_an_older_value(c):
    x = None
    if c > 0:
        x = c
    known = x is not None
    if c < 2:
        x = None
    if known:
        return x
    return c


def shown_in_another_turn(c):
    x = None
    s = 0.0
    for v in jnp.array([1.0, 2.0, 3.0]):
        if x is not None:
            s = s + x
        if v > c:
            x = v
        else:
            x = None
        s = s + x
    return s


def asserted_where_it_may_not_run(c):
    x = None
    if c > 0:
        x = c

    def branch():
        assert x is not None
        return x

    return lax.cond(c > 1, branch, lambda: 0.0 * c) + x


def passed_on(c):
    x = None
    if c > 0:
        x = c
    y = x
    return 0.0 if x is None else y


@pytest.mark.parametrize(
    "fn",
    [
        returned,
        used_in_the_wrong_arm,
        used_after_a_guarded_use,
        shown_by_one_of_two,
        shown_of_an_older_value,
        shown_in_another_turn,
        asserted_where_it_may_not_run,
        passed_on,
    ],
)
def test_refused_where_it_may_be_none(fn):
    with pytest.raises(ag.StagingError, match="variable 'x' is used where it may be None"):
        ag.jit(fn)(0.5)


def test_a_loop_that_settles_after_its_first_turn_carries_numbers_only():
    @ag.jit
    def largest(xs):
        best = None
        for x in xs:
            if best is None or x > best:
                best = x
        return best

    jaxpr = jax.make_jaxpr(largest)(jnp.arange(5.0))
    assert largest(jnp.arange(5.0)) == 4
    assert "bool[]" not in str(
        next(e for e in jaxpr.jaxpr.eqns[0].params["jaxpr"].eqns if e.primitive.name == "scan").outvars
    )


def test_no_test_of_a_parameter_with_a_default_becomes_an_operator():
    def scaled(x, factor=None):
        if factor is None:
            factor = 2
        return x * factor

    assert "ag__" not in ag.to_code(scaled).split("\n", 1)[1]
