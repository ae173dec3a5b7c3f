"""Solvers that stop when they are done, and a filter."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from .pair import Pair


def oscillator(y: Any) -> Any:
    """The right side of van der Pol's equation."""
    return jnp.stack([y[1], 5.0 * (1.0 - y[0] * y[0]) * y[1] - y[0]])


def integrate(y: Any, end: Any, tolerance: Any) -> Any:
    """Heun's method with Euler's as the estimate of the error; a step that is too coarse is tried again."""
    time, step, rejected = 0.0, 0.01, 0
    while time < end:
        step = jnp.minimum(step, end - time)
        slope = oscillator(y)
        euler = y + step * slope
        heun = y + 0.5 * step * (slope + oscillator(euler))
        error = jnp.max(jnp.abs(heun - euler)) + 1e-12
        if error <= tolerance:
            time = time + step
            y = heun
        else:
            rejected += 1
        step = step * jnp.clip(0.9 * jnp.sqrt(tolerance / error), 0.2, 2.0)
    return y, rejected


def integrate_expert(y: Any, end: Any, tolerance: Any) -> Any:
    def body(carry: Any) -> Any:
        y, time, step, rejected = carry
        step = jnp.minimum(step, end - time)
        slope = oscillator(y)
        euler = y + step * slope
        heun = y + 0.5 * step * (slope + oscillator(euler))
        error = jnp.max(jnp.abs(heun - euler)) + 1e-12
        fine = error <= tolerance
        time = jnp.where(fine, time + step, time)
        y = jnp.where(fine, heun, y)
        rejected = jnp.where(fine, rejected, rejected + 1)
        return y, time, step * jnp.clip(0.9 * jnp.sqrt(tolerance / error), 0.2, 2.0), rejected

    y, _, _, rejected = lax.while_loop(lambda carry: carry[1] < end, body, (y, 0.0, jnp.float32(0.01), 0))
    return y, rejected


def conjugate_gradient(a: Any, b: Any, tolerance: Any) -> Any:
    x = jnp.zeros_like(b)
    residual = b
    direction = residual
    squared = residual @ residual
    iterations = 0
    while squared > tolerance * tolerance and iterations < 1000:
        image = a @ direction
        alpha = squared / (direction @ image)
        x = x + alpha * direction
        residual = residual - alpha * image
        new_squared = residual @ residual
        direction = residual + (new_squared / squared) * direction
        squared = new_squared
        iterations += 1
    return x, iterations


def conjugate_gradient_expert(a: Any, b: Any, tolerance: Any) -> Any:
    def body(carry: Any) -> Any:
        x, residual, direction, squared, iterations = carry
        image = a @ direction
        alpha = squared / (direction @ image)
        residual = residual - alpha * image
        new_squared = residual @ residual
        return (
            x + alpha * direction,
            residual,
            residual + (new_squared / squared) * direction,
            new_squared,
            iterations + 1,
        )

    def test(carry: Any) -> Any:
        return (carry[3] > tolerance * tolerance) & (carry[4] < 1000)

    out = lax.while_loop(test, body, (jnp.zeros_like(b), b, b, b @ b, 0))
    return out[0], out[4]


def power_iteration(a: Any, x: Any) -> Any:
    """The largest eigenvalue; left when it stands still."""
    value = 0.0
    for iteration in range(500):  # noqa: B007 - read after the loop
        y = a @ x
        new_value = x @ y
        x = y / jnp.linalg.norm(y)
        if abs(new_value - value) < 1e-6 * abs(new_value):
            break
        value = new_value
    return new_value, iteration


def power_iteration_expert(a: Any, x: Any) -> Any:
    def test(carry: Any) -> Any:
        iteration, _, value, new_value = carry
        return (iteration < 499) & (jnp.abs(new_value - value) >= 1e-6 * jnp.abs(new_value))

    def advance(iteration: Any, x: Any, value: Any) -> Any:
        y = a @ x
        return iteration, y / jnp.linalg.norm(y), value, x @ y

    iteration, _, _, value = lax.while_loop(
        test, lambda c: advance(c[0] + 1, c[1], c[3]), advance(0, x, jnp.float32(0.0))
    )
    return value, iteration


def k_means(points: Any, centers: Any) -> Any:
    shift, iterations = jnp.inf, 0
    while shift > 1e-4 and iterations < 100:
        distances = jnp.sum((points[:, None, :] - centers[None, :, :]) ** 2, axis=2)
        member = jnp.argmin(distances, axis=1)[:, None] == jnp.arange(centers.shape[0])
        new_centers = member.astype(points.dtype).T @ points / jnp.maximum(member.sum(axis=0), 1)[:, None]
        shift = jnp.max(jnp.abs(new_centers - centers))
        centers = new_centers
        iterations += 1
    return centers, iterations


def k_means_expert(points: Any, centers: Any) -> Any:
    def body(carry: Any) -> Any:
        centers, _, iterations = carry
        distances = jnp.sum((points[:, None, :] - centers[None, :, :]) ** 2, axis=2)
        member = jnp.argmin(distances, axis=1)[:, None] == jnp.arange(centers.shape[0])
        new_centers = member.astype(points.dtype).T @ points / jnp.maximum(member.sum(axis=0), 1)[:, None]
        return new_centers, jnp.max(jnp.abs(new_centers - centers)), iterations + 1

    def test(carry: Any) -> Any:
        return (carry[1] > 1e-4) & (carry[2] < 100)

    centers, _, iterations = lax.while_loop(test, body, (centers, jnp.float32(jnp.inf), 0))
    return centers, iterations


def kalman(readings: Any, process: Any, noise: Any) -> Any:
    """A position measured with noise; the estimates of all times."""
    estimate, variance = readings[0], 1.0
    estimates = []
    for reading in readings:
        variance = variance + process
        gain = variance / (variance + noise)
        estimate = estimate + gain * (reading - estimate)
        variance = (1 - gain) * variance
        estimates.append(estimate)
    return jnp.stack(estimates)


def kalman_expert(readings: Any, process: Any, noise: Any) -> Any:
    def body(carry: Any, reading: Any) -> Any:
        estimate, variance = carry
        variance = variance + process
        gain = variance / (variance + noise)
        estimate = estimate + gain * (reading - estimate)
        return (estimate, (1 - gain) * variance), estimate

    return lax.scan(body, (readings[0], jnp.float32(1.0)), readings)[1]


def symmetric(n: int) -> np.ndarray:
    """A well-conditioned symmetric positive definite matrix."""
    a = np.random.RandomState(0).randn(n, n).astype(np.float32)
    return a @ a.T / n + np.eye(n, dtype=np.float32)


def clusters(n: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.RandomState(0)
    points = random.randn(n, 2).astype(np.float32) + 4 * random.randint(0, 3, (n, 1)).astype(np.float32)
    return points, points[:5]


PAIRS = [
    Pair(
        integrate,
        integrate_expert,
        lambda: (np.float32([2, 0]), np.float32(10), np.float32(1e-3)),
        plain=lambda: (np.float32([2, 0]), np.float32(0.2), np.float32(1e-3)),
    ),
    Pair(
        conjugate_gradient,
        conjugate_gradient_expert,
        lambda: (symmetric(128), np.ones(128, np.float32), np.float32(1e-3)),
    ),
    Pair(power_iteration, power_iteration_expert, lambda: (symmetric(64), np.ones(64, np.float32))),
    Pair(k_means, k_means_expert, lambda: clusters(500)),
    Pair(
        kalman,
        kalman_expert,
        lambda: (np.sin(np.arange(2000, dtype=np.float32) / 50), np.float32(0.01), np.float32(0.1)),
        plain=lambda: (np.sin(np.arange(20, dtype=np.float32)), np.float32(0.01), np.float32(0.1)),
    ),
]
