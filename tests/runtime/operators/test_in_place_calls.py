"""Functions of NumPy that write an array, as statements: the answer of NumPy, or what NumPy raises."""

import numpy as np
import pytest

import autograph as ag

MATRIX = np.array([[9.0, 2.0, 5.0], [4.0, 8.0, 3.0], [1.0, 7.0, 6.0]], np.float32)


def in_reverse_order(m, x):
    np.copyto(m[::-1], x)
    np.copyto(m[1], [x, 1.0, 2.0])
    return m


def into_a_copy(m, x):
    np.copyto(m[[0, 1]], x)
    np.add(m, x, out=m[[0, 1, 2]])
    return m


def a_sum_into_a_row(m, x):
    np.sum(m, axis=0, out=m[0])
    np.add(m[1], x, out=m[2], where=m[0] > 15)
    return m


def places(m, x):
    np.place(m, m > 4, [x, 1.0, 2.0])
    np.subtract.at(m[0], [0, 0, 1], x)
    np.put(m, [0, 12], [x, 1.0], mode="wrap")
    return m


@pytest.mark.parametrize("program", [in_reverse_order, into_a_copy, a_sum_into_a_row, places])
def test_the_variable_gets_what_numpy_writes(program):
    np.testing.assert_array_equal(ag.jit(program)(MATRIX, 2.5), program(MATRIX.copy(), np.float32(2.5)))


def floats_into_integers(m, x):
    counts = np.zeros(3, int)
    np.copyto(counts, x)
    return counts


def a_number_into_a_row(m, x):
    np.sum(m, out=m[0])
    return m


def a_sum_of_floats_into_integers(m, x):
    counts = np.zeros(3, int)
    np.add(counts, x, out=counts)
    return counts


@pytest.mark.parametrize("program", [floats_into_integers, a_number_into_a_row, a_sum_of_floats_into_integers])
def test_what_numpy_does_not_write_is_not_written(program):
    with pytest.raises((TypeError, ValueError)):
        program(MATRIX.copy(), np.float32(2.5))
    with pytest.raises((ag.StagingError, ValueError), match="is assigned to an element of an array of dtype|does not match"):
        ag.jit(program)(MATRIX, 2.5)
