"""NumPy arrays that a function makes for itself and fills with traced values, or that another name, row or closure sees.

>>> all("np." in write(random.Random(k)) for k in range(9))
True
"""

from __future__ import annotations

import random
import re
from textwrap import indent

IN = "    "


def write(rng: random.Random) -> str:
    """One program: an array is made, filled in branches and loops, perhaps under two names, and read."""
    pick = rng.choice
    axes = pick((2, 2, 1, 1, 1, 0))
    made = pick(_MADE[axes])
    owner = pick(("t",) * 9 + ("get()", "o.t"))

    def store() -> str:
        value = pick(("a", "b + k", "7", "a * 2 - b", "k"))
        if owner != "get()" and rng.random() < 0.15:
            return f"{owner} += {value}"
        return f"{owner}[{pick(_PLACES[axes])}] {pick(('=', '=', '+=', '-='))} {value}"

    def statement() -> str:
        text = store()
        kind = pick(("plain", "if", "else", "for", "while"))
        if kind == "if":
            return f"if a > {pick('0123')}:\n{IN}{text}"
        if kind == "else":
            return f"if b > a:\n{IN}{text}\nelse:\n{IN}{store()}"
        if kind == "for":
            return f"for k in {pick(('ag.range(2)', 'range(2)'))}:\n{IN}{text}\nk = 1"
        if kind == "while":
            return f"j = 0\nwhile j < b:\n{indent(text, IN)}\n{IN}j = j + 3"
        return text

    statements = [statement() for _ in range(rng.randint(1, 3))]
    reads = pick(
        [
            "return t",
            "return t + 1, a",
            "return [t, a]",
            "c = t[1] + 0\nt[1] = 5\nreturn c, t",
            "return t.sum(), np.max(t)",
            "v = t\nreturn v.T, a",
            "v = t + 0\nt += 1\nreturn v, t",
        ]
    )
    if axes == 0:
        reads = pick(["return t", "return t + 1, a", "v = t + 0\nt[()] = 5\nreturn v, t"])
    mark = ""
    if rng.random() < 0.2 and axes == 0:
        statements.insert(rng.randint(0, len(statements)), pick(["u = t", "u = [t]"]))
        reads = "return t + 0, (u[0] if type(u) is list else u) + 0"
        mark = "# refused: something else may refer to the array\n"
    elif rng.random() < 0.2 and axes > 0:
        shared = pick(["u = t", "u = t[0]", "u = t[1:]", "u = t.T", "u = [t]", "u = lambda: t[1]", "u = (t, 1)"])
        statements.insert(rng.randint(0, len(statements)), shared)
        reads = pick(
            [
                "return t, np.sum(u() if callable(u) else u[0])",
                "t[0] = b\nreturn t, (u() if callable(u) else u[0]) + 0",
                "return u() if callable(u) else u[0]",
            ]
        )
        mark = "# refused: something else may refer to the array\n"
    elif made.endswith("]") or "reshape" in made:
        mark = "# refused: the array is a view\n"
    if owner != "t":
        mark = "# refused: something else may refer to the array\n"
    hold = {"get()": "\n\ndef get():\n    return t\n", "o.t": "\no = SimpleNamespace(t=t)\ndel t"}.get(owner, "")
    reads = f"t = o.t\n{reads}" if owner == "o.t" else reads
    if owner == "o.t":
        statements = [re.sub(r"(?<!\.)\bt\b", "o.t", text) for text in statements]
    body = "\n".join([f"k = 1\nt = {made}{hold}", *statements, reads])
    return f"{mark}from types import SimpleNamespace\n\nimport numpy as np\n\n\ndef program(a, b, x, xs):\n{indent(body, IN)}\n"


_PLACES = {
    0: ("()", "...", "()"),
    1: ("0", "2", "b % 3", "k"),
    2: ("0, 0", "1, b % 2", "k, 1", "1, k", "k][1", "0][0", "0", "1", "k", "b % 2", ":, 0"),
}
_NUMBERS = ["np.zeros((), int)", "np.array(5)", "np.ones((), dtype=int)"]
_VECTORS = [
    "np.zeros(3, int)",
    "np.ones(3, dtype=int)",
    "np.arange(3)",
    "np.array([4, 5, 6])",
    "np.full(3, 2)",
    "np.zeros(4, int)[:3]",
]
_GRIDS = [
    "np.zeros((2, 2), int)",
    "np.ones((2, 2), dtype=int)",
    "np.array([[1, 2], [3, 4]])",
    "np.arange(4).reshape(2, 2)",
]
_MADE = {0: _NUMBERS, 1: _VECTORS, 2: _GRIDS}
