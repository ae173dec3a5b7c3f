"""The first item that passes a test: `next` of generators and filters, with a default, caught, named, in methods and loops.

>>> "next(" in write(random.Random(3))
True
"""

from __future__ import annotations

import random

_ITEMS = {
    "x0": [
        "items", "reversed(items)", "items[1:]", "[a, b, a + b]", "(a, b)", "list(items)", "map(twice, items)",
        "range(a, a + 4)", "sorted(items)", "table.values()", "xs.tolist()", "range(6)",
    ],
    "(k0, x0)": [
        "enumerate(items)", "zip(range(4), items)", "enumerate(reversed(items), 1)", "zip(items, items[1:])",
        "enumerate([a, b])", "enumerate(range(a, 9))",
    ],
}  # fmt: skip
_TESTS = ["x0 > {t}", "x0 * 2 < {t}", "x0 % 3 == 1 and x0 > {t}", "large(x0, {t})", "not x0 > {t}", "{t} < x0 < 9"]
_LIMITS = ["a", "b", "c", "1", "a + b", "4"]
_CHOSEN = ["mode = 'u'"] * 3 + [
    "mode = 'u' if a > 2 else 'wvw'",
    "mode = 'u'\n    if x > 0:\n        mode = 'vu'",
    "mode, act = 'u', twice if b > 2 else abs\n    c = act(a)",
]
"""A string or a function that the program chooses: with one, calls of what is not converted are looked at."""
_DEFAULTS = ["-1", "0", "c", "a * b", "len(items)"]


def write(rng: random.Random) -> str:
    """One program."""
    lines = ["items, c, n = [a, b, 2, a - b], 1, 0", "table = {'u': a, 'v': b, 'w': 3}", rng.choice(_CHOSEN)]
    for _ in range(rng.randint(1, 3)):
        lines += _statement(rng, 2)
    mark = "# refused: a generator with a name inside a staged statement, or a filter with a traced test\n"
    return (
        mark
        * any(_is_refused(line) for line in lines)
        + "def twice(u):\n    return u * 2\n\n\ndef large(u, t):\n    return u > t\n\n\n"
        "class Shelf:\n    def __init__(self, items):\n        self.items = items\n\n"
        "    def place(self, t):\n        return next((i for i, u in enumerate(self.items) if u >= t), -1)\n\n\n"
        "def find(items, t):\n    return next((u for u in items if u > t), None)\n\n\n"
        "def program(a, b, x, xs):\n" + "\n".join(_indented(lines)) + "\n    return c, n + 100000 * len(mode)\n"
    )


def _is_refused(line: str) -> bool:
    """Whether a statement may be one that no compiled program can hold."""
    return ("next(g" in line and line.startswith("  ")) or ("sum(filter(lambda" in line)


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def _generator(rng: random.Random) -> str:
    target = rng.choice(list(_ITEMS))
    element = rng.choice(["x0", "x0 * 2 + 1", "c - x0"] if target == "x0" else ["k0", "x0", "k0 * x0"])
    test = rng.choice(_TESTS).format(t=rng.choice(_LIMITS))
    return f"{element} for {target} in {rng.choice(_ITEMS[target])} if {test}"


def _call(rng: random.Random) -> str:
    form = rng.random()
    default = rng.choice(_DEFAULTS)
    if form < 0.6:
        return f"next(({_generator(rng)}), {default})"
    if form < 0.8:
        test = rng.choice(["lambda u: u > c", "lambda u: u % 2", "None"])
        taker = rng.choice(["next({}, " + default + ")", "max({}, default=" + default + ")", "sum({})"])
        return taker.format(f"filter({test}, {rng.choice(_ITEMS['x0'])})")
    if form < 0.9:
        return f"Shelf(items).place({rng.choice(_LIMITS)})"
    return f"{rng.choice(['max', 'min'])}(({_generator(rng)}), default={default})"


def _statement(rng: random.Random, depth: int) -> list[str]:
    form = rng.random()
    if form < 0.12:
        target = rng.choice(list(_ITEMS))
        test = rng.choice(_TESTS).format(t=rng.choice(_LIMITS))
        asked = f"{rng.choice(['any', 'all'])}({test} for {target} in {rng.choice(_ITEMS[target])})"
        return rng.choice([[f"n += int({asked})"], [f"if {asked}:", "    c = c + 2"]])
    if form < 0.25:
        return [f"c = ({_call(rng)}) % 11", "n += 1"]
    if form < 0.35:
        return [f"g = ({_generator(rng)})", f"c = next(g, {rng.choice(_DEFAULTS)})"]
    if form < 0.45:
        search = rng.choice([f"next(({_generator(rng)}), None)", f"find(items, {rng.choice(_LIMITS)})"])
        return [f"f = {search}", "if f is None:", "    n += 5", "else:", "    c = f"]
    if form < 0.7:
        head = f"next({_generator(rng)})"
        body = rng.choice([[f"c = {head}"], [f"c = n + {head} * 2"], [f"n += 1 + {head}"], [f"return c, {head}"]])
        if rng.random() < 0.3:
            body = [f"g = ({_generator(rng)})", "c = next(g)"]
        kind = rng.choice(["StopIteration", "StopIteration", "Exception", "(StopIteration, KeyError)"])
        lines = [
            "try:",
            *_indented(body),
            f"except {kind}:",
            rng.choice(["    n += 100", "    c = -c", "    return n, -7"]),
        ]
        return lines + (["finally:", "    n += 1000"] if rng.random() < 0.3 else [])
    if form < 0.75 or not depth:
        return [f"c = next({_generator(rng)})"]
    if form < 0.87:
        head = rng.choice(["for d in range(3):", "for d in ag.range(2):", "for c in items[:2]:"])
        return [head, *_indented(_statement(rng, depth - 1)), "    items[0] = items[0] + 1"]
    body = _indented(_statement(rng, depth - 1))
    if rng.random() < 0.4:
        return ["try:", *body, "finally:", "    n += 3"]
    return [rng.choice(["if a > b:", "if x > 0:"]), *body]
