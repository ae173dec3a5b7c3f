"""NumPy arrays that a function makes for itself and fills with traced values, or that another name, row or closure sees.

>>> all("np." in write(random.Random(k)) for k in range(9))
True
"""

from __future__ import annotations

import random
from textwrap import indent

IN = "    "


def write(rng: random.Random) -> str:
    """One program: an array is made, filled in branches and loops, perhaps under two names, and read."""
    pick = rng.choice
    grid = rng.random() < 0.4
    made = pick(_GRIDS if grid else _VECTORS)

    def store() -> str:
        place = pick(("0, 0", "1, b % 2", "k, 1", "1, k", "k][1", "0][0") if grid else ("0", "2", "b % 3", "k"))
        return f"t[{place}] {pick(('=', '=', '+=', '-='))} {pick(('a', 'b + k', '7', 'a * 2 - b', 'k'))}"

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
        ]
    )
    mark = ""
    if rng.random() < 0.2:
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
    body = "\n".join([f"k = 1\nt = {made}", *statements, reads])
    return f"{mark}import numpy as np\n\n\ndef program(a, b, x, xs):\n{indent(body, IN)}\n"


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
