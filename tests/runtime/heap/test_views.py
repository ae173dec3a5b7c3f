"""What shares memory in NumPy: a view is refused where it goes stale, a copy never is."""

import functools
import operator
import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.heap.array_views import bases

MATRIX = np.array([[9.0, 2.0, 5.0], [4.0, 8.0, 3.0], [1.0, 7.0, 6.0]], np.float32)


def last_row(m):
    row = m[0]
    for one in m:
        row = one
    return row


VIEWS = {
    "diag": np.diag,
    "linalg.diagonal": np.linalg.diagonal,
    "m.diagonal": lambda m: m.diagonal(),
    "broadcast_to": lambda m: np.broadcast_to(m, (2, 3, 3)),
    "broadcast_arrays": lambda m: np.broadcast_arrays(m[0], m)[0],
    "atleast_1d": lambda m: np.atleast_1d(m, m)[0],
    "an element": lambda m: m[0, ..., 0],
    "an element first": lambda m: m[..., 0, 0],
    "an element by a name": lambda m, i=0: m[0, ..., i],
    "squeezed": lambda m: m[0, 0:1].squeeze(),
    "np.squeeze": lambda m: np.squeeze(m[:1, :1]),
    "without axes": lambda m: m[0, :1].reshape(()),
    "with an axis": lambda m: m[0][None, 0],
    "a row of a loop": last_row,
    "real": lambda m: m.real,
}
COPIES = {
    "flatten": lambda m: m.flatten(),
    "flatten a row": lambda m: m[0].flatten(),
    "astype": lambda m: m.astype(m.dtype),
    "repeat": lambda m: m.repeat(1, axis=0),
    "concatenate": lambda m: np.concatenate([m]),
    "vstack": lambda m: np.vstack([m]),
    "tile": lambda m: np.tile(m, 1),
    "block": lambda m: np.block([[m]]),
    "reshape": lambda m: np.reshape(m, 9, copy=True),
    "positive": np.positive,
    "conj": np.conj,
    "indices": lambda m: m[[0, 1]],
    "a view of a copy": lambda m: m.astype(m.dtype)[0],
    "plus": lambda m: +m,
}
OTHER_ORDERS = {
    "ravel": lambda m: m.T.ravel(),
    "columns first": lambda m: m.ravel("F"),
    "some columns": lambda m: m[:, :2].reshape(-1),
    "rows from the last": lambda m: m[::-1].ravel(),
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_not_read_after_the_array_was_written(view):
    def program(m):
        found = VIEWS[view](m)
        m[0, 0] = 5.0
        m[2] = 5.0
        return found + 1

    assert np.shares_memory(VIEWS[view](base := MATRIX.copy()), base)
    with pytest.raises(StagingError, match="'found' is read after it was written under another name"):
        ag.jit(program)(MATRIX)


@pytest.mark.parametrize("transform", [lambda f: f, jax.vmap])
@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_is_another_array(copy, transform):
    def program(m):
        found = COPIES[copy](m)
        m[0, 0] = 5.0
        found[0] = 7.0
        return m, found

    expected = program(MATRIX.copy())
    batched = transform is jax.vmap
    actual = ag.jit(transform(ag.convert(program)))(MATRIX[None] if batched else MATRIX)
    for x, y in zip(expected, actual, strict=True):
        np.testing.assert_array_equal(x, y[0] if batched else y)


@pytest.mark.parametrize("copy", OTHER_ORDERS)
def test_elements_in_another_order_are_a_copy(copy):
    def program(m, x):
        t = np.zeros((3, 3), np.float32)
        t[1] = m[1]
        found, own = OTHER_ORDERS[copy](m), OTHER_ORDERS[copy](t)
        m[0, 0] = x
        t[0, 0] = found[0] = own[1] = 7.0
        return m, t, found, own

    for x, y in zip(program(MATRIX.copy(), 2.0), ag.jit(program)(MATRIX, 2.0), strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("around", [lambda m: jnp.where(m > 0, m, 1).T, lambda m: ag.jit(lambda n: n.T)(m)])
def test_elements_in_an_order_that_is_not_known_are_a_view(around):
    def program(m):
        found = around(m)
        flat = found.ravel()
        flat[0] = 7.0
        return found

    with pytest.raises(StagingError, match="read after it was written"):
        ag.jit(program)(MATRIX)


STEPS = "m.T|m[::-1]|m[:, :2]|m[1:]|m[:, ::2]|m.swapaxes(0, 1)|m[None]|m.reshape(2, -1)|m.reshape(-1, 2)|m.squeeze()".split("|")
ENDS = "m.ravel()|m.reshape(-1)|m.ravel('F')|m.reshape(-1, 2)|m.reshape(2, -1)|m.reshape(2, 2, -1)|m.reshape(1, -1, 1)".split("|")


def test_no_view_of_numpy_is_taken_for_a_copy():
    rng, copies = random.Random(0), 0
    for _ in range(600):
        steps = [*rng.choices(STEPS, k=rng.randint(0, 3)), rng.choice(ENDS)]
        m = np.zeros(rng.choice([(4, 6), (2, 4), (4, 1), (1, 6), (2, 2, 4)]), np.float32)

        def chain(m, steps=steps):
            for step in steps:
                m = eval(step, {"m": m})
            return m

        def is_view(m, chain=chain):
            return any(base is m for base in bases(chain(m)))

        try:
            shared = np.shares_memory(m, chain(m))
        except (ValueError, IndexError):  # no such shape
            continue
        found = []
        jax.eval_shape(lambda m, is_view=is_view, found=found: found.append(is_view(m)), m)
        assert found[0] or not shared, steps
        copies += not found[0]
    assert copies > 50


def by_a_lambda(m):
    (lambda q: q.sort())(m)
    return m


def by_a_method_that_was_bound(m):
    sort = m.sort
    sort()
    return m


def by_a_comprehension(m):
    [row.sort() for row in m]
    return m


def by_a_mapped_function(m):
    list(map(lambda row: row.fill(0.0), [m]))
    return m


def through_a_call(m):
    m.ravel().sort()
    return m


def by_iadd(m):
    operator.iadd(m, 1.0)
    return m


def by_reduce(m):
    functools.reduce(operator.iadd, [m, 1.0])
    return m


def by_setitem(m):
    operator.setitem(m, 0, 1.0)
    return m


def in_a_tuple(m):
    pair = (m, 1)
    pair[0][0] = 5.0
    return pair[0]


LOST = [
    in_a_tuple, by_a_lambda, by_a_method_that_was_bound, by_a_comprehension, by_a_mapped_function, through_a_call, by_iadd, by_reduce, by_setitem
]  # fmt: skip


@pytest.mark.parametrize("program", LOST)
def test_what_changes_an_array_and_binds_no_name_is_seen(program):
    with pytest.raises(StagingError, match="read after it was written under another name"):
        ag.jit(program)(MATRIX)


def test_the_parts_of_a_complex_array_are_views():
    def program(z):
        real = z.real
        real += 1
        return z

    def viewed(z):
        found = z.view(np.float32)
        z[0] = 1j
        return found

    for f in (program, viewed):
        with pytest.raises(StagingError, match="read after it was written under another name"):
            ag.jit(f)(np.ones(2, np.complex64))


def test_an_array_sorts_in_a_derivative():
    def program(m):
        m = m * 2.0
        m[:, 1].sort()
        return (m[:, 1] * jnp.arange(3.0)).sum()

    expected = jax.grad(lambda m: (jnp.sort(m[:, 1] * 2.0) * jnp.arange(3.0)).sum())(MATRIX)
    np.testing.assert_array_equal(jax.jit(jax.grad(ag.convert(program)))(MATRIX), expected)


def element(m):
    number = m[0][0]
    number[...] = 5.0
    return m


def updated_element(m):
    m[0][0][...] += 5.0
    return m


def diagonal(m):
    np.diag(m)[0] = 5.0
    return m


def part_of_a_diagonal(m):
    part = m.diagonal()[1:]
    part += 1.0
    return m


def broadcast(m):
    np.broadcast_to(m, (2, 3, 3)).sort()
    return m


@pytest.mark.parametrize("program", [element, updated_element, diagonal, part_of_a_diagonal, broadcast])
def test_what_numpy_does_not_let_be_written_is_not(program):
    with pytest.raises((TypeError, ValueError)) as expected:
        program(MATRIX.copy())
    with pytest.raises(expected.type, match="read-only|does not support item assignment"):
        ag.jit(program)(MATRIX)


def test_a_view_in_reverse_order_is_filled():
    def program(m, x):
        m[::-1].fill(x)
        m[0][:] = 1.0
        return m

    np.testing.assert_array_equal(ag.jit(program)(MATRIX, 2.0), program(MATRIX.copy(), 2.0))


def test_all_of_an_array_is_written_without_a_scatter():
    def program(m, x):
        m[:] = x
        return m

    assert "scatter" not in str(jax.make_jaxpr(ag.convert(program))(MATRIX, 2.0))


def filled_by_a_method(m):
    v = m
    m[0, 0] = 5.0
    v.fill(1.0)
    return m


def filled_by_an_index(m):
    v = m
    m[0, 0] = 5.0
    v[:] = 1.0
    return m


def filled_by_a_function(m):
    v = m
    m[0, 0] = 5.0
    np.copyto(v, 1.0)
    return m


def filled_by_a_lambda(m):
    v = m
    m[0, 0] = 5.0
    (lambda q: q.fill(1.0))(v)
    return m


@pytest.mark.parametrize("program", [filled_by_a_method, filled_by_an_index, filled_by_a_function, filled_by_a_lambda])
def test_all_of_an_array_is_not_written_under_a_name_that_is_behind(program):
    with pytest.raises(StagingError, match="is read after it was written under another name"):
        ag.jit(program)(MATRIX)


def test_the_diagonal_of_a_part_is_a_view_that_is_not_written():
    def kept(m, k):
        diagonal = np.diag(m[:k, :k])
        m[0, 0] = 9
        return diagonal

    def written(m, k):
        diagonal = np.diag(m[:k, :k])
        diagonal[0] = 9
        return diagonal

    with pytest.raises(ag.StagingError, match="under another name"):
        ag.jit(kept)(jnp.ones((3, 3)), 2)
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="assignment destination is read-only"):
        ag.jit(written)(jnp.ones((3, 3)), 2)
