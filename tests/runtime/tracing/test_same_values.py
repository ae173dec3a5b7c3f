"""Value numbering."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from autograph.runtime.tracing.same_values import are_same, are_same_integers

SAME = {
    "an operation on one value": lambda x, k: (x > k, x > k),
    "a function that is compiled": lambda x, k: (jnp.where(x > 0, x, k), jnp.where(x > 0, x, k)),
    "an element read twice": lambda x, k: (x[k] * 2, x[k] * 2),
}
OTHER = {
    "another operand": lambda x, k: (x > k, x > k + 1),
    "another operation": lambda x, k: (x > k, x >= k),
    "another parameter": lambda x, k: (jnp.sum(x, 0), jnp.max(x, 0)),
    "two results of one operation": lambda x, k: lax.sort((x, -x), num_keys=1),
    "zeros of two signs": lambda x, k: (x / 0.0, x / -0.0),
    "NaN": lambda x, k: (x + float("nan"), x + float("nan")),
    "another dtype": lambda x, k: (k.astype(float), k.astype(jnp.float16)),
    "random numbers of two keys": lambda x, k: (jax.random.bits(jax.random.key(0)), jax.random.bits(jax.random.key(1))),
    "what a host answers": lambda x, k: tuple(jax.pure_callback(lambda: k, jax.ShapeDtypeStruct((), jnp.int32)) for _ in range(2)),
}


@pytest.mark.parametrize("make", [*SAME.values(), *OTHER.values()], ids=[*SAME, *OTHER])
def test_what_is_known_to_be_the_same(make) -> None:
    found = []
    jax.make_jaxpr(lambda x, k: found.append(are_same(*make(x, k))))(jnp.arange(3.0), 1)
    assert found == [make in SAME.values()]


def test_a_reference_that_was_written_in_between() -> None:
    found = []

    def f(x):
        ref = jax.new_ref(x)
        before = ref[...] > 0
        ref[...] = -x
        found.append(are_same(before, ref[...] > 0))
        return before

    jax.make_jaxpr(f)(jnp.arange(3.0))
    assert found == [False]


@pytest.mark.parametrize("transform", [lambda f: f, lambda f: jax.vmap(f, (0, None)), lambda f: jax.grad(lambda x, k: f(x, k).sum())])
def test_values_with_derivatives_and_lanes(transform) -> None:
    found = []

    def f(x, k):
        found.append((are_same(x * k > 1, x * k > 1), are_same(x * k > 1, x * k > 2)))
        return x * k

    jax.make_jaxpr(transform(f))(jnp.arange(3.0), 2.0)
    assert found == [(True, False)]


def test_values_of_an_outer_trace() -> None:
    found = []

    def f(x, k):
        return lax.cond(k > 0, lambda: (found.append(are_same(x > k, x > k)), x)[1], lambda: -x)

    jax.make_jaxpr(f)(jnp.arange(3.0), 1)
    assert found == [True]


def test_sums_of_integers() -> None:
    found = []

    def f(k, n):
        found.extend([are_same_integers(k - 1, (k + 1) - 2), are_same_integers(k + n, n + k), are_same_integers(k + 1, n + 1)])
        return k

    jax.make_jaxpr(f)(1, 2)
    assert found == [True, True, False]
