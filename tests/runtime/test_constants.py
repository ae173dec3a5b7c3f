"""NumPy arrays that are written after the program which is being traced has read them."""

import jax
import numpy as np
import pytest

import autograph as ag
from autograph import StagingError


def fill(a):
    a[0] = 4


def by_a_helper(v):
    x = np.zeros(2)
    first = v + x
    fill(x)
    return first, v + x


def by_a_method(v):
    x = np.zeros(2)
    first = v + x
    x.fill(3)
    return first, v + x


def by_its_flat_iterator(v):
    x = np.zeros(2)
    first = v + x
    x.flat[0] = 3
    return first, v + x


def by_a_function(v):
    x = np.zeros(2)
    first = v + x
    np.copyto(x, 1.0)
    return first, v + x


def as_the_result(v):
    x = np.zeros(2)
    first = v + x
    np.add(x, 1, out=x)
    return first, v + x


def as_the_result_of_a_method(v):
    x = np.zeros(2)
    first = v + x
    x.clip(1, 2, out=x)
    return first, v + x


def by_a_row(v):
    x = np.zeros((2, 2))
    first = v + x
    row = x[0]
    row[0] = 3
    return first, v + x


def in_a_dict(v):
    d = {"x": np.zeros(2)}
    first = v + d["x"]
    d["x"][0] = 3
    return first, v + d["x"]


def another_name(v):
    x = np.zeros(2)
    y = x if v > 0 else x + 1
    x[0] = 7
    return x, y


WRITES = [
    by_a_helper,
    by_a_method,
    by_its_flat_iterator,
    by_a_function,
    as_the_result,
    as_the_result_of_a_method,
    by_a_row,
    in_a_dict,
    another_name,
]


# Before JAX 0.9.2 nothing leads from the array to a constant of a branch.
SEEN = [f for f in WRITES if f is not another_name or jax.__version_info__ >= (0, 9, 2)]


@pytest.mark.parametrize("function", SEEN)
def test_a_write_that_the_program_would_not_see_is_refused(function):
    with pytest.raises(StagingError, match="is written after the compiled program has read it"):
        ag.jit(function)(1.0)


@pytest.mark.parametrize("function", [f for f in WRITES if f is not another_name])
def test_nothing_is_refused_where_nothing_is_traced(function):
    for x, y in zip(ag.convert(function)(1.0), function(1.0), strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_method_that_reads_is_no_write():
    def f(v):
        x = np.zeros(2)
        first = v + x
        return first, v + x.reshape(2).astype(np.float32), x.argsort()

    jax.tree.map(np.testing.assert_array_equal, ag.jit(f)(1.0), f(1.0))
