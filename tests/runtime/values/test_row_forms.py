"""Arrays of different lengths that an `if` joins or a loop carries, beside NumPy's."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

VALUES = [3.0, -1.0, 4.0, 1.5, -9.0, 2.0]


def two_kinds(x, k, t):
    y = x[:k] if t else x[x > 0]
    return y, y.sum(), np.sort(y), y[::-1], len(y), y + 1


def whole_or_selection(x, k, t):
    y = x
    if t:
        y = x[x > 0]
    return y, y.mean(), y[-1]


def two_lengths(x, k, t):
    y = x[1:]
    if t:
        y = x[:2]
    elif k > 2:
        y = np.zeros(1)
    return y, y.sum()


def two_axes(x, k, t):
    m = np.outer(x, x)
    m = m[:k, :2] if t else m[m[:, 0] > 0]
    return m, m.sum(axis=0)


def returned(x, k, t):
    if t:
        return x[:k]
    return x


def of_pairs(x, k, t):
    pair = (x[:k], 1) if t else (x[1:], 2)
    return pair[0], pair[1]


def of_other_types(x, k, t):
    y = np.arange(3) if t else x[x > 0]
    return y, y * 2


def ends_cut_off(x, k, t):
    y, n = x, 0
    while n < min(k, 3):
        y = y[1:-1] if t else y[1:]
        n += 1
    return y


def filtered_again(x, k, t):
    y = x
    while y.sum() > k:
        y = y[y > y.min()]
    return y, len(y)


def cut_where_true(x, k, t):
    y = x
    for i in ag.range(k):
        if x[i] > 0:
            y = y[1:]
    return y


def turned_and_thinned(x, k, t):
    y = x[::-1]
    for _ in ag.range(k):
        y = y[::-1] if t else y[::2]
    return y


def longer_in_the_loop(x, k, t):
    y, z = x[:2], x
    for i in ag.range(k):
        y, z = z[:i], y
    return y, z


def of_differences(x, k, t):
    y = x
    for _ in ag.range(k):
        y = np.diff(y)
    return y


def absent_at_first(x, k, t):
    y = None
    for i in ag.range(k):
        if x[i] > 0:
            y = x[:i] if t else x[x > 0]
    return x if y is None else y


def returned_from_a_loop(x, k, t):
    y, i = x, 0
    while i < k:
        if x[i] < -5:
            return y
        y = y[:-1]
        i += 1
    return y[y > 0]


PROGRAMS = [two_kinds, whole_or_selection, two_lengths, two_axes, returned, of_pairs, of_other_types, ends_cut_off, filtered_again,
            cut_where_true, turned_and_thinned, longer_in_the_loop, of_differences, absent_at_first, returned_from_a_loop]  # fmt: skip


def check(got: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple):
        assert len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            check(one, other)
    else:
        assert np.shape(np.asarray(got)) == np.shape(wanted)
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=2e-5)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_lengths_differ_as_in_numpy(program) -> None:
    compiled = ag.jit(program)
    for k in (1, 2, 5):
        for t in (False, True):
            x = np.array(VALUES, np.float32)
            check(compiled(jnp.asarray(x), k, t), program(x, k, t))


def test_derivatives_and_lanes_are_those_of_the_branch_taken() -> None:
    def f(x, k, t):
        y = x[:k] if t else x[x > 0]
        while len(y) > 2:
            y = y[1:]
        return (y * y).sum() + np.log(y).sum()

    x = jnp.array([3.0, 0.0, 4.0, 1.5, -9.0, 0.0])
    slope = jax.jit(jax.grad(ag.convert(f)))
    np.testing.assert_allclose(slope(x, 1, True), [2 * 3 + 1 / 3, 0, 0, 0, 0, 0], rtol=1e-5)
    np.testing.assert_allclose(slope(x, 1, False), [0, 0, 2 * 4 + 1 / 4, 2 * 1.5 + 1 / 1.5, 0, 0], rtol=1e-5)
    lanes = jax.jit(jax.vmap(ag.convert(f), (None, 0, 0)))(x, jnp.array([1, 6]), jnp.array([True, False]))
    np.testing.assert_allclose(lanes, [9 + np.log(3), 16 + np.log(4) + 2.25 + np.log(1.5)], rtol=1e-5)


# --- views ---


def written_before_it_is_widened(a, k):
    y = a[0]
    for j in ag.range(2):
        y = a[j, j:k]
        a[j][:k] = 0.5
    return y


def written_in_the_loop(a, k):
    y = a[0, :2]
    for j in ag.range(2):
        y[0] = 9.0
        y = a[j, :k]
    return a


def written_after_the_loop(a, k):
    y = a[0, :2]
    for j in ag.range(2):
        if k < j:
            y = a[j, :k]
    y[0] = 9.0
    return a


def base_written_after_a_join(a, k):
    y = a[0, :2] if k > 2 else a[0, :k]
    a[0, 0] = 9.0
    return y


def base_written_before_the_loop(a, k):
    y = a[0, :2]
    a[0, 0] = 9.0
    for j in ag.range(2):
        if k < j:
            y = a[j, :k]
    return y


@pytest.mark.parametrize(
    "program",
    [written_before_it_is_widened, written_in_the_loop, written_after_the_loop, base_written_after_a_join, base_written_before_the_loop],
    ids=lambda f: f.__name__,
)
def test_a_view_stays_a_view_of_its_array(program) -> None:
    with pytest.raises(ag.StagingError, match="is read after it was written under another name"):
        ag.jit(program)(jnp.arange(16.0).reshape(4, 4), 3)


def test_an_array_that_grows_without_end_is_refused() -> None:
    def f(x, k):
        y = x[:k]
        while k > 0:
            y = np.append(y, 1.0)
            k -= 1
        return y

    with pytest.raises(ag.StagingError, match="each iteration makes a longer array"):
        ag.jit(f)(jnp.arange(3.0), 2)
    with pytest.raises(ag.StagingError, match="different values(.|\n)*at most 3(.|\n)*different kinds"):
        ag.jit(lambda x, k: x[:k] if k > 1 else x[0])(jnp.arange(3.0), 2)
