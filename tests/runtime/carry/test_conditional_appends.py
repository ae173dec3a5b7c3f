"""Lists that grow in iterations which Python knows: rows of one array, as many as the list has elements."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

X = np.random.default_rng(0).standard_normal(60).astype(np.float32)


def every_tenth(x):
    s, found = 0.0, []
    for i in range(len(x)):
        s += x[i]
        if i % 10 == 0:
            found.append(s)
    return found


def pairs(x):
    found = [(-1, 0.5)]
    for i in range(len(x)):
        if i % 20 == 0 or i == 59:
            found.append((i, x[i] * 2))
    return found


def several_lists(x):
    a, b = [], []
    for i in range(len(x)):
        if i % 3 == 0:
            a.append(x[i])
        elif i % 5 == 0:
            b.append(x[i] * 2)
            b.append(i)
        else:
            a.append(x[i] * x[i])
    return a, b


def an_if_inside_an_if(x):
    found = []
    for i in range(len(x)):
        if i % 4 == 1:
            if i % 3 == 0:
                found.append(x[i])
    return found


def counted(x):
    found, c = [], 0
    for i in range(len(x)):
        if i % 4 == 1:
            continue
        c += 1
        if c % 7 == 0:
            found.append(x[i] * c)
    return found, c


def dicts(x):
    losses, w = [], x[0]
    for step in range(50):
        w = w - 0.1 * (w - x[3])
        if step % 20 == 0:
            losses.append({"step": step, "loss": (w - x[3]) ** 2})
    return losses


def inside_a_loop(x):
    found = []
    for i in range(40):
        for j in range(40):
            if j % 20 == 0:
                found.append(x[i] * x[j])
    return found


def of_a_while(x):
    found, i = [], 0
    while i < len(x):
        if i % 10 == 0:
            found.append(x[i])
        i += 1
    return found


def of_a_counted_range(x):
    found = []
    for i in ag.range(len(x)):
        if i % 10 == 0:
            found.append(x[i])
    return found


def under_tests_that_exclude_each_other(x):
    found, s = [], 0.0
    for i in range(len(x)):
        if i > 1:
            s += x[i]
        elif i > 1:
            found.append(x[i])
    return found, s


PROGRAMS = [every_tenth, pairs, several_lists, an_if_inside_an_if, counted, dicts, inside_a_loop, of_a_while, of_a_counted_range]
PROGRAMS += [under_tests_that_exclude_each_other]


@pytest.mark.parametrize("f", PROGRAMS)
def test_one_loop(f):
    program = jax.make_jaxpr(ag.convert(f))(jnp.asarray(X))
    assert [e.primitive.name for e in program.eqns if e.primitive.name in ("scan", "while")] == ["scan"]
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5), ag.jit(f)(X), f(X.copy()))


def test_the_program_holds_the_rows_that_are_there():
    program = jax.make_jaxpr(ag.convert(every_tenth))(jnp.asarray(X))
    scan = next(e for e in program.eqns if e.primitive.name == "scan")
    assert (7,) in [v.aval.shape for v in scan.outvars]  # six, and one for the iterations that append nothing
    assert (60,) not in [v.aval.shape for v in scan.outvars]


def test_derivatives_and_lanes():
    def f(x):
        return jnp.stack(every_tenth(x)).sum()

    f = ag.convert(f)
    want = np.repeat(np.arange(6, 0, -1), 10) - (np.arange(60) % 10 > 0)
    np.testing.assert_allclose(jax.jit(jax.grad(f))(X), want)
    np.testing.assert_allclose(jax.vmap(jax.grad(f))(jnp.stack([X, 2 * X])), [want, want])


def test_numbers_of_python_stay_numbers():
    def f(x):
        found = []
        for i in range(50):
            x = x * 0.9
            if i % 20 == 10:
                found.append((i, i * 0.1, x))
        return jnp.zeros(found[1][0]).at[0].set(found[0][2]), int(found[1][1] * 1e6)

    got, want = ag.jit(f)(jnp.float32(2.0)), f(jnp.float32(2.0))
    assert got[0].shape == (30,) and int(got[1]) == want[1]
    np.testing.assert_allclose(got[0], want[0], rtol=1e-5)


def test_a_loop_around_that_decides_as_well_is_unrolled_or_refused():
    def diagonal(x, numbers):
        found = []
        for i in numbers:
            for j in ag.range(4):
                if j == i:
                    found.append(x[i] * x[j])
        return found

    jax.tree.map(np.testing.assert_array_equal, ag.jit(lambda x: diagonal(x, range(4)))(X), diagonal(X, range(4)))
    with pytest.raises(ag.StagingError, match="in which iterations the list grows"):
        ag.jit(lambda x: diagonal(x, ag.range(4)))(X)
