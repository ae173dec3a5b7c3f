"""Train a classifier of real handwritten digits: the whole training loop is one compiled program.

Epochs, minibatches, dropout, Adam, validation and early stopping with patience are ordinary Python: a `for` over
epochs that a `break` leaves, a `for` over the rows of a traced array, an `if` that keeps the best parameters.
The model is a class with layers; `if key is not None` (training or not) is decided while tracing, as Python decides it.

    python examples/digits_classifier.py [EPOCHS]

The data are the 1797 images of 8 x 8 pixels that come with scikit-learn (pip install scikit-learn).
"""

import dataclasses
import sys

import jax
import jax.numpy as jnp
from sklearn.datasets import load_digits
from timing import report

import autograph as ag

BATCH, PATIENCE, RATE = 32, 8, 3e-3


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Dense:
    weights: jax.Array
    bias: jax.Array

    def __call__(self, x):
        return x @ self.weights + self.bias


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Network:
    """Layers with ReLU and, when a random key is given, dropout between them."""

    layers: list

    def __call__(self, x, key=None):
        for layer in self.layers[:-1]:
            x = jax.nn.relu(layer(x))
            if key is not None:
                key, here = jax.random.split(key)
                x = jnp.where(jax.random.bernoulli(here, 0.8, x.shape), x / 0.8, 0.0)
        return self.layers[-1](x)


def new_network(sizes, key):
    layers = []
    for inputs, outputs in zip(sizes[:-1], sizes[1:], strict=True):
        key, here = jax.random.split(key)
        layers.append(Dense(jax.random.normal(here, (inputs, outputs)) * (2 / inputs) ** 0.5, jnp.zeros(outputs)))
    return Network(layers)


def loss(network, images, labels, key):
    scores = jax.nn.log_softmax(network(images, key))
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


def accuracy(network, images, labels):
    return jnp.mean(jnp.argmax(network(images), axis=1) == labels)


def adam(network, mean, variance, slope, step):
    """One step of Adam (Kingma and Ba 2015): the new parameters and both moments."""
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slope)
    variance = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, variance, slope)
    rate = RATE * jnp.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    network = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), network, mean, variance)
    return network, mean, variance


def train(network, training, validation, key, epochs):
    """Best network by validation accuracy, that accuracy, its epoch, and the number of epochs that ran."""
    images, labels = training
    best, best_accuracy, best_epoch = network, 0.0, 0
    mean = variance = jax.tree.map(jnp.zeros_like, network)
    step = epoch = 0
    for epoch in range(1, epochs + 1):
        key, shuffling = jax.random.split(key)
        order = jax.random.permutation(shuffling, len(images))
        for batch in order[: len(images) // BATCH * BATCH].reshape(-1, BATCH):
            key, dropout = jax.random.split(key)
            slope = jax.grad(loss)(network, images[batch], labels[batch], dropout)
            step += 1
            network, mean, variance = adam(network, mean, variance, slope, step)
        now = accuracy(network, *validation)
        if now > best_accuracy:
            best, best_accuracy, best_epoch = network, now, epoch
        elif epoch - best_epoch == PATIENCE:
            break
    return best, best_accuracy, best_epoch, epoch


def main():
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    digits = load_digits()
    order = jax.random.permutation(jax.random.key(0), len(digits.target))
    images, labels = jnp.asarray(digits.data / 16, jnp.float32)[order], jnp.asarray(digits.target)[order]
    parts = slice(1197), slice(1197, 1497), slice(1497, None)
    training, validation, test = [(images[part], labels[part]) for part in parts]
    few = images[:64], labels[:64]
    network = new_network([64, 128, 64, 10], jax.random.key(1))
    print(f"Handwritten digits: {len(training[0])} to train, {len(validation[0])} to validate, {len(test[0])} to test")
    best, best_accuracy, best_epoch, ran = report(
        ag.jit(train),
        network,
        training,
        validation,
        jax.random.key(2),
        epochs,
        eager=lambda: train(network, few, validation, jax.random.key(2), 1),
        note=f"1 epoch of at most {epochs}, {len(few[0])} of {len(training[0])} images",
        repeats=3,
    )
    print(f"  epochs: {ran} of at most {epochs}, the best was epoch {best_epoch}")
    print(f"  validation accuracy: {best_accuracy:.2%}")
    print(f"  test accuracy: {accuracy(best, *test):.2%}")


if __name__ == "__main__":
    main()
