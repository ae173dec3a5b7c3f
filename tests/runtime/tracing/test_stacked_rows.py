"""`jnp.stack` of the rows that a loop appended."""

import gc
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph import errors
from autograph.runtime.tracing import stacked_rows


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


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda rows: rows, 0),
        (lambda rows: rows[::-1], 0),
        (lambda rows: [rows[0] + 1, *rows], 2),
        (lambda rows: [*rows[:4], rows[0] * 2, *rows[4:]], 3),
        (lambda rows: rows[5:] + rows[:5], 2),
        (lambda rows: tuple(rows[2:]), 0),
    ],
)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_runs_of_rows_are_parts(change, parts, axis):
    def fn(xs):
        rows = change(running(xs))
        return jnp.stack(rows, axis=axis)

    xs = jnp.arange(27.0).reshape(9, 3)
    want = np.stack(change(list(np.cumsum(np.asarray(xs), axis=0))), axis=axis)
    np.testing.assert_allclose(ag.jit(fn)(xs), want)
    np.testing.assert_allclose(jax.vmap(ag.convert(fn))(xs[None])[0], want)
    np.testing.assert_allclose(jax.grad(lambda xs: (ag.convert(fn)(xs) * want).sum())(xs).shape, xs.shape)
    joined = [e for e in jax.make_jaxpr(ag.convert(fn))(xs).jaxpr.eqns if e.primitive.name == "concatenate"]
    assert [len(e.invars) for e in joined] == ([parts] if parts else [])


def test_rows_of_other_types_are_promoted():
    def fn(xs):
        rows = running(xs)
        return jnp.stack([1, *rows]), jnp.stack([*rows, xs.astype(int)[0]])

    xs = jnp.arange(1.0, 9.0)
    for got, want in zip(ag.jit(fn)(xs), fn(xs), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want)


def test_rows_are_cut_out_by_one_equation():
    def last(xs):
        rows = running(xs)
        return rows[-1]

    assert len(jax.make_jaxpr(ag.convert(last))(jnp.ones(500)).jaxpr.eqns) < 10


@pytest.mark.parametrize("length", [3, 40])
def test_rows_are_cut_out_of_few_and_of_many_alike(length):
    def fn(xs):
        rows = running(xs)
        return rows[1] * rows[-1], rows[2]

    xs = jnp.arange(1.0, length + 1)
    totals = np.cumsum(np.asarray(xs))
    want = totals[1] * totals[-1], totals[2]
    np.testing.assert_allclose(ag.jit(fn)(xs), want)
    np.testing.assert_allclose(jax.vmap(ag.convert(fn))(xs[None]), np.array(want)[:, None])
    np.testing.assert_allclose(jax.jit(jax.vmap(ag.convert(fn)))(xs[None]), np.array(want)[:, None])
    slopes = np.zeros((2, length))
    slopes[0] += totals[1]
    slopes[0, :2] += totals[-1]
    slopes[1, :3] = 1
    for derivative in jax.jacrev, jax.jacfwd:
        np.testing.assert_allclose(derivative(ag.jit(fn))(xs), slopes)
    with jax.disable_jit():
        jax.make_jaxpr(ag.convert(fn))(xs)


def calls_of_ours(xs):
    """How many functions of the library, and of C in them, a trace calls."""

    def fn(xs):
        rows = running(xs)
        return jnp.stack(rows)

    calls = []

    def count(frame, event, arg):
        if event in ("call", "c_call") and errors.is_ours(frame.f_code.co_filename):
            calls.append(event)

    fn = ag.convert(fn)
    jax.make_jaxpr(fn)(xs)
    sys.setprofile(count)
    try:
        jax.make_jaxpr(lambda xs: fn(xs))(xs)
    finally:
        sys.setprofile(None)
    return len(calls)


def test_no_function_of_the_library_is_called_for_each_row():
    few, many = (calls_of_ours(jnp.ones(n)) for n in (50, 1050))
    assert few > 500 and many - few < 200


def test_rows_are_forgotten_when_the_trace_is_over():
    def fn(xs):
        made.extend(stacked_rows.rows(xs))
        found.append(stacked_rows.cut_from(made) is xs and stacked_rows.cut_from(made[::-1]) is None)
        made.clear()
        return xs

    made, found = [], []
    gc.collect()
    before = len(stacked_rows._place_of)  # of traces that others hold
    jax.make_jaxpr(fn)(jnp.ones((20, 2)))
    gc.collect()
    assert found == [True] and len(stacked_rows._place_of) <= before


def test_a_trace_that_ends_leaves_the_rows_of_others():
    def inner(xs):
        stacked_rows.rows(xs)
        return xs

    def fn(xs):
        rows = stacked_rows.rows(xs)
        for _ in range(20):  # their rows may get the addresses of others
            jax.make_jaxpr(inner)(jnp.ones(20))
            rows = [*rows[:10], *stacked_rows.rows(xs)[10:]]
        last = stacked_rows.rows(xs)
        gc.collect()
        return jnp.ones(3) if stacked_rows.cut_from(last) is xs else xs

    assert jax.eval_shape(fn, jnp.ones(20)).shape == (3,)
