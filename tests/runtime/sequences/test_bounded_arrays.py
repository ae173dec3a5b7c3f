"""Arrays whose length is known when the program runs, beside NumPy's."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.sequences import bounded_items
from autograph.runtime.values.bounded_array import BoundedArray

VALUES = [3.0, -1.0, 4.0, 1.5, -9.0, 2.0]


@pytest.fixture(params=[None, np.nan, np.inf, 0.0], ids=["as they are", "NaN", "infinite", "zero"])
def spare_rows(request, monkeypatch) -> Iterator[None]:
    """Fills what stands behind the elements of each slice and selection: none of it may show."""
    whole = bounded_items.simplified

    def filled(data: Any, rows: list[Any]) -> Any:
        made = whole(data, rows)
        is_float = type(made) is BoundedArray and jnp.issubdtype(made.dtype, jnp.floating)
        return BoundedArray(made.filled(request.param), made.rows) if is_float else made

    if request.param is not None:
        monkeypatch.setattr(bounded_items, "simplified", filled)
    yield


def slices(x, k):
    return x[:k], x[k:], x[1:k], x[-k:], x[:-k], x[k:1], x[100:k]


def steps(x, k):
    return x[::-1][:k], x[k:0:-1], x[k::2], x[:k][::-1], x[:k][::2], x[k::-2], x[: -k - 1 : -1]


def slices_of_slices(x, k):
    y = x[1:k]
    return y[1:], y[:-1], y[: k - 2], y[::-1][:2], y[-1], y[0], y[k - 2]


def masks(x, k):
    y = x[x > 1]
    return y, y[y < 4], y[1:], y[:k], y[-1], x[(x > 0) & (x < 4)], x[: k + 1][x[: k + 1] > 0], x[~(x > 1)], x[::-1][x > 1]


def reductions(x, k):
    y, z = x[:k], x[x > 0]
    return (y.sum(), y.mean(), y.max(), y.min(), y.std(), y.prod(), np.sum(z), np.mean(z), np.max(z), z.var(ddof=1), np.argmax(y),
            z.argmin(), (y > 0).any(), np.all(z > 0), np.linalg.norm(y), np.median(z), np.count_nonzero(y > 0))  # fmt: skip


def functions(x, k):
    y, z = x[:k], x[x > 0]
    return (np.sort(y), np.cumsum(y), np.cumsum(z), np.flip(z), np.diff(y), np.concatenate([y, z]), np.append(z, 1.0), np.sqrt(z),
            np.where(y > 0, y, -y), np.abs(y), np.maximum(y, 0.5), np.clip(z, 2, 3), np.unique(np.round(y)), np.exp(-z), y.copy(),
            np.isnan(y), np.zeros_like(y), np.square(y), np.sign(z), np.hstack([y, y]))  # fmt: skip


def places(x, k):
    i = np.flatnonzero(x > 1)
    return i, x[i], np.nonzero(x < 0)[0], np.where(x > 1)[0], (x > 1).nonzero()[0], np.unique(x), x[i[:2]], np.argwhere(x > 1), x.compress(x > 1)


def arithmetic(x, k):
    y, z = x[:k], x[len(x) - k :]
    return y + z, y * x[1 : k + 1], 2 - y, y / (z + 20), y**2, -y, y + x[:k], y > z, y == y, 1 + (x[x > 0] - x[x > 0]), abs(y), y // 2, y % 2


def products(x, k):
    m = np.outer(x, x)
    return x[:k] @ x[:k], np.dot(x[:k], x[1 : k + 1]), m[:k, 1:] @ x[1:], m[:, :k] @ x[:k], m[:k, :k] @ m[:k, :2], np.outer(x[:k], x[k:]), x[x > 0] @ x[x > 0]


def matrices(x, k):
    m = x.reshape(2, 3)
    return m[1, :k], m[: k - 1, 0], m[:, 1:k].sum(axis=0), m[:, :k].mean(axis=1), m[: k - 1].T, m[m > 0], m[m[:, 0] > 0], m[0, m[1] < 2], m[: k - 1, ::-1]


def lengths(x, k):
    y = x[:k]
    return len(y), y.shape[0], y.size, y.ndim, x[x > 0].size, np.outer(y, x).shape


def loops(x, k):
    total, count, last = 0.0, 0, 0.0
    for v in x[:k]:
        total += v * v
    for i, v in enumerate(x[x > 0]):
        count += i
        last = v
    for a, b in zip(x[:k], x[k:], strict=False):
        total += a * b
    for i in range(len(x[1:k])):
        total += x[1:k][i]
    return total, count, last, sum(x[:k]), max(x[:k]), min(x[x > 0])


def shrinking(x, k):
    y, total = x[:k], 0.0
    while len(y) > 1:
        total += y[0] * y[-1]
        y = y[1:-1]
    return total, y


def joined(x, k):
    y = x
    if k > 2:
        y = x[:k]
    z = x[:k] if k < 4 else x[k:]
    return y.mean(), z, y * 2


def written(x, k):
    x[:k] = x[:k] * 2
    x[k:] += 1
    x[x > 5] = 5.0 - x[x > 5]
    x[x < 0] *= -1
    x[1:k] = 0.5
    y = x[:k].copy()
    y[0] = 100.0
    y[1:] += 1
    y[y > 50] = 7.0
    return x, y


def written_matrices(x, k):
    m = np.outer(x, x)
    m[1, :k] = x[:k]
    m[k:, 0] /= 2.0
    m[k:, k:] -= np.outer(x[k:], x[k:])
    m[2:4, :k] = 0.0
    return m


def filled_from_values(x, k):
    values = np.zeros(3)
    x[x < 1] = values[:2]
    x[:k] = x[len(x) - k :]
    return x


def eliminated(x, k):
    m = np.outer(x, x) + 20 * np.eye(6)
    for i in ag.range(6):
        p = np.abs(m[i:, i]).argmax() + i
        row = m[i].copy()
        m[i] = m[p]
        m[p] = row
        m[i + 1 :, i] /= m[i, i]
        m[i + 1 :, i + 1 :] -= np.outer(m[i + 1 :, i], m[i, i + 1 :])
    return m


def of_jax(x, k):
    y = x[:k]
    return jnp.sum(y), jnp.mean(x[x > 0]), jnp.sort(y), jnp.add(y, 1), jnp.flatnonzero(x > 1), jnp.where(y > 0, y, 0), jnp.linalg.norm(y)


def made(x, k):
    y = x[x > 1]
    n = min(k, 9)
    z = np.zeros(len(y))
    z[0] = 5.0
    for i in range(n):
        z[i] += i
    return (z, z + y, np.ones(n), np.full((k % 4, 2), 3.0), np.empty(len(y)).shape[0], np.arange(len(y)), np.arange(1, n), np.arange(2, n, 2),
            np.arange(max(n, 1), 9), np.zeros((2, n), int), np.arange(max(min(k, 5), 1)))  # fmt: skip


def orders(x, k):
    y, m = x[x > -2], np.outer(x, x)
    return (np.argsort(y), x[:k].argsort(), y[np.argsort(y)], np.isin(y, [1.5, 4.0]), np.isin(x, y), np.percentile(y, 30), np.quantile(x[:k], [0.1, 1.0]),
            np.searchsorted(np.sort(y), [0.0, 2.0, 9.0]), np.searchsorted(np.sort(x), y, side="right"), np.interp(y, [0.0, 2.0], [1.0, 3.0]),
            np.sort(m[:k], axis=0), np.sort(m[:k]), m[:, :k].cumsum(axis=1), np.cumsum(m[:k, :k], axis=0))  # fmt: skip


def shapes(x, k):
    y, m = x[x > 0], np.outer(x, x)
    return (np.stack([y, y * 2]), np.stack([y, y], axis=1), np.vstack([y, -y]), np.column_stack([y, y]), np.vstack([m[:k], m]), np.hstack([m[:, :k], m]),
            np.concatenate([m, m[:, k:]], axis=1), np.roll(y, 1), np.roll(x[:k], -k), np.tile(y, 2), np.repeat(y, 2), np.trace(m[:k, 1:]), np.diag(m[:k, :k]),
            np.diag(y), np.triu(m[:k, :k]), np.tril(m[1:k], 1), y.reshape(-1, 1), y.reshape(1, -1), y.clip(2))  # fmt: skip


def statistics(x, k):
    y, m = x[x > 0], np.outer(x, x + 0.5)
    return (np.average(y, weights=y), np.average(x[:k]), np.cov(m[:, :k]), np.cov(y, y * y), np.corrcoef(y, y * y), np.linalg.norm(m[:k], axis=1),
            np.linalg.norm(m[:, :k], axis=1, keepdims=True), np.einsum("i,i->", y, y), np.einsum("ij,j->i", m[:, :k], x[:k]),
            np.einsum("ij,jk", m[:k, :], m[:, :k]), np.einsum("i,j->ji", y, x[:k]), np.einsum("ij->j", m[:k]), divmod(y, 2.0), divmod(7.0, y))  # fmt: skip


def masked_matrices(x, k):
    m = np.outer(x, x)
    y = m[:k] * 1
    y[y > 2] = 0.5
    y[y[:, 0] < 0] *= 2
    return (m[:k, :k][m[:k, :k] > 1], m[:k][m[:k] > 1], m[:, 1:k][m[:, 1:k] < 0], m[:k][m[:k, 0] > 1].mean(axis=0), m[x > 0].std(axis=0),
            m[:k][:, x > 0].sum(), m[:k, :2][m[:k, 1:3] > 0], y)  # fmt: skip


def set_at(y, i):
    y[i] = 0.0
    return y


PROGRAMS = [made, orders, shapes, statistics, masked_matrices, slices, steps, slices_of_slices, masks, reductions, functions, places, arithmetic, products, matrices, lengths, loops,
            shrinking, joined, written, written_matrices, filled_from_values, eliminated, of_jax]  # fmt: skip


def check(got: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple):
        assert len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            check(one, other)
    else:
        assert np.shape(np.asarray(got)) == np.shape(wanted)
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_are_right_whatever_stands_behind_the_elements(program, spare_rows) -> None:
    compiled = ag.jit(program)
    for k in (2, 3):
        x = np.array(VALUES, np.float32)
        check(compiled(jnp.asarray(x), k), program(x, k))


@pytest.mark.parametrize("k", [0, 1, 6])
def test_lengths_at_the_ends(k) -> None:
    def f(x, k):
        return x[:k], x[k:], x[:k].sum(), x[k:] * 2, np.concatenate([x[:k], x[k:]]), x[:k][::-1], np.sort(x[k:])

    x = np.array(VALUES, np.float32)
    check(ag.jit(f)(jnp.asarray(x), k), f(x, k))


@pytest.mark.parametrize(
    ("program", "error"),
    [
        (lambda x, k: x[k:k].max(), "zero-size array to reduction operation maximum"),
        (lambda x, k: x[x > 100].argmin(), "attempt to get argmin of an empty sequence"),
        (lambda x, k: x[:k] + x[k:], "lengths, known when the program runs, differ"),
        (lambda x, k: x[:k] @ x[k:], "lengths, known when the program runs, differ"),
        (lambda x, k: x[:k][k], "out of bounds"),
        (lambda x, k: x[:k][4], "out of bounds"),
        (lambda x, k: max(x[k:k]), "empty"),
        (lambda x, k: np.zeros(min(-k, 5)), "negative dimensions are not allowed"),
        (lambda x, k: (x[x > 0] + x[:k]).sum(), "lengths, known when the program runs, differ"),
        (lambda x, k: x[x > 0] @ x[:k], "lengths, known when the program runs, differ"),
        (lambda x, k: x[x > 0][x[:k] > 0], "boolean index did not match"),
        (lambda x, k: (x[k:k] > 0).max(), "zero-size array"),
        (lambda x, k: x[np.isnan(x)].astype(int).argmin(), "attempt to get argmin of an empty sequence"),
        (lambda x, k: np.array([5.0])[:k][k], "out of bounds"),
        (lambda x, k: np.zeros(6)[:k][k], "out of bounds"),
        (lambda x, k: np.average(x[:k], weights=x[:k] * 0), "Weights sum to zero"),
        (lambda x, k: np.stack([x[:k], x[k:]]), "lengths, known when the program runs, differ"),
        (lambda x, k: np.outer(x, x)[:k][np.outer(x, x)[k:] > 0], "boolean index did not match"),
        (lambda x, k: np.quantile(x[k:k], 0.5), "index -1 is out of bounds"),
        (lambda x, k: np.ones((3, 2))[:k][-k - 1].sum(), "out of bounds"),
        (lambda x, k: set_at(np.zeros(1)[:k], k), "out of bounds"),
    ],
)
def test_what_numpy_raises_is_raised_when_the_program_runs(program, error) -> None:
    with pytest.raises((ValueError, IndexError, ZeroDivisionError)):
        program(np.array(VALUES), 2)
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match=error):
        jax.block_until_ready(jax.tree.leaves(ag.jit(program)(jnp.array(VALUES), 2)))


def test_axes_and_axis_numbers_are_those_of_the_array() -> None:
    for program in (lambda x, k: x[:k].max(axis=1), lambda x, k: np.sort(x[:k], axis=1), lambda x, k: np.sum(x[:k], -2)):
        with pytest.raises(np.exceptions.AxisError):
            ag.jit(program)(jnp.array(VALUES), 2)

    def f(x, k):
        y = x[:k]
        y += np.ones((2, 6))[:, :k]
        return y

    with pytest.raises(ValueError, match="other axes"):
        ag.jit(f)(jnp.array(VALUES), 2)
    with pytest.raises(TypeError, match="slice indices must be integers"):
        ag.jit(lambda x, k: x[: k * 1.0])(jnp.array(VALUES), 2)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, bool, np.int32])
def test_small_numbers_have_room(dtype) -> None:
    def f(x, k):
        return x[:k].cumsum(), np.linalg.norm(x[:k]), np.median(x[:k]), x[:k].mean(), np.sum(x[:k])

    x = np.array([100, 90, 80, 7], dtype)
    check(ag.jit(f)(jnp.asarray(x), 3), f(x, 3))


def test_an_index_of_floats_is_none() -> None:
    for program in (lambda x, k: x[x[:k]], lambda x, k: set_at(x, x[:k]), lambda x, k: x[:k][[0.5]]):
        with pytest.raises(IndexError, match="arrays used as indices must be of integer"):
            ag.jit(program)(jnp.arange(3.0), 2)
    assert np.asarray(ag.jit(lambda x, k: x[:k][[]])(jnp.arange(3.0), 2)).tolist() == []


def test_as_many_rows_as_the_array_has_are_checked_too() -> None:
    def f(x, k):
        x[:k] = x * 2
        return x

    assert ag.jit(f)(jnp.arange(3.0), 3).tolist() == [0.0, 2.0, 4.0]
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="could not broadcast"):
        ag.jit(f)(jnp.arange(3.0), 2).block_until_ready()


def test_a_loop_leaves_the_dtype_that_its_body_gives() -> None:
    def f(x, k):
        for _ in ag.range(k):
            x = x.astype(float)
        return x

    assert ag.jit(f)(jnp.arange(3), 2).dtype.kind == "f"


def test_an_empty_extreme_fails_only_where_it_is_reached() -> None:
    @ag.jit
    def f(x, k):
        if k > 0:
            return x[:k].max()
        return -1.0

    assert [float(f(jnp.array(VALUES), k)) for k in (0, 2)] == [-1.0, 3.0]


# --- views ---


def write_to_a_slice(x, k):
    y = x[:k]
    y += 1
    return x.sum()


def element_of_a_slice(x, k):
    y = x[:k]
    y[0] = 9.0
    return x.sum()


def slice_of_a_written_array(x, k):
    y = x[:k]
    x[0] = 9.0
    return y.sum()


def two_names(x, k):
    y = x[:k]
    z = y
    y += 1
    return z.sum()


def slice_of_a_selection(x, k):
    y = x[x > 1]
    z = y[1:]
    z += 1
    return y.sum()


def slice_of_a_branch(x, k):
    y = x[:k] if k > 2 else x[k:]
    x[0] = 9.0
    return y.sum()


def reversed_slice(x, k):
    y = x[::-1][:k]
    x[5] = 9.0
    return y.sum()


def copy_of_a_copy(x, k):
    y = x[x > 0]
    z = y
    if k > 2:
        z = y.copy()
    z[0] = 77.0
    return y.sum()


def slice_that_a_loop_leaves(x, k):
    y = x[:k]
    while len(y) > 2:
        y = y[1:]
    x[1] = 9.0
    return y.sum()


@pytest.mark.parametrize(
    "program",
    [write_to_a_slice, element_of_a_slice, slice_of_a_written_array, two_names, slice_of_a_selection, slice_of_a_branch, reversed_slice,
     copy_of_a_copy, slice_that_a_loop_leaves],
)  # fmt: skip
def test_an_array_that_was_written_under_another_name_is_not_read(program) -> None:
    with pytest.raises(ag.StagingError, match="is read after it was written under another name"):
        ag.jit(program)(jnp.array(VALUES), 3)


def test_a_selection_is_a_copy() -> None:
    def f(x):
        y = x[x > 1]
        x[x > 1] = 0.5
        x[x > 0] *= 2
        y[0] = 7.0
        return x, y

    x = np.array(VALUES, np.float32)
    check(ag.jit(f)(jnp.asarray(x)), f(x.copy()))


# --- transformations ---


def quotient(s, x, k):
    return (s / x[:k] + x[:k] ** s).sum() + np.log(x[x > 0.5] * s).mean() + x[:k].std() * np.sqrt(x[x > 1]).sum()


@pytest.mark.parametrize("of", [jax.grad, jax.jacfwd, jax.hessian], ids=lambda f: f.__name__)
def test_derivatives_are_those_of_the_elements(of) -> None:
    x = jnp.array([3.0, 1.5, 0.0, -1.0, np.inf, np.nan])
    known = jnp.array([3.0, 1.5])
    got = jax.jit(of(ag.convert(quotient), argnums=(0, 1)))(2.0, x[:4], 2)
    wanted = of(lambda s, y: ag.convert(quotient)(s, y, 2), argnums=(0, 1))(2.0, known)
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        whole = np.asarray(one)
        part = whole[tuple(slice(n) for n in other.shape)]
        np.testing.assert_allclose(part, other, rtol=1e-4)
        assert np.isfinite(whole).all() and np.count_nonzero(whole) == np.count_nonzero(part)
    slope = jax.jit(jax.grad(ag.convert(lambda x, k: (1 / x[:k]).sum())))(x, 2)
    np.testing.assert_allclose(slope, [-1 / 9, -1 / 2.25, 0, 0, 0, 0], rtol=1e-5)


@pytest.mark.parametrize("s", [2.0, 0.0, -1.5])
def test_derivatives_by_the_other_operand_are_those_of_the_elements(s) -> None:
    def f(s, x, k):
        return (s ** x[:k] + s * x[:k] + np.arctan2(s, x[:k]) + np.hypot(s, x[:k])).sum()

    x = jnp.array([3.0, 2.0, 0.0, -0.5, np.inf, np.nan])
    got = jax.jit(jax.grad(ag.convert(f)))(s, x, 2)
    np.testing.assert_allclose(got, jax.grad(ag.convert(f))(s, x[:2], 2), rtol=1e-5)


@pytest.mark.parametrize(
    "of",
    [lambda y: np.sort(y)[0] * 3 + y[np.argsort(y)][1], lambda y: np.quantile(y, 0.3), lambda y: np.average(y, weights=y * y),
     lambda y: np.cov(y, y * y)[0, 1], lambda y: np.corrcoef(y, y * y)[0, 1], lambda y: np.einsum("i,j->ij", y, 1 / y)[0, 1],
     lambda y: np.stack([y, 1 / y]).sum(axis=1)[1], lambda y: (np.roll(y, 1) / y).sum(), lambda y: (np.tile(y, 2) ** 2).sum(),
     lambda y: np.trace(np.triu(np.outer(y, 1 / y + y))), lambda y: np.linalg.norm(np.outer(y, y), axis=1).sum(), lambda y: np.cumprod(y).sum(),
     lambda y: np.interp(y, np.array([0.0, 2.0]), np.array([1.0, 3.0])).sum()],
)  # fmt: skip
def test_derivatives_of_functions_are_those_of_the_elements(of, spare_rows) -> None:
    x, known = jnp.array([3.0, 1.5, 0.25, 0.0, np.inf, np.nan]), jnp.array([3.0, 1.5, 0.25])
    got = jax.jit(jax.grad(ag.convert(lambda x, k: of(x[:k]))))(x, 3)
    np.testing.assert_allclose(got[:3], jax.grad(ag.convert(lambda y: of(y[: len(y)])))(known), rtol=1e-4, atol=1e-6)
    assert got[3:].tolist() == [0.0, 0.0, 0.0]


def test_the_derivative_of_a_product_by_the_other_operand_is_that_of_the_elements() -> None:
    m, v = jnp.array([[1.0, 2.0], [3.0, 4.0], [jnp.nan, jnp.inf]]), jnp.array([5.0, 6.0])
    for of in (lambda v, k: (m[:k] @ v).sum(), lambda v, k: (v @ m.T[:, :k]).sum(), lambda v, k: np.einsum("ij,j->i", m[:k], v).sum()):
        assert jax.jit(jax.grad(ag.convert(of)))(v, 2).tolist() == [4.0, 6.0]


def test_lanes_have_lengths_of_their_own() -> None:
    def f(x, k):
        return x[:k].sum(), len(x[x > k]), x[k:]

    lanes = jax.jit(jax.vmap(ag.convert(f), in_axes=(None, 0)))(jnp.arange(4.0), jnp.array([0, 1, 4]))
    assert lanes[0].tolist() == [0.0, 0.0, 6.0] and lanes[1].tolist() == [3, 2, 0]
    assert [np.asarray(jax.tree.map(lambda leaf, n=n: leaf[n], lanes[2])).tolist() for n in range(3)] == [[0, 1, 2, 3], [1, 2, 3], []]
    with pytest.raises(TypeError, match="a batch of arrays"):
        np.asarray(lanes[2])
    assert repr(lanes[2]) == "float32[at most 4]"


def test_lanes_of_a_map_in_a_map_are_not_those_of_the_other() -> None:
    @ag.convert
    def f(x, m, n):
        return (x[m] * 2 + x[n]).sum()

    x, masks = jnp.array([1.0, 10.0, 100.0]), jnp.array([[True, True, False], [False, True, True]])
    inner = jax.vmap(f, (None, None, 0))
    got = jax.jit(lambda x, m: jax.vmap(inner, (None, 0, None))(x, m, m))(x, masks)
    assert got.tolist() == [[33.0, 132.0], [231.0, 330.0]]


# --- loops over Python's numbers ---


def test_a_loop_over_a_range_with_slices_of_its_index_is_not_unrolled() -> None:
    def f(a):
        for i in range(40):
            for j in range(i):
                a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        return a

    a = np.eye(40, dtype=np.float32) * 9 + 1
    check(ag.jit(f)(jnp.asarray(a)), f(a.copy()))
    assert str(jax.make_jaxpr(ag.convert(f))(a)).count("dot_general") == 1


def test_an_array_that_such_a_loop_keeps_has_a_known_length() -> None:
    def f(x):
        kept, last = [], x[:1]
        for i in range(40):
            last = x[: i % 3]
            kept.append(last)
        return kept[4], last.shape[0], len(kept[2])

    got = ag.jit(f)(jnp.arange(5.0))
    assert isinstance(got[0], jax.Array) and got[0].shape == (1,) and got[1:] == (0, 2)


# --- what is refused ---


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (lambda x, k: np.fft.fft(x[:k]), r"fft\(\) is not possible"),
        (lambda x, k: x[:k].reshape(2, -1), "reshaping is not possible"),
        (lambda x, k: np.outer(x, x)[:k].tolist(), "making a list of arrays of unknown length"),
        (lambda x, k: x[:k].sum(initial=1), r"sum\(\) with these arguments"),
        (lambda x, k: x[::k], "a slice with a traced step"),
        (lambda x, k: np.add.reduce(x[:k]), r"add.reduce\(\) is not possible"),
        (lambda x, k: np.zeros(k), "an array of a traced size"),
        (lambda x, k: tuple(x[:k]), "taking the elements one by one"),
        (lambda x, k: x[:k] == None, "comparing with an object of class NoneType"),  # noqa: E711  # the array's own equality
        (lambda x, k: np.emath.sqrt(x[:k]), r"sqrt\(\) is not possible"),
        (lambda x, k: np.vecdot(x[:k], x[:k]), r"vecdot\(\) is not possible"),
        (lambda x, k: np.modf(x[:k]), r"modf\(\) is not possible"),
        (lambda x, k: jax.tree.map(jnp.sum, {"y": x[:k]}), r"map\(\) is not possible"),
        (lambda x, k: [3, 1, 2][:k], "has traced bounds"),
    ],
)
def test_refusals_name_the_operation(program, what) -> None:
    with pytest.raises(ag.StagingError, match=what):
        ag.jit(program)(jnp.array(VALUES), 2)


def test_a_library_never_gets_the_buffer() -> None:
    @ag.jit
    def f(x, k):
        y = x[:k]
        return jax.tree.map(jnp.sum, y)

    with pytest.raises(ag.StagingError, match=r"map\(\) is not possible with an array whose length"):
        f(jnp.arange(4.0), 2)
    with pytest.raises(ag.StagingError, match="takes an array whose length is only known when the program runs"):
        ag.jit(lambda x, k: jax.nn.relu(x[:k]))(jnp.arange(4.0), 2)


# --- results ---


def test_functions_of_numpy_take_a_result_whose_length_is_known() -> None:
    y = ag.jit(lambda x: x[x > 1])(jnp.array(VALUES))
    elements = np.array([3, 4, 1.5, 2])
    assert np.allclose(y, elements) and np.array_equal(y, elements) and not np.isclose(y, 9).any()
    assert np.histogram(y, 2)[0].tolist() == [2, 2] and np.add.reduce(y) == 10.5 and np.interp(2.5, [1, 2, 3, 4], y) == 2.75
    with pytest.raises(ag.StagingError, match=r"allclose\(\)"):
        ag.jit(lambda x: np.allclose(x[x > 1], 2.0))(jnp.array(VALUES))
    with pytest.raises(ag.StagingError, match=r"add\.reduce\(\)"):
        ag.jit(lambda x: np.add.reduce(x[x > 1]))(jnp.array(VALUES))


def test_a_result_shows_its_elements_alone() -> None:
    y = ag.jit(lambda x, k: x[1:k])(jnp.arange(5), 3)
    assert repr(y) == "BoundedArray([1, 2], dtype=int32)"
    assert list(y) == [1, 2] and len(y) == 2 and y.shape == (2,) and y.tolist() == [1, 2] and (y + 1).sum() == 5
    assert y.padded(-1).tolist() == [1, 2, -1, -1, -1] and ag.BoundedArray.of(jnp.arange(4), 2).tolist() == [0, 1]
    with pytest.raises(ValueError, match="ambiguous"):
        bool(y)
    assert ag.function(lambda x, k: x[1:k])(jnp.arange(5), 3).tolist() == [1, 2]
