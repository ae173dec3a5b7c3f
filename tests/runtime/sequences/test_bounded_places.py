"""Indices of several arrays whose length is known when the program runs, beside NumPy's."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4)
CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
PLACES = np.array([1, -1, 2, 0, -2], np.int32)


def read(a, i, k):
    j = i[i != k]
    return a[j, j], a[j, 0], a[2, j], a[j[:2], [1, 2]] if k == 9 else a[j, j + 1], a[i[:k], i[:k] + 1]


def written(a, i, k):
    j = i[i != k]
    a[j, j + 1] = 7
    a[i[:2], i[:2]] += 1
    a[1, j[:2]] = j[:2]
    a[j[:1], 0] = 5
    a[i[:k], 0] *= 2
    return a


def in_a_loop(a, i, k):
    rows, columns = i + 2, (i + 3) % 3
    for n in range(3):
        if not len(rows):
            break
        near = rows != n + k - 2
        a[rows[near], columns[near]] = n + 1
        rows, columns = rows[near], columns[near]
    return a, len(rows)


def beside_a_whole_axis(c, i, k):
    j = i[:k]
    return c[:, j, j + 1], c[:, :, j].sum()


PROGRAMS = [(read, MATRIX), (written, MATRIX), (in_a_loop, np.zeros((5, 4), np.float32)), (beside_a_whole_axis, CUBE)]


def check(got: Any, expected: Any) -> None:
    for one, other in zip(jax.tree.leaves(got, is_leaf=lambda x: type(x) is ag.BoundedArray), jax.tree.leaves(expected), strict=True):
        np.testing.assert_array_equal(np.asarray(one), other)


@pytest.mark.parametrize(("program", "a"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_the_elements_are_those_of_numpy(program, a) -> None:
    lengths = [0, 1, 3]
    expected = [program(a.copy(), PLACES, k) for k in lengths]
    jitted = ag.jit(program)
    for k, result in zip(lengths, expected, strict=True):
        check(jitted(a, PLACES, k), result)
    lanes = jax.jit(jax.vmap(ag.convert(program), (None, None, 0)))(jnp.asarray(a), jnp.asarray(PLACES), jnp.array(lengths))
    for n, result in enumerate(expected):
        check(jax.tree.map(lambda leaf, n=n: leaf[n], lanes), result)


def test_the_derivative_is_that_of_the_elements() -> None:
    slope = jax.grad(ag.convert(lambda a, i, k: (a[i[:k], i[:k] + 1] ** 2).sum()))(jnp.asarray(MATRIX), jnp.asarray(PLACES), 3)
    expected = np.zeros_like(MATRIX)
    np.add.at(expected, (PLACES[:3], PLACES[:3] + 1), 2 * MATRIX[PLACES[:3], PLACES[:3] + 1])
    np.testing.assert_allclose(slope, expected)


@pytest.mark.parametrize(
    "program",
    [lambda a, i, k: a[i[:k], i[:k] + 3].sum(), lambda a, i, k: a[i[:k] - 3, i[:k]].sum(), lambda a, i, k: a[i[:k], i[k:]].sum()],
    ids=["too great", "too small", "of two lengths"],
)
def test_bad_indices_fail_when_the_program_runs(program) -> None:
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match=r"IndexError|lengths"):
        jax.block_until_ready(ag.jit(program)(MATRIX, PLACES, 2))


def test_other_indices_are_refused_by_name() -> None:
    for program in (
        lambda a, i, k: a[i[:k], :, i[:k]],
        lambda a, i, k: a[None, i[:k], i[:k]],
        lambda a, i, k: a[i[:k], i[:k, None]],
        lambda a, i, k: a[a[:, :, 0] > k, i[:k]],
        lambda a, i, k: a[:, i[:k], a[0, 0] > k],
    ):
        with pytest.raises(ag.StagingError, match="an index of several arrays"):
            ag.jit(program)(CUBE, PLACES, 2)
