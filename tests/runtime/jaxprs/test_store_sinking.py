"""Writes under a condition, done after the `cond`: the same answers, without an array through the `cond`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from autograph.jax_internals import convert_weak, trace_region
from autograph.runtime.jaxprs.binding import Traced
from autograph.runtime.jaxprs.loop import Conditional
from autograph.runtime.jaxprs.passes import bind_conditional

INDEX, VALUE = jnp.int32(3), jnp.float32(7)


def write(x, value, i):
    return lax.dynamic_update_slice(x, value[None], (i,))


def cond(p, yes, no):
    branches = [Traced(*trace_region(lambda f=f: list(f()), [], "branch")) for f in (no, yes)]
    return bind_conditional(Conditional(p, *branches))


def swap(x, i):
    return write(write(x, x[i + 1], i), x[i], i + 1)


PROGRAMS = {
    "both branches, one place": lambda p, x, i, v: (lambda: [write(x, v, i)], lambda: [write(x, -v, i)]),
    "both branches, two places": lambda p, x, i, v: (lambda: [write(x, v, i)], lambda: [write(x, v, i + 2)]),
    "only if true": lambda p, x, i, v: (lambda: [write(x, x[i] * v, i)], lambda: [x]),
    "only if false": lambda p, x, i, v: (lambda: [x], lambda: [write(x, x[i] * v, i)]),
    "swap": lambda p, x, i, v: (lambda: [swap(x, i)], lambda: [x]),
    "other numbers of writes": lambda p, x, i, v: (lambda: [swap(x, i)], lambda: [write(x, v, i + 4)]),
    "one place twice": lambda p, x, i, v: (lambda: [write(write(x, v, i), v * 2, i)], lambda: [write(x, v * 3, i)]),
    "with other results": lambda p, x, i, v: (lambda: [v, write(x, v, i), i], lambda: [v * 2, x, i + 1]),
    "a constant": lambda p, x, i, v: (lambda: [write(x, jnp.float32(1), i)], lambda: [write(x, v, jnp.int32(0))]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_answer_without_an_array_through_the_cond(name):
    program = PROGRAMS[name]
    x = jnp.arange(16.0)

    def ours(p, x, i, v):
        return cond(p, *program(p, x, i, v))

    def plain(p, x, i, v):
        return lax.cond(p, *program(p, x, i, v))

    def compare(f):
        a, b = f(ours), f(plain)
        jax.tree.map(np.testing.assert_array_equal, a, b)

    for p in (True, False):
        compare(lambda fn, p=p: jax.jit(fn)(p, x, INDEX, VALUE))
        compare(
            lambda fn, p=p: (
                jax.jacrev(lambda x, v: fn(p, x, INDEX, v), (0, 1), allow_int=False)(x, VALUE)
                if len(program(p, x, INDEX, VALUE)[0]()) == 1
                else ()
            )
        )
    lanes, places, xs = jnp.array([True, False, True]), jnp.array([0, 3, 9]), jnp.arange(48.0).reshape(3, 16)
    compare(lambda fn: jax.jit(jax.vmap(fn, (0, None, None, None)))(lanes, x, INDEX, VALUE))
    compare(lambda fn: jax.jit(jax.vmap(fn, (0, 0, 0, None)))(lanes, xs, places, VALUE))

    jaxpr = jax.make_jaxpr(ours)(True, x, INDEX, VALUE).jaxpr
    conds = [eqn for eqn in jaxpr.eqns if eqn.primitive.name == "cond"]
    assert all(v.aval.size == 1 for eqn in conds for v in eqn.outvars)


@pytest.mark.parametrize(
    "yes, no",
    [
        (lambda x: [write(x, x[0], jnp.argmax(x))], lambda x: [x]),  # a place that costs something
        (lambda x: [lax.dynamic_update_slice(x, x[:8] * 2, (2,))], lambda x: [x]),  # a large part
        (lambda x: [lax.dynamic_update_slice(x, x[:2] * 2, (2,))], lambda x: [write(x, x[0], 5)]),  # unlike parts
        (lambda x: [write(x * 2, x[0], 1)], lambda x: [x]),  # not an array from outside
        (lambda x: [write(x, x[0], 1)], lambda x: [x * 2]),
        (lambda x: [x * 2], lambda x: [x]),
    ],
)
def test_what_stays_inside(yes, no):
    def ours(p, x):
        return cond(p, lambda: yes(x), lambda: no(x))

    x = jnp.arange(16.0)
    jaxpr = jax.make_jaxpr(ours)(True, x).jaxpr
    (eqn,) = [eqn for eqn in jaxpr.eqns if eqn.primitive.name == "cond"]
    assert [v.aval.shape for v in eqn.outvars] == [(16,)]
    for p in (True, False):
        np.testing.assert_array_equal(jax.jit(ours)(p, x)[0], (yes if p else no)(x)[0])


def test_a_weakly_typed_array_stays_so():
    """Its writes come after the `cond` too, though each is followed by an equation that makes it weak again."""

    def weak(x, v, i):
        return convert_weak(write(x, v, i), x.dtype)

    def ours(p, i, v):
        x = jnp.full(16, 100.0)
        (result,) = cond(p, lambda: [weak(weak(x, v, i), v, i + 1)], lambda: [x])
        return result

    jaxpr = jax.make_jaxpr(ours)(True, INDEX, VALUE).jaxpr
    assert [v.aval.size for eqn in jaxpr.eqns if eqn.primitive.name == "cond" for v in eqn.outvars] == [1, 1]
    for p in (True, False):
        found = jax.jit(ours)(p, INDEX, VALUE)
        assert found.weak_type and found.tolist() == [7.0 if p and k in (3, 4) else 100.0 for k in range(16)]
