"""An orbit by an ODE solver that chooses its own steps, and derivatives through the solver.

Dormand and Prince's method of order 5(4): every iteration of the `while` tries a step, `if` its error is small enough
accepts it, and adapts the step size. The orbit is Kepler's with eccentricity e; its position at any time is known
from Kepler's equation, and so is the derivative of that position with respect to e.

Both modes of differentiation go through the `while`: `jax.jacfwd` and `jax.grad`.

    python examples/adaptive_ode.py [TIME]
"""

import math
import sys

import jax
import jax.numpy as jnp
from timing import report

import autograph as ag

jax.config.update("jax_enable_x64", True)

STAGES = (  # rows of the tableau: what each stage adds of the ones before it
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ERROR = (71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
TOLERANCE = 1e-9


def orbit(y):
    """Two bodies: position and velocity to velocity and acceleration; `[4]`."""
    position, velocity = y[:2], y[2:]
    return jnp.concatenate([velocity, -position / (position @ position) ** 1.5])


def attempt(y, h):
    """One step of size `h` from `y`: the new state, and its error in units of the tolerance."""
    slopes = [orbit(y)]
    for row in STAGES:
        slopes.append(orbit(y + h * sum(a * k for a, k in zip(row, slopes, strict=True))))
    new = y + h * sum(a * k for a, k in zip(STAGES[-1], slopes[:-1], strict=True))
    error = h * sum(e * k for e, k in zip(ERROR, slopes, strict=True))
    scale = TOLERANCE * (1 + jnp.maximum(abs(y), abs(new)))
    return new, jnp.sqrt(jnp.mean((error / scale) ** 2))


def start(e):
    """The point nearest to the sun of the orbit with eccentricity `e` and period 2 pi."""
    return jnp.array([1 - e, 0.0, 0.0, jnp.sqrt((1 + e) / (1 - e))])


def solve(e, end):
    """State at time `end`, and how many steps were accepted and rejected."""
    t, h, y = 0.0, 1.0, start(e)
    accepted = rejected = 0
    while t < end:
        h = min(h, end - t)
        new, error = attempt(y, h)
        if error <= 1:
            t, y = t + h, new
            accepted += 1
        else:
            rejected += 1
        h = h * min(5.0, max(0.2, 0.9 * (error + 1e-10) ** -0.2))
    return y, accepted, rejected


def kepler(e, t):
    """x at time `t` and dx/de from Kepler's equation E - e sin E = t."""
    angle = t
    for _ in range(50):
        angle -= (angle - e * math.sin(angle) - t) / (1 - e * math.cos(angle))
    return math.cos(angle) - e, -(math.sin(angle) ** 2) / (1 - e * math.cos(angle)) - 1


def main():
    end = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    e = 0.6
    exact, slope = kepler(e, end)
    print(f"Kepler orbit, eccentricity {e}, until t = {end}, tolerance {TOLERANCE}")
    y, accepted, rejected = report(ag.jit(solve), e, end, eager=lambda: solve(e, min(end, 1.0)), note="until t = 1")
    print(f"  steps: {accepted} accepted, {rejected} rejected")
    print(f"  x  {y[0]:+.8f}   exact {exact:+.8f}   error {abs(y[0] - exact):.1e}")
    final_x = ag.convert(lambda e: solve(e, end)[0][0])
    forward, reverse = jax.jit(jax.jacfwd(final_x))(e), jax.jit(jax.grad(final_x))(e)
    print(f"  dx/de forward mode {forward:+.6f}   exact {slope:+.6f}   error {abs(forward - slope):.1e}")
    print(f"  dx/de reverse mode {reverse:+.6f}   exact {slope:+.6f}   error {abs(reverse - slope):.1e}")


if __name__ == "__main__":
    main()
