"""Greedy and beam-search decoding that stop early, over a character model of the Zen of Python.

The model is a table: the log-probability of each next character after the three before it, counted in the text that
`import this` prints. Greedy decoding leaves its loop at the end of the line; beam search leaves it as soon as no
unfinished beam can overtake the best finished one. Both decode all prompts at once under `jax.vmap`.

    python examples/greedy_beam_decoding.py [BEAMS]
"""

import codecs
import contextlib
import io
import sys

import jax
import jax.numpy as jnp
import numpy as np
from timing import report

import autograph as ag

LIMIT = 60  # characters of an answer, the prompt included
PROMPTS = "expl", "simp", "flat", "good", "nest", "sile", "spec", "name"


def character_model():
    """The characters (a newline is number 0), and the table of log-probabilities `[V, V, V, V]` of the last axis."""
    with contextlib.redirect_stdout(io.StringIO()):
        import this
    text = codecs.decode(this.s, "rot13").lower()
    characters = "".join(sorted(set(text)))
    codes = [characters.index(character) for character in text]
    counts = np.full((len(characters),) * 4, 1e-3, np.float32)
    for start in range(len(codes) - 3):
        counts[tuple(codes[start : start + 4])] += 1
    return characters, jnp.log(counts / counts.sum(axis=-1, keepdims=True))


def greedy(table, prompt):
    """Answer `[LIMIT]` padded with 0, and its log-probability: always the most probable next character."""
    answer = jnp.zeros(LIMIT, int)
    answer[: len(prompt)] = prompt
    score = 0.0
    for at in range(len(prompt), LIMIT):
        following = table[answer[at - 3], answer[at - 2], answer[at - 1]]
        best = jnp.argmax(following)
        answer[at] = best
        score += following[best]
        if best == 0:
            break
    return answer, score


def beam_search(table, prompt, beams):
    """The best answer `[LIMIT]` that `beams` beams find, its log-probability, and the iterations that it took."""
    answers = jnp.zeros((beams, LIMIT), int)
    answers[:, : len(prompt)] = prompt
    scores = jnp.full(beams, -jnp.inf)
    scores[0] = 0.0
    answer, score = answers[0], -jnp.inf
    at = len(prompt)
    while at < LIMIT:
        following = table[answers[:, at - 3], answers[:, at - 2], answers[:, at - 1]]
        candidates = scores[:, None] + following
        finished = jnp.argmax(candidates[:, 0])
        if candidates[finished, 0] > score:
            answer, score = answers[finished], candidates[finished, 0]
        candidates[:, 0] = -jnp.inf
        scores, chosen = jax.lax.top_k(candidates.ravel(), beams)
        beam, character = jnp.divmod(chosen, table.shape[-1])
        answers = answers[beam]
        answers[:, at] = character
        at += 1
        if scores[0] <= score:
            break
    return answer, score, at - len(prompt)


def decode(table, prompts, beams):
    simple = jax.vmap(greedy, in_axes=(None, 0))(table, prompts)
    searched = jax.vmap(beam_search, in_axes=(None, 0, None))(table, prompts, beams)
    return simple, searched


def main():
    beams = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    characters, table = character_model()
    prompts = jnp.array([[characters.index(character) for character in prompt] for prompt in PROMPTS])
    print(f"Lines in the style of the Zen of Python: {len(PROMPTS)} prompts, {beams} beams")
    simple, searched = report(
        ag.jit(decode, static_argnums=2),
        table,
        prompts,
        beams,
        eager=lambda: [ag.convert(greedy)(table, prompts[0]), ag.convert(beam_search)(table, prompts[0], beams)],
        note=f"1 of {len(PROMPTS)} prompts",
    )
    iterations = searched[2]
    print(f"  beam search ran {min(iterations)} to {max(iterations)} of {LIMIT - len(PROMPTS[0])} iterations")
    for number in range(len(PROMPTS)):
        for name, (answers, scores) in ("greedy", simple), ("beam", searched[:2]):
            text = "".join(characters[code] for code in answers[number]).rstrip("\n")
            print(f"  {name:6} {scores[number]:8.3f}  {text}")


if __name__ == "__main__":
    main()
