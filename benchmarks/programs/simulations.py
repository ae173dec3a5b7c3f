"""Simulations: a spiking neuron, a random walk with an absorbing wall, the game of life."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .pair import Pair


def spiking_neuron(currents: Any) -> Any:
    """A leaky integrate-and-fire neuron with a refractory time: its voltages and the number of spikes."""
    voltage, rest, spikes = 0.0, 0, 0
    voltages = []
    for current in currents:
        if rest > 0:
            rest -= 1
        else:
            voltage = 0.95 * voltage + current
            if voltage > 1.0:
                voltage = 0.0
                rest = 5
                spikes += 1
        voltages.append(voltage)
    return jnp.stack(voltages), spikes


def spiking_neuron_expert(currents: Any) -> Any:
    def body(carry: Any, current: Any) -> Any:
        voltage, rest, spikes = carry
        resting = rest > 0
        charged = 0.95 * voltage + current
        fires = ~resting & (charged > 1.0)
        voltage = jnp.where(resting, voltage, jnp.where(fires, 0.0, charged))
        rest = jnp.where(resting, rest - 1, jnp.where(fires, 5, rest))
        return (voltage, rest, spikes + fires), voltage

    (_, _, spikes), voltages = lax.scan(body, (jnp.float32(0.0), 0, 0), currents)
    return voltages, spikes


def random_walk(key: Any, wall: Any) -> Any:
    """Steps of a walk until it meets a wall, 10,000 at most."""
    place, steps = 0, 0
    while abs(place) < wall and steps < 10_000:
        key, used = jax.random.split(key)
        if jax.random.bernoulli(used):
            place += 1
        else:
            place -= 1
        steps += 1
    return place, steps


def random_walk_expert(key: Any, wall: Any) -> Any:
    def body(carry: Any) -> Any:
        key, place, steps = carry
        key, used = jax.random.split(key)
        return key, place + jnp.where(jax.random.bernoulli(used), 1, -1), steps + 1

    def test(carry: Any) -> Any:
        return (jnp.abs(carry[1]) < wall) & (carry[2] < 10_000)

    return lax.while_loop(test, body, (key, 0, 0))[1:]


def life(board: Any, most: Any) -> Any:
    """Generations of the game of life until nothing changes, `most` at the longest."""
    for generation in range(most):
        neighbours = sum(jnp.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        new = (neighbours == 3) | (board & (neighbours == 2))
        if (new == board).all():
            return board, generation
        board = new
    return board, most


def life_expert(board: Any, most: Any) -> Any:
    def after(board: Any) -> Any:
        neighbours = sum(jnp.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        return (neighbours == 3) | (board & (neighbours == 2))

    def test(carry: Any) -> Any:
        generation, board, new = carry
        return (generation < most) & (new != board).any()

    def body(carry: Any) -> Any:
        generation, _, new = carry
        return generation + 1, new, after(new)

    generation, board, _ = lax.while_loop(test, body, (0, board, after(board)))
    return board, generation


def currents(n: int) -> np.ndarray:
    return (0.1 + 0.05 * np.sin(np.arange(n) / 20)).astype(np.float32)


def board(n: int) -> np.ndarray:
    return np.random.RandomState(2).rand(n, n) < 0.3


PAIRS = [
    Pair(spiking_neuron, spiking_neuron_expert, lambda: (currents(5000),), plain=lambda: (currents(60),)),
    Pair(
        random_walk,
        random_walk_expert,
        lambda: (jax.random.key(4), np.int32(60)),
        plain=lambda: (jax.random.key(4), np.int32(4)),
        exact=True,
    ),
    Pair(life, life_expert, lambda: (board(48), np.int32(300)), plain=lambda: (board(8), np.int32(10)), exact=True),
]
