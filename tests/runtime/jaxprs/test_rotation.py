"""Loops that ask a costly question first: turned round, with the same results and derivatives, where that is right."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag


def inside(jaxpr):
    for eqn in jaxpr.eqns:
        yield eqn
        for value in eqn.params.values():
            for region in value if isinstance(value, tuple) else (value,):
                region = getattr(region, "jaxpr", region)
                if hasattr(region, "eqns"):
                    yield from inside(region)


def of_body(fn, *args):
    """Names of the equations in the bodies of the loops of a program."""
    loops = [e for e in inside(jax.make_jaxpr(ag.convert(fn))(*args).jaxpr) if e.primitive.name == "while"]
    return [e.primitive.name for loop in loops for e in inside(loop.params["body_jaxpr"].jaxpr)]


def descend(x, n):
    """Steps down a slope whose derivative is costly; the inner loop stands behind the question."""
    for k in range(n):
        slope = jnp.sinh(x) * jnp.cosh(x) + jnp.sin(x) + jnp.tanh(x) + jnp.exp(x) - 1
        slope = slope + jnp.sin(slope) / 4 + jnp.tanh(slope) / 8 + jnp.log(1 + slope * slope) / 9
        if abs(slope).max() < 0.05:
            return x, k
        step = 1.0
        while abs(step * slope).max() > 0.25:
            step = step / 2
        x = x - step * slope
    return x, n


def settle(board, n):
    """Arrays of more than a few elements, chosen by the answer."""
    iterations = 0
    while iterations < n:
        new = jnp.roll(board, 1) & board
        if (new == board).all():
            break
        board = new
        iterations += 1
    return board, iterations


def two_ways_out(x, n):
    total = jnp.zeros(100)
    for k in range(n):
        y = jnp.exp(-x) + jnp.sin(x) * jnp.linspace(0.5, 1, 100)
        y = y / (1 + y @ y)
        if y.max() > 0.9 * k:
            return total + y
        total = total + jnp.where(y > 0, y, 0.0)
        for j in range(3):
            total = total * (j + 1) / 2
        if total @ total > 1e4:
            return -total
        x = x + total.max()
    return total


def endless(x, limit):
    k = 0
    while True:
        y = jnp.cumsum(jnp.sin(x) + jnp.cos(x) * x)
        if abs(y).sum() > limit:
            return y, k
        x = jax.lax.cond(k > 3, lambda: x * 2 + jnp.sort(y), lambda: x * 1.5)
        k += 1


XS = np.linspace(0.1, 0.9, 80, dtype=np.float32)
CASES = [
    *((descend, (XS, n)) for n in (0, 1, 3, 60)),
    (descend, (XS * 0, 5)),
    *((settle, (np.arange(90) % 7 > 0, n)) for n in (0, 2, 3, 6, 60)),
    *((two_ways_out, (np.float32(x), n)) for x in (0.1, 3.0) for n in (0, 1, 2, 9)),
    *((endless, (XS, limit)) for limit in (0.0, 60.0, 300.0)),
]


@pytest.mark.parametrize(("fn", "args"), CASES, ids=lambda x: x.__name__ if callable(x) else "")
def test_results_are_those_of_python_also_side_by_side(fn, args):
    want = jax.tree.leaves(fn(*args))
    for got, expected in zip(jax.tree.leaves(ag.jit(fn)(*args)), want, strict=True):
        np.testing.assert_allclose(got, expected, rtol=2e-4, atol=1e-5)
    others = [
        np.stack([args[0], args[0] & (np.arange(90) > 8) if fn is settle else args[0] * 0.75]),
        np.array([args[1]] * 2),
    ]
    mapped = jax.tree.leaves(jax.jit(jax.vmap(ag.convert(fn)))(*others))
    for lane in (0, 1):
        alone = jax.tree.leaves(fn(others[0][lane], others[1][lane]))
        for got, expected in zip(mapped, alone, strict=True):
            np.testing.assert_allclose(got[lane], expected, rtol=2e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("fn", "args"), CASES[::2], ids=lambda x: x.__name__ if callable(x) else "")
def test_derivatives_are_those_of_the_loop_as_it_is_written(fn, args):
    if fn is settle:
        return
    unrolled = jax.grad(lambda x: jnp.sum(jax.tree.leaves(fn(x, args[1]))[0]))(jnp.asarray(args[0]))

    def value(x):
        return jnp.sum(jax.tree.leaves(ag.convert(fn)(x, n))[0])

    n = jnp.asarray(args[1])
    np.testing.assert_allclose(jax.jit(jax.grad(value))(args[0]), unrolled, rtol=2e-3, atol=1e-4)
    np.testing.assert_allclose(jax.jit(jax.jacfwd(value))(args[0]), unrolled, rtol=2e-3, atol=1e-4)
    both = np.stack([args[0], args[0]])
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(value)))(both)[1], unrolled, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("fn", "args", "question"),
    [(descend, (XS, 3), "sinh"), (settle, (XS > 0.5, 3), "concatenate"), (endless, (XS, 9.0), "cumsum")],
)
def test_nothing_is_guarded_and_the_question_is_asked_once_an_iteration(fn, args, question):
    names = of_body(fn, *args)
    assert names.count(question) == 1
    assert names.count("cond") == (fn is endless)


@pytest.mark.slow
def test_a_derivative_that_is_infinite_after_the_last_iteration_is_not_taken_there():
    def f(x, n):
        total = jnp.zeros(70)
        for k in range(n):
            y = jnp.sqrt(n - k - x * jnp.ones(70)) + jnp.log(n - k - x) + jnp.sin(x) + jnp.cos(x) + jnp.tan(x)
            if y @ y > 1e6:
                return total
            for _ in range(2):
                total = total + y
        return total

    def value(x, n):
        return ag.convert(f)(x, n).sum()

    for n in (0, 1, 3):
        want = jax.grad(lambda x, n=n: f(x, n).sum())(0.0)
        assert np.isfinite(want)
        np.testing.assert_allclose(jax.jit(jax.grad(value))(0.0, n), want, rtol=1e-5)
    mapped = jax.jit(jax.vmap(jax.grad(value), (None, 0)))(0.0, jnp.array([3, 0, 1]))
    np.testing.assert_allclose(mapped, [jax.grad(lambda x, n=n: f(x, n).sum())(0.0) for n in (3, 0, 1)], rtol=1e-5)
    assert np.isfinite(jax.jit(jax.hessian(lambda x: value(x, 3)))(0.0))


def test_a_question_with_a_loop_of_its_own_is_asked_where_python_asks():
    def f(x, n):
        for _ in range(n):
            y = x * jnp.ones(70)
            while y.sum() < 700:  # would never end at zero
                y = y * 2
            if y.sum() > 1300:
                break
            for _ in range(2):
                x = x - 0.5
        return x

    assert ag.jit(f)(1.0, 1) == f(1.0, 1) == 0.0
    assert ag.jit(f)(0.0, 0) == 0.0


def test_a_question_that_prints_or_fails_is_asked_where_python_asks(capfd):
    def f(x, n):
        for k in range(n):
            jax.debug.print("turn {}", k)
            y = jnp.sort(jnp.sin(x) * jnp.arange(70.0))
            assert k < 2
            if y[0] > 3:
                break
            for _ in range(2):
                x = x + y.max()
        return x

    ag.jit(f)(1.0, 2).block_until_ready()
    jax.effects_barrier()
    assert capfd.readouterr().out.split() == ["turn", "0", "turn", "1"]


def test_a_question_about_what_an_iteration_has_made_needs_only_its_flag():
    def f(x, a):
        for _ in range(100):
            x = jnp.tanh(a @ x)
            if x @ x < 0.1:
                break
        return x

    x, a = np.ones(200, np.float32), np.eye(200, dtype=np.float32) * 0.9
    assert str(jax.make_jaxpr(ag.convert(f))(x, a)).count("tanh") == 1
    np.testing.assert_allclose(ag.jit(f)(x, a), f(x, a), rtol=1e-5)
