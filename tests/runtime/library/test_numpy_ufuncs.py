"""Methods of NumPy's ufuncs on traced values, against NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

F = np.array([2.0, -1.5, 0.5], np.float32)
U = np.array([3, 250, 7], np.uint8)
M = np.array([[2, -1, 1], [1, 3, -2]], np.int32)


def outer(x, y):
    return np.hypot.outer(x, y), np.subtract.outer(x, 300), np.maximum.outer(2, y)


def reduced(x):
    return np.fmax.reduce(x), np.hypot.reduce(x, keepdims=True), np.add.reduce(x, initial=2, where=x > 0)


def over_axes(x):
    return (
        np.add.reduce(x, axis=(0, 1)),
        np.fmin.reduce(x, axis=None),
        np.gcd.reduce(x, 1),
        np.minimum.reduce(x, initial=0),
    )


def running(x):
    return np.maximum.accumulate(x), np.subtract.accumulate(x), np.multiply.accumulate(x), np.add.accumulate(x)


def pieces(x):
    return np.add.reduceat(x, [0, 2]), np.maximum.reduceat(x, (2, 0)), np.subtract.reduceat(x, np.array([0, 1]))


CASES = [
    (outer, F, F), (outer, U, F), (reduced, F), (over_axes, M), (running, F), (running, U), (running, M), (pieces, F), (pieces, U),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "args"), [(fn, args) for fn, *args in CASES])
def test_as_in_numpy(fn, args):
    for found, known in zip(ag.jit(fn)(*args), fn(*args), strict=True):
        assert found.dtype == jax.dtypes.canonicalize_dtype(known.dtype)
        np.testing.assert_allclose(found, known, rtol=1e-6)


def test_numpy_says_what_is_wrong():
    cases = [
        (lambda x: np.subtract.reduce(x, axis=(0, 1)), M, ValueError, "not reorderable"),
        (lambda x: np.maximum.reduce(x[:0]), F, ValueError, "zero-size array to reduction operation maximum"),
        (lambda x: np.bitwise_and.reduce(x), F, TypeError, "did not contain a loop"),
        (lambda x: np.add.reduceat(x, [0, 5]), F, IndexError, "out of bounds"),
    ]
    for fn, x, error, text in cases:
        for call in (fn, ag.jit(fn)):
            with pytest.raises(error):
                call(x)
        with pytest.raises(error, match=text):
            ag.jit(fn)(x)


def test_one_loop_serves_grad_and_vmap():
    def f(x):
        return np.hypot.reduce(x)

    x = jnp.array([3.0, 4.0, 12.0])
    np.testing.assert_allclose(jax.grad(ag.jit(f))(x), x / 13, rtol=1e-6)
    np.testing.assert_allclose(jax.vmap(ag.convert(f))(jnp.stack([x, 2 * x])), [13, 26])
    np.testing.assert_allclose(ag.function(f)(x), 13)


def test_what_changes_or_fills_an_array_is_refused():
    def at(x):
        add = np.add.at
        add(x, [0, 0], 1)
        return x

    with pytest.raises(ag.StagingError, match=r"numpy.add.at\(\) changes an array in place"):
        ag.jit(at)(F)
    with pytest.raises(ag.StagingError, match=r"numpy.add.reduce\(out=...\) cannot write"):
        ag.jit(lambda x: np.add.reduce(x, out=np.zeros(())))(F)
    with pytest.raises(ag.StagingError, match=r"numpy.power.reduce\(\) of a traced array"):
        ag.jit(lambda x: np.power.reduce(x))(F)


def test_bools_are_put_into_an_array_of_bools_alone():
    def f(x):
        np.logical_xor.at(x, [0, 0, 1], True)
        return x

    bools = np.array([True, False, False])
    np.testing.assert_array_equal(ag.jit(f)(bools.copy()), f(bools.copy()))
    with pytest.raises(ag.StagingError, match="a value of dtype bool is assigned to an element of an array of dtype float32"):
        ag.jit(f)(F)
