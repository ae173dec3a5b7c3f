"""A bound beyond 32 bits is an infinity where nobody can see that, and refused where somebody could."""

import sys

import jax
import jax.numpy as jnp
import pytest

import autograph as ag

XS = jnp.array([3.0, 1.0, 2.0])
BIG = 1e300
NAN, INF = float("nan"), float("inf")
ROWS = [[3.0, 1.0, 2.0], [INF, 5.0, INF], [INF, INF, INF], [NAN, NAN, 1.0], [-INF, 3.0, 1.0]]


def least_and_greatest(xs):
    low, high, i_low, i_high = 1e300, -BIG, -1, -1
    for i, x in enumerate(xs):
        if x < low:
            low, i_low = x, i
        if high < x:
            high, i_high = x, i
    return i_low, i_high


def two_least(xs):
    first = second = sys.float_info.max
    at, behind = -1, -1
    for i, x in enumerate(xs):
        if x < first:
            first, second, at, behind = x, first, i, at
        elif second > x:
            second, behind = x, i
    return at, behind


def steps_until_it_rises(xs):
    last, i = 2e300, 0
    while i < len(xs) and not xs[i] >= last:
        last = xs[i] + 1
        i += 1
    return i


def nearest(xs, x=2.5):
    best, found = BIG, 0.0
    for y in xs:
        d = (y - x) ** 2
        if d < best:
            best, found = d, y
    return found


@pytest.mark.parametrize("fn", [least_and_greatest, two_least, steps_until_it_rises, nearest])
def test_where_it_is_only_compared_it_works_on_infinities_too(fn) -> None:
    expected = [fn(row) for row in ROWS]
    assert [jax.tree.map(float, ag.jit(fn)(jnp.array(row))) for row in ROWS] == expected
    assert [jax.tree.map(float, ag.function(fn)(jnp.array(row))) for row in ROWS] == expected
    lanes = jax.vmap(ag.convert(fn))(jnp.array(ROWS))
    assert [jax.tree.map(lambda x: float(x[k]), lanes) for k in range(len(ROWS))] == expected


def test_derivatives_are_those_of_what_is_found() -> None:
    assert ag.jit(jax.grad(ag.convert(lambda xs: nearest(xs) ** 2)))(XS).tolist() == [6.0, 0.0, 0.0]


def returned(xs):
    best = 1e300
    for x in xs:
        if x < best:
            best = x
    return best


def computed_with(xs):
    best, at = 1e300, 0
    for i, x in enumerate(xs):
        if x < best:
            best, at = (x + best) / 2, i
    return at


def compared_otherwise(xs):
    best, at = 1e300, 0
    for i, x in enumerate(xs):
        if x <= best:
            best, at = x, i
    return at


def moved_on(xs):
    best, last = 1e300, 0.0
    for x in xs:
        if x < best:
            last, best = best, x
    return last


def captured(xs):
    best, at = 1e300, 0

    def show():
        return best

    for i, x in enumerate(xs):
        if x < best:
            best, at = x, i
    return at, show()


def bound_with_another(xs):
    best = other = 1e300
    at = 0
    for i, x in enumerate(xs):
        if x < best:
            best, at = x, i
        elif x <= other:
            other = x
    return at


def shown(xs):
    best, at = -1e300, 0
    for i, x in enumerate(xs):
        if x > best:
            best, at = x, i
    print(best)
    return at


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("fn", [returned, computed_with, compared_otherwise, moved_on, captured, bound_with_another, shown])
def test_where_an_infinity_could_be_seen_it_is_refused(fn) -> None:
    with pytest.raises(ag.StagingError, match=r"does not fit into float32(.|\n)*instead: compute in 64 bits"):
        ag.jit(fn)(XS)


def test_nothing_is_marked_in_other_functions() -> None:
    assert "ag__.start" not in ag.to_code(returned) and "bound_op" not in ag.to_code(returned)
