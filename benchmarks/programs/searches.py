"""Searches with early ends: in strings, in graphs, among numbers; many at once under `vmap`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import autograph as ag

from .pair import Pair
from .sequences import get, put


def find_word(text: Any, word: Any, back: Any) -> Any:
    """Knuth, Morris and Pratt: the first place of a word, -1 if there is none; `back` comes in as zeros."""
    k = 0
    for i in ag.range(1, len(word)):
        while k > 0 and word[k] != word[i]:
            k = back[k - 1]
        if word[k] == word[i]:
            k += 1
        back[i] = k
    k = 0
    for i in range(len(text)):
        while k > 0 and word[k] != text[i]:
            k = back[k - 1]
        if word[k] == text[i]:
            k += 1
        if k == len(word):
            return i + 1 - len(word)
    return -1


def find_word_expert(text: Any, word: Any, back: Any) -> Any:
    n, m = text.shape[0], word.shape[0]

    def advance(k: Any, letter: Any, back: Any) -> Any:
        k = lax.while_loop(lambda k: (k > 0) & (get(word, k) != letter), lambda k: get(back, k - 1), k)
        return k + (get(word, k) == letter)

    def prepare(i: Any, carry: Any) -> Any:
        k, back = carry
        k = advance(k, get(word, i), back)
        return k, put(back, k, i)

    _, back = lax.fori_loop(1, m, prepare, (jnp.int32(0), back))

    def body(carry: Any) -> Any:
        i, k = carry
        return i + 1, advance(k, get(text, i), back)

    i, k = lax.while_loop(lambda carry: (carry[0] < n) & (carry[1] < m), body, (0, jnp.int32(0)))
    return jnp.where(k == m, i - m, -1)


def components(edges: Any, parent: Any) -> Any:
    """The number of parts of a graph by union and find; `parent` comes in as `arange`."""
    parts = len(parent)
    for edge in edges:
        a, b = edge[0], edge[1]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[a] = b
            parts -= 1
    return parts


def components_expert(edges: Any, parent: Any) -> Any:
    def find(parent: Any, a: Any) -> Any:
        def body(carry: Any) -> Any:
            parent, a = carry
            above = get(parent, get(parent, a))
            return put(parent, above, a), above

        return lax.while_loop(lambda carry: get(carry[0], carry[1]) != carry[1], body, (parent, a))

    def join(carry: Any, edge: Any) -> Any:
        parent, parts = carry
        parent, a = find(parent, edge[0])
        parent, b = find(parent, edge[1])
        return (put(parent, b, a), parts - (a != b)), None

    return lax.scan(join, (parent, parent.shape[0]), edges)[0][1]


def smallest_factor(n: Any) -> Any:
    """The least divisor above one."""
    if n % 2 == 0:
        return 2
    for d in range(3, n + 1, 2):
        if d * d > n:
            break
        if n % d == 0:
            return d
    return n


def smallest_factor_expert(n: Any) -> Any:
    d = lax.while_loop(lambda d: (d * d <= n) & (n % d != 0), lambda d: d + 2, 3)
    return jnp.where(n % 2 == 0, 2, jnp.where(d * d > n, n, d))


def places(xs: Any, target: Any) -> Any:
    """Binary search of one target; many run side by side."""
    low, high = 0, len(xs) - 1
    while low <= high:
        middle = (low + high) // 2
        if xs[middle] == target:
            return middle
        if xs[middle] < target:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def places_expert(xs: Any, target: Any) -> Any:
    def test(carry: Any) -> Any:
        low, high = carry
        return (low <= high) & (get(xs, (low + high) // 2) != target)

    def body(carry: Any) -> Any:
        low, high = carry
        middle = (low + high) // 2
        below = get(xs, middle) < target
        return jnp.where(below, middle + 1, low), jnp.where(below, high, middle - 1)

    low, high = lax.while_loop(test, body, (0, xs.shape[0] - 1))
    return jnp.where(low <= high, (low + high) // 2, -1)


def escape(start: Any, most: Any) -> Any:
    """How long the logistic map stays in the lower half; a list of tests that all must hold."""
    x = start
    for iteration in range(most):  # noqa: B007 - read after the loop
        if x > 0.5 or x < 0.0:
            break
        x = 3.9 * x * (1 - x)
    else:
        iteration = most
    return iteration, x


def escape_expert(start: Any, most: Any) -> Any:
    def test(carry: Any) -> Any:
        iteration, x = carry
        return (iteration < most) & (x <= 0.5) & (x >= 0.0)

    return lax.while_loop(test, lambda c: (c[0] + 1, 3.9 * c[1] * (1 - c[1])), (0, start))


def text_and_word(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    text = np.random.RandomState(0).randint(0, 2, n).astype(np.int32)
    word = np.int32([0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 2, 0])
    text[-20:-8] = word
    return text, word, np.zeros(len(word), np.int32)


def graph(nodes: int, edges: int) -> tuple[np.ndarray, np.ndarray]:
    return (np.random.RandomState(0).randint(0, nodes, (edges, 2)).astype(np.int32), np.arange(nodes, dtype=np.int32))


PAIRS = [
    Pair(find_word, find_word_expert, lambda: text_and_word(3000), plain=lambda: text_and_word(40), exact=True),
    Pair(components, components_expert, lambda: graph(200, 300), plain=lambda: graph(8, 6), exact=True),
    Pair(smallest_factor, smallest_factor_expert, lambda: (99400891,), plain=lambda: (221,), exact=True),
    Pair(
        places,
        places_expert,
        lambda: (np.arange(0, 4000, 2, dtype=np.int32), np.arange(500, dtype=np.int32) * 7),
        mapped=lambda f: jax.vmap(f, (None, 0)),
        plain=lambda: (np.arange(0, 40, 2, dtype=np.int32), np.int32(14)),
        exact=True,
    ),
    Pair(
        escape,
        escape_expert,
        lambda: (np.linspace(0.001, 0.2, 1000, dtype=np.float32), np.int32(1000)),
        mapped=lambda f: jax.vmap(f, (0, None)),
        plain=lambda: (np.float32(0.01), np.int32(10)),
    ),
]
