"""What follows an exit in an iteration, computed without a `cond`; derivatives are those of the loop as it is written."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.jaxprs.rules import regions


def conds_in_loops(fn, *args):
    """How many conditionals stand in the bodies of the loops that run."""
    count = 0
    pending = [(eqn, False) for eqn in jax.make_jaxpr(ag.convert(fn))(*args).eqns]
    while pending:
        eqn, inside = pending.pop()
        count += inside and eqn.primitive.name == "cond"
        inside = inside or eqn.primitive.name == "while"
        pending += [(e, inside) for region in regions(eqn) for e in region.eqns]
    return count


def descend(x, n):
    """The line search may fail: then the rest of the iteration is skipped."""
    steps = 0
    while n > 0:
        step = 1.0
        while jnp.cos(x - step) > jnp.cos(x):
            step = step / 2
            if step < 1e-3:
                return x, steps
        x = jnp.exp(jnp.sin(x - step)) + 1.5
        steps += 1
        n -= 1
    return x, steps


def root_of_the_rest(x, n):
    """In the iteration that leaves, the rest would take the root of what is negative, whose derivative is not a number."""
    total = x * 0.0
    for k in range(n):
        left = x
        for _ in range(3):
            left = left - 1.0
            if left < 0:
                return total, k
        total = total + jnp.sqrt(left) * jnp.log(left + 1e-6)
        x = x - 1.0
    return total, n


@pytest.mark.parametrize("n", [0, 2, 5])
@pytest.mark.parametrize("x", [0.3, 4.5])
@pytest.mark.parametrize("fn", [descend, root_of_the_rest])
def test_results_and_derivatives_are_those_of_python(fn, x, n):
    compiled = ag.jit(fn)
    np.testing.assert_allclose(compiled(x, n), fn(x, n), rtol=1e-5)
    want = jax.grad(lambda x: fn(x, n)[0])(x)
    assert np.isfinite(want)
    for derivative in (jax.grad, jax.jacfwd):
        np.testing.assert_allclose(jax.jit(derivative(lambda x: compiled(x, n)[0]))(x), want, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(jax.vmap(compiled, (0, None))(jnp.array([x, 1.0]), n)[0][0], fn(x, n)[0], rtol=1e-5)


def test_the_rest_of_the_iteration_is_guarded_by_nothing():
    assert conds_in_loops(descend, 1.0, 5) == 2, "was the exit taken, and does its test still hold; nothing else"


def test_a_rest_that_loops_is_guarded():
    def f(x, n):
        while n > 0:
            y = x
            while y > 1:
                y = y / 2
                if y == 1.25:
                    return x
            while y < x:  # would never end at zero
                y = y * 2
            x = x - y / 3
            n -= 1
        return x

    for x in (5.0, 7.0, 9.0):
        assert float(ag.jit(f)(x, 3)) == pytest.approx(f(x, 3))


def test_a_rest_with_a_large_result_is_guarded():
    def f(xs, n):
        while n > 0:
            k = 3
            while xs[k] > 0:
                k -= 1
                if k < 1:
                    return xs
            xs = jnp.sin(xs) + 0.5
            n -= 1
        return xs

    xs = jnp.ones(100)
    assert conds_in_loops(f, xs, 3) >= 1
    np.testing.assert_allclose(ag.jit(f)(xs, 3), f(xs, 3))


def test_the_rest_goes_on_with_what_was_chosen():
    """`x` is chosen before the cosine of it is taken: it is computed once, and is what the loop carries."""

    def program(x, n):
        seen = jnp.cos(x)
        while n > 0:
            step = 1.0
            while seen > jnp.cos(x - step):
                step = step / 2
                if step < 1e-3:
                    return x, seen, x
            x = x - step
            seen = jnp.cos(jnp.exp(x) + x)
            n -= 1
        return x, seen, -x

    for x in (0.3, 2.0):
        for n in (0, 1, 4):
            np.testing.assert_allclose(ag.jit(program)(x, n), program(x, n), rtol=1e-5)
    [run] = [e for e in jax.make_jaxpr(ag.convert(program))(0.3, 4).eqns if e.primitive.name == "custom_jvp_call"]
    [loop] = [e for e in run.params["call_jaxpr"].eqns if e.primitive.name == "while"]
    iteration = loop.params["body_jaxpr"].eqns
    [power] = [e for e in iteration if e.primitive.name == "exp"]
    assert next(e.primitive.name for e in iteration if power.invars[0] in e.outvars) == "select_n"


def test_a_value_that_two_variables_take_in_the_branch():
    def program(x, n):
        y = x
        while n > 0:
            step = 1.0
            while jnp.cos(x - step) > jnp.cos(x):
                step = step / 2
                if step < 1e-3:
                    return x, y, n
            y = x = jnp.sin(jnp.exp(x - step))
            n -= 1
        return x, y, n

    for x in (0.3, 2.0, 5.0):
        for n in (0, 1, 4):
            np.testing.assert_allclose(ag.jit(program)(x, n), program(x, n), rtol=1e-5)


def test_a_number_that_the_rest_leaves():
    def program(x, n):
        mark = 0
        while n > 0:
            step = 1.0
            while jnp.cos(x - step) > jnp.cos(x):
                step = step / 2
                if step < 1e-3:
                    return x, mark
            x = jnp.sin(jnp.exp(x - step))
            mark = 7
            n -= 1
        return x, mark

    for x in (0.3, 2.0, 5.0):
        for n in (0, 1, 4):
            np.testing.assert_allclose(ag.jit(program)(x, n), program(x, n), rtol=1e-5)
