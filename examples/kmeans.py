"""k-means with a convergence test and a rule for empty clusters.

`while True` with a `break` when no point changes its cluster; a `for` over the clusters; `if` a cluster has lost all
its points it moves to the point that is farthest from its centre.

    python examples/kmeans.py [POINTS]
"""

import sys

import jax.numpy as jnp
import numpy as np
from timing import report

import autograph as ag


def kmeans(points, centres, limit):
    """Centres `[clusters, 2]`, the cluster of every point, the number of iterations, and how often a cluster was empty."""
    clusters = jnp.full(len(points), -1)
    iterations = empty = 0
    while True:
        squares = jnp.sum((points[:, None] - centres[None]) ** 2, axis=-1)
        nearest = jnp.argmin(squares, axis=1)
        iterations += 1
        if (nearest == clusters).all() or iterations == limit:
            break
        clusters = nearest
        for number in range(len(centres)):
            mine = clusters == number
            size = jnp.sum(mine)
            if size > 0:
                centres[number] = jnp.sum(jnp.where(mine[:, None], points, 0), axis=0) / size
            else:
                centres[number] = points[jnp.argmax(jnp.min(squares, axis=1))]
                empty += 1
    return centres, clusters, iterations, empty


def clouds(count):
    """Points around five places, float32 `[count, 2]`, and starting centres of which two attract nothing."""
    random = np.random.default_rng(5)
    places = np.array([(0, 0), (6, 1), (1, 7), (7, 8), (-5, 4)])
    points = places[random.integers(len(places), size=count)] + random.normal(size=(count, 2))
    starts = np.concatenate([points[:3], [(60, 60), (-90, 0)]])
    return jnp.asarray(points, jnp.float32), jnp.asarray(starts, jnp.float32)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    points, starts = clouds(count)
    print(f"k-means: {count} points, {len(starts)} clusters")
    centres, clusters, iterations, empty = report(
        ag.jit(kmeans), points, starts, 200, eager=lambda: ag.convert(kmeans)(points, starts, 200)
    )
    spread = jnp.sum((points - centres[clusters]) ** 2)
    print(f"  iterations: {iterations}, empty clusters on the way: {empty}")
    print(f"  sum of squares: {spread:.3f}")
    for number in np.lexsort(np.asarray(centres).T[::-1]):
        x, y = centres[number]
        print(f"  centre ({x:8.4f}, {y:8.4f})  {jnp.sum(clusters == number):6} points")


if __name__ == "__main__":
    main()
