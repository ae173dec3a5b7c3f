"""Loops that every point leaves at its own time: the examples `mandelbrot`, `newton_fractal` and `game_of_life`."""

from __future__ import annotations

from typing import Any

import game_of_life
import jax
import jax.numpy as jnp
import mandelbrot
import newton_fractal
import numpy as np
from jax import lax
from programs import Pair


def escape_time(c: Any) -> Any:
    def inside(carry: Any) -> Any:
        z, iterations = carry
        return (iterations < mandelbrot.LIMIT) & (z.real**2 + z.imag**2 <= 10_000)

    z, iterations = lax.while_loop(
        inside, lambda carry: (carry[0] * carry[0] + c, carry[1] + 1), (jnp.zeros_like(c), 0)
    )
    return jnp.where(iterations == mandelbrot.LIMIT, -1.0, iterations - jnp.log2(jnp.log2(abs(z))))


def newton(z: Any) -> Any:
    degree = newton_fractal.DEGREE

    def body(carry: Any) -> Any:
        iteration, z, _, _ = carry
        lost = abs(z) < 1e-6
        step = (z - z ** (1 - degree)) / degree
        return jnp.where(lost, iteration, iteration + 1), z - step, lost, ~lost & (abs(step) < newton_fractal.TOLERANCE)

    def going_on(carry: Any) -> Any:
        iteration, _, lost, converged = carry
        return (iteration < newton_fractal.LIMIT) & ~lost & ~converged

    iterations, z, _, converged = lax.while_loop(going_on, body, (0, z, False, False))
    root = jnp.round(jnp.angle(z) * degree / (2 * jnp.pi)).astype(int)
    return jnp.where(converged, root % degree, -1), iterations


def find_cycle(board: Any, limit: Any) -> Any:
    following = game_of_life.next_generation

    def differ(carry: Any) -> Any:
        earlier, now, _, _, iterations = carry
        return (earlier != now).any() & (iterations < limit)

    def search(carry: Any) -> Any:
        earlier, now, period, power, iterations = carry
        again = period == power
        earlier = jnp.where(again, now, earlier)
        return (
            earlier,
            following(now),
            jnp.where(again, 0, period) + 1,
            jnp.where(again, power * 2, power),
            iterations + 1,
        )

    earlier, now, period, _, iterations = lax.while_loop(differ, search, (board, following(board), 1, 1, 1))

    def first() -> Any:
        fast = lax.fori_loop(0, period, lambda _, board: following(board), board)
        slow, _, generation = lax.while_loop(
            lambda carry: (carry[0] != carry[1]).any(),
            lambda carry: (following(carry[0]), following(carry[1]), carry[2] + 1),
            (board, fast, 0),
        )
        return slow, generation, period

    return lax.cond((earlier != now).any(), lambda: (now, iterations, 0), first)


def points(height: int) -> np.ndarray:
    return np.asarray(mandelbrot.plane_of(height).ravel())


PAIRS = [
    Pair(mandelbrot.escape_time, escape_time, lambda: (points(60),), jax.vmap, lambda: (np.complex64(0.3 + 0.5j),)),
    Pair(
        newton_fractal.newton,
        newton,
        lambda: (np.asarray(newton_fractal.plane_of(60)).ravel(),),
        jax.vmap,
        lambda: (np.complex64(0.3 + 0.5j),),
        exact=True,
    ),
    Pair(
        game_of_life.find_cycle,
        find_cycle,
        lambda: (np.asarray(game_of_life.r_pentomino(48)), 300),
        plain=lambda: (np.asarray(game_of_life.r_pentomino(8)), 50),
        exact=True,
    ),
]
