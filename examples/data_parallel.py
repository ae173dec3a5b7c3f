"""Data-parallel training with early stopping: one compiled program for all devices of all hosts.

The rows of every minibatch are spread over the devices, and the weights stand on each of them. The training is ordinary Python:
a `while` over epochs, a `for` over minibatches, an `if` that keeps the best weights, a `break`. XLA sums the gradients and errors
over the devices, so that all of them leave the loop in the same epoch.

    python examples/data_parallel.py [EPOCHS]

It takes the devices that are there. Without an accelerator, eight devices of one processor, and two processes as two hosts:

    XLA_FLAGS=--xla_force_host_platform_device_count=8 python examples/data_parallel.py
    python examples/data_parallel.py 60 localhost:9911 2 0 & python examples/data_parallel.py 60 localhost:9911 2 1
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from timing import report

import autograph as ag

FEATURES, BATCH, BATCHES, PATIENCE, RATE = 200, 64, 10, 3, 0.05


def rows_of_this_process():
    """Training `[batches, batch, ...]` and validation `[rows, ...]`: of each, the rows that this process feeds to its devices.

    A real program would read its own files here.
    """
    random = np.random.default_rng(0)
    features = random.normal(size=(BATCHES + 4, BATCH, FEATURES)).astype(np.float32)
    chances = 1 / (1 + np.exp(-features @ random.normal(size=FEATURES) / 7))
    labels = (random.uniform(size=chances.shape) < chances).astype(np.float32)
    share = BATCH // jax.process_count()
    mine = slice(jax.process_index() * share, (jax.process_index() + 1) * share)
    training = features[:BATCHES, mine], labels[:BATCHES, mine]
    return training, (features[BATCHES:, mine].reshape(-1, FEATURES), labels[BATCHES:, mine].ravel())


def loss(weights, features, labels):
    """Mean cross entropy of a logistic regression."""
    scores = features @ weights
    return jnp.mean(jax.nn.softplus(scores) - labels * scores)


def train(weights, training, validation, epochs):
    """Best weights by the validation error, that error, its epoch, and the number of epochs that ran."""
    best, best_error, best_epoch = weights, jnp.inf, 0
    epoch = 0
    while epoch < epochs:
        epoch += 1
        for features, labels in zip(*training, strict=True):
            weights = weights - RATE * jax.grad(loss)(weights, features, labels)
        error = loss(weights, *validation)
        if error < best_error:
            best, best_error, best_epoch = weights, error, epoch
        elif epoch - best_epoch == PATIENCE:
            break
    return best, best_error, best_epoch, epoch


def main():
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    if len(sys.argv) > 2:  # `jax.distributed.initialize()` alone on clusters that JAX knows (Slurm, GKE, ...)
        coordinator, processes, process = sys.argv[2:]
        jax.distributed.initialize(coordinator, int(processes), int(process))
    mesh = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(jax.sharding.AxisType.Auto,))

    def spread(rows, *axes):
        return jax.make_array_from_process_local_data(jax.NamedSharding(mesh, jax.P(*axes)), rows)

    mine = rows_of_this_process()
    training = jax.tree.map(lambda rows: spread(rows, None, "data"), mine[0])
    validation = jax.tree.map(lambda rows: spread(rows, "data"), mine[1])
    weights = np.zeros(FEATURES, np.float32)
    print(f"Logistic regression: {jax.device_count()} devices, {jax.process_count()} processes")
    best, error, best_epoch, ran = report(
        ag.jit(train, out_shardings=jax.NamedSharding(mesh, jax.P())),  # the results on every device
        spread(weights),
        training,
        validation,
        epochs,
        eager=lambda: train(weights, *mine, 1),
        note=f"1 epoch of at most {epochs}, the rows of this process",
    )
    print(f"  rows of a minibatch on each device: {training[0].addressable_shards[0].data.shape[1]} of {BATCH}")
    print(f"  epochs: {ran} of at most {epochs}, the best was epoch {best_epoch}")
    print(f"  validation error: {error:.6f}, length of the weights: {jnp.linalg.norm(best):.5f}")


if __name__ == "__main__":
    main()
