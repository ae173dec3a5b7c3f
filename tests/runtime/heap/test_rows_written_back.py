"""Rows and slices that are written and put back, and those that lie apart: the answer of NumPy, or a refusal."""

import jax
import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError

MATRIX = np.arange(9, dtype=np.float32).reshape(3, 3) ** 2 % 7 + 1


def fix(row, value):
    row[0] = value


# --- a row that is written back ---


def at_a_traced_index(m, k):
    row = m[k]
    row[1] = 5
    row[0] += 1
    m[k] = row
    return m, row


def at_a_computed_index(m, k):
    row = m[abs(k - 5) % 3]
    row[1] = 5
    m[abs(k - 5) % 3] = row
    return m


def in_a_loop(m, k):
    for i in ag.range(3):
        row = m[i]
        for j in ag.range(3):
            row[j] = row[j] * 2 + k
        m[i] = row
    return m


def by_a_function(m, k):
    for i in ag.range(3):
        row = m[i]
        fix(row, i + k)
        m[i] = row
    return m


def in_a_branch(m, k):
    if k > 0:
        row = m[k]
        row[1] = 7
        m[k] = row
    return m


def written_in_a_branch(m, k):
    row = m[k]
    if row[0] > 1:
        row[1] = 7
    m[k] = row
    return m


def column(m, k):
    col = m[:, k]
    col[0] = 1
    m[:, k] = col
    return m


def slice_of_a_row(m, k):
    row = m[0]
    half = row[:2]
    half[0] = 3
    row[:2] = half
    return row


def written_after(m, k):
    row = m[0]
    row[0] = 1
    m[0] = row
    m[0, 2] = 9
    return m


# --- views that lie apart ---


def two_slices(m, k):
    a, b = m[:1], m[1:]
    a[0, 0] = 5
    b[0, 0] = 6
    b[1] += 1
    return a, b


def two_rows_written_back(m, k):
    row = m[0]
    row[0] = 1
    m[0] = row
    other = m[1]
    other[0] = 2
    m[1] = other
    return m


def row_beside_one_that_is_written_back(m, k):
    row, other = m[0], m[1]
    row[0] = 1
    m[0] = row
    return m, other + 1


def strided(m, k):
    a, c = m.T[0], m.T[1]
    c[1] = 9
    return a


SAME = [
    at_a_traced_index,
    at_a_computed_index,
    in_a_loop,
    by_a_function,
    in_a_branch,
    written_in_a_branch,
    column,
    slice_of_a_row,
    written_after,
    two_slices,
    two_rows_written_back,
    row_beside_one_that_is_written_back,
    strided,
]


def under_jit(fn, k):
    return ag.jit(fn)(MATRIX, k)


def under_vmap(fn, k):
    lanes = jax.jit(jax.vmap(ag.convert(fn)))(np.stack([MATRIX + 1, MATRIX]), np.array([1 - k, k]))
    return jax.tree.map(lambda lane: lane[1], lanes)


def under_jvp(fn, k):
    return jax.jit(lambda m, k: jax.jvp(lambda m: ag.convert(fn)(m, k), (m,), (m,))[0])(MATRIX, k)


TRANSFORMS = pytest.mark.parametrize("run", [under_jit, under_vmap, under_jvp], ids=lambda run: run.__name__[6:])


@TRANSFORMS
@pytest.mark.parametrize("fn", SAME, ids=lambda fn: fn.__name__)
def test_numpy_answers_the_same(fn, run):
    jax.tree.map(np.testing.assert_allclose, run(fn, 1), fn(MATRIX.copy(), 1))


# --- refused ---


def at_another_index(m, k):
    i = k
    row = m[i]
    row[0] = 9
    i = i - 1
    m[i] = row
    return m


def two_rows_and_one_written_back(m, k):
    row, other = m[0], m[1]
    row[0] = 1
    other[0] = 2
    m[0] = row
    return m


def written_again(m, k):
    row = m[0]
    row[0] = 1
    m[0] = row
    row[1] = 3
    return m + 0


def read_after_the_array_was_written(m, k):
    row = m[0]
    row[0] = 1
    m[0] = row
    m[0, 2] = 9
    return row + 0


def written_back_in_a_branch(m, k):
    row = m[k]
    row[1] = 7
    if k > 0:
        m[k] = row
    return m + 0


def slices_that_overlap(m, k):
    a, b = m[:2], m[1:]
    a[0, 0] = 5
    b[0, 0] = 6
    return a + b


def row_that_is_written_later(m, k):
    row = m[0]
    if k > 0:
        m[1] = 3
    if k > 0:
        m[0] = 3
    return row + m[1]


def row_that_may_be_written(m, k):
    row = m[0]
    m[k, 0] = 7
    return row + m[1]


def row_from_behind(m, k):
    row = m[0]
    m[-3] = 4
    return row + 0


def slice_with_a_step(m, k):
    b, c = m.T[::2], m.T[1]
    c[1] = 9
    return b + 0


def reversed_rows(m, k):
    last, first = m[::-1][:1], m[2:]
    last[0, 0] = 4
    return first + 0


def unused_sibling(m, k):
    row, other, third = m[0], m[1], m[1]
    row[0] = 1
    other[0] = 2
    return third + 0


def row_beside_one_that_is_written_back_is_written(m, k):
    row, other = m[0], m[1]
    row[0] = 1
    m[0] = row
    other[0] = 5
    return m + 0


def row_beside_one_that_was_written_back(m, k):
    row, other = m[0], m[1]
    row[0] = 1
    m[0] = row
    m[1, 0] = 5
    return other + 0


def two_rows_of_two_arrays(m, k):
    row, other = m[0], m[1]
    row[0] = 1
    m[0] = row
    again = m[1]
    again[0] = 7
    return other + 0


def two_rows_of_two_arrays_reversed(m, k):
    row, other = m[0], m[1]
    if k > 0:
        row[0] = 1
        m[0] = row
    again = m[1]
    other[0] = 7
    return again + 0


def part_of_a_row_beside(m, k):
    row, part = m[0], m[1][:1]
    row[0] = 1
    m[0] = row
    part[0] = 7
    return m + 0


def written_many_times(m, k):
    row = m[0]
    for i in range(20):
        m[1, i % 3] = i
    m[0] = 9
    return row + 0


def later_view(m, k):
    row = m[2]
    m[0] = 1
    other = m[2]
    other[0] = 8
    return row + 0


def later_view_after_a_branch(m, k):
    row = m[2]
    if k > 0:
        m[0] = 1
    other = m[2]
    other[0] = 8
    return row + 0


def array_after_its_row(m, k):
    row = m[2]
    m[0] = 1
    m[1] = k
    row[0] = 8
    return m + 0


def in_a_loop_around(m, k):
    row = m[2]
    m[0] = 1
    for i in ag.range(2):
        row[i] = i
    return m + 0


REFUSED = [
    at_another_index,
    two_rows_and_one_written_back,
    written_again,
    read_after_the_array_was_written,
    written_back_in_a_branch,
    slices_that_overlap,
    row_that_is_written_later,
    row_that_may_be_written,
    row_from_behind,
    slice_with_a_step,
    reversed_rows,
    unused_sibling,
    row_beside_one_that_is_written_back_is_written,
    row_beside_one_that_was_written_back,
    two_rows_of_two_arrays,
    two_rows_of_two_arrays_reversed,
    part_of_a_row_beside,
    written_many_times,
    later_view,
    later_view_after_a_branch,
    array_after_its_row,
    in_a_loop_around,
]


@pytest.mark.parametrize("run", [under_jit, under_vmap], ids=lambda run: run.__name__[6:])
@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_refused_where_numpy_would_show_the_write(fn, run):
    with pytest.raises(StagingError, match="under another name"):
        run(fn, 1)


def test_numbers_of_lanes_are_no_views():
    def swap(v, i, j):
        v[i], v[j] = v[j], v[i]

    def rotate(v, i):
        swap(v, i, 0)
        v[1], v[2] = v[2], v[1]
        return v

    got = jax.jit(jax.vmap(ag.convert(rotate)))(MATRIX, np.array([0, 1, 2]))
    np.testing.assert_array_equal(got, [rotate(row.copy(), i) for i, row in enumerate(MATRIX)])


def a_row_that_is_written_over(m):
    row = m[0]
    row[0] = 1.0
    m[0] = 7.0
    return row


def a_row_that_a_function_writes_in_a_branch(m):
    row = m[0]
    if m[1, 0] > 0:
        put = np.atleast_1d(row)
        put[0] = 2.0
    m[1] = 1.0
    return m


def a_row_that_is_added_to(m):
    row = m[0]
    row += 7.0
    m[0] = 1.0
    return row


def an_element_that_is_added_to(m):
    element = m[0, ..., 0]
    element += 7.0
    m[0, 0] = 1.0
    return element


WRITTEN_OVER = [
    a_row_that_is_written_over, a_row_that_a_function_writes_in_a_branch, a_row_that_is_added_to, an_element_that_is_added_to,
]  # fmt: skip


def test_a_row_that_is_added_to_is_written_back():
    def program(m):
        row = m[0]
        row += 7.0
        m[0] = row
        return row, m

    jax.tree.map(np.testing.assert_array_equal, ag.jit(program)(np.ones((2, 2), np.float32)), program(np.ones((2, 2), np.float32)))


@pytest.mark.parametrize("program", WRITTEN_OVER)
def test_another_value_than_the_row_is_written_over_it(program):
    with pytest.raises(StagingError, match="read after it was written under another name"):
        ag.jit(program)(np.ones((2, 2), np.float32))
