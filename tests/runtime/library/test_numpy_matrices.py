"""Functions of matrices, polynomials and truth give what NumPy's give, traced or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

M = np.array([[2.0, -1.0, 0.5], [1.0, 3.0, -2.0], [0.0, 4.0, 1.0]], np.float32)
Z = np.array([0.5j, 1, 1j], np.complex64)
U = np.array([3, 250, 7], np.uint8)
I = np.array([3, -2, 1], np.int32)  # noqa: E741  # a vector of integers

CALLS: list[tuple[Callable[[Any], Any], Any]] = [
    (lambda m: np.linalg.eigvalsh(m), M),
    (lambda m: np.linalg.eigvalsh(m, "U"), M),
    (lambda m: np.linalg.eigh(m, UPLO="U")[0], M),
    (lambda m: np.linalg.svd(m, hermitian=True)[1], M),
    (lambda m: np.linalg.pinv(m, hermitian=True), M),
    (lambda m: np.linalg.matrix_rank(m, 3.0), M),
    (lambda m: np.linalg.matrix_rank(m, rtol=0.5), M),
    (lambda m: np.linalg.matrix_rank(m), M - M),
    (lambda m: np.linalg.tensorsolve(m, m[0], axes=(1, 0)), M),
    (lambda m: np.linalg.lstsq(m, m[0])[1], M),
    (lambda m: np.linalg.lstsq(m[:, :2], m[0])[1], M),
    (lambda u: np.linalg.vector_norm(u), U),
    (lambda i: np.polyder(i), I),
    (lambda i: np.polyder(i, 2), I),
    (lambda i: np.polymul(i, i), I),
    (lambda u: np.polymul(u, u), U),
    (lambda u: np.vander(u), U),
    (lambda i: np.reciprocal(i), I),
    (lambda u: np.reciprocal(u), U),
    (lambda u: np.trapezoid(u), U),
    (lambda m: np.trapezoid(m, axis=0), I.reshape(3, 1)),
    (lambda z: np.all(z), Z),
    (lambda z: z.all(), Z),
    (lambda z: z[:1].any(), Z),
    (lambda x: np.asfortranarray(x), np.float32(2.5)),
    (lambda i: np.argpartition(i, 1)[1], I),
    (lambda i: np.partition(i, i[0] % 2)[i[0] % 2], I),
    (lambda i: np.argpartition(i, i[0] % 2)[i[0] % 2], I),
    (lambda m: np.partition(m, 1, axis=0)[1], M),
    (lambda i: np.digitize(i, [0, 2]), I),
]


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("number", range(len(CALLS)))
def test_the_answer_is_numpys(number: int, x64: bool) -> None:
    f, x = CALLS[number]
    with jax.enable_x64(x64):
        expected, got = np.asarray(f(x)), ag.jit(f)(x)
        kind = expected.dtype if x64 else jax.dtypes.canonicalize_dtype(expected.dtype)
        assert got.shape == expected.shape
        assert np.issubdtype(got.dtype, np.floating) if kind.kind == "f" else got.dtype == kind
        np.testing.assert_allclose(got, expected, rtol=2e-4, atol=1e-5)


def test_the_derivative_follows_the_triangle_that_is_read() -> None:
    def largest(m: Any) -> Any:
        return np.linalg.eigvalsh(m)[-1]

    gradient = jax.grad(ag.convert(largest))(jnp.asarray(M))
    step = 1e-2 * np.eye(3, dtype=np.float32)[[1]].T @ np.eye(3, dtype=np.float32)[[0]]  # below the diagonal
    slope = (largest(M + step) - largest(M - step)) / 2e-2
    np.testing.assert_allclose(gradient[1, 0], slope, rtol=1e-2)
    assert gradient[0, 1] == 0


def test_two_tolerances_are_refused_as_in_numpy() -> None:
    with pytest.raises(ValueError, match="can't be both set"):
        ag.jit(lambda m: np.linalg.matrix_rank(m, 1.0, rtol=0.5))(M)
