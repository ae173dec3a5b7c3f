"""Arguments of the programs: each letter is one argument of one kind, each word in capitals a choice of letters.

A program names its arguments by these letters, so that `np.clip(u, 0, 300)` says by itself that it is about bytes.

>>> expanded("np.add(VEC, 1)")[:3]
['np.add(f, 1)', 'np.add(i, 1)', 'np.add(u, 1)']
>>> expanded("ONE < TWO")[:3]
['f < g', 'f < i', 'i < j']
>>> letters_of("np.clip(u, 0, x)")
['u', 'x']
"""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np


def fresh() -> dict[str, Any]:
    """All arguments by their letter, made anew: a program may write them."""
    return {
        # vectors
        "f": np.array([2.0, -1.5, 0.5], np.float32),
        "g": np.array([0.25, 3.0, -1.0], np.float32),
        "v": np.array([1.0, np.nan, 3.0], np.float32),
        "i": np.array([3, -2, 1], np.int32),
        "j": np.array([1, 0, 2], np.int32),
        "u": np.array([3, 250, 7], np.uint8),
        "b": np.array([-3, 100, 1], np.int8),
        "p": np.array([True, False, True]),
        "z": np.array([1 + 2j, -0.5j, 3], np.complex64),
        # matrices, the first a regular one
        "m": np.array([[2.0, -1.0, 0.5], [1.0, 3.0, -2.0], [0.0, 4.0, 1.0]], np.float32),
        "k": np.array([[4, -1, 2], [0, 5, -3]], np.int32),
        "w": np.array([[3, 250, 7], [0, 128, 255]], np.uint8),
        "q": np.array([[True, False, True], [False, True, True], [True, True, False]]),
        # scalars: NumPy's, then Python's
        "s": np.float32(2.5),
        "x": 1.5,
        "y": -2.5,
        "n": 3,
        "e": 2,
        "t": True,
        "c": 1 - 2j,
        # containers
        "xs": [2.0, -1.5, 0.5],
        "ns": [3, -2, 1],
        "ts": (2.0, -1.5),
        "d": {"a": 1.0, "b": 2.0},
    }


CHOICES = {
    "ANY": "f i u b p z m k w s x n t c",
    "VEC": "f i u b p z",
    "MAT": "m k w",
    "REAL": "f i u b p m w x n",
    "INT": "i u b p k n t",
    "NUM": "x n t c",
    "FEW": "f u m",
    "DUO": "u m",
}
"""What a word in capitals stands for: each of these letters."""

PAIRS = (
    "f,g f,i i,j u,u u,i u,b p,p p,i z,f z,z m,f w,u f,x i,x i,n u,n u,300 u,-1 b,200 b,x p,n 300,u -1,u 200,b x,y n,e n,x t,t "
    "x,c t,n s,f w,300"
).split()
"""What the words ONE and TWO stand for together."""

_WORD = re.compile(r"\b(" + "|".join(CHOICES) + r")\b")


def expanded(template: str) -> list[str]:
    """The strings that a template stands for; all places of one word get the same letter."""
    if re.search(r"\bONE\b", template):
        pairs = (pair.split(",") for pair in PAIRS)
        return [re.sub(r"\bTWO\b", two, re.sub(r"\bONE\b", one, template)) for one, two in pairs]
    found = _WORD.search(template)
    if found is None:
        return [template]
    word = found.group(1)
    return [re.sub(rf"\b{word}\b", letter, template) for letter in CHOICES[word].split()]


def letters_of(body: str) -> list[str]:
    """The arguments that a program reads, in order; a name that it binds itself is none of them."""
    tree = ast.parse(body)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    inner = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return sorted({node.id for node in names if node.id in _LETTERS} - inner)


_LETTERS = frozenset(fresh())
