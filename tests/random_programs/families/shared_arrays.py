"""Arrays that are written under one name and read under another: aliases, rows, slices, arguments of functions.

>>> "swap" in "".join(write(random.Random(k)) for k in range(5))
True
"""

from __future__ import annotations

import random

_HELPERS = """\
import numpy as np

def swap(t, i, j):
    t[i], t[j] = t[j], t[i]

def put(t, i, value=5):
    t[i] = value

def bump(t, k):
    t[0] += k
    return t

def fresh(t, k):
    t = t + k
    t[0] = k
    return t

def order(t):
    for i in range(len(t)):
        for j in range(len(t) - 1):
            if t[j] > t[j + 1]:
                swap(t, j, j + 1)

def sums(t):
    for i in ag.range(1, len(t)):
        t[i] += t[i - 1]
    return t[len(t) - 1]

def clear(t, i):
    row = t[i]
    row[0] = 0

class Grid:
    def __init__(self, cells):
        self.cells = cells

    def write(self, i, value):
        self.cells[i] = value

    def turn(self, i):
        swap(self.cells, i, 0)

"""
_STARTS = ["xs", "xs", "xs.copy()", "xs + 1", "xs * 2 % 7", "xs[:3]", "xs[::-1]", "xs.astype(int)", "np.arange(1, 5)"]
_COPIES = ["xs.copy()", "xs + 1", "xs * 2 % 7", "xs[::-1].copy()", "np.arange(2, 6)"]
_MATRICES = ["xs.reshape(2, 2)", "(xs + 1).reshape(2, 2)", "xs.reshape(2, 2).copy()", "np.arange(4).reshape(2, 2)"]
_NAMES = ["u", "v", "w"]
_STATEMENTS = [
    "{n}[{i}] = {k}",
    "{n}[{i}] = {k}",
    "{n}[{i}] += {k}",
    "{n}[{i}] = {o}[{i}] + {k}",
    "{n}[{i}], {n}[{j}] = {n}[{j}], {n}[{i}]",
    "{n} = {n} + {k}",
    "{n} = {o}.copy()",
    "{n} = {o} * 2 % 7",
    "{n}[[{i}, {j}]] = {n}[[{j}, {i}]]",
    "{n}[[{i}, 0, {j}]] += {k}",
    "c = (c + {o}[[{i}, {j}]].sum()) % 11",
    "swap({n}, {i}, {j})",
    "swap(t={n}, i={i}, j={j})",
    "put({n}, {i})",
    "put({n}, {i}, value={k})",
    "{n} = bump({n}, {k})",
    "{n} = fresh({o}, {k})",
    "bump({n}, {k})",
    "order({n})",
    "c = (c + sums({n})) % 11",
    "c = (c + {n}[{i}] + {o}[{j}]) % 11",
    "c = (c + {o}.sum()) % 11",
    "part = {n}[1:].copy()\npart[{z}] = {k}",
    "part = {n}[{z}:3]\npart[0] = {k}\n{n}[{z}:3] = part",
    "low, high = {n}[:2].copy(), {n}[2:]\nlow[{z}] = {k}\nc = (c + high[0] + low[0]) % 11",
    "g.write({i}, {k})",
    "g.turn({i})",
    "swap(g.cells, {i}, {j})",
    "g.cells[{i}] += {k}",
    "c = (c + g.cells[{i}]) % 11",
    "row = m[{z}]\nc = (c + row[1]) % 11",
    "row = m[{i} % 2].copy()\nrow[0] = {k}\nc = (c + row.sum()) % 11",
    "m = m.T",
    "{n}.sort()",
    "{n} -= {k}",
]
_OF_MATRIX = [
    "m[{z}, 1] = {k}",
    "m[{z}] = m[1 - {z}] + {k}",
    "m[[{z}, {i} % 2]] = m[[{i} % 2, {z}]]",
    "row = m[{z}].copy()\nrow[0] = {k}\nm[1] = row",
    "row = m[{z}]\nrow[0] = {k}\nm[{z}] = row",
    "row = m[{i} % 2]\nfor q in range(2):\n    row[q] = row[q] + {k}\nm[{i} % 2] = row",
    "row = m[0]\nc = (c + row[0]) % 11\nm[1] = m[1] + row",
]
_SHARING = [
    "{n} = {o}",
    "{n} = {o}",
    "{o} = bump({n}, {k})",
    "part = {n}[:2]\npart[{z}] = {k}",
    "low, high = {n}[:2], {n}[{z}:]\nlow[{z}] = {k}\nc = (c + high[0] + low[0]) % 11",
    "row = m[{z}]\nrow[0] = {k}",
    "row = m[{i} % 2]\nm[{z}] = {k}\nc = (c + row[0]) % 11",
    "clear(m, {z})",
    "row = m[0]\nm[1] = m[1] + row\nc = (c + row[0]) % 11",
    "row, other = m[{z}], m[1]\nrow[0] = {k}\nm[{z}] = row\nother[1] = {k}\nc = (c + row[1]) % 11",
    "row, other = m[0], m[1]\nrow[0] = {k}\nm[0] = row\nm[{z}, 1] = 3\nc = (c + other[1]) % 11",
    "row = max(m, key=lambda r: r[{z}])\nrow[0] = {k}",
    "row = m[{i} % 2]\nrow[{z}] += {k}\nc = (c + m.sum()) % 11",
    "part = {n} if a > 1 else {o}\npart[{z}] = {k}\nc = (c + {n}.sum()) % 11",
    "row = [m[0], m[1]][abs(a) % 2]\nrow[{z}] = {k}",
    "row = sorted(m, key=lambda r: r[1])[{z}]\nm[{z}] = {k}\nc = (c + row[0]) % 11",
    "part = min({n}, {o}, key=lambda t: t[{i}])\npart[0] = {k}",
]
_BLOCKS = [
    "if {t}:",
    "if {t}:",
    "for k in range(3):",
    "for k in ag.range(3):",
    "for e in xs:",
    "for k, e in enumerate({n}):",
    "for row in m:",
    "while c < 8:\n    c += 3",
]


def write(rng: random.Random) -> str:
    """One program: a few arrays, some of them the same, and statements that write and read them.

    Where arrays have several names, rows or slices that are written, a refusal is what is to be expected.
    """
    if rng.random() < 0.25:
        return _of_constants(rng)
    shares = rng.random() < 0.25
    lines = [f"{name} = {rng.choice(_STARTS if shares else _COPIES)}" for name in _NAMES]
    lines += [
        f"m = {rng.choice(_MATRICES if shares else _MATRICES[2:])}",
        f"g = Grid({rng.choice(['u', 'xs'] if shares else ['v.copy()', 'xs + b'])})",
        "c = 0",
    ]
    for _ in range(rng.randint(1, 4)):
        lines += _statement(rng, 2, "0", 3, None if shares else frozenset())
    seen = rng.sample(["u", "v", "w", "xs", "m", "g.cells"], rng.randint(1, 3))
    body = "".join(f"    {line}\n" for line in lines)
    mark = "# refused: an array that was written under another name\n" if shares else ""
    return f"{mark}{_HELPERS}def program(a, b, x, xs):\n{body}    return c, {', '.join(seen)}\n"


_ROWS = [
    "t[abs(a) % 2]", "t[abs(a) % 2].copy()", "t[abs(a) % 2] + 1", "t[abs(a) % 2][1:]", "t[abs(a) % 2 : abs(a) % 2 + 1][0]",
    "s if a > 1 else t[0]", "[s, t[1]][abs(a) % 2]", "max(t[0], s, key=lambda v: v[0] * b)", "t[[abs(a) % 2, 0]][0]", "t[1]",
]  # fmt: skip
_AGAIN = ["if b > 1:\n    r = {r}", "for k in ag.range(2):\n    r = t[k]", "while c < abs(b):\n    c += 1\n    r = {r}"]
_WRITES = ["r[0] = {k}", "r += {k}", "r[1] += {k}", "r = r + {k}\nr[0] = 2", "if a > 0:\n    r[0] = {k}", "put(r, 1)"]
_SEEN = ["t.sum()", "s.sum()", "t[0, 0] + s[1]", "(t + 1)[1]", "r.sum()", "np.sum(t)", "t", "max(t[0])", "s * 2"]


def _of_constants(rng: random.Random) -> str:
    """A program whose arrays are NumPy's own, read at traced indices and by traced tests, and written under another name."""
    lines = ["c = 0", "t = np.arange(6).reshape(2, 3)", "s = np.ones(3, int)", f"r = {rng.choice(_ROWS)}"]
    for texts in (_AGAIN, _WRITES, _WRITES):
        if rng.random() < 0.6:
            text = rng.choice(texts).format(r=rng.choice(_ROWS), k=rng.choice(["a", "b", "7"]))
            lines += text.split("\n")
    body = "".join(f"    {line}\n" for line in lines)
    mark = "# refused: a view of an array of NumPy's that is written\n"
    return f"{mark}{_HELPERS}def program(a, b, x, xs):\n{body}    return {', '.join(rng.sample(_SEEN, 2))}\n"


def _statement(rng: random.Random, depth: int, index: str, most: int, iterated: frozenset[str] | None) -> list[str]:
    """`iterated`: what loops around run over, and is not written; None where names may share arrays."""
    names = _NAMES if iterated is None else [name for name in _NAMES if name not in iterated]
    if depth and rng.random() < 0.45:
        name = rng.choice(_NAMES)
        tests = [f"{name}[0] > b", "a > b", "c < 5", "a > 0"]
        head = rng.choice(_BLOCKS).format(n=name, t=rng.choice(tests)).split("\n")
        inner = "k" if head[0].startswith("for k") and rng.random() < 0.8 else index
        inside = iterated
        if iterated is not None and head[0].startswith("for"):
            inside = iterated | {n for n in (*_NAMES, "m") if f"({n})" in head[0] or f" {n}:" in head[0]}
        if inside is not None and inside.issuperset(_NAMES):
            return _statement(rng, 0, index, most, iterated)
        lines = head + [
            f"    {s}" for _ in range(rng.randint(1, most)) for s in _statement(rng, depth - 1, inner, most, inside)
        ]
        if head[0].startswith("if") and rng.random() < 0.4:
            lines += ["else:", *(f"    {s}" for s in _statement(rng, depth - 1, index, most, iterated))]
        return lines
    at = rng.choice([index if index == "0" else f"{index} % 3", "0", "1", "2", "abs(a) % 3"])
    values = {
        "n": rng.choice(names),
        "o": rng.choice(_NAMES),
        "i": at,
        "j": rng.choice(["0", "1", "2", "abs(b) % 3"]),
        "z": rng.choice(["0", "1"]),
    }
    texts = _STATEMENTS + _SHARING * 2 * (iterated is None) + _OF_MATRIX * (iterated is None or "m" not in iterated)
    return rng.choice(texts).format(k=rng.choice(["a", "b", "1", "c", "7"]), **values).split("\n")
