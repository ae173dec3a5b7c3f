"""Loops that end by a test which Python's numbers decide: one loop of the program, of so many iterations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.operators import long_loops, peeling

X = np.random.default_rng(0).standard_normal(100).astype(np.float32)


def counted(x):
    s, i = 0.0, 0
    while i < len(x):
        s += x[i] * (i / len(x))
        i += 1
    return s, i


def until_a_time(x):
    y, t = x[0], 0.0
    while t < 8.0:
        y = y * 0.9 + x[3] * t
        t += 0.1
    return y, int(t * 1000)


def sieve(x):
    p = 2
    while p * p < 2000:
        if x[p] > 0:
            for j in range(p * p, len(x), p):
                x[j] = -1.0
        p += 1
    return x, p


def of_an_attribute(x):
    class State:
        t, y = 0.0, x[0]

    state = State()
    while state.t < 5:
        state.y = state.y * 0.9 + x[1]
        state.t += 0.05
    return state.y, int(state.t * 1000)


class Holder:
    def __init__(self):
        self.n = 0


def of_a_number_without_a_form_in_the_program(x):
    state, i = Holder(), -2
    while i < 7 and state.n < 40:
        i += 1
        j = 0
        while j * j < i * 3:
            j += 1
            state.n = i**3 % 7919 % 10**10
    return x[0], state.n


def of_an_attribute_beside_a_counter(x):
    class State:
        t = 0.0

    state, s, i = State(), x[0], 0
    while i < 1000 and state.t < 5:
        s = s + x[1]
        state.t += 0.05
        i += 1
    return s, i


def of_what_a_function_counts(x):
    n, i, s = 0, 0, x[0]

    def step():
        nonlocal n
        n += 3

    while i < 500 and n < 300:
        s = s + x[1]
        step()
        i += 1
    return s, i, n


def growing_at_two_speeds(x):
    s, t, i = x[0], 0, 0
    while t < 100:
        if x[0] > i - 10:
            k = 1
            t += 2
        else:
            k = k + 0
            t += 1
        s = s + x[k]
        i += 1
    return s, i, t


def writing_test(x):
    n, s = 60, x[0]
    while (n := n - 1) > 0:
        s = s + x[n] * n
    return s, n


def bisection_of_large_integers(x):
    low, high, s = 0, 1 << 60, x[0]
    while low < high:
        middle = (low + high) // 2
        s = s + x[middle % 100]
        low, high = (middle + 1, high) if middle * middle < 12345678901234567 else (low, middle)
    return s, low % 1000


def endless_with_break(x):
    s, i = 0.0, 0
    while True:
        if i >= len(x):
            break
        s += x[i]
        i += 2
    return s, i


def grows(x):
    out, n = [], 0
    while n < 60:
        out.append(x[n] * n)
        n += 1
    return out[0], out[-1], len(out)


def leaves(x):
    s = 0.0
    for i in range(len(x)):
        if i * i > 3000:
            break
        s += x[i]
    return s, i


def returns(x):
    for i in range(1, len(x)):
        x[i] = x[i] + x[i - 1]
        if i * i > 7000:
            return i, x
    else:
        x[0] = 100.0
    return -1, x


def never_leaves(x):
    for i in range(1, len(x)):
        x[i] = x[i] + x[i - 1]
        if i * i > 7e10:
            break
    else:
        x[0] = 100.0
    return x


STAGED = [
    counted, until_a_time, sieve, of_an_attribute, of_an_attribute_beside_a_counter, of_what_a_function_counts, writing_test, bisection_of_large_integers, endless_with_break, grows, leaves,
    returns, never_leaves,
]  # fmt: skip


def powers(x):
    n, found = 1, {}
    while n < 50:
        found[n] = x[n]
        n += 1
    return found[7]


def printed(x):
    n = 0
    while n < 50:
        if n == 40:
            print("forty")
        x = x * 0.9
        n += 1
    return x


def short(x):
    n = 1 << 20
    while n > 1:
        x = x * 0.9 + n
        n //= 2
    return x


def halving_lists(x):
    parts = [x[k] for k in range(16)]
    while len(parts) > 1:
        parts = [a + b for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


UNROLLED = [powers, printed, short, halving_lists]


def loops(f):
    return [e.primitive.name for e in jax.make_jaxpr(ag.convert(f))(jnp.asarray(X)).eqns if e.primitive.name in ("scan", "while")]


def check(f):
    wanted, found = f(X.copy()), ag.jit(f)(jnp.asarray(X))
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("f", STAGED)
def test_one_loop(f):
    assert loops(f) == ["scan"]
    check(f)


@pytest.mark.parametrize("f", UNROLLED)
def test_copies_where_the_loop_is_short_or_needs_its_numbers(f):
    assert loops(f) == []
    check(f)


def test_a_number_that_only_the_first_trace_of_an_iteration_shows_as_known():
    check(growing_at_two_speeds)


def test_a_number_without_a_form_in_the_program_counts_nothing(monkeypatch):
    monkeypatch.setattr(peeling, "FEW", 2)  # before an iteration writes it
    monkeypatch.setattr(long_loops, "LEAST_AROUND_A_LOOP", 2)
    check(of_a_number_without_a_form_in_the_program)


@pytest.mark.parametrize("n", [51, 52, 53])
def test_a_break_that_the_loop_around_decides_too(n):
    """The loop inside has 52 iterations left when they are counted: as many as the one around, whose numbers are not its own."""

    def f(count):
        for i in ag.range(n):
            for k in range(60):
                if i == 0:
                    count += 1
                    continue
                if k == 50:
                    break
                count += 1
        return count

    assert ag.jit(f)(1) == f(1)


@pytest.mark.parametrize("at", [0, 1, 37, 59, 60])
@pytest.mark.parametrize("seen", [-1, 0, 20, 59])
def test_flags_end_a_loop_where_python_ends_it(at, seen):
    """One flag ends the loop, and the other only matters later, in a test that needs both."""

    def f(x):
        total, first, late = x[0] * 0, False, False
        for i in range(60):
            total += x[i]
            if i == seen:
                first = True
            if i % 7 == 3 and first:
                late = True
            if i == at or (late and i > 40):
                break
        else:
            total += 1000
        return total, i, first, late

    check(f)
    assert loops(f) == ([] if at < 2 else ["scan"])


def test_derivatives_and_vmap():
    def f(x):
        y, t = x, 0.0
        while t < 4.0:
            y = jnp.sin(y * 0.5) + t
            t += 0.1
        return y

    def by_hand(x):
        return jax.lax.scan(lambda y, t: (jnp.sin(y * 0.5) + t, None), x, np.cumsum([0.0] + [0.1] * 39))[0]

    f = ag.convert(f)
    xs = jnp.linspace(0.0, 1.0, 5)
    for g in (jax.grad, jax.jacfwd):
        np.testing.assert_allclose(jax.jit(jax.vmap(g(f)))(xs), jax.vmap(g(by_hand))(xs), rtol=1e-4, atol=1e-20)


def test_a_traced_test_stays_a_while():
    def f(x, limit):
        i = 0
        while i < 50 and x < limit:
            x = x * 1.5
            i += 1
        return x, i

    assert ag.jit(f)(1.0, 100.0) == f(1.0, 100.0)
    assert [e.primitive.name for e in jax.make_jaxpr(ag.convert(f))(1.0, 2.0).eqns if e.primitive.name == "while"] == ["while"]
