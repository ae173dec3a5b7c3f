"""A particle filter that resamples only when its weights have degenerated.

Hidden state: x' = 0.95 x + noise; observation: x + noise. `for` runs over the observations, `if` the effective sample
size falls below half the particles they are drawn anew (systematic resampling). This model is linear, so the Kalman
filter gives the exact means and likelihood to compare with.

    python examples/particle_filter.py [PARTICLES]
"""

import math
import sys

import jax
import jax.numpy as jnp
import numpy as np
from timing import report

import autograph as ag

DECAY, PROCESS, NOISE = 0.95, 0.6, 0.8  # standard deviations of the two noises


def systematic(key, weights):
    """Indices `[n]` drawn with one random number, each particle about `weights * n` times."""
    at = (jax.random.uniform(key) + jnp.arange(len(weights))) / len(weights)
    return jnp.clip(jnp.searchsorted(jnp.cumsum(weights), at), 0, len(weights) - 1)


def particle_filter(key, observations, count):
    """Filtered means `[time]`, log-likelihood, and how often the particles were drawn anew."""
    key, here = jax.random.split(key)
    particles = jax.random.normal(here, count)
    log_weights = jnp.full(count, -math.log(count))
    likelihood = 0.0
    resampled = 0
    means = jnp.zeros(len(observations))
    for time, observation in enumerate(observations):
        key, here = jax.random.split(key)
        particles = DECAY * particles + PROCESS * jax.random.normal(here, count)
        log_weights = log_weights - 0.5 * ((observation - particles) / NOISE) ** 2
        total = jax.nn.logsumexp(log_weights)
        likelihood += total - math.log(NOISE * math.sqrt(2 * math.pi))
        log_weights = log_weights - total
        weights = jnp.exp(log_weights)
        means[time] = weights @ particles
        if 1 / (weights @ weights) < count / 2:
            key, here = jax.random.split(key)
            particles = particles[systematic(here, weights)]
            log_weights = jnp.full(count, -math.log(count))
            resampled += 1
    return means, likelihood, resampled


def kalman_filter(observations):
    """Exact means and log-likelihood, in NumPy."""
    mean, variance, likelihood, means = 0.0, 1.0, 0.0, []
    for observation in observations:
        mean, variance = DECAY * mean, DECAY**2 * variance + PROCESS**2
        spread = variance + NOISE**2
        likelihood -= 0.5 * ((observation - mean) ** 2 / spread + math.log(2 * math.pi * spread))
        gain = variance / spread
        mean, variance = mean + gain * (observation - mean), (1 - gain) * variance
        means.append(mean)
    return np.array(means), likelihood


def simulate(length):
    """A random series of states and their observations."""
    random = np.random.default_rng(7)
    states = np.zeros(length)
    x = random.normal()
    for time in range(length):
        x = states[time] = DECAY * x + PROCESS * random.normal()
    return states, (states + NOISE * random.normal(size=length)).astype(np.float32)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    states, series = simulate(200)
    observations, key = jnp.asarray(series), jax.random.key(0)
    print(f"Particle filter: {count} particles, {len(series)} observations")
    means, likelihood, resampled = report(
        ag.jit(particle_filter, static_argnums=2),
        key,
        observations,
        count,
        eager=lambda: ag.convert(particle_filter)(key, observations[:10], count),
        note="10 observations",
    )
    exact_means, exact_likelihood = kalman_filter(series)
    means = np.asarray(means)
    print(f"  drawn anew: {resampled} of {len(series)} times")
    print(f"  log-likelihood: {likelihood:.3f}   exact (Kalman): {exact_likelihood:.3f}")
    print(f"  distance from the exact means: {np.sqrt(np.mean((means - exact_means) ** 2)):.4f} (root mean square)")
    error, raw = [np.sqrt(np.mean((guess - states) ** 2)) for guess in (means, series)]
    print(f"  distance from the hidden states: {error:.4f}, of the observations alone: {raw:.4f}")


if __name__ == "__main__":
    main()
