"""Floats where Python needs an integer, behind a guard that raises, returns or asserts, or in a branch; bools that count.

>>> "owes()" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

_HEADER = "import math\n\n\ndef owes():\n    return TypeError, IndexError\n\n\n"
_GUARDS = [
    "if x != int(x):\n    raise ValueError('no integer')", "assert x == int(x), 'no integer'", "if x % 1:\n    return -1, s",
    "if x < 0:\n    raise ValueError('negative')", "if a > b:\n    raise ValueError(a)", "if not x >= 0:\n    return 0, s",
    "if not float(x).is_integer():\n    raise ValueError('no integer')",
]  # fmt: skip
_FAILS = [
    "for i in range(1, x + 1):\n    s += i", "for i in ag.range(x):\n    s += i", "s += sum(i for i in range(x))", "s += [a, b][x]",
    "s += len([1, 2, 3][:x])", "s += x & 1", "s += 1 << x", "s += math.factorial(x)", "s += math.gcd(x, 4)", "s += max(range(x))",
    "s += [i for i in range(x)][0]", "s += [1, 2].pop(x)",
]  # fmt: skip
_COUNTS = [
    "s -= -(int(a) > {k})", "s += (int(a) > {k}) - (int(b) < {k})", "s += int(a > b) - int(b > a)", "s = -(s > {k})",
    "s += +(int(a) > s)", "s += bool(a) + any([a > {k}, b > {k}])", "s -= all([a > {k}]) + bool(b)",
    "s += (s > {k}) + (int(b) > {k})", "s += -bool(a)", "s += -(not a > {k})",
]  # fmt: skip


def write(rng: random.Random) -> str:
    """One program."""
    lines = ["s = 0", *(rng.choice(_COUNTS).format(k=rng.randint(0, 3)) for _ in range(rng.randint(0, 2)))]
    lines += "\n".join(rng.sample(_GUARDS, rng.randint(0, 2))).splitlines()
    fails = rng.choice(_FAILS)
    form = rng.choice(["{}", "{}", "if x > 1:\n    {}", "if a > b:\n    {}\nelse:\n    s += 1", "for k in range(a % 3):\n    {}"])
    if rng.random() < 0.8:
        lines += form.format(fails if form == "{}" else fails.replace("\n", "\n    ")).splitlines()
    lines += [rng.choice(_COUNTS).format(k=rng.randint(0, 3)), "return s, a"]
    return _HEADER + "def program(a, b, x, xs):\n" + "\n".join("    " + line for line in lines) + "\n"
