"""A travelling salesman's tour by simulated annealing, in several runs at once.

Each iteration reverses a random part of the tour (2-opt) and accepts a longer tour with a probability that falls with the
temperature. The cities lie on a circle in random order, so the shortest tour is known.

    python examples/simulated_annealing.py [ITERATIONS]
"""

import math
import sys

import jax
import jax.numpy as jnp
import numpy as np
from timing import report

import autograph as ag

CITIES, RUNS = 40, 4


def distance(a, b):
    return jnp.sqrt(jnp.sum((a - b) ** 2))


def anneal(key, cities, iterations):
    """Tour `[CITIES]` after `iterations` iterations, its length, and the number of accepted reversals that made it longer."""
    tour = jnp.arange(len(cities))
    places = jnp.arange(len(cities))
    length = jnp.sum(jnp.linalg.norm(cities - jnp.roll(cities, 1, axis=0), axis=1))
    uphill = 0
    for iteration in range(iterations):
        temperature = 0.5 * 0.002 ** (iteration / iterations)
        key, pick, luck = jax.random.split(key, 3)
        i, j = jnp.sort(jax.random.randint(pick, (2,), 1, len(cities)))
        before, first = cities[tour[i - 1]], cities[tour[i]]
        last, after = cities[tour[j]], cities[tour[(j + 1) % len(cities)]]
        change = distance(before, last) + distance(first, after) - distance(before, first) - distance(last, after)
        if change <= 0 or jax.random.uniform(luck) < jnp.exp(-change / temperature):
            tour = tour[jnp.where((places >= i) & (places <= j), i + j - places, places)]
            length += change
            if change > 1e-6:  # more than rounding
                uphill += 1
    return tour, length, uphill


def anneal_all(keys, cities, iterations):
    return jax.vmap(anneal, in_axes=(0, None, None))(keys, cities, iterations)


def circle_of_cities():
    """Cities `[CITIES, 2]` at equal distances on a circle of radius 1, shuffled."""
    angle = 2 * np.pi * np.random.default_rng(3).permutation(CITIES) / CITIES
    return jnp.asarray(np.stack([np.cos(angle), np.sin(angle)], axis=1), jnp.float32)


def main():
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    cities, keys = circle_of_cities(), jax.random.split(jax.random.key(0), RUNS)
    few = min(iterations, 50)
    print(f"Simulated annealing: a tour of {CITIES} cities, {RUNS} runs of {iterations} iterations")
    tours, lengths, uphill = report(
        ag.jit(anneal_all),
        keys,
        cities,
        iterations,
        eager=lambda: anneal(keys[0], cities, few),
        note=f"1 run, {few} iterations",
        repeats=3,
    )
    best = np.argmin(lengths)
    tour = np.asarray(cities)[tours[best]]
    measured = np.linalg.norm(tour - np.roll(tour, 1, axis=0), axis=1).sum()
    print(f"  lengths: {', '.join(f'{length:.4f}' for length in lengths)}")
    print(f"  longer tours accepted: {', '.join(str(count) for count in uphill)}")
    shortest = 2 * CITIES * math.sin(math.pi / CITIES)
    print(f"  best tour, measured again: {measured:.4f}   shortest possible: {shortest:.4f}")


if __name__ == "__main__":
    main()
