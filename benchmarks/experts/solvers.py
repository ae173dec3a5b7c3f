"""Solvers in double precision: the examples `adaptive_ode`, `conjugate_gradient` and `line_search`."""

from __future__ import annotations

from typing import Any

import adaptive_ode
import conjugate_gradient
import jax
import jax.numpy as jnp
import line_search
import numpy as np
from jax import lax
from programs import Pair


def solve(e: Any, end: Any) -> Any:
    def body(carry: Any) -> Any:
        t, h, y, accepted, rejected = carry
        h = jnp.minimum(h, end - t)
        new, error = adaptive_ode.attempt(y, h)
        fine = error <= 1
        t, y = jnp.where(fine, t + h, t), jnp.where(fine, new, y)
        h = h * jnp.minimum(5.0, jnp.maximum(0.2, 0.9 * (error + 1e-10) ** -0.2))
        return t, h, y, accepted + fine, rejected + ~fine

    begin = (0.0, 1.0, adaptive_ode.start(e), 0, 0)
    _, _, y, accepted, rejected = lax.while_loop(lambda carry: carry[0] < end, body, begin)
    return y, accepted, rejected


def poisson(b: Any, tolerance: Any) -> Any:
    square = jnp.vdot(b, b)
    target = tolerance**2 * square

    def body(carry: Any) -> Any:
        x, residual, direction, square, iterations = carry
        image = conjugate_gradient.negative_laplacian(direction)
        step = square / jnp.vdot(direction, image)
        x = x + step * direction
        residual = residual - step * image
        previous, square = square, jnp.vdot(residual, residual)
        return x, residual, residual + (square / previous) * direction, square, iterations + 1

    def going_on(carry: Any) -> Any:
        return (carry[3] > target) & (carry[4] < 2000)

    x, _, _, _, iterations = lax.while_loop(going_on, body, (jnp.zeros_like(b), b, b, square, 0))
    return x, iterations


def descend(x: Any, tolerance: Any, limit: Any) -> Any:
    rosenbrock = line_search.rosenbrock

    def going_on(carry: Any) -> Any:
        _, _, slope, _, steps, _, failed = carry
        return (steps < limit) & (slope @ slope > tolerance**2) & ~failed

    def body(carry: Any) -> Any:
        x, value, slope, step, steps, evaluations, _ = carry
        decrease = 0.5 * (slope @ slope)

        def too_long(carry: Any) -> Any:
            step, _ = carry
            return (rosenbrock(x - step * slope) > value - step * decrease) & (step >= 1e-12)

        step, evaluations = lax.while_loop(
            too_long, lambda carry: (carry[0] / 2, carry[1] + 1), (jnp.minimum(4 * step, 1.0), evaluations)
        )
        failed = step < 1e-12
        x = jnp.where(failed, x, x - step * slope)
        value, slope = jax.value_and_grad(rosenbrock)(x)
        return x, value, slope, step, steps + ~failed, evaluations + ~failed, failed

    value, slope = jax.value_and_grad(rosenbrock)(x)
    x, _, _, _, steps, evaluations, _ = lax.while_loop(going_on, body, (x, value, slope, 1.0, 0, 1, False))
    return x, steps, evaluations


PAIRS = [
    Pair(adaptive_ode.solve, solve, lambda: (np.float64(0.6), np.float64(20.0))),
    Pair(
        conjugate_gradient.poisson, poisson, lambda: (np.asarray(conjugate_gradient.problem(64)[0]), np.float64(1e-8))
    ),
    Pair(line_search.descend, descend, lambda: (np.array([-1.2, 1.0]), np.float64(1e-6), 2000)),
]
