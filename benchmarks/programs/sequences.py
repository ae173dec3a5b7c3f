"""Textbook algorithms on arrays: search, sort, dynamic programming, decoding."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

import autograph as ag

from .pair import Pair


def put(xs: Any, x: Any, i: Any) -> Any:
    """`xs[i] = x` for an index in range: an expert's form, faster in a loop than `xs.at[i].set(x)`, which checks it."""
    return lax.dynamic_update_index_in_dim(xs, x, i, 0)


def get(xs: Any, i: Any) -> Any:
    """`xs[i]` for an index in range."""
    return lax.dynamic_index_in_dim(xs, i, 0, keepdims=False)


def binary_search(xs: Any, target: Any) -> Any:
    """The first place at which `target` keeps the order."""
    low, high = 0, len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


def binary_search_expert(xs: Any, target: Any) -> Any:
    def body(carry: Any) -> Any:
        low, high = carry
        middle = (low + high) // 2
        below = get(xs, middle) < target
        return jnp.where(below, middle + 1, low), jnp.where(below, high, middle)

    return lax.while_loop(lambda carry: carry[0] < carry[1], body, (0, xs.shape[0]))[0]


def insertion_sort(xs: Any) -> Any:
    for i in ag.range(1, len(xs)):
        x = xs[i]
        j = i - 1
        while j >= 0 and xs[j] > x:
            xs[j + 1] = xs[j]
            j = j - 1
        xs[j + 1] = x
    return xs


def insertion_sort_expert(xs: Any) -> Any:
    def insert(i: Any, xs: Any) -> Any:
        x = get(xs, i)

        def body(carry: Any) -> Any:
            j, xs = carry
            return j - 1, put(xs, get(xs, j), j + 1)

        j, xs = lax.while_loop(lambda c: (c[0] >= 0) & (get(c[1], c[0]) > x), body, (i - 1, xs))
        return put(xs, x, j + 1)

    return lax.fori_loop(1, xs.shape[0], insert, xs)


def edit_distance(a: Any, b: Any, table: Any) -> Any:
    """Levenshtein's distance; the table comes in as zeros."""
    for i in ag.range(len(a) + 1):
        table[i, 0] = i
    for j in ag.range(len(b) + 1):
        table[0, j] = j
    for i in ag.range(1, len(a) + 1):
        for j in ag.range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1]
            else:
                table[i, j] = 1 + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return table[len(a), len(b)]


def edit_distance_expert(a: Any, b: Any, table: Any) -> Any:
    n, m = a.shape[0], b.shape[0]
    table = lax.fori_loop(0, n + 1, lambda i, t: t.at[i, 0].set(i), table)
    table = lax.fori_loop(0, m + 1, lambda j, t: t.at[0, j].set(j), table)

    def row(i: Any, table: Any) -> Any:
        letter = get(a, i - 1)

        def cell(j: Any, table: Any) -> Any:
            square = lax.dynamic_slice(table, (i - 1, j - 1), (2, 2))
            least = jnp.minimum(jnp.minimum(square[0, 1], square[1, 0]), square[0, 0])
            value = jnp.where(letter == get(b, j - 1), square[0, 0], 1 + least)
            return lax.dynamic_update_slice(table, value[None, None], (i, j))

        return lax.fori_loop(1, m + 1, cell, table)

    return lax.fori_loop(1, n + 1, row, table)[n, m]


def knapsack(weights: Any, values: Any, best: Any) -> Any:
    """The greatest value of items within a capacity; the table comes in as zeros."""
    for weight, value in zip(weights, values, strict=True):
        for room in range(len(best) - 1, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[len(best) - 1]


def knapsack_expert(weights: Any, values: Any, best: Any) -> Any:
    capacity = best.shape[0] - 1

    def item(best: Any, x: Any) -> Any:
        weight, value = x

        def body(carry: Any) -> Any:
            room, best = carry
            return room - 1, put(best, jnp.maximum(get(best, room), get(best, room - weight) + value), room)

        return lax.while_loop(lambda carry: carry[0] >= weight, body, (capacity, best))[1], None

    return lax.scan(item, best, (weights, values))[0][capacity]


def viterbi(start: Any, transition: Any, emission: Any, observed: Any) -> Any:
    """The most likely path through a hidden Markov model, in log probabilities; and its score."""
    score = start + emission[:, observed[0]]
    origins = []
    for symbol in observed[1:]:
        through = score[:, None] + transition
        origins.append(jnp.argmax(through, axis=0))
        score = jnp.max(through, axis=0) + emission[:, symbol]
    state = jnp.argmax(score)
    path = [state]
    for origin in reversed(jnp.stack(origins)):
        state = origin[state]
        path.append(state)
    return jnp.stack(path)[::-1], jnp.max(score)


def viterbi_expert(start: Any, transition: Any, emission: Any, observed: Any) -> Any:
    def forward(score: Any, symbol: Any) -> Any:
        through = score[:, None] + transition
        return jnp.max(through, axis=0) + emission[:, symbol], jnp.argmax(through, axis=0)

    def backward(state: Any, origin: Any) -> Any:
        return origin[state], origin[state]

    score, origins = lax.scan(forward, start + emission[:, observed[0]], observed[1:])
    last = jnp.argmax(score)
    path = lax.scan(backward, last, origins, reverse=True)[1]
    return jnp.concatenate([path, last[None]]), jnp.max(score)


def greedy_decode(scores: Any, mix: Any, token: Any, out: Any) -> Any:
    """Tokens of a small recurrent model until the end token; `out` comes in as zeros."""
    state = jnp.zeros(mix.shape[0])
    length = 0
    while length < len(out):
        state = jnp.tanh(mix @ state + scores[token])
        token = jnp.argmax(scores @ state)
        out[length] = token
        length += 1
        if token == 0:
            break
    return out, length


def greedy_decode_expert(scores: Any, mix: Any, token: Any, out: Any) -> Any:
    size = out.shape[0]

    def body(carry: Any) -> Any:
        state, token, out, length = carry
        state = jnp.tanh(mix @ state + scores[token])
        token = jnp.argmax(scores @ state)
        return state, token, put(out, token, length), length + 1

    def test(carry: Any) -> Any:
        return (carry[3] < size) & ((carry[1] != 0) | (carry[3] == 0))

    _, _, out, length = lax.while_loop(test, body, (jnp.zeros(mix.shape[0]), token, out, 0))
    return out, length


def words(n: int, letters: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.RandomState(0)
    a, b = random.randint(0, letters, (2, n)).astype(np.int32)
    return a, b, np.zeros((n + 1, n + 1), np.int32)


def items(n: int, capacity: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.RandomState(0)
    return (
        random.randint(1, 20, n).astype(np.int32),
        random.randint(1, 50, n).astype(np.int32),
        np.zeros(capacity + 1, np.int32),
    )


def hidden_markov(states: int, symbols: int, length: int) -> tuple[np.ndarray, ...]:
    random = np.random.RandomState(0)
    logs = [
        np.log(random.dirichlet(np.ones(k), n)).astype(np.float32)
        for k, n in ((states, 1), (states, states), (symbols, states))
    ]
    return logs[0][0], logs[1], logs[2], random.randint(0, symbols, length).astype(np.int32)


def language(size: int, length: int) -> tuple[np.ndarray, np.ndarray, np.int32, np.ndarray]:
    random = np.random.RandomState(3)
    scores, mix = random.randn(size, size).astype(np.float32), random.randn(size, size).astype(np.float32)
    scores[0] *= 0.7  # the end token is not the likeliest
    return scores, mix / 4, np.int32(3), np.zeros(length, np.int32)


PAIRS = [
    Pair(
        binary_search,
        binary_search_expert,
        lambda: (np.arange(0, 200_000, 2, dtype=np.int32), np.int32(77_777)),
        exact=True,
    ),
    Pair(
        insertion_sort,
        insertion_sort_expert,
        lambda: (np.random.RandomState(0).permutation(120).astype(np.float32),),
        exact=True,
    ),
    Pair(edit_distance, edit_distance_expert, lambda: words(60), plain=lambda: words(9), exact=True),
    Pair(knapsack, knapsack_expert, lambda: items(40, 300), plain=lambda: items(5, 40), exact=True),
    Pair(viterbi, viterbi_expert, lambda: hidden_markov(8, 5, 500), plain=lambda: hidden_markov(8, 5, 20)),
    Pair(greedy_decode, greedy_decode_expert, lambda: language(32, 200), plain=lambda: language(32, 10), exact=True),
]
