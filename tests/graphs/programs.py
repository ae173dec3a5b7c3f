"""The programs whose graphs the tests look at. The numbers of their lines are in the names of scopes."""

import jax
import jax.numpy as jnp

import autograph as ag


def halved(x):  # type: ignore[no-untyped-def]
    while jnp.max(x) > 10:
        x = x / 2
    return x


def branches(x):  # type: ignore[no-untyped-def]
    if x > 0:
        y = jnp.sin(x) * halved(x)
    else:
        y = x - 1
    return y


def unrolled(x):  # type: ignore[no-untyped-def]
    for _ in range(10):
        x += 1
    return x


def staged(x):  # type: ignore[no-untyped-def]
    for _ in ag.range(10):
        x += 1
    return x


def relu_layer(x, w, b):  # type: ignore[no-untyped-def]
    return jax.nn.relu(x @ w + b)


def output_layer(x, w, b):  # type: ignore[no-untyped-def]
    return x @ w + b


def network(x, w1, b1, w2, b2):  # type: ignore[no-untyped-def]
    h = relu_layer(x, w1, b1)
    return output_layer(h, w2, b2)


NETWORK = (jnp.ones((1, 2)), jnp.ones((2, 4)), jnp.ones(4), jnp.ones((4, 3)), jnp.ones(3))
"""Arguments of the network of two layers."""


def large(x):  # type: ignore[no-untyped-def]
    for k in range(2500):
        ag.set_loop_options(unroll=True)
        x = jnp.sin(x + k)
    return x
