"""Loops of more iterations than Python computes numbers for: exact, or refused by name. The limit is 16 iterations here."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.tracing.known import evaluation, step_functions

N = 50
EXACT = {
    "i": lambda i: i,
    "5 - 2 * i": lambda i: 5 - 2 * i,
    "i * N + 3": lambda i: i * N + 3,
    "i // 3 + i % 7": lambda i: i // 3 + i % 7,
    "-i // 4": lambda i: -i // 4,
    "abs(i - 20)": lambda i: abs(i - 20),
    "min(i, 9) + max(i, 30)": lambda i: min(i, 9) + max(i, 30),
    "i**3": lambda i: i**3,
    "i & 6, i | 8, i ^ 5": lambda i: (i & 6) + 100 * (i | 8) + 10000 * (i ^ 5),
    "a choice": lambda i: i if i % 3 == 0 else -1,
    "tests of it": lambda i: 1 if 3 < i < 40 and not i == 7 or i == 45 else 0,
    "bits of tests": lambda i: (i > 3) & (i < 9) | (i == 20),
}
REFUSED = {
    "i / N": (lambda i: i / N, "jnp.float32(i)"),
    "0.1 * i": (lambda i: 0.1 * i, "jnp.float32(i)"),
    "math.sin(i)": (lambda i: math.sin(i), "jnp.float32(i)"),
    "float(i)": (lambda i: float(i), "jnp.float32(i)"),
    "i**9 % 1000": (lambda i: i**9 % 1000, "jnp.int32(i)"),
    "2 ** -i": (lambda i: 2.0**-i, "jnp.float32(i)"),
    "np.float64(i)": (lambda i: np.float64(i), "jnp.float32(i)"),
}


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(evaluation, "MOST_CELLS", 16)


def written(f, numbers=range):
    def program(y):
        for i in numbers(N):
            y[i] = f(i)
        return y

    return program


def check(program, *args):
    """The result under `jit` is that of plain Python, and the loop is not unrolled."""
    found, expected = ag.jit(program)(*args), program(*map(np.array, args))
    jax.tree.map(np.testing.assert_array_equal, found, expected)
    assert len(jax.make_jaxpr(ag.convert(program))(*args).eqns) < 12


@pytest.mark.parametrize("name", EXACT)
def test_ints_that_fit_are_computed_by_the_program(name):
    check(written(EXACT[name]), jnp.zeros(N, int))


@pytest.mark.parametrize("name", REFUSED)
def test_other_numbers_are_refused(name):
    f, instead = REFUSED[name]
    with pytest.raises(StagingError, match="computed from 'i' is not known in each iteration: there are") as refused:
        ag.jit(written(f))(jnp.zeros(N))
    assert refused.value.page == "too-many-numbers" and instead in refused.value.instead
    assert refused.value.location.lineno == f.__code__.co_firstlineno


def test_loops_over_ag_range_leave_them_to_the_program():
    found = ag.jit(written(lambda i: math.sin(0.1 * i), ag.range))(jnp.zeros(N))
    np.testing.assert_allclose(found, np.sin(np.float32(0.1) * np.arange(N, dtype=np.float32)), rtol=1e-5)


def counted(x):
    count, down, s = 0, 7, 0.0
    for i in range(N):
        s += x[count % 3] * i + down
        count += 2
        down -= 3
    return s, count, down, len(jnp.zeros(count))


def nested(x):
    count, s = 0, 0.0
    for i in range(9):
        for j in range(N):
            s += x[count % 4] * (i * N + j) - (count - N * i - j)
            count += 1
    return s, count


def stepped(x):
    i, s = 0, 0.0
    while i <= 3 * N:
        s += x[i % 4]
        i += 3
    while i > 4:
        s += x[i % 4]
        i -= 1
    return s, i, len(jnp.zeros(i))


@pytest.mark.parametrize("program", [counted, nested, stepped])
def test_variables_that_grow_evenly_are_known(program):
    check(program, jnp.arange(4.0))


WEIGHTS, LARGE, GRID = [0.1, 0.7, 0.25], np.array([3, 5_000, 7]), np.arange(12.0).reshape(3, 4) / 3


def elements(x):
    s = 0.0
    for i in range(N):
        s += x[0] * WEIGHTS[i % 3] + WEIGHTS[i % 3 - 3] + LARGE[i % 2] * x[1] + GRID[i % 3, -1 - i % 4]
    for v in WEIGHTS * 20:
        s += x[0] * v
    return s


def test_elements_are_read_by_the_program():
    x = jnp.array([1.5, 2.0])
    np.testing.assert_allclose(ag.jit(elements)(x), elements(np.array(x)), rtol=1e-5)
    assert len(jax.make_jaxpr(ag.convert(elements))(x).eqns) < 12


@pytest.mark.parametrize(
    "f",
    [
        lambda i: WEIGHTS[i % 3] * 10,
        lambda i: int(WEIGHTS[i % 3] * 1000),
        lambda i: LARGE[i % 3] ** 3 % 7,
        lambda i: -GRID[i % 3, 0],
    ],
)
def test_numbers_computed_from_elements_are_refused(f):
    with pytest.raises(StagingError, match="computed from the elements of a list or a NumPy array") as refused:
        ag.jit(written(f))(jnp.zeros(N))
    assert "jnp.asarray(xs)" in refused.value.instead


def time_steps(x):
    t = s = 0.0
    for _ in range(N):
        s += x * t
        t += 0.1
    return s


def in_two_loops(x):
    m, p = 0, 1
    for _ in ag.range(9):
        for _ in ag.range(N):
            m += 2
            p = (p + m) % 100
    return p + x


def under_a_test(x):
    count = 0
    for i in range(N):
        if i % 3 == 0:
            count += 1
        x = x + count
    return x, count, len(jnp.zeros(count))


def alternating(x):
    odd, last = False, -1
    for i in range(N):
        x = x + i if odd else x - i
        odd = not odd
        if odd:
            last = i
    return x, odd, last


def generator(x):
    n, before = 17, 0
    for _ in range(N):
        before, n = n, (n * 75 + 74) % 65537
        x = x + (n % 100) * (before % 7)
    return x, n, before


def collatz(x):
    most = 0
    for i in range(1, N):
        n, steps = i, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
            x = x + n % 11
        if steps > most:
            most = steps
        x = x * (1 + steps % 2)
    return x, most


def in_a_triangle(x):
    n = 5
    for i in range(N):
        for j in range(i):
            n = (n * 31 + i - j) % 1009
            x = x + n
        n += i
    return x, n


def unused(x):
    t, huge = 0.0, 1
    for _ in range(N):
        t = t * 0.5 + 0.1
        huge = huge * 3 + 1
        x = x + 1
    return x, np.float32(t), huge % 1013


class Box:
    def __init__(self):
        self.n = 0


def from_an_item(x):
    """The loop outside is traced again where it is seen to write an attribute."""
    box = Box()
    for m, _ in enumerate(range(N)):
        for _, _ in zip(range(N), x + jnp.zeros(N, int)):
            m += 2
            x += m % 13
        box.n += 1
    return x, m, box.n


@pytest.mark.parametrize("program", [from_an_item, in_two_loops, under_a_test, alternating, generator, collatz, in_a_triangle, unused])
def test_ints_within_bounds_are_carried_and_known_behind_the_loop(program):
    check(program, jnp.int32(3))


def test_ints_that_leave_the_integers_of_the_program_are_refused():
    def grows(x, m):
        n = 1
        for _ in range(m):
            x = x + n
            n = n * 3 % 2**34
        return x

    assert ag.jit(grows, static_argnums=1)(jnp.int32(0), 19) == grows(0, 19)
    with pytest.raises(StagingError, match="'n' is not known in each iteration: there are 50 iterations"):
        ag.jit(grows, static_argnums=1)(jnp.int32(0), 50)


def nested_under_a_test(x):
    count = 0
    for i in range(9):
        for j in range(N):
            if (i + j) % 3 == 0:
                count += 1
            x = x + count * 0.1
    return x


def over_an_array(x):
    t = 0.0
    for v in x + jnp.zeros(N):
        t += v * t if v > 1e9 else 0.0
    s, t = 0.0, 0.0
    for v in x + jnp.zeros(N):
        s += v * t
        t += 0.1
    return s


@pytest.mark.parametrize(
    ("program", "variable", "kind"),
    [(time_steps, "t", "float32(0)"), (nested_under_a_test, "count", "int32(0)"), (over_an_array, "t", "float32(0)")],
)  # fmt: skip
def test_other_variables_are_refused(program, variable, kind):
    with pytest.raises(StagingError, match=f"'{variable}' is not known in each iteration: there are") as refused:
        ag.jit(program)(1.5)
    assert f"jnp.{kind}" in refused.value.instead


def ends_late(x):
    for i in range(10**9):
        if i % 10**7 == 10**7 - 1:
            break
        x = x + i
    return x, i


def ends_early(x):
    t = 0.0
    for i in range(2, 10**9):
        if i * i > 1500:
            break
        x = x + t / i
        t += 0.1
    return x, i, t


def ends_on_ints(x):
    for i in range(N):
        if jnp.int32(i) >= 40:
            break
        x = x + i
    return x, i


def test_floats_of_carried_ints_are_refused():
    def thirds(x):
        count = 0
        for i in range(N):
            if i % 3 == 0:
                count += 1
            x = x + count * 0.1
        return x

    with pytest.raises(StagingError, match="a number computed from .*'count' is not known") as refused:
        ag.jit(thirds)(1.5)
    assert "jnp.float32(i)" in refused.value.instead


def test_a_jump_ends_a_range_that_is_too_long(monkeypatch):
    monkeypatch.setattr(evaluation, "MOST_CELLS", 1000)
    found, expected = ag.jit(ends_early)(1.5), ends_early(1.5)
    assert found[1:] == expected[1:]
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-6)
    assert "scan" in str(jax.make_jaxpr(ag.convert(ends_early))(1.5))


def test_a_jump_that_comes_late_is_refused_and_one_on_an_array_is_not(monkeypatch):
    monkeypatch.setattr(step_functions, "MOST_STEPS", 10_000)
    with pytest.raises(StagingError, match="how often this loop iterates is not known: there are more than") as refused:
        ag.jit(ends_late)(1)
    assert "test the array `jnp.int32(i)`" in refused.value.instead
    assert ag.jit(ends_on_ints)(1) == ends_on_ints(1)


def test_the_calls_of_all_functions_of_a_loop_count(monkeypatch):
    monkeypatch.setattr(evaluation, "MOST_CELLS", 1000)
    monkeypatch.setattr(evaluation, "MOST_CALLS_OF_LOOP", 3 * N)

    def waves(x, times):
        for i in range(N):
            for _ in range(times):
                x = x + math.sin(i)
        return x

    jax.make_jaxpr(ag.convert(waves), static_argnums=1)(0.5, 3)
    with pytest.raises(StagingError, match="the loop takes 200 calls of Python functions"):
        jax.make_jaxpr(ag.convert(waves), static_argnums=1)(0.5, 4)
