"""`jnp.stack` of the rows that a loop appended."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag


def running(xs):
    rows = []
    total = xs[0] * 0
    for x in xs:
        total = total + x
        rows.append(total)
    return rows


def primitives(fn, *args):
    return {eqn.primitive.name for eqn in jax.make_jaxpr(ag.convert(fn))(*args).jaxpr.eqns}


@pytest.mark.parametrize("make", [jnp.stack, jnp.array, jnp.asarray])
@pytest.mark.parametrize("shape", [(4,), (4, 3)])
def test_all_rows_in_order_are_the_stacked_output(make, shape):
    def fn(xs):
        rows = running(xs)
        return make(rows)

    xs = jnp.arange(np.prod(shape), dtype=jnp.float32).reshape(shape)
    np.testing.assert_allclose(ag.jit(fn)(xs), np.cumsum(np.asarray(xs), axis=0))
    np.testing.assert_allclose(jax.vmap(ag.convert(fn))(xs[None])[0], np.cumsum(np.asarray(xs), axis=0))


def test_it_is_recognised():
    def whole(xs):
        rows = running(xs)
        return jnp.stack(rows)

    assert not primitives(whole, jnp.ones(4)) & {"concatenate", "stack"}


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[:-1],
        lambda rows: rows[::-1],
        lambda rows: [*rows, rows[0]],
        lambda rows: [rows[0] + 1, *rows[1:]],
    ],
)
def test_any_other_list_is_stacked(change):
    def fn(xs):
        rows = change(running(xs))
        return jnp.stack(rows)

    xs = jnp.arange(1.0, 5.0)
    np.testing.assert_allclose(ag.jit(fn)(xs), np.array(change(list(np.cumsum(np.arange(1.0, 5.0))))))


def test_another_axis_is_stacked():
    def fn(xs):
        rows = running(xs)
        return jnp.stack(rows, axis=1)

    np.testing.assert_allclose(ag.jit(fn)(jnp.ones((3, 2))), np.cumsum(np.ones((3, 2)), axis=0).T)
