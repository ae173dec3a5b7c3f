"""Gradient descent with Armijo's backtracking line search on Rosenbrock's valley: a `while` inside a `while`.

The inner loop halves the step until it lowers the function enough; the outer one stops at a small gradient or when
the line search finds no step. `jax.grad` of a Python function stands inside the loop.

    python examples/line_search.py [LIMIT]
"""

import sys

import jax
import jax.numpy as jnp
from timing import report

import autograph as ag

jax.config.update("jax_enable_x64", True)


def rosenbrock(x):
    """Zero at (1, ..., 1), at the end of a long bent valley."""
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def descend(x, tolerance, limit):
    """Where the descent from `x` ends, and how many steps and function values it took."""
    value, slope = jax.value_and_grad(rosenbrock)(x)
    step = 1.0
    steps, evaluations = 0, 1
    while steps < limit and slope @ slope > tolerance**2:
        step = min(4 * step, 1.0)
        decrease = 0.5 * (slope @ slope)
        while rosenbrock(x - step * slope) > value - step * decrease:
            step = step / 2
            evaluations += 1
            if step < 1e-12:
                return x, steps, evaluations
        x = x - step * slope
        value, slope = jax.value_and_grad(rosenbrock)(x)
        evaluations += 1
        steps += 1
    return x, steps, evaluations


def main():
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    x = jnp.array([-1.2, 1.0])
    few = min(limit, 30)
    print(f"Gradient descent on Rosenbrock's function, at most {limit} steps")
    end, steps, evaluations = report(
        ag.jit(descend), x, 1e-6, limit, eager=lambda: descend(x, 1e-6, few), note=f"{few} steps"
    )
    print(f"  steps: {steps}, function values: {evaluations}")
    print(f"  minimum at ({end[0]:.8f}, {end[1]:.8f}), value {rosenbrock(end):.3e}")


if __name__ == "__main__":
    main()
