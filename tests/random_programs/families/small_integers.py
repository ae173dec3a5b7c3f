"""Arrays of narrow integers beside numbers that their type can, or cannot, hold: compared, computed with and written.

>>> "np." in write(random.Random(0))
True
"""

from __future__ import annotations

import random
from textwrap import indent

_TYPES = {"uint8": (0, 255), "int8": (-128, 127), "uint16": (0, 65535), "int16": (-32768, 32767)}
_SIGNS = ("<", "<=", ">", ">=", "==", "!=")
_TESTS = [
    "int((r {s} {k}).sum())", "int(({k} {s} r[i]))", "int({k} in r)", "int(np.where(r {s} {k}, 3, 1).sum())",
    "int(r[i] {s} {k} or r[0] {s} {l})", "int({k} < r[i] < {l})", "int({l} >= r[1] {s} {k})", "int(max(r[i], {k}))",
    "int(min({k}, r[i], r[0]))", "int(np.clip(r, {lo}, {hi})[i])", "int(r.clip({lo}, {hi})[1])", "int(np.less(r, {k})[i])",
    "int(np.isin(r, {k}).sum())", "int(np.searchsorted(np.sort(r), {k}))", "int(np.greater_equal({k}, r).sum())",
    "int((r {s} n).sum())", "int(n {s} r[i])", "sum(int(v {s} {k}) for v in r)", "int(r.sum(initial={k}) % 1000)",
    "int(all(v {s} {k} for v in r))", "len([v for v in (300, 7, -1) if r[0] {s} v])", "int((r / {k})[i] {s} 1)",
    "int(not (r[i] {s} {k}))", "int(np.equal(r, n)[i])", "int(sorted([int(r[0]), {k}])[0])",
]  # fmt: skip
_RAISING = [
    "r = r + {k}", "r = {k} - r", "r = r * {k}", "r += {k}", "r[i] = {k}", "r[i] += {k}", "r = np.maximum(r, {k})", "r = r // {d}",
    "r = r & {k}", "r = np.full_like(r, {k})", "r[r > 3] = {k}", "r[:2] = [{k}, 1]", "r = r % {d}", "r = np.minimum({k}, r)",
    "r[1:] -= {k}", "r = np.clip(r, {k}, {k})", "r = r ^ {k}",
]  # fmt: skip


def write(rng: random.Random) -> str:
    """One program."""
    name, (low, high) = rng.choice(list(_TYPES.items()))
    numbers = [0, 3, 100, 127, high, high + 1, low - 1, 44 + high, -1, -128, 256, 300]

    def filled(text: str) -> str:
        k, other = rng.choice(numbers), rng.choice(numbers)
        lo, hi = rng.choice((low - 1, low, 3)), rng.choice((high, high + 45, 100))
        return text.format(s=rng.choice(_SIGNS), k=k, l=other, lo=lo, hi=hi, d=rng.choice([x for x in numbers if x]))

    def statement() -> str:
        form = rng.random()
        if form < 0.45:
            return "p = p + " + filled(rng.choice(_TESTS))
        if form < 0.6:
            return (
                f"if {filled('r[i] {s} {k}')}:\n    p += {rng.randint(1, 5)}\nelse:\n    r[0] = {rng.randint(0, 100)}"
            )
        if form < 0.7:
            return "for v in r:\n    if " + filled("v {s} {k}") + ":\n        p += int(v) % 7"
        if form < 0.72:
            return "try:\n    r += 0.5\nexcept TypeError:\n    p += 3"
        text = filled(rng.choice(_RAISING))
        if form < 0.85:
            return f"try:\n{indent(text, '    ')}\nexcept OverflowError:\n    p += 50"
        return f"if a > {rng.randint(-2, 4)}:\n{indent(text, '    ')}" if form < 0.92 else text

    lines = [
        f"r = (abs(xs) * {rng.choice((1, 7, 40))}).astype(np.{name})",
        f"i, p, n = abs(b) % 2, 0, int(a) * {rng.choice((1, 20, -50))}",
        *(statement() for _ in range(rng.randint(2, 5))),
        "return p, r",
    ]
    return f"import numpy as np\n\n\ndef program(a, b, x, xs):\n{indent(chr(10).join(lines), '    ')}\n{_OWES}"


_OWES = """

def owes():
    return (OverflowError,)
"""
