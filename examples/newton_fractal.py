"""Newton's method for z**5 = 1 from every point of the plane: which root is reached, and how fast.

`newton` is the textbook loop for one starting point: it stops at the tolerance, and gives up at 0, where the
derivative vanishes, or after LIMIT iterations. `jax.vmap` runs it for a whole picture.

    python examples/newton_fractal.py [HEIGHT]

writes newton_fractal.png (square) into the current folder.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from png import write_png
from timing import report

import autograph as ag

DEGREE, LIMIT, TOLERANCE = 5, 120, 1e-4


def newton(z):
    """Root number 0 ... DEGREE - 1 that Newton's method reaches from `z`, or -1, and the iterations that it took."""
    for iteration in range(LIMIT):
        if abs(z) < 1e-6:
            return -1, iteration
        step = (z - z ** (1 - DEGREE)) / DEGREE
        z = z - step
        if abs(step) < TOLERANCE:
            break
    else:
        return -1, LIMIT
    root = jnp.round(jnp.angle(z) * DEGREE / (2 * jnp.pi)).astype(int)
    return root % DEGREE, iteration + 1


@ag.jit
def basins(plane):
    return jax.vmap(jax.vmap(newton))(plane)


def plane_of(height):
    """A square of `height` by `height` points around 0, complex64."""
    y, x = np.mgrid[1.5 : -1.5 : height * 1j, -1.5 : 1.5 : height * 1j]
    return jnp.asarray(x + 1j * y, jnp.complex64)


def picture_of(roots, iterations):
    """One colour per root, darker where Newton's method took longer; uint8 RGB `[height, width, 3]`."""
    palette = np.array([(231, 111, 81), (244, 192, 95), (138, 177, 125), (42, 157, 143), (70, 110, 150), (0, 0, 0)])
    light = 1.1 * 0.94 ** np.maximum(iterations - 3, 0)
    return np.clip(palette[roots] * light[..., None], 0, 255).astype(np.uint8)


def main():
    height = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    plane = plane_of(height)
    sample = plane_of(6).ravel()
    print(f"Newton's method for z**{DEGREE} = 1 from {plane.size} points")
    roots, iterations = report(
        basins,
        plane,
        eager=lambda: [newton(z) for z in sample],
        note=f"{sample.size} of {plane.size} points",
    )
    roots, iterations = np.asarray(roots), np.asarray(iterations)
    for root in range(-1, DEGREE):
        print(f"  {f'root {root}' if root >= 0 else 'no root':8} {np.sum(roots == root):7} points")
    print(f"  iterations: {iterations.mean():.2f} on average, {iterations.max()} at most")
    print(f"  picture: {write_png('newton_fractal.png', picture_of(roots, iterations))}")


if __name__ == "__main__":
    main()
