"""Variables that one branch binds and a later branch, loop or expression reads, under the same test, a stricter or another one.

>>> "if" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

_TESTS = ["a > 2", "a > b", "x > 0", "c", "not c", "b > 1 and a > 2", "a <= 2", "n > 3", "xs[0] > 1", "d", "x <= 0"]
_VALUES = ["a", "a + b", "x", "n * 2", "(a, x)[0]", "7", "k"]


def write(rng: random.Random) -> str:
    """One program: `y`, `z` are bound in branches alone; what is read of them is read behind a test, or whatever happens."""
    lines = ["n, k, t = b, 0, 0.0", "c, d = a > 2, False"]
    for _ in range(rng.randint(2, 5)):
        lines += _statement(rng, 2)
    if rng.random() < 0.3:
        lines += [f"if {rng.choice(_TESTS)}:", "    return n, -1.0"]
    if rng.random() < 0.3:
        lines += ["t += y"]
    lines += ["if a > 99:", "    y = z = 0"]  # names of the function in any case
    return "def program(a, b, x, xs):\n" + "\n".join(_indented(lines)) + "\n    return n, t\n"


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def _simple(rng: random.Random, binds: bool) -> list[str]:
    name = rng.choice("yyz")
    if binds:
        return rng.choice([[f"{name} = {rng.choice(_VALUES)}"], [f"{name} = {rng.choice(_VALUES)}", "d = True"],
                           [f"y, z = {rng.choice(_VALUES)}, n"]])  # fmt: skip
    return rng.choice(
        [[f"t += {name}"], [f"n = int({name}) + 1"], [f"{name} = {name} + 1"], [f"{name} += 2"], ["n += 1"],
         [f"t += {name} if {rng.choice(_TESTS)} else 1"], [f"if {rng.choice(_TESTS)} and {name} > 1:", "    t += 5"]]
    )  # fmt: skip


def _statement(rng: random.Random, depth: int) -> list[str]:
    form = rng.random()
    binds = rng.random() < 0.55
    body = _simple(rng, binds) if not depth or rng.random() < 0.7 else _statement(rng, depth - 1)
    if form < 0.65:
        lines = [f"if {rng.choice(_TESTS)}:", *_indented(body)]
        if rng.random() < 0.3:
            lines += ["else:", *_indented(_simple(rng, rng.random() < 0.5))]
        return lines
    if form < 0.9:
        head = rng.choice(
            ["for k in range(3):", "for k in ag.range(3):", "for k in xs:", "while n < 4:", "for k in (1, 2):"]
        )
        jump = (
            [f"if k > {rng.choice('ab1')}:", *_indented([*_simple(rng, True), "break"])] if rng.random() < 0.4 else []
        )
        return [head, f"    if {rng.choice(_TESTS)}:", *_indented(_indented(body)), *_indented(jump), "    n += 1"]
    return body if depth < 2 else ["n += 1"]
