"""One pass over a stream, with a state: recurrent networks, attention row by row, running extremes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .pair import Pair


def gru(inputs: Any, gates: Any, candidate: Any) -> Any:
    """A gated recurrent unit; its states."""
    state = jnp.zeros(candidate.shape[0])
    states = []
    for x in inputs:
        both = jnp.concatenate([x, state])
        update, reset = jnp.split(jax.nn.sigmoid(gates @ both), 2)
        new = jnp.tanh(candidate @ jnp.concatenate([x, reset * state]))
        state = (1 - update) * state + update * new
        states.append(state)
    return jnp.stack(states)


def gru_expert(inputs: Any, gates: Any, candidate: Any) -> Any:
    def body(state: Any, x: Any) -> Any:
        both = jnp.concatenate([x, state])
        update, reset = jnp.split(jax.nn.sigmoid(gates @ both), 2)
        new = jnp.tanh(candidate @ jnp.concatenate([x, reset * state]))
        state = (1 - update) * state + update * new
        return state, state

    return lax.scan(body, jnp.zeros(candidate.shape[0]), inputs)[1]


def attention(query: Any, keys: Any, values: Any, mask: Any) -> Any:
    """Softmax attention in one pass: the sums are scaled anew whenever a greater score comes."""
    greatest, total, result = -jnp.inf, 0.0, jnp.zeros(values.shape[1])
    for key, value, visible in zip(keys, values, mask, strict=True):
        if not visible:
            continue
        score = query @ key
        new = max(greatest, score)
        scale, weight = jnp.exp(greatest - new), jnp.exp(score - new)
        greatest = new
        total = total * scale + weight
        result = result * scale + weight * value
    return result / total


def attention_expert(query: Any, keys: Any, values: Any, mask: Any) -> Any:
    def body(carry: Any, row: Any) -> Any:
        key, value, visible = row

        def see() -> Any:
            greatest, total, result = carry
            score = query @ key
            new = jnp.maximum(greatest, score)
            scale, weight = jnp.exp(greatest - new), jnp.exp(score - new)
            return new, total * scale + weight, result * scale + weight * value

        return lax.cond(visible, see, lambda: carry), None

    start = (jnp.float32(-jnp.inf), jnp.float32(0.0), jnp.zeros(values.shape[1]))
    (_, total, result), _ = lax.scan(body, start, (keys, values, mask))
    return result / total


def best_span(xs: Any) -> Any:
    """Kadane: the span with the greatest sum, and that sum."""
    best, best_start, best_end = -jnp.inf, 0, 0
    current, start = 0.0, 0
    for i, x in enumerate(xs):
        if current <= 0:
            current, start = x, i
        else:
            current += x
        if current > best:
            best, best_start, best_end = current, start, i + 1
    return best, best_start, best_end


def best_span_expert(xs: Any) -> Any:
    def body(carry: Any, item: Any) -> Any:
        best, best_start, best_end, current, start = carry
        i, x = item
        fresh = current <= 0
        current, start = jnp.where(fresh, x, current + x), jnp.where(fresh, i, start)
        better = current > best
        best, best_start = jnp.where(better, current, best), jnp.where(better, start, best_start)
        return (best, best_start, jnp.where(better, i + 1, best_end), current, start), None

    start = (jnp.float32(-jnp.inf), 0, 0, jnp.float32(0.0), 0)
    return lax.scan(body, start, (jnp.arange(xs.shape[0]), xs))[0][:3]


def wait_for(series: Any, level: Any) -> Any:
    """The smoothed series until it reaches a level for the first time: the place, -1 if it never does."""
    mean = series[0]
    for i in range(len(series)):
        mean = 0.9 * mean + 0.1 * series[i]
        if mean > level:
            return i
    return -1


def wait_for_expert(series: Any, level: Any) -> Any:
    n = series.shape[0]

    def test(carry: Any) -> Any:
        i, mean = carry
        return (i < n) & (mean <= level)

    def body(carry: Any) -> Any:
        i, mean = carry
        return i + 1, 0.9 * mean + 0.1 * series[i + 1]

    i, _ = lax.while_loop(test, body, (0, 0.9 * series[0] + 0.1 * series[0]))
    return jnp.where(i < n, i, -1)


def network(length: int, width: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.RandomState(0)

    def drawn(*shape: int) -> np.ndarray:
        return random.randn(*shape).astype(np.float32) * 0.3

    return drawn(length, width), drawn(2 * size, width + size), drawn(size, width + size)


def heads(length: int, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.RandomState(0)
    return (
        random.randn(width).astype(np.float32),
        random.randn(length, width).astype(np.float32),
        random.randn(length, width).astype(np.float32),
        random.rand(length) < 0.7,
    )


PAIRS = [
    Pair(gru, gru_expert, lambda: network(200, 8, 16), plain=lambda: network(5, 8, 16)),
    Pair(attention, attention_expert, lambda: heads(500, 16), plain=lambda: heads(12, 16)),
    Pair(
        best_span,
        best_span_expert,
        lambda: (np.random.RandomState(0).randn(3000).astype(np.float32),),
        plain=lambda: (np.random.RandomState(0).randn(30).astype(np.float32),),
    ),
    Pair(
        wait_for,
        wait_for_expert,
        lambda: (np.linspace(0, 2, 4000, dtype=np.float32), np.float32(1.5)),
        plain=lambda: (np.linspace(0, 2, 40, dtype=np.float32), np.float32(1.5)),
        exact=True,
    ),
]
