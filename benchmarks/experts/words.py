"""Tables and decoders: the examples `edit_distance`, `greedy_beam_decoding` and `first_steps`."""

from __future__ import annotations

import builtins
import keyword
from typing import Any

import edit_distance
import first_steps
import greedy_beam_decoding
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from programs import Pair


def distances(word: Any, length: Any, words: Any, lengths: Any) -> Any:
    size = edit_distance.LONGEST + 1

    def distance(a: Any, a_length: Any, b: Any, b_length: Any) -> Any:
        def cell(j: Any, carry: Any) -> Any:
            d, i = carry
            corner = d[i - 1, j - 1]
            least = 1 + jnp.minimum(jnp.minimum(corner, d[i - 1, j]), d[i, j - 1])
            swapped = (i > 1) & (j > 1) & (a[i - 1] == b[j - 2]) & (a[i - 2] == b[j - 1])
            least = jnp.where(swapped, jnp.minimum(least, 1 + d[i - 2, j - 2]), least)
            return d.at[i, j].set(jnp.where(a[i - 1] != b[j - 1], least, corner), mode="promise_in_bounds"), i

        def row(i: Any, d: Any) -> Any:
            return lax.fori_loop(1, b_length + 1, cell, (d, i))[0]

        d = jnp.zeros((size, size), int)
        d = lax.fori_loop(0, a_length + 1, lambda i, d: d.at[i, 0].set(i, mode="promise_in_bounds"), d)
        d = lax.fori_loop(0, b_length + 1, lambda j, d: d.at[0, j].set(j, mode="promise_in_bounds"), d)
        return lax.fori_loop(1, a_length + 1, row, d)[a_length, b_length]

    return jax.vmap(distance, in_axes=(None, None, 0, 0))(word, length, words, lengths)


BEAMS = 8


def decode(table: Any, prompts: Any) -> Any:
    """The example, with its number of beams."""
    return greedy_beam_decoding.decode(table, prompts, BEAMS)


def greedy(table: Any, prompt: Any) -> Any:
    limit = greedy_beam_decoding.LIMIT

    def body(carry: Any) -> Any:
        at, answer, score, _ = carry
        following = table[answer[at - 3], answer[at - 2], answer[at - 1]]
        best = jnp.argmax(following)
        answer = answer.at[at].set(best.astype(answer.dtype), mode="promise_in_bounds")
        return at + 1, answer, score + following[best], best == 0

    answer = jnp.zeros(limit, int).at[: len(prompt)].set(prompt)
    begin = (len(prompt), answer, 0.0, False)
    _, answer, score, _ = lax.while_loop(lambda carry: (carry[0] < limit) & ~carry[3], body, begin)
    return answer, score


def beam_search(table: Any, prompt: Any) -> Any:
    limit, size = greedy_beam_decoding.LIMIT, table.shape[-1]

    def body(carry: Any) -> Any:
        at, answers, scores, answer, score, _ = carry
        following = table[answers[:, at - 3], answers[:, at - 2], answers[:, at - 1]]
        candidates = scores[:, None] + following
        ends = candidates[:, 0]
        finished = jnp.argmax(ends)
        better = ends[finished] > score
        answer = jnp.where(better, answers[finished], answer)
        score = jnp.where(better, ends[finished], score)
        scores, chosen = lax.top_k(candidates.at[:, 0].set(-jnp.inf).ravel(), BEAMS)
        beam, character = jnp.divmod(chosen, size)
        answers = answers[beam].at[:, at].set(character, mode="promise_in_bounds")
        return at + 1, answers, scores, answer, score, scores[0] <= score

    answers = jnp.zeros((BEAMS, limit), int).at[:, : len(prompt)].set(prompt)
    scores = jnp.full(BEAMS, -jnp.inf).at[0].set(0.0)
    begin = (len(prompt), answers, scores, answers[0], -jnp.inf, False)
    at, _, _, answer, score, _ = lax.while_loop(lambda carry: (carry[0] < limit) & ~carry[-1], body, begin)
    return answer, score, at - len(prompt)


def decode_expert(table: Any, prompts: Any) -> Any:
    simple = jax.vmap(greedy, in_axes=(None, 0))(table, prompts)
    return simple, jax.vmap(beam_search, in_axes=(None, 0))(table, prompts)


def sum_of_even(numbers: Any) -> Any:
    def body(carry: Any) -> Any:
        at, total = carry
        number = numbers[at]
        return at + 1, total + jnp.where(number % 2 == 0, number, 0)

    def going_on(carry: Any) -> Any:
        at, _ = carry
        return (at < len(numbers)) & (numbers[jnp.minimum(at, len(numbers) - 1)] >= 0)

    return lax.while_loop(going_on, body, (0, 0))[1]


def dictionary() -> Any:
    names = sorted(set(keyword.kwlist) | {name for name in dir(builtins) if not name.startswith("_")})
    words, lengths = edit_distance.encode(names[:60])
    asked, asked_lengths = edit_distance.encode(["nonlokal"])
    return tuple(map(np.asarray, (asked[0], asked_lengths[0], words, lengths)))


def model() -> Any:
    characters, table = greedy_beam_decoding.character_model()
    prompts = [[characters.index(character) for character in prompt] for prompt in greedy_beam_decoding.PROMPTS]
    return np.asarray(table), np.array(prompts, np.int32)


PAIRS = [
    Pair(edit_distance.distances, distances, dictionary, exact=True),
    Pair(decode, decode_expert, model),
    Pair(
        first_steps.sum_of_even,
        sum_of_even,
        lambda: (np.append(np.arange(5000, dtype=np.int32) % 100, -1).astype(np.int32),),
        exact=True,
    ),
]
