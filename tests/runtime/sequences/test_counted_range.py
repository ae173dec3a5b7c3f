"""Ranges inside of a loop whose bounds are its numbers: where their length is the same in each iteration, Python iterates over them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

X = np.arange(12.0, dtype=np.float32)


def moving_sums(x):
    y = x * 0
    for i in ag.range(1, 11):
        y[i] = sum(0.5 * x[k] for k in range(i - 1, i + 2))
    return y


def in_a_list(x):
    total = 0.0
    for i in ag.range(1, 11):
        total += max([x[k] for k in range(i - 1, i + 2)]) * len(list(range(i, i + 3)))
    return total


def in_a_dict(x):
    for i in ag.range(1, 9):
        found = {k - i: x[k] for k in range(i, i + 3)}
    return found


def unpacked(x):
    total = 0.0
    for i in ag.range(1, 9):
        a, b, c = range(i, i + 3)
        total += x[a] + x[b] * x[c]
    return total


def backwards(x):
    total = 0.0
    for i in ag.range(1, 9):
        total = total * 0.5 + sum(x[k] * w for k, w in zip(reversed(range(i, i + 3)), (0.5, 0.25, 0.125), strict=True))
        total += sum(x[k] for k in range(i + 2, i, -1))
    return total


def of_a_counter(x):
    total, n = 0.0, 0
    for _ in ag.range(20):
        n = n + 1 if n < 9 else 0
        total += sum(x[k] for k in range(n, n + 3))
    return total


def nested(x):
    total = 0.0
    for i in ag.range(1, 9):
        total += sum(x[k + j] for k in range(i, i + 2) for j in range(2)) + (i + 1 in range(i, i + 3))
    return total


def an_array(x):
    total, n = 0.0, 0
    for i in ag.range(1, 9):
        n = n + 1 if n < 6 else 0
        total += x[np.arange(i, i + 3)].sum() + x[jnp.arange(n - 1, n + 3, 2)].sum() * i
        total += x[np.arange(i + 2, i - 1, -1)][0] + np.arange(i, i + 2, dtype=np.float32)[1] / 2
    return total


def listed_of_a_counter(x):
    total, n, i = 0.0, 0, 0
    while i < 40:
        i += 1
        n = (n + 5) % 9
        total += [x[k] * w for k, w in zip(range(n, n + 3), (0.5, 0.25, 0.125), strict=True)][n % 3]
    return total


@pytest.mark.parametrize(
    "f",
    [moving_sums, in_a_list, in_a_dict, unpacked, backwards, of_a_counter, nested, an_array, listed_of_a_counter],
    ids=lambda f: f.__name__,
)
def test_a_range_of_known_length(f):
    found, wanted = (jax.tree.leaves(of(X.copy())) for of in (ag.jit(f), f))
    assert len(found) == len(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_range_whose_length_differs_stays_a_loop_or_is_refused():
    def total(x):
        found = 0.0
        for i in ag.range(1, 11):
            found += sum(x[k] for k in range(i))
        return found

    def listed(x):
        for i in ag.range(1, 11):
            found = [x[k] for k in range(i)]
        return found

    assert ag.jit(total)(X) == total(X)
    def array(x):
        for i in ag.range(1, 11):
            x = x + np.arange(i).sum()
        return x

    with pytest.raises(ag.StagingError, match="a range with traced bounds"):
        ag.jit(listed)(X)
    assert ag.jit(array)(X).tolist() == array(X).tolist()
