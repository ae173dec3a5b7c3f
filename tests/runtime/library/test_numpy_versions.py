"""Functions of NumPy and methods of arrays for which JAX's own have another answer: each as NumPy has it, and its errors."""

import operator
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

A, M = np.float32([3.0, 1.0, 2.5, 1.0]), np.float32([[2.0, 1.0], [1.0, 3.0]])
B, K, U = np.uint8([3, 250, 7, 7]), np.array([1, 2, 3, 9]), np.array([True, False, True, True])

AS_NUMPY: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "sum": (lambda a: (a.sum(initial=10), a.sum(0, None, None, False, 10), a.sum(), a.sum(where=a > 1, initial=1)), A),
    "sum of rows": (lambda m: (m.sum(0, initial=3), m.sum(axis=1, keepdims=True), np.sum(m, initial=3)), M),
    "prod": (lambda a: (a.prod(initial=2), np.prod(a, initial=2)), A),
    "max": (lambda a: (a.max(initial=10), a.min(initial=-10), a.max(), np.max(a, initial=10)), A),
    "of narrow integers": (
        lambda b: (b.sum(initial=300), b.prod(initial=2), b.max(initial=254), b.min(0, None, True)),
        B,
    ),
    "histogram": (lambda a: np.histogram(a, 3), A),
    "histogram of integers": (lambda k: np.histogram(k, 4), K),
    "histogram in a range": (lambda k: np.histogram(k, bins=3, range=(0, 6)), K),
    "histogram between edges": (lambda a: np.histogram(a, [0, 1, 2, 3]), A),
    "histogram with weights": (lambda a: (np.histogram(a, 2, None, None, a), np.histogram(a, 2, weights=a)), A),
    "density": (lambda a: np.histogram(a, 2, density=True)[0].sum(), A),
    "histogram of one number": (lambda a: np.histogram(a[:1], 2), A),
    "histogram2d": (lambda a: np.histogram2d(a, a, 2), A),
    "histogramdd": (lambda a: np.histogramdd((a, a + 1), 2)[0], A),
    "integers of a list": (lambda a: np.histogram(a, 2, weights=[1, 2, 3, 4])[0], A),
    "an element as quantile": (
        lambda b: np.quantile(b, 0.5, method="nearest") + np.percentile(b, 50, method="lower"),
        B,
    ),
    "diff": (lambda b: (np.diff(b, prepend=0), np.diff(b, append=300)), B),
    "polynomials": (lambda k: (np.polymul(k, k), np.polyval(k.astype(np.uint8), 2)), K),
    "poly": (lambda m: (np.poly(m), np.poly(m[0])), M),
    "quantile": (lambda a: (np.quantile(a, 0.5), np.percentile(a, [0, 100]), np.nanpercentile(a, 25)), A),
    "unravel_index": (lambda k: np.unravel_index(k, (2, 5)), K),
    "unravel_index by columns": (lambda k: np.unravel_index(k, (2, 5), order="F"), K),
    "place of the largest": (lambda m: m[np.unravel_index(np.argmax(m), m.shape)], M),
    "nanargmax": (lambda a: (np.nanargmax(a), np.nanargmin(np.where(a > 2, np.nan, a))), A),
    "means": (lambda u: (np.mean(u), u.std(), np.var(u), u.mean(0, keepdims=True)), U),
    "median": (lambda b: (np.median(b), np.average(b, weights=b), np.percentile(b, 30), b.var(ddof=1)), B),
    "clip": (lambda b: (b.clip(4, 300), np.clip(b, -1, None), np.clip(a=b, a_min=5, a_max=9), b.clip(max=8)), B),
    "isin": (lambda b: (np.isin(b, [7, 263]), np.isin(b, B), np.isin([3, 4], b)), B),
    "searchsorted": (lambda b: (np.searchsorted(np.sort(b), 7, "right"), np.sort(b).searchsorted(np.array([2, 8]))), B),
    "append": (lambda b: (np.append(b, 300), np.append(b, [1, 2])), B),
    "dot": (lambda b: (np.dot(b, 300), b.dot(b.astype(int)), np.outer(b, 300), np.inner(b, 300)), B),
    "comparisons": (lambda b: (np.equal(b, [3, 250, 1, 1]), np.less(b, b), np.not_equal(b, 2.5)), B),
    "a whole number": (lambda k: k * 2 if k[0].is_integer() else k, K),
    "running sums": (lambda b: (b.cumsum(), b.cumprod(), np.cumsum(b), np.cumsum(b > 5)), B),
    "edges of bins": (lambda k: (np.histogram_bin_edges(k, [0, 4, 9]), np.histogram_bin_edges(k * 1.0, 3)), K),
    "covariance": (lambda a: (np.cov(a), np.cov(a, aweights=a), np.cov(a, a[::-1], False)), A),
    "differences": (lambda k: (np.ediff1d(k), np.ediff1d(k, [9, 9], to_begin=7)), K),
    "truth of complex numbers": (lambda a: (np.bool_(a * 1j), all(a * 1j), any((a - a) * 1j)), A),
    "greatest of complex numbers": (lambda a: (max(a * 1j), min(a * 1j + 1)), A),
    "angle": (lambda a: (np.angle(a), np.angle(a[0] * 1j, deg=True)), A),
    "transform": (lambda a: (np.fft.fft(a, 2).real, np.fft.rfft(a, axis=-1, norm="ortho").real), A),
    "logic": (lambda b: (np.logical_and(b, 256), np.logical_or(0, b)), B),
}
TUPLES: dict[str, Callable[[Any], Any]] = {
    "meshgrid": lambda a: np.meshgrid(a, a[:2]),
    "gradient": lambda a: (np.gradient(a.reshape(2, 2)), np.gradient(a)),
    "broadcast_arrays": lambda a: np.broadcast_arrays(a, 1.0),
    "atleast_1d": lambda a: (np.atleast_1d(a, a[0]), np.atleast_2d(a)),
    "split": lambda a: np.split(a, 2),
}


@pytest.mark.parametrize("name", AS_NUMPY)
def test_the_answer_is_that_of_numpy(name: str) -> None:
    fn, x = AS_NUMPY[name]
    found, wanted = ag.jit(fn)(x), fn(x)
    assert jax.tree.structure(found) == jax.tree.structure(jax.tree.map(np.asarray, wanted))
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        assert (one.dtype.kind in "iu") == (np.asarray(other).dtype.kind in "iu")
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("name", TUPLES)
def test_the_result_has_the_type_of_numpy(name: str) -> None:
    fn = TUPLES[name]

    def typed(a):
        result = fn(a)
        return result, isinstance(result, tuple), [type(part) is tuple for part in result]

    found, wanted = ag.jit(typed)(A), typed(A)
    assert found[1:] == wanted[1:]
    jax.tree.map(np.testing.assert_allclose, found[0], wanted[0])


def test_edges_are_rounded_as_those_of_numpy() -> None:
    rng = np.random.default_rng(0)
    compiled = ag.jit(lambda a: np.histogram(a, 7))
    for _ in range(40):
        a = rng.normal(size=50).astype(np.float32)
        for one, other in zip(compiled(a), np.histogram(a, 7), strict=True):
            np.testing.assert_array_equal(one, other)


ERRORS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "percentile": (lambda a: np.percentile(a, 130), (A,)),
    "quantile": (lambda a: np.quantile(a, [0.5, -0.5]), (A,)),
    "nanquantile": (lambda a: np.nanquantile(a, 1.5), (A,)),
    "traced percentile": (lambda a, q: np.percentile(a, q), (A, 130.0)),
    "unravel_index": (lambda k: np.unravel_index(k, (2, 3))[0], (K,)),
    "negative unravel_index": (lambda k: np.unravel_index(k[0] - 2, (2, 3))[0], (K,)),
    "nanargmax": (lambda a: np.nanargmax(a * np.nan), (A,)),
    "nanargmin": (lambda a: np.nanargmin(a.reshape(2, 2) / np.float32([[0, 0], [1, 1]]) * 0, axis=1), (A,)),
    "full_like": (lambda b: np.full_like(b, 300), (B,)),
    "full_like of another type": (lambda a: np.full_like(a, -1, dtype=np.uint8), (A,)),
    "insert": (lambda b: np.insert(b, 0, 300), (B,)),
    "start": (lambda b: b.max(initial=300), (B,)),
    "negative start": (lambda b: np.sum(b, initial=-1), (B,)),
    "clip": (lambda b: np.clip(b, 300, 400), (B,)),
    "quantile of bools": (lambda u: np.quantile(u, 0.5), (U,)),
    "joined in a lower kind": (lambda a: np.concatenate([a, a], dtype=int), (A,)),
    "a complex number as float": (lambda c: np.float32(c), (1 + 2j,)),
    "a complex number as int": (lambda c: np.int8(c), (1 + 2j,)),
    "complex angle": (lambda c: np.arctan2(c, 1.0), (1 + 2j,)),
    "degrees of a complex number": (lambda c: np.degrees(c), (1 + 2j,)),
    "transform along no axis": (lambda a: np.fft.fft(a, axis=None), (A,)),
    "negative weights": (lambda a: np.cov(a, aweights=a - 2), (A,)),
    "an end of another kind": (lambda b: np.ediff1d(b, to_end=9), (B,)),
    "mean in integers": (lambda a: np.nanmean(a, dtype=int), (A,)),
    "piecewise": (lambda b: np.piecewise(b, [b > 5], [300, 0]), (B,)),
    "sorted along no axis": (lambda a: a.sort(None), (A,)),
    "round of a complex number": (lambda c: round(c), (1 + 2j,)),
    "joined arrays": (lambda a: operator.concat(a, a), (A,)),
    "ufunc": (lambda b: np.hypot(b, 300) + np.add(b, 300), (B,)),
}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.filterwarnings("ignore")
def test_errors_come_as_in_numpy(name: str) -> None:
    fn, args = ERRORS[name]
    with pytest.raises((ValueError, OverflowError, TypeError)) as wanted:
        fn(*args)
    with pytest.raises(
        wanted.type, match="out of bounds for array" if "unravel" in name else re.escape(str(wanted.value)[:25])
    ):
        ag.function(fn)(*args)


def put(b):
    np.put(b, [0], 300)
    return b


def putmask(b):
    np.putmask(b, b > 5, [300])
    return b


def place(b):
    np.place(b, b > 5, vals=[300])
    return b


def put_along_axis(b):
    np.put_along_axis(b, np.array([0]), -1, 0)
    return b


def fill_diagonal(b):
    c = np.stack([b, b])
    np.fill_diagonal(c, 300)
    return c


def test_bools_have_no_plus() -> None:
    with pytest.raises(TypeError, match="'positive' did not contain a loop"):  # NumPy's class of it is its own
        ag.jit(lambda u: np.positive(u))(U)


@pytest.mark.parametrize("write", [put, putmask, place, put_along_axis, fill_diagonal])
def test_what_an_array_cannot_hold_is_not_written(write: Callable[[Any], Any]) -> None:
    with pytest.raises(OverflowError, match="out of bounds for uint8") as wanted:
        write(B.copy())
    with pytest.raises(OverflowError, match=re.escape(str(wanted.value))):
        ag.jit(write)(B)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "numpy.var(dtype=int": lambda b: np.var(b, dtype=int),
    "numpy.std(dtype=uint8": lambda b: b.std(dtype=np.uint8),
    "ndarray.round(out=...) cannot write": lambda b: b.round(out=np.zeros(4)),
    "returns a number of type numpy.ulonglong": lambda b: np.ulonglong(3),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_no_program_computes_is_refused(text: str) -> None:
    with pytest.raises(ag.StagingError, match=re.escape(text)):
        ag.jit(REFUSED[text])(B)


def test_whole_numbers_have_64_bits_where_the_program_has() -> None:
    def counted(b, k):
        return np.sort(k).searchsorted(b), np.unravel_index(k, (2, 5)), np.outer(k, 3), np.append(k, 1), k.cumsum()

    with jax.enable_x64(True):
        k = K.astype(np.int32)
        found, wanted = ag.jit(counted)(B, k), jax.tree.map(np.asarray, counted(B, k))
        assert [x.dtype for x in jax.tree.leaves(found)] == [x.dtype for x in jax.tree.leaves(wanted)]


def test_an_index_that_is_known_to_be_inside_needs_no_check() -> None:
    def place(m):
        return np.unravel_index(np.argmax(m), m.shape)

    assert "callback" not in str(jax.make_jaxpr(ag.convert(place))(M))


def test_means_of_narrow_numbers_have_64_bits_where_the_program_has() -> None:
    def means(u, b):
        return (
            np.mean(u),
            u.std(),
            b.var(),
            np.average(b),
            np.median(b),
            np.percentile(b, 30),
            b.astype(np.int32).mean(),
            np.mean(b, dtype=np.float32),
        )

    with jax.enable_x64(True):
        found = ag.jit(means)(U, B)
    assert [x.dtype.name for x in found] == ["float64"] * 7 + ["float32"]
    np.testing.assert_allclose(found, means(U, B), rtol=1e-12)


def test_a_quotient_of_narrow_integers_has_the_width_of_jax() -> None:
    """The row of `docs/limits.md`."""
    with jax.enable_x64(True):
        found = ag.jit(lambda b: (b / b, b / 300, np.sqrt(b), np.float32([1, 1, 1, 1]) * b.astype(np.int32)))(B)
    assert {x.dtype.name for x in found} == {"float32"}


def test_lanes_and_derivatives() -> None:
    assert jax.grad(ag.convert(lambda a: a.sum(initial=10) * np.percentile(a, 50)))(A).shape == A.shape
    found = ag.jit(jax.vmap(ag.convert(lambda a: (a.sum(initial=1), np.nanargmax(a), np.histogram(a, 2)[0]))))(M)
    assert jax.tree.map(np.ndarray.tolist, jax.tree.map(np.asarray, found)) == ([4.0, 5.0], [0, 1], [[1, 1], [1, 1]])
    assert ag.jit(lambda a: jnp.sum(a))(A) == A.sum()
