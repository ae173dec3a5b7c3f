"""Loops whose bounds come from the index of a loop around: their numbers are Python's in each iteration, as in one loop."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

X = np.random.default_rng(0).standard_normal(40).astype(np.float32)


def floats_of_two_indices(x):
    s = x[0]
    for i in range(len(x)):
        for j in range(i):
            s += x[j] * int(math.sin(0.1 * i) * (j / (i + 1)) * 1000)
    return s


def counters(x):
    s, count, t = x[0], 0, 0.0
    for i in range(len(x)):
        for j in range(i, len(x)):
            s += x[j] * (count % 7)
            count += 1
            t += 0.1
    return s, count, int(t * 1000)


def sieve(x):
    s, total = x[0], 0
    for i in range(2, len(x)):
        for j in range(i * i, len(x), i):
            s += x[j] * int(j * 0.7)
            total += j
    return s, total


def downwards(x):
    s, weights = x[0], 0.0
    for i in range(len(x)):
        w = 1.0
        for j in range(len(x) - 1, i, -1):
            w *= 0.9
            s += x[j] * int(w * 1000)
        weights += w
    return s, int(weights * 1000)


def wrapped(x):
    s = x[0]
    for i in range(len(x)):
        for k, j in enumerate(range(i)):
            s += x[j] * (k**7 % 1009)
        for j in reversed(range(i)):
            s += x[j] * int(1000 * 0.5 ** (i - j))
        for a, b in zip(range(i), range(3, len(x))):
            s += x[a] * (b**9 % 11)
    return s


def three_deep(x):
    s, count = x[0], 0
    for i in range(12):
        for j in range(i):
            for k in range(j, i):
                s += x[k] * int(i / (j + k + 1) * 100)
                count += k
    return s, count


def of_one_length(x):
    s, t = x[0], 0.0
    for i in range(30):
        for j in range(i, i + 3):
            s += x[j]
            t += 0.1
    return s, int(t * 1000)


def last_of_some(x):
    s, last = x[0], -1
    for i in range(len(x)):
        for j in range(i):
            if j % 3 == 0:
                last = j * 37
        s += x[i] * last
    return s, last


def bound_inside(x):
    s = x[0]
    for i in range(len(x)):
        for j in range(i + 1):
            y = int(0.7 * j * 100)
        s += x[i] * y
    return s, y


def raises_where_there_is_no_iteration(x):
    s = x[0]
    for i in range(len(x)):
        for j in range(i):
            s += x[j] * int(1000 / i)
    return s


def first_iteration_gives_the_kind(x):
    s = x[0]
    for i in range(1, len(x)):
        best = None
        for j in range(i):
            best = x[j] if best is None else jnp.maximum(best, x[j] * j)
        s += best
    return s


PROGRAMS = [
    floats_of_two_indices, counters, sieve, downwards, wrapped, three_deep, of_one_length, last_of_some, bound_inside,
    raises_where_there_is_no_iteration, first_iteration_gives_the_kind,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_numbers_of_nests(f):
    staged = ag.convert(f)
    assert len(jax.make_jaxpr(staged)(X).eqns) < 30
    want, got = jax.tree.leaves(f(X.astype(float))), jax.tree.leaves(ag.jit(f)(X))
    assert [float(n) for n in want[1:]] == [float(n) for n in got[1:]]
    np.testing.assert_allclose(np.float32(want[0]), got[0], rtol=2e-5, atol=1e-2)


def test_numbers_behind_a_nest_are_pythons():
    kinds = []

    def f(x):
        count, t = 0, 0.0
        for i in range(len(x)):
            for j in range(i):
                x[j] = x[j] + i
                count += 1
                t += 0.1
        kinds.append((type(count), type(t)))
        return jnp.zeros(count)

    assert ag.jit(f)(X).shape == (780,)
    assert kinds == [(int, float)]


@pytest.mark.parametrize("bound", [0, 1, 5])
def test_inner_loops_may_have_no_iteration(bound):
    def f(x):
        s, count = x[0], 0
        for i in range(8):
            for j in range(min(i, bound)):
                for k in range(j):
                    s += x[k] * int(k * 0.1 * 100)
                    count += 1
        return s, count

    want, got = f(X), ag.jit(f)(X)
    assert (float(want[0]), want[1]) == (pytest.approx(float(got[0]), rel=1e-5), int(got[1]))


def test_derivatives_of_a_nest():
    def f(x):
        s = x[0]
        for i in range(12):
            w = 1.0
            for j in range(i):
                w *= 0.9
                s = s + x[j] * x[i] * w
        return s

    def by_arrays(x):
        i, j = jnp.tril_indices(12, -1)
        return x[0] + jnp.sum(x[j] * x[i] * 0.9 ** (j + 1.0))

    x = jnp.asarray(X)
    np.testing.assert_allclose(jax.grad(ag.convert(f))(x), jax.grad(by_arrays)(x), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(
        jax.vmap(ag.convert(f))(jnp.stack([x, 2 * x])), jax.vmap(by_arrays)(jnp.stack([x, 2 * x])), rtol=1e-4
    )


def inner_time(x):
    s = x[0]
    for i in range(1, len(x)):
        t = 0.0
        while t < 1.0:
            s += x[i] * int(t * 1000)
            t += 0.1 / i
    return s


def halved(x):
    s = x[0]
    for i in range(len(x)):
        j = i
        while j > 0:
            s += x[j] * int(j * 0.7)
            j //= 2
    return s


def primes(x):
    s, count = x[0], 0
    for i in range(2, len(x)):
        for p in range(2, 40):
            if p >= i or i % p == 0:
                break
        else:
            count += 100
        if p >= i:
            s += x[i] * int(i * 0.3)
            count += 1
    return s, count


def halves_of_an_int(x):
    s, step = x[0], 1
    for i in range(len(x)):
        step *= 0.5
        s += x[i] * int(step * 2**20)
    return s, int(step * 2**40)


def counter_as_key(x):
    s, count, rates = x[0], 0, {0: 1, 1: 4, 2: 9}
    for i in range(len(x)):
        count += 1
        s += x[i] * rates[count % 3]
    return s, count


@pytest.mark.parametrize("f", [inner_time, halved, primes, halves_of_an_int, counter_as_key], ids=lambda f: f.__name__)
def test_loops_inside_that_end_by_known_tests_and_kinds_of_the_first_iteration(f):
    staged = ag.convert(f)
    assert [e.primitive.name for e in jax.make_jaxpr(staged)(X).eqns].count("scan") == 1
    want, got = jax.tree.leaves(f(X.astype(float))), jax.tree.leaves(ag.jit(f)(X))
    assert [float(n) for n in want[1:]] == [float(n) for n in got[1:]]
    np.testing.assert_allclose(np.float32(want[0]), got[0], rtol=1e-5)


def test_a_counter_of_a_large_nest_is_computed_without_its_numbers():
    def f(x):
        count = 0
        for i in range(10_000):
            for j in range(i):
                x[j % 4] = x[j % 4] + 1
                count += 2
        return jnp.zeros(3), count

    assert jax.eval_shape(ag.convert(f), jnp.zeros(4))[0].shape == (3,)
    assert jax.make_jaxpr(ag.convert(f))(jnp.zeros(4)).jaxpr.outvars[1].val == 99_990_000
