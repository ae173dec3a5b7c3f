"""What jax.numpy lacks is refused by name; what NumPy raises too stays the program's own error."""

import numpy as np
import pytest

import autograph as ag

F = np.array([2.0, -1.5, 0.5], np.float32)


def test_what_jax_lacks_is_no_event_of_the_program():
    def f(x):
        try:
            return np.percentile(x, 50, method="weibull")
        except ValueError:
            return -1.0

    assert f(F) == 0.5
    with pytest.raises(
        ag.StagingError, match=r"numpy.percentile\(\) with these arguments has no counterpart in jax.numpy"
    ):
        ag.jit(f)(F)


def test_what_numpy_raises_too_is_an_event():
    def f(x):
        try:
            return np.add(x, x[:2])
        except (ValueError, TypeError):
            return x

    np.testing.assert_array_equal(ag.jit(f)(F), F)
    with pytest.raises(ValueError, match="axis 3 is out of bounds"):
        ag.jit(lambda x: np.sum(x, axis=3))(F)


def test_a_function_of_the_user_is_not_run_again():
    ran = []

    def broken(row):
        ran.append(0)
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        ag.jit(lambda x: np.apply_along_axis(broken, 0, x))(F)
    assert len(ran) == 1
