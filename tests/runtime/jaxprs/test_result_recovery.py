"""What only an exit leaves is not carried where the other results of the loop tell it; and is what Python returns."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.jaxprs.rules import regions


def carried(fn, *args):
    [loop] = [e for e in jax.make_jaxpr(ag.convert(fn))(*args).eqns if e.primitive.name == "while"]
    return len(loop.outvars)


def smooth_until(xs, level):
    """The question is about what the iteration has made; the value is an old counter and the new state."""
    mean = xs[0]
    for i in range(len(xs)):
        for j in range(i):
            mean = 0.9 * mean + 0.1 * xs[j]
        if mean > level:
            return i - 1, mean * 2
    return -1, 0.0


def orbit_until(x, n):
    for k in range(n):
        x = jnp.cumsum(jnp.exp(-x) + x)
        if x.max() > 9:
            return x, k
    return -x, n


def old_and_new(x, n):
    """The old state is not among the results."""
    for k in range(n):
        new = jnp.cumsum(jnp.sin(x) + x)
        for _ in range(k):
            new = new / 2
        if new.max() > 9:
            return x
        x = new
    return -x


def kept_from_an_earlier_iteration(xs, n):
    last = -1.0
    for k in range(n):
        x = xs[k] * 2
        for _ in range(k):
            x = x + 1
        if x > 3:
            last = x
        if x > 9:
            return last + k
    return last


@pytest.mark.parametrize(
    ("fn", "args", "most"),
    [
        *((smooth_until, (np.linspace(0, 2, 9, dtype=np.float32), np.float32(level)), 3) for level in (-1, 0.5, 9)),
        *((orbit_until, (np.float32([0.1, 0.2, 0.3]), n), 3) for n in (0, 1, 2, 3, 20)),
        *((old_and_new, (np.float32([0.1, 0.2, 0.3]), n), 4) for n in (0, 1, 2, 3, 9)),
        *((kept_from_an_earlier_iteration, (np.float32([0, 2, 1, 5, 1]), n), 4) for n in (0, 1, 2, 3, 4, 5)),
    ],
)
def test_results_and_derivatives_are_those_of_python(fn, args, most):
    want = jax.tree.leaves(fn(*args))
    for got, expected in zip(jax.tree.leaves(ag.jit(fn)(*args)), want, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4)
    mapped = jax.jit(jax.vmap(ag.convert(fn), (0, None)))(jnp.stack([args[0], args[0] * 0.5]), args[1])
    for k, x in enumerate((args[0], args[0] * 0.5)):
        for got, expected in zip(jax.tree.leaves(mapped), jax.tree.leaves(fn(x, args[1])), strict=True):
            np.testing.assert_allclose(got[k], expected, rtol=1e-4)

    def value(fn, x):
        return jnp.sum(jax.tree.leaves(fn(x, args[1]))[-1] * 1.0)

    derivative = jax.jit(jax.grad(lambda x: value(ag.jit(fn), x)))(args[0])
    np.testing.assert_allclose(derivative, jax.grad(lambda x: value(fn, x))(jnp.asarray(args[0])), rtol=1e-3, atol=1e-6)
    assert carried(fn, args[0], jnp.asarray(args[1])) <= most


def test_a_value_that_is_returned_twice():
    def f(n):
        for i in range(10):
            if i * 2 > n:
                return {"i": i, "pair": (i, i)}
        return {"i": -1, "pair": (0, 0)}

    assert [ag.jit(f)(n) for n in (3, 0, 99)] == [f(n) for n in (3, 0, 99)]


def last_index(n):
    i = -1
    for i in range(n):  # noqa: B007  # that the iterations do not read it is what is tried
        pass
    return i


def last_odd(xs, n):
    """`k` and `seen` are what the last iteration leaves; `odd` is not."""
    k = seen = 0
    odd = -1
    total = 0
    for k in range(3, n):
        seen = True
        if xs[k] % 2 == 1:
            odd = k
        total += xs[k]
    return k, seen, odd, total


def counter_read_by_the_test(n):
    k = before = 0
    while before < n:
        before = k
        k += 1
    return k, before


@pytest.mark.parametrize(
    ("fn", "args", "most"),
    [
        *((last_index, (n,), 1) for n in (0, 1, 5)),
        *((last_odd, (np.arange(20, dtype=np.int32) // 3, n), 3) for n in (0, 3, 4, 5, 20)),
        *((counter_read_by_the_test, (n,), 2) for n in (0, 1, 5)),
    ],
)
def test_numbers_that_the_last_iteration_leaves(fn, args, most):
    assert [int(x) for x in jax.tree.leaves(ag.jit(fn)(*args))] == [int(x) for x in jax.tree.leaves(fn(*args))]
    assert carried(fn, *args) == most


def test_a_counter_that_wraps_tells_nothing_about_iterations():
    def program(n, k):
        mark = 0
        while n > 0:
            k = k + 1
            mark = 7
            n = n - 1
        return mark, k

    mark, k = ag.jit(program)(512, np.int8(3))
    assert (int(mark), int(k)) == (7, 3)


def test_a_flag_that_every_iteration_sets_and_the_test_reads():
    def program(n):
        done, iterations = False, 0
        while not done and n > 0:
            iterations += 1
            done = True
        return done, iterations

    assert [tuple(map(int, ag.jit(program)(n))) for n in (0, 1)] == [(0, 0), (1, 1)]


@pytest.mark.parametrize("args", [(0, 2), (6, 2), (0, 0)])
def test_iterations_that_check_something(args):
    def program(x, n):
        last, k = 0, 0
        while k < n:
            k += 1
            if x < 0:
                raise ValueError
            if x > 5:
                return 3, last
            last = k
        return x, last

    assert tuple(map(int, ag.jit(program)(*args))) == program(*args)


@pytest.mark.parametrize("args", [(0, 2), (1, 1), (4, 3)])
def test_a_counter_of_a_loop_without_iterations_where_a_test_is_known(args):
    def program(x, y):
        known, i = False, 0
        for i in range(x):
            k = 0
            while k < y:
                k += 1
                if y > 5:
                    return 4, y
                if known:
                    break
            if i != y:
                return 3, y
        return i, 0

    assert tuple(map(int, ag.jit(program)(*args))) == program(*args)


def lowest(x, n):
    """An exit of the inner loop returns what both loops carry."""
    steps, asked = 0, 1
    while steps < n:
        step = 1.0
        while jnp.cos(x - step) > jnp.cos(x) - 0.1 * step:
            step = step / 2
            asked += 1
            if step < 1e-3:
                return x, steps, asked
        x = x - step
        steps += 1
    return x, steps, asked


@pytest.mark.parametrize("n", [0, 1, 3, 40])
def test_what_an_inner_loop_returns_is_told_by_the_outer_one(n):
    got, want = ag.jit(lowest)(0.7, n), lowest(0.7, n)
    np.testing.assert_allclose(got, want, rtol=1e-5)
    lanes = jnp.array([0.7, -2.0, 3.0])
    mapped = jax.jit(jax.vmap(ag.convert(lowest), (0, None)))(lanes, n)
    np.testing.assert_allclose(np.transpose(mapped), [lowest(float(x), n) for x in lanes], rtol=1e-5)
    assert [len(loop.outvars) for loop in loops_of(lowest, 0.7, n)] == [4, 2]  # x, steps, asked, the exit; asked, step


def test_an_array_that_an_inner_loop_returns_is_carried_once():
    outer, _ = loops_of(lowest_of_all, jnp.array([0.7, 2.0]), 5)
    assert [v.aval.shape for v in outer.outvars].count((2,)) == 1
    for x in ([0.7, 2.0], [-2.0, 3.0]):
        for n in (0, 1, 40):
            got, want = ag.jit(lowest_of_all)(jnp.array(x), n), lowest_of_all(jnp.array(x), n)
            np.testing.assert_allclose(got[0], want[0], rtol=1e-5)
            assert tuple(map(int, got[1:])) == want[1:]


def lowest_of_all(x, n):
    """An exit of the inner loop returns an array that this loop only reads."""
    steps, asked = 0, 1
    lowest = jnp.cos(x).sum()
    while steps < n:
        step = 1.0
        while jnp.cos(x - step).sum() > lowest - 0.1 * step:
            step = step / 2
            asked += 1
            if step < 1e-3:
                return x, steps, asked
        x = x - step
        lowest = jnp.cos(x).sum()
        steps += 1
    return x, steps, asked


def loops_of(fn, *args):
    """The loops that run, the outer one first."""
    found, pending = [], list(jax.make_jaxpr(ag.convert(fn))(*args).eqns)
    while pending:
        eqn = pending.pop(0)
        found += [eqn] * (eqn.primitive.name == "while")
        pending = [*(e for region in regions(eqn) for e in region.eqns), *pending]
    return found
