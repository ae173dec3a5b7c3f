"""Stores at traced masks beside integers, slices, `None` and `...`: what NumPy stores, one kind of index after another."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.operators.items import aug_item, set_item

X = np.arange(1.0, 25.0, dtype=np.float32).reshape(2, 3, 4)
ROW, COLUMN, LAST = np.array([True, False]), np.array([True, False, True]), np.array([False, True, False, True])
GRID = np.array([[True, False, True], [False, True, False]])
S = np.index_exp
INDICES = [
    (ROW, 1.0),
    (GRID, np.arange(4.0)),
    (S[ROW, 1], np.arange(4.0)),
    (S[ROW, -1, 2:], 2.0),
    (S[1, COLUMN], np.ones((1, 4))),
    (S[1, :, LAST], np.arange(3.0)),
    (S[:, 0, ..., LAST], np.arange(2.0)),
    (S[..., LAST], np.arange(3.0)[:, None]),
    (S[:, COLUMN, 1:], np.arange(3.0)),
    (S[None, 1, COLUMN], np.arange(4.0)),
    (S[GRID, ::2], np.ones((1, 2))),
    (S[0, None, COLUMN, 1:], 3.0),
]


def _stored(x, index, value, symbol):
    x = x.copy()
    if symbol is None:
        x[index] = value
    elif symbol == "*=":
        x[index] *= value
    else:
        x[index] /= value
    return x


@pytest.mark.parametrize("symbol", [None, "*=", "/="])
def test_a_store_is_that_of_numpy(symbol):
    """All indices in one program: a compilation each would take its time."""

    def stores(x, masks, value):
        made = []
        for index, number in INDICES:
            parts = index if type(index) is tuple else (index,)
            traced = tuple(masks[id(part)] if type(part) is np.ndarray else part for part in parts)
            traced = traced if type(index) is tuple else traced[0]
            number = jnp.float32(number) * value + 1
            y = x + 0
            made.append(set_item(number, y, traced) if symbol is None else aug_item(y, traced, symbol, lambda n=number: n))
        return made

    if symbol is None:
        np.testing.assert_array_equal(jax.jit(lambda x, m: set_item(np.ones((1, 1, 1, 4)), x, m))(X, GRID)[GRID], 1.0)
    masks = {id(mask): mask for mask in (ROW, COLUMN, LAST, GRID)}
    for made, (index, number) in zip(jax.jit(stores)(X, masks, np.float32(2.0)), INDICES, strict=True):
        expected = _stored(X, index, np.float32(number) * 2 + 1, symbol)
        np.testing.assert_allclose(made, expected, rtol=1e-6, err_msg=str(index))


def _roots(y, m):
    y[m, 1:] **= 0.5
    return y.sum()


Y, M = np.array([[4.0, 9.0], [-1.0, -4.0]], np.float32), np.array([True, False])


def test_derivatives_of_elements_that_are_not_selected():
    """A root of a negative number has none, and an infinite slope times zero is NaN."""
    np.testing.assert_allclose(jax.jit(jax.grad(ag.convert(_roots)))(Y, M), [[1.0, 1 / 6], [1.0, 1.0]], rtol=1e-6)


def test_lanes():
    lanes = jax.jit(jax.vmap(ag.convert(_roots), (None, 0)))(Y, np.stack([M, np.array([False, False])]))
    np.testing.assert_allclose(lanes, [2.0, 8.0], rtol=1e-6)


def test_functions():
    np.testing.assert_allclose(ag.function(_roots)(Y, M), 2.0, rtol=1e-6)


@pytest.mark.parametrize(
    "index, value, error",
    [
        (S[ROW, 0], np.ones((3, 4)), StagingError),
        (S[ROW, 0], np.ones(3), ValueError),
        (S[COLUMN, 0], 1.0, IndexError),
        (S[0, ROW], 1.0, IndexError),
    ],
)
def test_what_does_not_fit_is_refused(index, value, error):
    with pytest.raises(error):
        jax.jit(lambda x, mask: set_item(value, x, tuple(mask if type(p) is np.ndarray else p for p in index)))(
            X, next(part for part in index if type(part) is np.ndarray)
        )


def test_an_update_takes_no_more_axes_than_it_changes():
    with pytest.raises(ValueError):
        jax.jit(lambda x, m: aug_item(x, m, "+=", lambda: np.ones((1, 1, 1, 4))))(X, GRID)


def test_a_new_axis_beside_a_traced_integer():
    def f(x, i):
        x[None, i] = 5.0
        return x

    np.testing.assert_array_equal(ag.jit(f)(X, 1), f(X.copy(), 1))
