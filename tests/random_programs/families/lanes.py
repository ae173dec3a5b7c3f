"""Loops behind conditions, under `vmap` as well: lanes that do not reach a loop must not run it, least of all for ever.

>>> all("while" in text for text in (write(random.Random(k)) for k in range(9)))
True
"""

from __future__ import annotations

import random
from textwrap import indent

IN = "    "


def write(rng: random.Random) -> str:
    """One program: loops that end only where a condition around them holds, in branches and iterations."""
    return f"def program(a, b, x, xs):\n    c = 0\n{indent(_reached(rng, 2), IN)}\n    return a, c\n"


def _reached(rng: random.Random, depth: int) -> str:
    """Statements that run a loop only where it ends."""
    name, test, loop = rng.choice(_LOOPS)
    inner = f"{loop}\n{_reached(rng, depth - 1)}" if depth and rng.random() < 0.4 else loop
    forms = [
        f"if {test}:\n{indent(inner, IN)}",
        f"if {test}:\n{indent(inner, IN)}\nelse:\n    c -= 1",
        f"if b > 2:\n    c += 1\nelif {test}:\n{indent(inner, IN)}",
        f"t = {name}\nwhile {test} and t > 0:\n{indent(inner, IN)}\n    {name} = {name} - 2\n    t = t - 1",
        f"while True:\n    if not ({test}):\n        break\n{indent(inner, IN)}\n    {name} = {name} - 3",
        f"for k in range(b):\n    if not ({test}):\n        break\n{indent(inner, IN)}\n    {name} = {name} - k",
        f"for k in ag.range(2):\n    if {test}:\n{indent(inner, IN * 2)}\n    {name} = {name} - 1",
        f"for d in xs:\n    if {test} and d > 0:\n{indent(inner, IN * 2)}",
    ]
    return rng.choice(forms)


_LOOPS = [
    ("a", "a > 0", "n = a\nwhile n != 1:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1\n    c += 1"),
    ("a", "a >= 0", "n = a\nwhile n != 0:\n    n = n // 2\n    c += 1"),
    ("a", "a >= 0", "n = a\nwhile True:\n    if n == 0:\n        break\n    c += 1\n    n = n // 3"),
    ("x", "x >= 0", "y = abs(x)\nwhile y > 0 or x < 0:\n    y = y - 0.25 if y > 0 else y + 1\n    c += 1"),
    (
        "b",
        "b >= 0",
        "m = b\nwhile m != 0:\n    j = m\n    while j != 0:\n        j = j // 2\n        c += 1\n    m = m // 2",
    ),
]
