"""What is known about the size of traced integers, and what it saves; never more than is true."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.jaxprs.rules import regions
from autograph.runtime.tracing import comparisons, integer_ranges


def known(fn, *args):
    """The bounds of `fn(i, *args)` for an `i` from 2 to 9."""
    found = []

    def f(i, *args):
        found.append(integer_ranges.range_of(fn(integer_ranges.declare_range(i, 2, 9), *args)))
        return i

    jax.make_jaxpr(f)(jnp.int32(3), *args)
    return found[0]


@pytest.mark.parametrize(
    ("fn", "want"),
    [
        (lambda i: i, (2, 9)),
        (lambda i: i - 3, (-1, 6)),
        (lambda i: 10 - i, (1, 8)),
        (lambda i: i * -2, (-18, -4)),
        (lambda i: i * i, (4, 81)),
        (lambda i: i // 4, (0, 2)),
        (lambda i: (i - 4) // 4, (-1, 1)),
        (lambda i: i % 5, (0, 4)),
        (lambda i: jax.lax.max(i, jnp.int32(5)), (5, 9)),
        (lambda i: jax.lax.clamp(3, i, 4), (3, 4)),
        (lambda i: i.astype(jnp.int8) + 1, (3, 10)),
        (lambda i: jnp.argmax(jnp.arange(7) * i), (0, 6)),
        (lambda i: i // -4, None),
        (lambda i: 7 // i, None),
        (lambda i: -i, (-9, -2)),
        (lambda i: jnp.clip(i, 3, 4), (3, 4)),
        (lambda i: jnp.clip(jnp.arange(7).sum(), 0, i), (0, 9)),
        (lambda i: i * 2_000_000_000, None),
        (lambda i: i * 1.0, None),
        (lambda i: jnp.arange(9)[i], None),
    ],
)
def test_bounds_follow_arithmetic(fn, want):
    assert known(fn) == want


def test_another_number_is_unknown():
    assert known(lambda i, j: i + j, jnp.int32(1)) is None


@pytest.mark.parametrize(
    ("of", "test", "high"),
    [
        (lambda n, m: n, lambda n, m: n <= 4, 4),
        (lambda n, m: 2 * m + 1, lambda n, m: (n <= 4) & (m < n), 7),
        (lambda n, m: m - n, lambda n, m: (n >= 1) & ~(m > 4), 3),
        (lambda n, m: n, lambda n, m: 3 - n >= -4, 7),
        (lambda n, m: jnp.minimum(n, m) % 7 * m, lambda n, m: (m < 3) & (m > 0), 12),
        (lambda n, m: n // 3 - 1, lambda n, m: n - 2 < 9, 2),
        (lambda n, m: n, lambda n, m: (n < m) & (m < n), None),
        (lambda n, m: n, lambda n, m: (n <= 4) | (n <= 5), None),
    ],
)
def test_bounds_that_tests_imply(of, test, high):
    def f(n, m):
        [low, found] = comparisons.bounds_behind(of(n, m), comparisons.implied_by(test(n, m), True))
        assert found == high if high is not None else found > 2**63
        return n

    jax.make_jaxpr(f)(jnp.int32(3), jnp.int32(4))


def test_a_wrap_around_is_not_a_bound():
    def f(i):
        small = integer_ranges.declare_range(i, 100, 120).astype(jnp.int8)
        assert integer_ranges.range_of(small) == (100, 120)
        assert integer_ranges.range_of(small + small) is None
        assert integer_ranges.range_of(integer_ranges.declare_range(i, 0, 300).astype(jnp.int8)) is None
        return i

    jax.make_jaxpr(f)(jnp.int32(110))


def equations(fn, *args):
    return str(jax.make_jaxpr(ag.convert(fn))(*args))


def test_items_of_ranges_index_arrays_without_tests():
    def table(xs):
        for i in ag.range(1, len(xs)):
            for j in ag.range(i, len(xs)):
                xs[i - 1, j] = xs[i, j] + xs[len(xs) - 1 - i, 0]
        return xs

    text = equations(table, jnp.zeros((5, 5)))
    assert "select_n" not in text
    assert text.count("dynamic_slice") == 2
    assert text.count("dynamic_update_slice") == 1
    xs = np.arange(25.0, dtype=np.float32).reshape(5, 5)
    np.testing.assert_array_equal(ag.jit(table)(jnp.asarray(xs)), table(xs.copy()))


def test_indices_that_leave_the_array_are_still_dropped_or_clamped():
    def f(xs, n):
        for i in ag.range(4):
            xs[i + 2] = 1.0 * i
        for i in range(n):
            xs[i] = xs[i] + xs[i + 1]
        for i in ag.range(-2, 2):
            xs[i] = xs[i] * 2
        return xs

    xs = jnp.arange(4.0)
    want = xs.at[2].set(0.0).at[3].set(1.0)
    for i in range(6):
        want = want.at[i].set(want[i] + want[i + 1], mode="drop")
    for i in range(-2, 2):
        want = want.at[i].set(want[i] * 2)
    np.testing.assert_array_equal(ag.jit(f)(xs, 6), want)


def knapsack(best, weight, value):
    for room in range(len(best) - 1, weight - 1, -1):
        best[room] = max(best[room], best[room - weight] + value)
    return best


def coins(ways, coin):
    for total in range(coin, len(ways)):
        if total >= 2:
            ways[total] = ways[total] + ways[total - coin]
    return ways


def moved(xs, start):
    for i in range(start, len(xs) - 2):
        xs[i - start - 1] = xs[i + start] + xs[start - i]
    return xs


@pytest.mark.parametrize(("fn", "tests"), [(knapsack, 2), (coins, 3), (moved, 3)])
@pytest.mark.parametrize("k", [1, 2, 4, 11])
def test_an_item_less_the_beginning_of_its_range_is_not_negative(fn, tests, k):
    xs = np.arange(9, dtype=np.int32)
    if fn is moved and k < 11:
        k = -2 if k == 1 else 0
    args = (k, 3) if fn is knapsack else (k,)
    np.testing.assert_array_equal(ag.jit(fn)(jnp.asarray(xs), *args), fn(xs.copy(), *args))
    assert len(re.findall(r"add \w+ 9:i32", equations(fn, jnp.asarray(xs), *args))) == tests


def test_an_item_in_a_narrower_type_may_wrap_around():
    def f(xs, start):
        for i in range(start, start + 3):
            xs[(i - start + 127).astype(np.int8)] = i
        return xs

    assert ag.jit(f)(jnp.zeros(300, int), 5).tolist() == f(np.zeros(300, int), np.int32(5)).tolist()


def test_no_guard_where_a_step_or_a_list_index_is_known_to_be_good():
    def sieve(flags):
        for p in ag.range(2, 4):
            for multiple in range(p * p, len(flags), p):
                flags[multiple] = False
        return flags

    assert "callback" not in equations(sieve, jnp.ones(20, bool))
    assert ag.jit(sieve)(jnp.ones(20, bool)).tolist() == sieve(np.ones(20, bool)).tolist()
    assert "callback" not in equations(sum_of_list, jnp.float32(1))
    assert "callback" not in equations(sum_of_windows, jnp.arange(4.0))
    assert ag.jit(sum_of_windows)(jnp.arange(4.0)) == sum_of_windows(np.arange(4.0))


def sum_of_list(x):
    total = 0.0
    for i in ag.range(3):
        total = total + [x, 2.0, 3.0][i]
    return total


def sum_of_windows(x):
    total = 0.0
    for i in ag.range(3):
        total = total + x[i : i + 2].sum()
    return total


# --- what loops never make less ---


def equations_of_loop(fn, *args):
    """The names of the operations in the bodies of the loops of a program."""
    found = []
    pending = list(jax.make_jaxpr(fn)(*args).eqns)
    while pending:
        eqn = pending.pop()
        if eqn.primitive.name == "while":
            found += [inner.primitive.name for inner in eqn.params["body_jaxpr"].eqns]
        pending += [inner for region in regions(eqn) for inner in region.eqns]
    return found


def test_a_counter_needs_no_test_of_its_sign():
    @ag.convert
    def total(xs, n):
        at, total = 2, 0
        while at < n:
            total += xs[at] * xs[at - 2]
            at += 1
        return total

    xs = jnp.arange(9)
    assert "lt" not in equations_of_loop(total, xs, 5)
    assert int(jax.jit(total)(xs, 5)) == total(xs, 5) == 2 * 0 + 3 * 1 + 4 * 2


def test_a_supposition_that_fails_is_dropped_with_what_followed_from_it():
    @ag.convert
    def walk(xs, n):
        at, behind, seen = 3, 3, 0
        while n > 0:
            seen = 10 * seen + xs[behind]
            behind = at
            at -= 1
            n -= 1
        return seen

    xs = jnp.arange(1, 7)
    for n in range(7):
        assert int(jax.jit(walk)(xs, n)) == walk(xs, n)
    assert "lt" in equations_of_loop(walk, xs, 3)


def test_what_the_loop_test_says_is_known_in_the_body():
    @ag.convert
    def backwards(xs, at, x):
        at = 4
        while at > 0 and x > 0:
            x = x - xs[at - 1]
            at -= 1
        return at, x

    xs = jnp.arange(9)
    for x in (0, 3, 5, 100):
        assert tuple(map(int, jax.jit(backwards)(xs, 4, x))) == backwards(xs, 4, x)
    assert "lt" not in equations_of_loop(backwards, xs, 4, 3)


def test_sums_that_wrap_around_in_a_loop_are_as_without_it():
    @ag.convert
    def hashed(n):
        h = 7
        while n > 0:
            h = h * 31 + n
            n -= 1
        return h % 1000

    want = 7
    for n in range(20, 0, -1):
        want = (want * 31 + n + 2**31) % 2**32 - 2**31
    assert int(jax.jit(hashed)(20)) == want % 1000


def test_a_variable_of_two_loops():
    @ag.convert
    def f(xs, n, m):
        at = total = 0
        while n > 0:
            inner = at
            while inner < m:
                total += xs[inner]
                inner += 1
            at += 1
            n -= 1
        return total, at

    xs = jnp.arange(9)
    assert tuple(map(int, jax.jit(f)(xs, 3, 5))) == f(xs, 3, 5)
    assert tuple(map(int, jax.vmap(f, (None, 0, None))(xs, jnp.arange(3), 5)[0])) == tuple(
        f(xs, n, 5)[0] for n in range(3)
    )


def hue(h, v):
    i = int(h * 6.0) % 6
    if i == 0:
        return v, 0.0
    if i == 1:
        return 0.0, v
    if i < 4:
        return v, v
    if i - 1 == 3:
        return v, 1.0
    if not i != 5:
        return 1.0, v


def third(n):
    rest = n % 3
    if rest == 0:
        name = 10
    elif rest == 1:
        name = 20
    elif rest > 1:
        name = 30
    return name


def masked(n):
    k = n & 3
    if k < 2:
        if k > 0:
            return 1
        elif k == 0:
            return 2
    elif k != 3:
        return 3
    elif 3 <= k:
        return 4


def test_the_last_of_all_cases_is_no_question():
    for k in range(-7, 14):
        assert ag.jit(hue)(k / 6 + 0.01, 0.5) == hue(k / 6 + 0.01, 0.5)
        assert ag.jit(third)(k) == third(k) and ag.jit(masked)(k) == masked(k)
    assert "custom_call" not in ag.jit(third).lower(1).as_text()  # no check that `name` has a value


def test_a_case_that_is_left_open_is_one():
    def fourth(n):
        rest = n % 4
        if rest == 0:
            return n
        if rest == 1:
            return -n
        if rest == 2:
            return 2 * n

    with pytest.raises(ag.StagingError, match="different values in the returned value"):
        ag.jit(fourth)(1)
