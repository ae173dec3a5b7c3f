"""Lists as indices of arrays: the answers of NumPy."""

import jax
import numpy as np
import pytest

import autograph as ag

MATRIX = np.array([[2.0, 1.0, 5.0], [4.0, 3.0, 3.0], [8.0, 7.0, 9.0]], np.float32)


def pivot_swap(m, k):
    p = k
    for i in ag.range(3):
        if m[i, 0] > m[p, 0]:
            p = i
    m[[k, p]] = m[[p, k]]
    return m


def elimination(m, k):
    n = len(m)
    order = m[:, 0] * 0
    for k in ag.range(n - 1):
        p = abs(m[:, k]).argmax()
        order[k] = p
        m[[k, p], :] = m[[p, k], :]
        for i in ag.range(n):
            if i > k:
                m[i] -= m[k] * (m[i, k] / m[k, k])
    return m, order


def reads(m, k):
    rows = [k, 0]
    last = m[[-1, k]], m[[True, False, True]], m[[]], m[[[0, k], [1, 1]]]
    return m[rows], m[[0, 1]], m[rows, [1, 2]], m[:, rows], m[..., [k, 0]], m[[k, 1], :2], last


def columns_written(m, k):
    m[:, [0, k]] = 0
    m[1:, [k, k + 1]] = [[7, 8], [9, 10]]
    return m


def the_last_of_equal_indices_stays(m, k):
    m[[k, k]] = [[1, 2, 3], [4, 5, 6]]
    m[[k, k], :2] = [[7, 8], [9, 10]]
    m[[0, 0, k], [2, 2, 2]] = [4, 5, 6]
    m[[2, 2]] = [[1, 2, 3], [4, 5, 6]]
    return m


def each_is_added_once(m, k):
    m[[k, 0, k]] += 1
    m[[0, 0, 1], 2] *= 3
    return m


def attributes_and_rows(m, k):
    held = {"m": m.copy(), "rows": [m.copy()]}
    held["m"][[k, 0]] = held["m"][[0, k]]
    held["rows"][0][:, [k, 0]] += 2
    m[1][[k, 0]] = m[1][[0, k]]
    return held, m


def what_was_read_is_a_copy(m, k):
    b, c, d = m[[0, 1]], m[[k]], m[:, [0]]
    b[0] = 5
    c[0] = 3
    d += 3
    return m, b, c, d


def constant_array(m, k):
    return np.arange(12).reshape(4, 3)[[k, 2]] + m[[0, 1]]


PROGRAMS = [
    pivot_swap,
    elimination,
    reads,
    columns_written,
    the_last_of_equal_indices_stays,
    each_is_added_once,
    attributes_and_rows,
    what_was_read_is_a_copy,
    constant_array,
]


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("k", [0, 1])
def test_numpy_answers_the_same(fn, k):
    got = ag.jit(fn)(MATRIX, k)
    wanted = fn(MATRIX.copy(), k)
    assert jax.tree.structure(got) == jax.tree.structure(wanted)
    jax.tree.map(lambda w, g: np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-6), wanted, got)


def test_an_index_for_each_lane():
    got = jax.jit(jax.vmap(ag.convert(pivot_swap), (None, 0)))(MATRIX, np.array([0, 1]))
    np.testing.assert_array_equal(got[0], pivot_swap(MATRIX.copy(), 0))
    np.testing.assert_array_equal(got[1], pivot_swap(MATRIX.copy(), 1))


def test_a_known_index_out_of_range():
    def read(m):
        return m[[0, 7]]

    def write(m):
        m[[0, -4]] = 1
        return m

    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        ag.jit(read)(MATRIX)
    with pytest.raises(IndexError, match="index -4 is out of bounds for axis 0 with size 3"):
        ag.jit(write)(MATRIX)
