"""Checks before loops that end only where the check holds: a guard, an `assert`, in a call or an iteration around.

Where a check fails, the compiled program must stop with its error, as Python does, and not run a loop behind it for ever.

>>> all("while" in text or "range" in text for text in (write(random.Random(k)) for k in range(9)))
True
"""

from __future__ import annotations

import random
from textwrap import indent

IN = "    "


def write(rng: random.Random) -> str:
    """One program: a check, perhaps in a call, a branch or an iteration around, then a loop that needs what it ensures."""
    variable, test, loop = rng.choice(_LOOPS)
    check = rng.choice(_CHECKS).format(test=test)
    helpers = []
    if rng.random() < 0.3:
        helpers.append(f"def ensure({variable}, b):\n{indent(check, IN)}\n{IN}return {variable}\n")
        check = f"{variable} = ensure({variable}, b)"
    if rng.random() < 0.2:
        check += rng.choice(
            ["\nif b > 0:\n    c += 1", "\nassert b < 99, 'second'", "\nfor k in ag.range(3):\n    c += b"]
        )
    if rng.random() < 0.2:
        loop = f"if b != 3:\n{indent(loop, IN)}"
    if rng.random() < 0.3:
        helpers.append(f"def work({variable}, b):\n{IN}c = 0\n{indent(loop, IN)}\n{IN}return c\n")
        loop = f"c = c + {rng.choice(['work', 'ag.jit(work)', 'ag.convert(work)'])}({variable}, b)"
    block = indent(f"{check}\n{loop}", IN)
    block = rng.choice(
        [
            *[f"if True:\n{block}"] * 4,
            f"for k in ag.range(2):\n{IN}a = a - k\n{block}",
            f"for d in xs[:2]:\n{IN}c += d % 3\n{block}",
            f"k = 0\nwhile k < b:\n{IN}k += 5\n{block}",
            f"if b > 1:\n{block}",
        ]
    )
    later = rng.choice(["c += 1", "assert c < 1000, 'later'", "if c > 1000:\n    raise ValueError('later')"])
    if rng.random() < 0.15:  # then every path raises, and the program is to say which exception comes first
        later = rng.choice(_ENDS)
    body = indent(f"c = 0\n{block}\n{later}\nreturn a, c", IN)
    return "\n".join([*helpers, f"def program(a, b, x, xs):\n{body}\n"])


_CHECKS = [
    "if not ({test}):\n    raise ValueError('refused')",
    "assert {test}, 'refused'",
    "if {test}:\n    b = b + 1\nelse:\n    raise ValueError('refused')",
    "if not ({test}):\n    if b > -9:\n        raise ValueError('refused')",
]
_ENDS = [
    "raise ValueError('at the end')",
    "assert c < 0, 'at the end'",
    "if c > 2:\n    raise ValueError('many', c)\nelse:\n    raise AssertionError('few')",
]
_LOOPS = [
    ("a", "a >= 0", "n = a\nwhile n != 0:\n    n = n // 2\n    c += 1"),
    ("a", "a > 0", "n = a\nwhile n != 1:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1\n    c += 1"),
    ("x", "x >= 0", "y = abs(x)\nwhile y > 0 or x < 0:\n    y = y - 0.25 if y > 0 else y + 1\n    c += 1"),
    ("a", "a >= 0", "n = a\nwhile True:\n    if n == 0:\n        break\n    n = n // 2\n    c += 1"),
    (
        "a",
        "a >= 0",
        "n = a\nwhile n != 0:\n    m = n\n    while m != 0:\n        m = m // 2\n        c += 1\n    n = n // 2",
    ),
    ("a", "a > 0", "n = 0\nfor k in range(2147483647):\n    n += a\n    if n > 20:\n        break\n    c += 1"),
]
