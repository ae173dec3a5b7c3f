"""Draw the Mandelbrot set: a `while` loop that each point leaves at its own time, mapped over the plane.

`escape_time` is written for one point, as in a textbook. `ag.jit` makes its `while` and its `break` part of the
compiled program, and `jax.vmap` runs it for every point at once.

    python examples/mandelbrot.py [HEIGHT]

writes mandelbrot.png (HEIGHT rows, 4:3, every pixel the mean of 2 x 2 points) into the current folder.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from png import write_png
from timing import report

import autograph as ag

LIMIT = 300  # iterations after which a point counts as inside
CENTRE, TALL = -0.65 + 0j, 2.4  # the middle of the picture and its height in the complex plane


def escape_time(c):
    """Iterations until z = z * z + c leaves a large circle, as a smooth number; -1 for points that stay."""
    z = 0j
    iterations = 0
    while iterations < LIMIT:
        if z.real**2 + z.imag**2 > 10_000:
            break
        z = z * z + c
        iterations += 1
    if iterations == LIMIT:
        return -1.0
    return iterations - jnp.log2(jnp.log2(abs(z)))


@ag.jit
def escape_times(plane):
    return jax.vmap(jax.vmap(escape_time))(plane)


def plane_of(height):
    """The complex numbers of `height` rows of points, complex64 `[height, width]`."""
    width = height * 4 // 3
    y, x = np.mgrid[height / 2 - 0.5 : -height / 2 : -1, -width / 2 + 0.5 : width / 2]
    return jnp.asarray(CENTRE + (x + 1j * y) * (TALL / height), jnp.complex64)


def picture_of(times):
    """Points inside black, those outside from blue (left early) to gold (left late); uint8 RGB `[height, width, 3]`."""
    palette = np.array([(0, 4, 50), (12, 44, 138), (57, 125, 209), (211, 236, 248), (248, 201, 95), (160, 70, 0)])
    stage = np.log2(np.maximum(times, 0) + 3) / np.log2(LIMIT + 3) * 1.7 - 0.35
    at = np.linspace(0, 1, len(palette))
    image = np.stack([np.interp(stage, at, palette[:, channel]) for channel in range(3)], axis=-1)
    image[times < 0] = 0
    height, width = times.shape
    return image.reshape(height // 2, 2, width // 2, 2, 3).mean(axis=(1, 3)).astype(np.uint8)


def main():
    height = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    plane = plane_of(2 * height)
    sample = plane_of(6).ravel()
    print(f"Mandelbrot set, {plane.shape[1]} x {plane.shape[0]} points, at most {LIMIT} iterations each")
    times = report(
        escape_times,
        plane,
        eager=lambda: [escape_time(c) for c in sample],
        note=f"{sample.size} of {plane.size} points",
        repeats=3,
    )
    times = np.asarray(times)
    print(f"  points inside: {np.sum(times < 0)} of {times.size}")
    print(f"  picture: {write_png('mandelbrot.png', picture_of(times))}")


if __name__ == "__main__":
    main()
