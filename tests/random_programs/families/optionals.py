"""Variables that are `None` before a loop and get a value in its first iteration, whatever ends the loop.

>>> "None" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

HEADER = """\
class Holder:
    pass


def lower(best, d):
    return d if best is None or d < best else best


"""
_HEADS = [
    "for d in xs:", "for k, d in enumerate(xs):", "for d in reversed(xs):", "for k in ag.range(4):\n    d = xs[k]",
    "for k in range(4):\n    d = xs[k] + a", "for d in (a, b, 2, a - b):", "for d, e in zip(xs, xs[1:]):", "for d in xs[:1]:",
    "k = 0\nwhile True:\n    k += 1\n    d = xs[k % 4]",
]  # fmt: skip
_NEW = ["d", "d + 1", "(d, 1)[0]", "d * 2", "d - n"]
_TESTS = ["{best} is None or d < {best}", "{best} is None or not d >= {best}", "not ({best} is not None and d >= {best})"]
_EXITS = ["n > a", "n >= b", "d > 3", "n > 1", "{best} < a", "n > 2 or d > b"]


def write(rng: random.Random) -> str:
    """One program."""
    return HEADER + "def program(a, b, x, xs):\n" + _in(_loop(rng)) + "\n"


def _loop(rng: random.Random) -> str:
    best = rng.choice(["best", "best", "s.best"])
    head = rng.choice(_HEADS)
    start = f"{best}, arg, n, s2 = None, None, 0, 1"
    if best == "s.best":
        start = f"s = Holder()\n{start}"
    form = rng.random()
    keep = f"{best}, arg, n = {rng.choice(_NEW)}, n, 0"
    test, leave = rng.choice(_TESTS).format(best=best), rng.choice(_EXITS).format(best=best)
    jump = rng.choice(["break", "break", f"return {best}, n"])
    ends = f"if {leave}:\n    s2 += 1\n    {jump}"
    if form < 0.3:
        body = f"{best} = lower({best}, d)\narg, n = d, n + 1\n{ends}"
    elif form < 0.6:
        body = f"if {test}:\n    {keep}\nelse:\n    n += 1\n{ends}"
    elif form < 0.8:
        body = f"if {test}:\n    {keep}\n    continue\nn += 1\n{ends}"
    else:
        body = f"if {test}:\n    {keep}\nelse:\n    n += 1\n{_in(ends)}"
    if "while" in head:  # a `continue` would pass an exit behind it
        head += "\n    if k > 5:\n        break"
    use = rng.choice(["s2", f"{best} + s2", "arg", "n"])
    return f"{start}\n{head}\n{_in(body)}\nreturn {best}, {use}"


def _in(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))
