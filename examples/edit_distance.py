"""Spelling correction by edit distance: a dynamic-programming table filled by `d[i, j] = ...`.

Words are rows of character codes, padded, with their lengths; `range(1, length + 1)` runs to the word's own length.
`jax.vmap` compares one misspelt word with the whole dictionary: Python's own keywords and built-in names.

    python examples/edit_distance.py [WORD ...]
"""

import builtins
import keyword
import sys

import jax
import jax.numpy as jnp
import numpy as np
from timing import report

import autograph as ag

LONGEST = 28


def edit_distance(a, a_length, b, b_length):
    """Insertions, deletions, substitutions and swaps of neighbours between two words `[LONGEST]` of given length."""
    d = jnp.zeros((LONGEST + 1, LONGEST + 1), int)
    for i in range(a_length + 1):
        d[i, 0] = i
    for j in range(b_length + 1):
        d[0, j] = j
    for i in range(1, a_length + 1):
        for j in range(1, b_length + 1):
            least = d[i - 1, j - 1]
            if a[i - 1] != b[j - 1]:
                least = 1 + min(least, d[i - 1, j], d[i, j - 1])
                if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                    least = min(least, 1 + d[i - 2, j - 2])
            d[i, j] = least
    return d[a_length, b_length]


def distances(word, length, words, lengths):
    return jax.vmap(edit_distance, in_axes=(None, None, 0, 0))(word, length, words, lengths)


def encode(words):
    """Codes `[len(words), LONGEST]` and lengths."""
    codes = np.zeros((len(words), LONGEST), np.int32)
    for row, word in zip(codes, words, strict=True):
        row[: len(word)] = [ord(character) for character in word]
    return jnp.asarray(codes), jnp.asarray([len(word) for word in words])


def main():
    queries = sys.argv[1:] or ["retrun", "improt", "whiel", "isinstence", "lenght", "nonlokal", "asert", "enumerat"]
    dictionary = sorted(set(keyword.kwlist) | {name for name in dir(builtins) if not name.startswith("_")})
    words, lengths = encode(dictionary)
    asked, asked_lengths = encode(queries)
    print(f"Edit distance of {len(queries)} words to each of {len(dictionary)} names")
    one = asked[0], asked_lengths[0], words[0], lengths[0]
    compiled = ag.jit(distances)
    report(
        compiled,
        asked[0],
        asked_lengths[0],
        words,
        lengths,
        eager=lambda: ag.convert(edit_distance)(*one),
        note=f"1 of {len(dictionary)} names",
    )
    for query, code, length in zip(queries, asked, asked_lengths, strict=True):
        found = np.asarray(compiled(code, length, words, lengths))
        nearest = [dictionary[at] for at in np.flatnonzero(found == found.min())]
        print(f"  {query:12} distance {found.min()}: {', '.join(nearest)}")


if __name__ == "__main__":
    main()
