"""Solve Poisson's equation with conjugate gradients that stop at a tolerance.

-laplace(u) = f on the unit square, u = 0 at the border, five-point stencil on N x N inner points. The right side
belongs to u = x (1 - x) y (1 - y), for which the stencil is exact, so the answer can be checked.

    python examples/conjugate_gradient.py [N]
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from timing import report

import autograph as ag

jax.config.update("jax_enable_x64", True)


def negative_laplacian(u):
    """Five-point stencil with zeros around the border; `u` and the result are `[N, N]`."""
    around = jnp.pad(u, 1)
    neighbours = around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:]
    return (4 * u - neighbours) * (u.shape[0] + 1) ** 2


def conjugate_gradient(operator, b, tolerance, limit):
    """Solution of operator(x) = b for a positive definite `operator`, and the number of iterations."""
    x = jnp.zeros_like(b)
    residual = b
    direction = residual
    square = jnp.vdot(residual, residual)
    target = tolerance**2 * square
    iterations = 0
    while square > target:
        if iterations == limit:
            break
        image = operator(direction)
        step = square / jnp.vdot(direction, image)
        x += step * direction
        residual = residual - step * image  # `-=` would change `b` and `direction` too, where they are NumPy arrays
        previous, square = square, jnp.vdot(residual, residual)
        direction = residual + (square / previous) * direction
        iterations += 1
    return x, iterations


def poisson(b, tolerance):
    return conjugate_gradient(negative_laplacian, b, tolerance, limit=2000)


def problem(n):
    """Right side and exact solution on the `n` x `n` inner points."""
    at = np.arange(1, n + 1) / (n + 1)
    hump = at * (1 - at)
    return jnp.asarray(2 * (hump[:, None] + hump[None, :])), np.outer(hump, hump)


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 128
    b, exact = problem(n)
    print(f"Poisson's equation on {n} x {n} points, conjugate gradients to a relative residual of 1e-8")
    u, iterations = report(ag.jit(poisson), b, 1e-8, eager=lambda: poisson(b, 1e-8))
    residual = jnp.linalg.norm(b - negative_laplacian(u)) / jnp.linalg.norm(b)
    print(f"  iterations: {iterations}")
    print(f"  relative residual: {residual:.2e}")
    print(f"  largest error: {np.abs(u - exact).max():.2e}")


if __name__ == "__main__":
    main()
