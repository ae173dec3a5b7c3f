"""What `set_loop_options` changes in the program, and that it changes no result."""

import jax
import jax.numpy as jnp
import numpy as np

import autograph as ag


def scan_of(fn, *args):
    return next(e for e in jax.make_jaxpr(ag.convert(fn))(*args).jaxpr.eqns if e.primitive.name == "scan")


def total(xs):
    s = 0.0
    for x in xs:
        ag.set_loop_options(unroll=2)
        s = s + x * x
    return s


def power(x, n):
    y = 1.0
    while n > 0:
        ag.set_loop_options(checkpoints=4, maximum_iterations=100)
        y = y * x
        n = n - 1
    return y


def test_unroll():
    xs = jnp.arange(5.0)
    assert scan_of(total, xs).params["unroll"] == 2
    np.testing.assert_allclose(ag.jit(total)(xs), total(xs))


def test_checkpoints_reach_the_gradient_and_change_nothing():
    loop = next(e for e in jax.make_jaxpr(ag.convert(power))(2.0, 3).jaxpr.eqns if e.primitive.name == "while")
    assert loop.params["cond_jaxpr"].jaxpr.debug_info.func_src_info.startswith("ag_while_cond_4")
    np.testing.assert_allclose(ag.jit(power)(1.5, 9), power(1.5, 9), rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.grad(ag.convert(power)))(1.5, 9), 9 * 1.5**8, rtol=1e-5)


def sum_until(x):
    y = 0.0
    before = ""
    for i in range(500):
        ag.set_loop_options(checkpoints=4, maximum_iterations=500)
        if before != "" and before * i > 100.0:
            break
        before = x
        y = y + x
    return y


def test_options_hold_for_what_is_left_where_the_first_iteration_runs_in_python():
    loop = next(e for e in jax.make_jaxpr(ag.convert(sum_until))(2.0).jaxpr.eqns if e.primitive.name == "while")
    assert loop.params["cond_jaxpr"].jaxpr.debug_info.func_src_info.startswith("ag_while_cond_4")
    assert ag.jit(sum_until)(2.0) == sum_until(2.0)
