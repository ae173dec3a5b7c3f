"""Flax: a transformer block that decides for each sequence how often it runs (adaptive computation time, Graves 2016).

The model is plain Flax: a `while` with an `if` in `__call__`, around layers that are made in front of it. The training is
plain Python as well: a `for` over the sequences, an `if` that clips a gradient. One `ag.jit` compiles all of it; the same
function without `ag.jit` is the reference.

    python examples/frameworks/flax_adaptive_depth.py [SEQUENCES]
"""

import sys

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from comparing import compare

import autograph as ag

LENGTH, WIDTH, MOST = 6, 16, 6


class Block(nn.Module):
    """Attention and a dense layer, both with a residual connection."""

    @nn.compact
    def __call__(self, x):
        x = x + nn.SelfAttention(num_heads=2)(nn.LayerNorm()(x))
        return x + nn.relu(nn.Dense(WIDTH)(nn.LayerNorm()(x)))


class AdaptiveDepth(nn.Module):
    """Runs one block until the probabilities of halting add up; the answer is the mean of the steps, weighted by them."""

    @nn.compact
    def __call__(self, numbers):
        block, halt, head = Block(), nn.Dense(1), nn.Dense(1)
        x = nn.Dense(WIDTH)(numbers[:, None])
        answer, halted, steps = 0.0, 0.0, 0
        while halted < 0.99 and steps < MOST:
            x = block(x)
            summary = nn.tanh(x.mean(axis=0))
            p = nn.sigmoid(halt(summary))[0]
            if halted + p > 0.99 or steps == MOST - 1:
                p = 1.0 - halted  # the last step takes what is left
            answer = answer + p * head(summary)[0]
            halted = halted + p
            steps += 1
        return answer, steps


def scaled(tree, factor):
    return jax.tree.map(lambda leaf: factor * leaf, tree)


def train(net, optimizer, params, sequences, answers):
    """One pass: the parameters, the errors, and how deep the network was for each sequence."""

    def loss(params, numbers, answer):
        found, steps = net.apply(params, numbers)
        return (found - answer) ** 2, steps

    state = optimizer.init(params)
    errors, depths = [], []
    for numbers, answer in zip(sequences, answers, strict=True):
        (error, steps), slope = jax.value_and_grad(loss, has_aux=True)(params, numbers, answer)
        norm = optax.global_norm(slope)
        if norm > 1.0:
            slope = scaled(slope, 1.0 / norm)
        updates, state = optimizer.update(slope, state)
        params = optax.apply_updates(params, updates)
        errors.append(error)
        depths.append(steps)
    return params, jnp.stack(errors), jnp.stack(depths)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    sequences = jax.random.normal(jax.random.key(0), (count, LENGTH))
    answers = jnp.max(sequences, axis=1)
    net, optimizer = AdaptiveDepth(), optax.sgd(0.1)
    params = net.init(jax.random.key(1), sequences[0])
    print(f"A transformer block of adaptive depth learns the largest of {LENGTH} numbers, {count} sequences")
    compiled = ag.jit(lambda *arguments: train(net, optimizer, *arguments))
    params, errors, depths = compare(
        lambda: train(net, optimizer, params, sequences, answers),
        lambda: compiled(params, sequences, answers),
        "plain Python, Flax",
    )
    half = count // 2
    print(f"  mean error: first half {jnp.mean(errors[:half]):.3f}, second half {jnp.mean(errors[half:]):.3f}")
    print("  steps taken by each sequence: " + " ".join(map(str, depths)))


if __name__ == "__main__":
    main()
