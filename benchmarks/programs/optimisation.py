"""Optimisers and samplers: searches along a line, moments, scaling to margins, accept or reject."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import autograph as ag

from .pair import Pair


def valley(x: Any) -> Any:
    """Rosenbrock's function of two numbers."""
    return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] * x[0]) ** 2


def line_search(x: Any, most: Any) -> Any:
    """Steepest descent; each step is halved until it gains enough."""
    for iteration in range(most):
        slope = jax.grad(valley)(x)
        squared = slope @ slope
        if squared < 1e-6:
            return x, iteration
        step, value = 1.0, valley(x)
        while valley(x - step * slope) > value - 1e-4 * step * squared and step > 1e-8:
            step = step / 2
        x = x - step * slope
    return x, most


def line_search_expert(x: Any, most: Any) -> Any:
    def slope_at(x: Any) -> Any:
        slope = jax.grad(valley)(x)
        return slope, slope @ slope

    def test(carry: Any) -> Any:
        iteration, _, _, squared = carry
        return (iteration < most) & (squared >= 1e-6)

    def body(carry: Any) -> Any:
        iteration, x, slope, squared = carry
        value = valley(x)
        step = lax.while_loop(
            lambda step: (valley(x - step * slope) > value - 1e-4 * step * squared) & (step > 1e-8),
            lambda step: step / 2,
            jnp.float32(1.0),
        )
        x = x - step * slope
        return iteration + 1, x, *slope_at(x)

    iteration, x, _, _ = lax.while_loop(test, body, (0, x, *slope_at(x)))
    return x, iteration


def adam(weights: Any, inputs: Any, targets: Any) -> Any:
    """A logistic regression, trained in 200 steps; the losses on the way."""

    def loss(w: Any) -> Any:
        logits = inputs @ w
        return jnp.mean(jnp.logaddexp(0.0, logits) - targets * logits)

    mean, square = jnp.zeros_like(weights), jnp.zeros_like(weights)
    losses = []
    for iteration in ag.range(1, 201):
        value, slope = jax.value_and_grad(loss)(weights)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        weights = weights - 0.05 * (mean / (1 - 0.9**iteration)) / (jnp.sqrt(square / (1 - 0.999**iteration)) + 1e-8)
        losses.append(value)
    return weights, jnp.array(losses)


def adam_expert(weights: Any, inputs: Any, targets: Any) -> Any:
    def loss(w: Any) -> Any:
        logits = inputs @ w
        return jnp.mean(jnp.logaddexp(0.0, logits) - targets * logits)

    def body(carry: Any, iteration: Any) -> Any:
        weights, mean, square = carry
        value, slope = jax.value_and_grad(loss)(weights)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        weights = weights - 0.05 * (mean / (1 - 0.9**iteration)) / (jnp.sqrt(square / (1 - 0.999**iteration)) + 1e-8)
        return (weights, mean, square), value

    start = (weights, jnp.zeros_like(weights), jnp.zeros_like(weights))
    (weights, _, _), losses = lax.scan(body, start, jnp.arange(1, 201))
    return weights, losses


def sinkhorn(cost: Any, rows: Any, columns: Any) -> Any:
    """A transport plan with given margins: rows and columns are scaled in turn until both fit."""
    kernel = jnp.exp(-cost / 0.1)
    u, v = jnp.ones_like(rows), jnp.ones_like(columns)
    iterations, error = 0, 1.0
    while iterations < 500 and error > 1e-4:
        u = rows / (kernel @ v)
        v = columns / (kernel.T @ u)
        if iterations % 10 == 0:
            error = jnp.abs(u * (kernel @ v) - rows).sum()
        iterations += 1
    return u[:, None] * kernel * v, iterations


def sinkhorn_expert(cost: Any, rows: Any, columns: Any) -> Any:
    kernel = jnp.exp(-cost / 0.1)

    def body(carry: Any) -> Any:
        _, v, iterations, error = carry
        u = rows / (kernel @ v)
        v = columns / (kernel.T @ u)
        error = lax.cond(iterations % 10 == 0, lambda: jnp.abs(u * (kernel @ v) - rows).sum(), lambda: error)
        return u, v, iterations + 1, error

    start = (jnp.ones_like(rows), jnp.ones_like(columns), 0, jnp.float32(1.0))
    u, v, iterations, _ = lax.while_loop(lambda carry: (carry[2] < 500) & (carry[3] > 1e-4), body, start)
    return u[:, None] * kernel * v, iterations


def metropolis(key: Any, x: Any) -> Any:
    """1000 samples from two bumps, and how many proposals were accepted."""

    def log_density(x: Any) -> Any:
        return jnp.logaddexp(-0.5 * (x - 2.0) ** 2, -0.5 * (x + 2.0) ** 2)

    samples, accepted = [], 0
    for _ in ag.range(1000):
        key, of_step, of_choice = jax.random.split(key, 3)
        proposal = x + jax.random.normal(of_step)
        if jnp.log(jax.random.uniform(of_choice)) < log_density(proposal) - log_density(x):
            x = proposal
            accepted += 1
        samples.append(x)
    return jnp.stack(samples), accepted


def metropolis_expert(key: Any, x: Any) -> Any:
    def log_density(x: Any) -> Any:
        return jnp.logaddexp(-0.5 * (x - 2.0) ** 2, -0.5 * (x + 2.0) ** 2)

    def body(carry: Any, _: Any) -> Any:
        key, x, accepted = carry
        key, of_step, of_choice = jax.random.split(key, 3)
        proposal = x + jax.random.normal(of_step)
        taken = jnp.log(jax.random.uniform(of_choice)) < log_density(proposal) - log_density(x)
        x = jnp.where(taken, proposal, x)
        return (key, x, accepted + taken), x

    (_, _, accepted), samples = lax.scan(body, (key, x, 0), length=1000)
    return samples, accepted


def examples(n: int, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.RandomState(0)
    inputs = random.randn(n, width).astype(np.float32)
    return np.zeros(width, np.float32), inputs, (inputs @ random.randn(width) > 0).astype(np.float32)


def transport(n: int, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.RandomState(0)
    margins = [random.dirichlet(np.ones(k)).astype(np.float32) for k in (n, m)]
    return random.rand(n, m).astype(np.float32), margins[0], margins[1]


PAIRS = [
    Pair(
        line_search,
        line_search_expert,
        lambda: (np.float32([-1.2, 1.0]), np.int32(500)),
        plain=lambda: (np.float32([-1.2, 1.0]), np.int32(3)),
    ),
    Pair(adam, adam_expert, lambda: examples(200, 10)),
    Pair(sinkhorn, sinkhorn_expert, lambda: transport(40, 30)),
    Pair(metropolis, metropolis_expert, lambda: (jax.random.key(1), np.float32(0))),
]
