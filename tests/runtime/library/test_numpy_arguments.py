"""Arguments that NumPy takes and jax.numpy does not."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.library.numpy_arguments import METHODS

F = np.array([2.0, -1.5, 0.5], np.float32)
U = np.array([3, 255, 7], np.uint8)
M = np.array([[2, -1, 1], [1, 3, -2]], np.int32)


def keywords(x):
    return (
        np.sort(x, kind="stable"), np.argsort(x, kind="mergesort"), x.argsort(kind="heapsort"), np.copy(x, order="F"),
        x.copy("C"), x.copy(order="K"), np.zeros_like(x, order="F"), x.astype(np.float32, order="F", casting="unsafe"),
        np.concatenate([x, x], casting="unsafe"), np.array(x, order="C", subok=True), np.isin(x, 2, kind="sort"),
        np.ravel(x, order="K"), x.reshape(3, 1, order="A"), np.multiply(x, x, dtype=np.float32), np.add(x, x, order="F"),
    )  # fmt: skip


def lists(x):
    return (
        x.take([0, 2]), x.take((0, 1), mode="clip"), x.repeat([1, 2, 0]), x.compress([1, 0, 1]), x.dot([1, 2, 3]),
        x.all(where=[True, False, True]), np.choose([0, 1, 0], [x, x + 1]), np.sort(x).searchsorted([0, 1]), np.triu(x), np.tril(x, -1), np.delete(x, []),
    )  # fmt: skip


def of_integers(x):
    return np.round(x, -1), x.round(-1), np.around(x, decimals=-2), np.round(x, 1)


def of_floats(x):
    return (
        np.nanstd(x, correction=1),
        np.nanvar(x, correction=1),
        np.polyfit([0, 1, 2], x, 1),
        np.polyfit(np.arange(3), x, 1),
    )


CASES = [(keywords, F), (keywords, U), (lists, F), (of_integers, U), (of_integers, M), (of_floats, F)]


@pytest.mark.parametrize(("fn", "x"), CASES)
def test_as_in_numpy(fn, x):
    for found, known in zip(ag.jit(fn)(x), fn(x), strict=True):
        assert found.dtype == jax.dtypes.canonicalize_dtype(np.asarray(known).dtype)
        np.testing.assert_allclose(found, known, rtol=1e-4)


def test_methods_under_grad_vmap_and_function():
    def f(x):
        return x.take([0, 2]).repeat([2, 1]).sum(where=[True, True, False])

    x = jnp.array([1.0, 2.0, 3.0])
    assert ag.function(f)(x) == 2
    np.testing.assert_array_equal(jax.grad(ag.jit(f))(x), [2, 0, 0])
    np.testing.assert_array_equal(jax.vmap(ag.convert(f))(jnp.stack([x, 2 * x])), [2, 4])


def test_what_jax_lacks_is_refused():
    cases = [
        lambda x: np.gradient(x, edge_order=2), lambda x: x.ravel("K").view(np.ndarray), lambda x: np.argmax(x + 1j),
        lambda x: (x + 1j).argmin(), lambda x: np.ravel(np.stack([x, x]), order="K"), lambda x: np.histogram_bin_edges(x, "auto"),
    ]  # fmt: skip
    for fn in cases:
        with pytest.raises(ag.StagingError, match=r"with these arguments has no counterpart in jax.numpy"):
            ag.jit(fn)(F)


def test_what_numpy_refuses_is_its_error():
    cases = [
        (lambda x: x.astype(int, casting="safe"), TypeError),
        (lambda x: np.reshape(x, (3, 1), order="K"), ValueError),
        (lambda x: x.take([0, 1], axis=3), ValueError),
        (lambda x: x.take([0.5]), (TypeError, ValueError)),
    ]
    for fn, error in cases:
        with pytest.raises(error):
            ag.jit(fn)(F)


def test_a_method_that_raises_nothing_is_called_once():
    def f(x):
        return x.sum() + x.take(1)

    assert "sum" in METHODS.values()
    assert str(jax.make_jaxpr(ag.convert(f))(F)) == str(jax.make_jaxpr(f)(F))


def test_in_an_array_of_any_shape():
    def f(m, x):
        return 3 in m, m[0] in m, x in m, [1, 3, -2] in m

    assert ag.jit(f)(M, 7) == f(M, 7) == (True, True, False, True)
    with pytest.raises(TypeError, match="argument of type 'int' is not iterable"):
        ag.jit(lambda x: 3 in x)(4)


def test_joined_by_subscripts():
    def f(x, n):
        return np.r_[x, n], np.c_[x, x], np.r_[n, 2]

    for found, known in zip(ag.jit(f)(U, 3), f(U, 3), strict=True):
        assert found.dtype == jax.dtypes.canonicalize_dtype(known.dtype)
        assert not found.weak_type
        np.testing.assert_array_equal(found, known)
    for call in (lambda x: np.r_[x, 300], ag.jit(lambda x: np.r_[x, 300])):
        with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
            call(U)
