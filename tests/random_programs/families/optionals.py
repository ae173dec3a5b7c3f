"""`None` or a value: variables that are `None` before a loop, and results that functions hand on to where they are tested.

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
    if rng.random() < 0.5:
        return HEADER + "def program(a, b, x, xs):\n" + _in(_loop(rng)) + "\n"
    return HEADER + (_results(rng) if rng.random() < 0.8 else _covered(rng))


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


_COVERED = [
    (">", "<="), ("<", ">="), ("==", "!="), (">", "==", "<"), ("<=", ">"), ("<", "==", ">="), (">=", "<"), ("<", ">", "=="),
]  # fmt: skip
_MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "==": "==", "!=": "!="}


def _covered(rng: random.Random) -> str:
    """A function without a last `else`, one of whose tests holds for any numbers."""
    name = rng.choice(["cover", "Cover().cover"])
    lines = []
    for sign in rng.choice(_COVERED):
        test = f"u {sign} v" if rng.random() < 0.7 else f"v {_MIRRORED[sign]} u"
        head = "elif" if lines and rng.random() < 0.7 else "if"
        lines += [f"{head} {test}:", f"    return {rng.choice(['u', 'v', 'u - v', '3', 'v * 2'])}"]
    if rng.random() < 0.3:
        lines = ["if u == 7:", "    return 0", *lines]
    uses = ["{f}(a, b) + 1", "{f}(x, b) * 2 + {f}(a, x)", "sum({f}(u, a) for u in xs)", "{f}(x, 2) if a > 1 else {f}(b, x)"]
    used = rng.choice(uses)
    body = _in("\n".join(lines))
    text = f"def cover(u, v):\n{body}\n" if name == "cover" else f"class Cover:\n    def cover(self, u, v):\n{_in(body)}\n"
    return f"{text}\n\ndef program(a, b, x, xs):\n    return {used.format(f=name)}\n"


_DECIDE = [
    "if u > v:\n    return u - v", "return u if u < v else None", "if u == v:\n    return None\nreturn u * 2",
    "for k, d in enumerate((u, v, 3)):\n    if d > 2:\n        return d + k",
    "r = None\nif v > 1:\n    r = u\nreturn r", "if u > 3:\n    return (u, v)[1]\nelif v < 2:\n    return v",
]  # fmt: skip
_HAND_ON = [
    "return {f}(u, v)", "return {f}(u + 1, v)", "r = {f}(u, v)\nreturn r", "return {f}(u, v) if u > 1 else {f}(v, u)",
    "if v > 2:\n    return {f}(v, u)\nreturn {f}(u, v)", "if u > 4:\n    return None\nreturn {f}(u, v)",
    "r = {f}(u, v)\nif r is None:\n    return {f}(v, u)\nreturn r + 1",
    "try:\n    return {f}(u, v)\nfinally:\n    u = v",
    "def g(w):\n    return {f}(w, v)\nr = g(u)\nif r is None:\n    return None\nreturn r",
    "while True:\n    u = u + 1\n    if u > v:\n        return {f}(v, u)",
]  # fmt: skip
_TESTED = [
    "r = {f}(a, b)\nreturn -1 if r is None else r", "r = {f}(b, a)\nif r is None:\n    return 0\nreturn r * 2",
    "n = 0\nfor u in xs:\n    r = {f}(u, a)\n    if r is not None:\n        n = n + r\nreturn n",
    "if (r := {f}(a, a + b)) is not None and r > 1:\n    return r\nreturn 7",
    "if {f}(a, b) is None:\n    return a\nreturn b",
    "r = {f}(a, b)\nif r:\n    return r * 2\nreturn -1", "r = {f}(a, b)\nif not r:\n    return 0\nreturn r",
    "r = {f}(a, b)\nreturn r if r and r > 1 else 3", "r = {f}(b, a)\nreturn (r or 5) + 1",
    "n = 0\nfor u in xs:\n    if r := {f}(u, a):\n        n = n + r\nreturn n",
    "r = None\nif b > a:\n    r = b - 2\nif r:\n    return r\nreturn -1",
    "r = None\nif b > a:\n    r = {f}(a, b)\nif not r or r > 3:\n    return a\nreturn r",
    "n, r = 0, None\nfor u in xs:\n    if r and u > r:\n        n = n + 1\n    if u > 1:\n        r = u - 2\nreturn n",
    "k, r = 0, {f}(a, b)\nwhile not r and k < 4:\n    k = k + 1\n    r = {f}(a + k, b)\nreturn k + (r or 0)",
]


def _results(rng: random.Random) -> str:
    """A function that returns `None` or a value, others that hand its result on, and a test of it."""
    text = f"def f0(u, v):\n{_in(rng.choice(_DECIDE))}\n\n\n"
    name, depth = "f0", rng.randint(0, 3)
    for k in range(1, depth + 1):
        body = rng.choice(_HAND_ON).format(f=name)
        if rng.random() < 0.3:
            text += f"class C{k}:\n    def find(self, u, v):\n{_in(_in(body))}\n\n\n"
            name = f"C{k}().find"
        elif rng.random() < 0.2:
            text += f"f{k} = lambda u, v: {name}(u, v)\n\n\n"
            name = f"f{k}"
        else:
            text += f"def f{k}(u, v):\n{_in(body)}\n\n\n"
            name = f"f{k}"
    return text + "def program(a, b, x, xs):\n" + _in(rng.choice(_TESTED).format(f=name)) + "\n"
