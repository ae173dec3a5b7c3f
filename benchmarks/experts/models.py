"""Learning, sampling and simulation.

The examples `digits_classifier`, `kmeans`, `particle_filter`, `simulated_annealing` and `epidemic`.
"""

from __future__ import annotations

import math
from typing import Any

import digits_classifier
import epidemic
import jax
import jax.numpy as jnp
import kmeans
import numpy as np
import particle_filter
import simulated_annealing
from jax import lax
from programs import Pair
from sklearn.datasets import load_digits


def train(network: Any, training: Any, validation: Any, key: Any, epochs: Any) -> Any:
    images, labels = training
    batch_size = digits_classifier.BATCH

    def body(carry: Any) -> Any:
        network, mean, variance, step, key, epoch, best, best_accuracy, best_epoch, _ = carry
        key, shuffling = jax.random.split(key)
        order = jax.random.permutation(shuffling, len(images))

        def learn(carry: Any, batch: Any) -> Any:
            network, mean, variance, step, key = carry
            key, dropout = jax.random.split(key)
            slope = jax.grad(digits_classifier.loss)(network, images[batch], labels[batch], dropout)
            step = step + 1
            return (*digits_classifier.adam(network, mean, variance, slope, step), step, key), None

        batches = order[: len(images) // batch_size * batch_size].reshape(-1, batch_size)
        (network, mean, variance, step, key), _ = lax.scan(learn, (network, mean, variance, step, key), batches)
        epoch = epoch + 1
        now = digits_classifier.accuracy(network, *validation)
        better = now > best_accuracy
        best = jax.tree.map(lambda a, b: jnp.where(better, a, b), network, best)
        stop = ~better & (epoch - best_epoch == digits_classifier.PATIENCE)
        best_accuracy, best_epoch = jnp.where(better, now, best_accuracy), jnp.where(better, epoch, best_epoch)
        return network, mean, variance, step, key, epoch, best, best_accuracy, best_epoch, stop

    zeros = jax.tree.map(jnp.zeros_like, network)
    begin = (network, zeros, zeros, 0, key, 0, network, 0.0, 0, False)
    *_, epoch, best, best_accuracy, best_epoch, _ = lax.while_loop(
        lambda carry: (carry[5] < epochs) & ~carry[-1], body, begin
    )
    return best, best_accuracy, best_epoch, epoch


def cluster(points: Any, centres: Any, limit: Any) -> Any:
    def nearest_to(centres: Any) -> Any:
        squares = jnp.sum((points[:, None] - centres[None]) ** 2, axis=-1)
        return squares, jnp.argmin(squares, axis=1)

    def body(carry: Any) -> Any:
        centres, clusters, iterations, empty, _ = carry
        squares, nearest = nearest_to(centres)
        iterations = iterations + 1
        done = (nearest == clusters).all() | (iterations == limit)

        def move() -> Any:
            def one(number: int, centres: Any, empty: Any) -> Any:
                mine = nearest == number
                size = jnp.sum(mine)
                centre, lost = lax.cond(
                    size > 0,
                    lambda: (jnp.sum(jnp.where(mine[:, None], points, 0), axis=0) / size, 0),
                    lambda: (points[jnp.argmax(jnp.min(squares, axis=1))], 1),
                )
                return lax.dynamic_update_index_in_dim(centres, centre, number, 0), empty + lost

            found = centres, empty
            for number in range(len(centres)):  # few
                found = one(number, *found)
            return *found, nearest

        centres, empty, clusters = lax.cond(done, lambda: (centres, empty, clusters), move)
        return centres, clusters, iterations, empty, done

    begin = (centres, jnp.full(len(points), -1), 0, 0, False)
    centres, clusters, iterations, empty, _ = lax.while_loop(lambda carry: ~carry[-1], body, begin)
    return centres, clusters, iterations, empty


COUNT = 500


def filtered(key: Any, observations: Any) -> Any:
    """The example, with its number of particles."""
    return particle_filter.particle_filter(key, observations, COUNT)


def filtered_expert(key: Any, observations: Any) -> Any:
    even = jnp.full(COUNT, -math.log(COUNT))

    def step(carry: Any, observation: Any) -> Any:
        key, particles, log_weights, likelihood, resampled = carry
        key, here = jax.random.split(key)
        particles = particle_filter.DECAY * particles + particle_filter.PROCESS * jax.random.normal(here, COUNT)
        log_weights = log_weights - 0.5 * ((observation - particles) / particle_filter.NOISE) ** 2
        total = jax.nn.logsumexp(log_weights)
        likelihood = likelihood + total - math.log(particle_filter.NOISE * math.sqrt(2 * math.pi))
        log_weights = log_weights - total
        weights = jnp.exp(log_weights)

        def resample() -> Any:
            following, here = jax.random.split(key)
            return following, particles[particle_filter.systematic(here, weights)], even, resampled + 1

        kept = (key, particles, log_weights, resampled)
        mean = weights @ particles
        key, particles, log_weights, resampled = lax.cond(1 / (weights @ weights) < COUNT / 2, resample, lambda: kept)
        return (key, particles, log_weights, likelihood, resampled), mean

    key, here = jax.random.split(key)
    begin = (key, jax.random.normal(here, COUNT), even, 0.0, 0)
    (_, _, _, likelihood, resampled), means = lax.scan(step, begin, observations)
    return means, likelihood, resampled


def anneal_all(keys: Any, cities: Any, iterations: Any) -> Any:
    distance = simulated_annealing.distance
    places = jnp.arange(len(cities))

    def anneal(key: Any) -> Any:
        def step(iteration: Any, carry: Any) -> Any:
            key, tour, length, uphill = carry
            temperature = 0.5 * 0.002 ** (iteration / iterations)
            key, pick, luck = jax.random.split(key, 3)
            i, j = jnp.sort(jax.random.randint(pick, (2,), 1, len(cities)))
            before, first = cities[tour[i - 1]], cities[tour[i]]
            last, after = cities[tour[j]], cities[tour[(j + 1) % len(cities)]]
            change = distance(before, last) + distance(first, after) - distance(before, first) - distance(last, after)
            accepted = (change <= 0) | (jax.random.uniform(luck) < jnp.exp(-change / temperature))
            turned = tour[jnp.where((places >= i) & (places <= j), i + j - places, places)]
            return (
                key,
                jnp.where(accepted, turned, tour),
                jnp.where(accepted, length + change, length),
                uphill + (accepted & (change > 1e-6)),
            )

        length = jnp.sum(jnp.linalg.norm(cities - jnp.roll(cities, 1, axis=0), axis=1))
        _, tour, length, uphill = lax.fori_loop(0, iterations, step, (key, places, length, 0))
        return tour, length, uphill

    return jax.vmap(anneal)(keys)


def strategies(thresholds: Any, days: Any) -> Any:
    def run(threshold: Any) -> Any:
        def body(carry: Any) -> Any:
            day, susceptible, infected, recovered, closed, closed_days, record, _ = carry
            closed = jnp.where(closed, infected >= threshold / 5, infected > threshold)
            contacts = jnp.where(closed, epidemic.CONTACTS * 0.4, epidemic.CONTACTS)
            new = contacts * infected * susceptible / epidemic.POPULATION
            gone = epidemic.RECOVERY * infected
            susceptible, infected, recovered = susceptible - new, infected + new - gone, recovered + gone
            record = record.at[day].set(infected, mode="promise_in_bounds")
            return day + 1, susceptible, infected, recovered, closed, closed_days + closed, record, infected < 0.5

        begin = (0, epidemic.POPULATION - 10, 10.0, 0.0, False, 0, jnp.zeros(epidemic.LONGEST), False)
        day, susceptible, _, _, _, closed_days, record, _ = lax.while_loop(
            lambda carry: (carry[0] < days) & ~carry[-1], body, begin
        )
        return record, epidemic.POPULATION - susceptible, closed_days, day

    return jax.vmap(run)(thresholds)


def digits() -> Any:
    data = load_digits()
    images, labels = np.asarray(data.data / 16, np.float32), data.target.astype(np.int32)
    network = digits_classifier.new_network([64, 32, 10], jax.random.key(1))
    return network, (images[:320], labels[:320]), (images[320:400], labels[320:400]), jax.random.key(2), 3


PAIRS = [
    Pair(digits_classifier.train, train, digits),
    Pair(kmeans.kmeans, cluster, lambda: (*map(np.asarray, kmeans.clouds(2000)), 50)),
    Pair(filtered, filtered_expert, lambda: (jax.random.key(0), particle_filter.simulate(100)[1])),
    Pair(
        simulated_annealing.anneal_all,
        anneal_all,
        lambda: (jax.random.split(jax.random.key(0), 4), np.asarray(simulated_annealing.circle_of_cities()), 500),
        plain=lambda: (jax.random.split(jax.random.key(0), 2), np.asarray(simulated_annealing.circle_of_cities()), 5),
    ),
    Pair(
        epidemic.strategies,
        strategies,
        lambda: (np.array([1e3, 5e3, 2e4, 8e4, 1e6], np.float32), 1000),
    ),
]
