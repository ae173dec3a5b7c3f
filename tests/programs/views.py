"""Views that are changed in place, and copies that are written through: what NumPy's memory shows."""

import functools
import operator

import numpy as np

import autograph as ag
from tests.programs.harness import floats, program

MATRIX = floats([9.0, 2.0, 5.0], [4.0, 8.0, 3.0], [1.0, 7.0, 6.0])


@program((MATRIX, 1), transforms=("vmap",))
def a_column_sorts(m, j):
    m = np.array(m)
    m[:, j].sort()
    return m


@program((MATRIX,), transforms=("vmap",))
def a_row_in_a_dict_sorts(m):
    m = np.array(m)
    d = {"k": m * 2.0}
    d["k"][1:].sort(axis=0)
    d["k"][0].sort(kind="stable")
    return d["k"][:, 0].sum()


@program((MATRIX, 2.5), (MATRIX, -2.5))
def sorted_and_filled_in_branches(m, x):
    m = np.array(m)
    if x > 0:
        m[:, 1].sort()
    else:
        m[1:, 0].fill(x)
    return m


@program((MATRIX, 2.5), stages_anyway=True)
def rows_sort_in_a_loop(given, x):
    m = np.array(given)
    for i in ag.range(3):
        m[i].sort()
        m[i, 1:].fill(x + i)
    return m


@program((2.5,), transforms=("vmap",))
def an_array_of_its_own_is_filled(x):
    a, b = np.zeros(3, np.float32), np.zeros((2, 3), np.float32)
    a.fill(x)
    b[:, 1].fill(x)
    return a + b


@program((MATRIX, 2.5, np.array([1, 0])), transforms=("vmap",))
def copies_are_written_through(m, x, ix):
    m = np.array(m)
    m[[0, 1]][0] = x
    m[ix][0] += x
    m[[0, 1]][:, 0] = x
    m[ix][0].sort()
    return m


@program((MATRIX, 2.5), transforms=("vmap",))
def copies_of_their_own(m, x):
    m = np.array(m) * 1.0
    same, flat, repeated = m.astype(m.dtype), m.flatten(), m.repeat(1, axis=0)
    whole, reshaped, shifted = np.concatenate([m]), np.reshape(m, 9, copy=True), np.positive(m)
    m[0, 0] = x
    same[0, 1] = x
    flat[2] = x
    return (m + same + repeated + whole + shifted).sum() + (flat * reshaped).sum()


@program((MATRIX,), stages_anyway=True)
def a_copy_in_each_iteration(m):
    m = np.array(m)
    kept = m
    for i in ag.range(3):
        kept = kept.astype(kept.dtype)
    return kept + 1


@program((MATRIX, 2.5))
def operators_by_name(m, x):
    m = np.array(m)
    counts = [1]
    operator.iadd(counts, [2])
    operator.setitem(counts, 0, x)
    return operator.iadd(m + 0, x), functools.reduce(operator.imul, [m[0] + 1, x, x]), counts


@program((MATRIX, 2.5))
def an_element_is_a_number(m, x):
    m = np.array(m)
    first, last = m[0, 0], m[..., -1, -1] + 0
    m[0, 0] = x
    m[2, 2] = x
    return m, first, last


@program((MATRIX, 2.5), (MATRIX, -2.5), transforms=("vmap",))
def functions_that_write(given, x):
    t, out = np.array(given), np.zeros((3, 3), np.float32)
    np.copyto(t[0], x)
    np.copyto(t, t.T, where=t > 4)
    np.multiply(t, x, out=out)
    np.add(out[0], x, out=out[1])
    np.put(t, [0, 4, -1], [x, 7.0])
    np.putmask(t, t > 6, [x, 1.0, 2.0])
    np.fill_diagonal(out, x)
    np.put_along_axis(out, np.array([[0], [1], [2]]), x, 1)
    np.add.at(t, ([0, 0, 1], [1, 1, 2]), x)
    np.maximum.at(t[2], [0, 0], x)
    np.copyto(t[[0, 1]], x)
    return t, out


@program((MATRIX, 2.5), (MATRIX, -2.5), stages_anyway=True)
def functions_that_write_in_staged_statements(given, x):
    t = np.array(given)
    t += x
    if x > 0:
        np.copyto(t[1:], x)
    else:
        np.add(t, x, out=t, where=t > 0)
    for i in ag.range(3):
        np.add.at(t, i, x)
    return t


@program((2.5,), (-2.5,), stages_anyway=True)
def an_array_of_its_own_is_changed_whole_in_a_loop(x):
    t = np.array([3.0, 1.0, 2.0], np.float32)
    for i in ag.range(2):
        t.sort()
        t[0] += x
    if x > 0:
        t.fill(x)
    return t


@program((MATRIX, 2.5))
def arrays_in_tuples(given, x):
    t = np.array(given)
    pair = (t * 2, [t[0] + 1])
    pair[0][0] = x
    pair[1][0][1] = x
    t[np.array([0, 1])][0] += x
    return t, pair[1]


@program((MATRIX, 2.5), transforms=("vmap",))
def elements_that_are_views(given, x):
    t = np.array(given)
    t[0, ..., 0][...] += x
    t[1, ..., 1][...] = x
    t[..., 2, 2].fill(x)
    return t
