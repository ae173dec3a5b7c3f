"""Equinox and Optax: a training with early stopping that keeps the best parameters is one compiled program.

The module class is plain Equinox, the training loop plain Python: a `while`, an `if` that keeps the best, a `break` after
some steps without progress. The reference is the usual way to write this: the step
under `eqx.filter_jit`, the loop and its decisions in Python.

    python examples/frameworks/equinox_early_stopping.py [STEPS]
"""

import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from comparing import compare

import autograph as ag

PATIENCE = 20


class Network(eqx.Module):
    layers: list

    def __init__(self, sizes, key):
        keys = jax.random.split(key, len(sizes) - 1)
        self.layers = [eqx.nn.Linear(m, n, key=k) for m, n, k in zip(sizes[:-1], sizes[1:], keys, strict=True)]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = jnp.tanh(layer(x))
        return self.layers[-1](x)[0]


def loss(network, xs, ys):
    return jnp.mean((jax.vmap(network)(xs) - ys) ** 2)


def step(network, state, optimizer, training):
    """One step of the optimizer."""
    slope = eqx.filter_grad(loss)(network, *training)
    updates, state = optimizer.update(slope, state)
    return eqx.apply_updates(network, updates), state


def train(network, training, validation, most, step=step, loss=loss):
    """The best network by its error on the validation data, that error, and how many steps ran."""
    optimizer = optax.adam(1e-2)
    state = optimizer.init(eqx.filter(network, eqx.is_inexact_array))
    best, least, waited, steps = network, jnp.inf, 0, 0
    while steps < most:
        network, state = step(network, state, optimizer, training)
        steps += 1
        now = loss(network, *validation)
        if now < least:
            best, least, waited = network, now, 0
        else:
            waited += 1
            if waited == PATIENCE:
                break
    return best, least, steps


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    points = jax.random.uniform(jax.random.key(0), (60, 1), minval=-3.0, maxval=3.0)
    values = jnp.sin(2 * points[:, 0]) + 0.3 * jax.random.normal(jax.random.key(1), (60,))
    training, validation = (points[:40], values[:40]), (points[40:], values[40:])
    network = Network([1, 32, 32, 1], jax.random.key(2))
    print(f"A network of Equinox is trained by Optax, at most {most} steps")
    compiled = ag.jit(train)
    fast_step, fast_loss = eqx.filter_jit(step), eqx.filter_jit(loss)
    train(network, training, validation, 1, fast_step, fast_loss)  # compiles the step
    best, least, steps = compare(
        lambda: train(network, training, validation, most, fast_step, fast_loss),
        lambda: compiled(network, training, validation, most),
        "step by step, filter_jit",
    )
    print(f"  steps: {steps} of at most {most}")
    print(f"  error on the validation data: {loss(network, *validation):.3f} before, {least:.3f} at best")
    for x in jnp.linspace(-2.5, 2.5, 6):
        print(f"    at {x:5.2f}: {best(x[None]):6.3f}, the curve has {jnp.sin(2 * x):6.3f}")


if __name__ == "__main__":
    main()
