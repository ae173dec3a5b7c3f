"""Keras 3 on JAX: a layer with `while`, `break` and `if` in `call`, trained by `model.fit`.

The layer cleans measurements before a network sees them: it clips spikes in as many rounds as that takes, and brings a
batch to unit scale where it is not. Keras jits the training by itself, so `@ag.convert` stands on `call`; nothing else is
different. The reference is the same model under `run_eagerly=True`, where Python decides.

    python examples/frameworks/keras_spikes.py [EPOCHS]
"""

import os
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")

import jax.numpy as jnp
import keras
import numpy as np
from comparing import compare

import autograph as ag

ROUNDS = 8


class Cleaned(keras.layers.Layer):
    """Clips what is far out, again and again, until nothing is: one spike hides another, since it makes the spread large."""

    @ag.convert
    def call(self, x):
        rounds = 0
        while rounds < ROUNDS:
            limit = 3.0 * jnp.std(x)
            if jnp.max(jnp.abs(x)) <= limit:
                break
            x = jnp.clip(x, -limit, limit)
            rounds += 1
        scale = jnp.std(x)
        if scale > 1.0:
            x = x / scale
        return x


def measurements(count):
    """Points whose label says on which side of a line they lie; every twentieth number is a spike."""
    random = np.random.default_rng(0)
    x = random.normal(size=(count, 4)).astype("float32")
    y = (x.sum(axis=1) > 0).astype("float32")[:, None]
    spikes = random.random(x.shape) < 0.05
    return np.where(spikes, 1000 * random.normal(size=x.shape), x).astype("float32"), y


def fit(layer, epochs, eagerly=False, count=512):
    """Losses of the epochs, and the accuracy on other measurements."""
    keras.utils.set_random_seed(0)
    layers = [keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1, activation="sigmoid")]
    model = keras.Sequential([keras.Input((4,)), *layer, *layers])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"], run_eagerly=eagerly)
    x, y = measurements(2 * count)
    history = model.fit(x[:count], y[:count], epochs=epochs, batch_size=64, shuffle=False, verbose=0)
    return history.history["loss"], model.evaluate(x[count:], y[count:], batch_size=64, verbose=0)[1]


def main():
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"A layer of Keras that removes spikes, {epochs} epochs of model.fit")
    losses, accuracy = compare(
        lambda: fit([Cleaned()], epochs, eagerly=True),
        lambda: fit([Cleaned()], epochs),
        "Keras, run_eagerly=True",
        repeats=1,
    )
    without, blind = fit([], epochs)
    print(f"  loss: {losses[0]:.3f} at first, {losses[-1]:.3f} at last; without the layer {without[-1]:.3f}")
    print(f"  accuracy on other measurements: {accuracy:.1%}; without the layer {blind:.1%}")


if __name__ == "__main__":
    main()
