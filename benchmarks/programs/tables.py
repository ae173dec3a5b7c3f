"""Algorithms on arrays whose elements are written in place."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import autograph as ag

from .pair import Pair
from .sequences import get, put


def floyd_warshall(d: Any) -> Any:
    """The lengths of the shortest paths between all nodes."""
    n = len(d)
    for k in ag.range(n):
        for i in ag.range(n):
            for j in ag.range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


def floyd_warshall_expert(d: Any) -> Any:
    n = d.shape[0]

    def cell(j: Any, carry: Any) -> Any:
        k, i, d = carry
        through = d[i, k] + d[k, j]
        return k, i, lax.dynamic_update_slice(d, jnp.minimum(through, d[i, j])[None, None], (i, j))

    def row(i: Any, carry: Any) -> Any:
        k, d = carry
        return k, lax.fori_loop(0, n, cell, (k, i, d))[2]

    return lax.fori_loop(0, n, lambda k, d: lax.fori_loop(0, n, row, (k, d))[1], d)


def time_warping(a: Any, b: Any, table: Any) -> Any:
    """The distance of two series, each of which may wait for the other; the table comes in as infinities."""
    table[0, 0] = 0.0
    for i in ag.range(1, len(a) + 1):
        for j in ag.range(1, len(b) + 1):
            best = table[i - 1, j]
            if table[i, j - 1] < best:
                best = table[i, j - 1]
            if table[i - 1, j - 1] < best:
                best = table[i - 1, j - 1]
            table[i, j] = abs(a[i - 1] - b[j - 1]) + best
    return table[len(a), len(b)]


def time_warping_expert(a: Any, b: Any, table: Any) -> Any:
    n, m = a.shape[0], b.shape[0]
    table = table.at[0, 0].set(0.0)

    def row(i: Any, table: Any) -> Any:
        x = get(a, i - 1)

        def cell(j: Any, table: Any) -> Any:
            square = lax.dynamic_slice(table, (i - 1, j - 1), (2, 2))
            best = jnp.minimum(jnp.minimum(square[0, 1], square[1, 0]), square[0, 0])
            return lax.dynamic_update_slice(table, (jnp.abs(x - get(b, j - 1)) + best)[None, None], (i, j))

        return lax.fori_loop(1, m + 1, cell, table)

    return lax.fori_loop(1, n + 1, row, table)[n, m]


def elimination(a: Any, b: Any) -> Any:
    """The solution of `a @ x == b` by Gauss, with pivots."""
    n = len(b)
    for k in ag.range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        row = a[k].copy()
        a[k] = a[pivot]
        a[pivot] = row
        b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i] = a[i] - factor * a[k]
            b[i] = b[i] - factor * b[k]
    x = 0 * b
    for k in ag.range(n - 1, -1, -1):
        x[k] = (b[k] - a[k] @ x) / a[k, k]
    return x


def elimination_expert(a: Any, b: Any) -> Any:
    n = b.shape[0]

    def step(k: Any, carry: Any) -> Any:
        a, b = carry

        def better(i: Any, pivot: Any) -> Any:
            return jnp.where(jnp.abs(a[i, k]) > jnp.abs(a[pivot, k]), i, pivot)

        pivot = lax.fori_loop(k + 1, n, better, k)
        a, b = (put(put(x, get(x, pivot), k), get(x, k), pivot) for x in (a, b))

        def reduce(i: Any, carry: Any) -> Any:
            a, b = carry
            factor = a[i, k] / a[k, k]
            return put(a, get(a, i) - factor * get(a, k), i), put(b, get(b, i) - factor * get(b, k), i)

        return lax.fori_loop(k + 1, n, reduce, (a, b))

    a, b = lax.fori_loop(0, n, step, (a, b))

    def solve(iteration: Any, x: Any) -> Any:
        k = n - 1 - iteration
        return put(x, (get(b, k) - get(a, k) @ x) / a[k, k], k)

    return lax.fori_loop(0, n, solve, jnp.zeros_like(b))


def bubble_sort(xs: Any) -> Any:
    """Neighbours are swapped until a sweep finds nothing to do."""
    n = len(xs)
    swapped = True
    while swapped:
        swapped = False
        for i in ag.range(n - 1):
            if xs[i] > xs[i + 1]:
                xs[i], xs[i + 1] = xs[i + 1], xs[i]
                swapped = True
    return xs


def bubble_sort_expert(xs: Any) -> Any:
    n = xs.shape[0]

    def sweep(carry: Any) -> Any:
        def swap(i: Any, carry: Any) -> Any:
            xs, swapped = carry
            low, high = get(xs, i), get(xs, i + 1)
            wrong = low > high
            xs = put(put(xs, jnp.where(wrong, high, low), i), jnp.where(wrong, low, high), i + 1)
            return xs, swapped | wrong

        return lax.fori_loop(0, n - 1, swap, (carry[0], False))

    return lax.while_loop(lambda carry: carry[1], sweep, (xs, True))[0]


def shuffle(key: Any, cards: Any) -> Any:
    """Fisher and Yates: each place gets one of the cards that are left."""
    for i in ag.range(len(cards) - 1, 0, -1):
        key, used = jax.random.split(key)
        j = jax.random.randint(used, (), 0, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def shuffle_expert(key: Any, cards: Any) -> Any:
    n = cards.shape[0]

    def body(iteration: Any, carry: Any) -> Any:
        key, cards = carry
        i = n - 1 - iteration
        key, used = jax.random.split(key)
        j = jax.random.randint(used, (), 0, i + 1)
        first, second = get(cards, i), get(cards, j)
        return key, put(put(cards, second, i), first, j)

    return lax.fori_loop(0, n - 1, body, (key, cards))[1]


def histogram(values: Any, counts: Any) -> Any:
    """How often each value occurs."""
    for value in values:
        counts[value] += 1
    return counts


def histogram_expert(values: Any, counts: Any) -> Any:
    def body(counts: Any, value: Any) -> Any:
        return put(counts, get(counts, value) + 1, value), None

    return lax.scan(body, counts, values)[0]


def distances(n: int) -> np.ndarray:
    random = np.random.RandomState(0)
    d = np.where(random.rand(n, n) < 0.2, random.rand(n, n), 100.0)
    np.fill_diagonal(d, 0)
    return d.astype(np.float32)


def series(n: int, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.RandomState(0)
    return (
        np.cumsum(random.randn(n)).astype(np.float32),
        np.cumsum(random.randn(m)).astype(np.float32),
        np.full((n + 1, m + 1), np.inf, np.float32),
    )


def equations(n: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.RandomState(0)
    return random.randn(n, n).astype(np.float32), random.randn(n).astype(np.float32)


PAIRS = [
    Pair(floyd_warshall, floyd_warshall_expert, lambda: (distances(30),), plain=lambda: (distances(5),)),
    Pair(time_warping, time_warping_expert, lambda: series(60, 50), plain=lambda: series(6, 5)),
    Pair(elimination, elimination_expert, lambda: equations(24), plain=lambda: equations(4)),
    Pair(
        bubble_sort,
        bubble_sort_expert,
        lambda: (np.random.RandomState(0).permutation(100).astype(np.float32),),
        plain=lambda: (np.random.RandomState(0).permutation(8).astype(np.float32),),
        exact=True,
    ),
    Pair(
        shuffle,
        shuffle_expert,
        lambda: (jax.random.key(0), np.arange(200, dtype=np.int32)),
        plain=lambda: (jax.random.key(0), np.arange(6, dtype=np.int32)),
        exact=True,
    ),
    Pair(
        histogram,
        histogram_expert,
        lambda: (np.random.RandomState(0).randint(0, 16, 3000).astype(np.int32), np.zeros(16, np.int32)),
        plain=lambda: (np.int32([3, 1, 3]), np.zeros(4, np.int32)),
        exact=True,
    ),
]
