"""Exits of loops in their tests: the same results, in every transform, and only where the question can be asked twice."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag


def parts(fn, *args):
    """The loops of a program: numbers of carried values, and of branches inside."""
    jaxpr = jax.make_jaxpr(ag.convert(fn))(*args)
    loops = [e for e in jaxpr.eqns if e.primitive.name == "while"]
    return [(len(e.outvars), str(e.params["body_jaxpr"]).count("cond[")) for e in loops]


def regions(fn, *args):
    """The strings of the test and the body of the only loop."""
    [loop] = [e for e in jax.make_jaxpr(ag.convert(fn))(*args).eqns if e.primitive.name == "while"]
    return str(loop.params["cond_jaxpr"]), str(loop.params["body_jaxpr"])


def shrink(x, n):
    total = 0.0
    for _ in range(n):
        if x < 0.1:
            break
        total = total + jnp.sqrt(x)
        x = x / 2 - 0.01
    return total, x


def first_below(x, n):
    for k in range(n):
        if x < 0.1:
            return x * k
        x = x / 2
    return -x


def grow_until(x, n):
    k = 0
    while True:
        if k >= n:
            return x
        if x > 100:
            return -x
        k += 1
        x = x * x


@pytest.mark.parametrize("fn", [shrink, first_below, grow_until])
@pytest.mark.parametrize("n", [0, 1, 3, 40])
@pytest.mark.parametrize("x", [0.05, 0.9, 1.5, 9.0])
def test_results_and_derivatives_are_those_of_python(fn, n, x):
    def derivative(x):
        return jnp.sum(jnp.asarray(jax.tree.leaves(ag.convert(fn)(x, n_traced)))[0])

    want = jax.tree.leaves(fn(x, n))
    n_traced = jnp.int32(n)
    np.testing.assert_allclose(jax.tree.leaves(ag.jit(fn)(x, n)), want, rtol=1e-5)
    mapped = jax.vmap(ag.convert(fn), (0, None))(jnp.array([x, 2.0]), n)
    np.testing.assert_allclose([leaf[0] for leaf in jax.tree.leaves(mapped)], want, rtol=1e-5)
    h = 1e-4
    slope = (jax.tree.leaves(fn(x + h, n))[0] - jax.tree.leaves(fn(x - h, n))[0]) / (2 * h)
    for mode in (jax.grad, jax.jacfwd):
        np.testing.assert_allclose(jax.jit(mode(derivative))(x), slope, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize(("fn", "carried"), [(shrink, 3), (first_below, 2), (grow_until, 2)])
def test_the_flag_is_not_carried(fn, carried):
    assert parts(fn, 1.0, jnp.int32(3)) == [(carried, 0)]


def test_a_question_that_loops_is_asked_once():
    """At the state after the last iteration it might never end."""

    def f(x, n):
        for _ in range(n):
            y = x
            while y < 10:
                y = y * 2
            if y > 15:
                break
            x = x + 1
        return x

    assert parts(f, jnp.int32(1), jnp.int32(9))[0][0] == 3
    assert ag.jit(f)(2, 9) == f(2, 9)


def test_a_question_that_can_fail_is_asked_only_where_python_asks():
    def f(xs, n):
        for k in range(n):
            if [10, 20, 30][k] > 25 + xs:
                break
            xs = xs + 1
        return xs

    assert ag.jit(f)(jnp.int32(7), jnp.int32(3)) == f(7, 3)


def test_a_costly_question_is_not_asked_twice():
    def f(x, a):
        for _ in range(100):
            x = jnp.tanh(a @ x)
            if x @ x < 0.1:
                break
        return x

    x, a = jnp.ones(200), jnp.eye(200) * 0.9
    [(carried, _)] = parts(f, x, a)
    assert carried == 3
    assert str(jax.make_jaxpr(ag.convert(f))(x, a)).count("tanh") == 1


def test_arrays_written_before_the_exit():
    def f(xs, n):
        for k in range(n):
            xs[k] = xs[k] * 2
            if xs[k] > 6:
                break
            xs[k] = -xs[k]
        return xs

    want = f(np.arange(6.0), 6)
    assert ag.jit(f)(jnp.arange(6.0), 6).tolist() == want.tolist()


def test_the_first_exit_comes_first():
    def f(n):
        for k in range(n):
            if k > 4:
                return -k
            if k > 3:
                return k
        return 0

    assert [int(ag.jit(f)(n)) for n in (9, 4, 0)] == [f(9), f(4), f(0)]
    assert parts(f, jnp.int32(9)) == [(1, 0)]


def test_lanes_that_have_left_fail_no_check():
    def f(n):
        total = 0
        for k in range(9):
            if k >= n:
                break
            total += [1, 2, 3][k]
        return total

    assert jax.jit(jax.vmap(ag.convert(f)))(jnp.array([1, 3, 2])).tolist() == [f(1), f(3), f(2)]
    with pytest.raises(Exception, match="list index out of range"):
        ag.jit(f)(4).block_until_ready()


def test_checkpoints_of_a_gradient_are_kept():
    def f(x, n):
        for _ in range(n):
            ag.set_loop_options(checkpoints=7)
            if x > 9:
                break
            x = x * x
        return x

    [loop] = [e for e in jax.make_jaxpr(ag.convert(f))(1.5, 4).eqns if e.primitive.name == "while"]
    assert len(loop.outvars) == 2
    assert "ag_while_cond_7" in str(loop.params["cond_jaxpr"].jaxpr.debug_info)


def test_an_exit_beside_a_costly_test():
    """`p and costly()` is a `cond` whose predicate is the flag."""

    def f(board, n):
        iterations = 0
        while (board != board[::-1]).any():
            if iterations == n:
                return board, -1
            board = jnp.roll(board, 1).at[0].set(0)
            iterations += 1
        return board, iterations

    for n in (0, 2, 50):
        got, want = ag.jit(f)(jnp.arange(40), n), f(jnp.arange(40), n)
        np.testing.assert_array_equal(got[0], want[0])
        assert int(got[1]) == want[1]
    test, body = regions(f, jnp.arange(40), 3)
    assert "cond[" not in test + body


def test_a_complex_division_is_not_done_twice_in_an_iteration():
    def f(z):
        for k in range(40):
            step = (z - z**-3) / 4
            z = z - step
            if abs(step) < 1e-3:
                return k
        return -1

    test, body = regions(f, 0.3 + 0.5j)
    assert "integer_pow" in body and "integer_pow" not in test
    assert int(ag.jit(f)(0.3 + 0.5j)) == f(np.complex64(0.3 + 0.5j))


def test_a_number_that_each_iteration_leaves_is_not_carried():
    def f(x, n):
        for _ in range(n):
            x = x * 2
            sign = -1
            if x > 100:
                break
        return x, sign

    [loop] = [e for e in jax.make_jaxpr(ag.convert(f))(1.0, 9).eqns if e.primitive.name == "while"]
    assert len(loop.outvars) == 2
    assert tuple(map(float, ag.jit(f)(1.0, 9))) == f(1.0, 9)


def test_a_loop_carries_numbers_before_arrays():
    """So the counter is read before the array is written, which a processor likes better (benchmarks/README.md)."""

    def strike(prime, number):
        for k in range(number, 100, number):
            prime = prime.at[k].set(False)
        return prime

    [loop] = [e for e in jax.make_jaxpr(ag.convert(strike))(jnp.ones(100, bool), 3).eqns if e.primitive.name == "while"]
    assert [v.aval.shape for v in loop.outvars] == [(), (100,)]
    assert (ag.jit(strike)(jnp.ones(100, bool), 3) == strike(jnp.ones(100, bool), 3)).all()
