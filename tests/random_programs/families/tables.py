"""Dicts with numbers and tuples as keys, read and written where the program says: moves, transitions, counts, grids.

They are read by `[]` and `get`, written at keys that they have, copied, kept in objects and dicts, changed in branches and loops.

>>> "program" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

HEADER = """\
MOVES = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}

class Bank:
    def __init__(self):
        self.money = {k: 2 * k for k in range(4)}

    def pay(self, k, n):
        self.money[k] -= n
        return self.money[k]


def found_in(d, k):
    return d.get(k)


def looked_up(k, default):
    move = MOVES.get(k)
    other = found_in({1: k, 4: default}, k)
    if (third := {0: 4, 3: default}.get(k, None)) is not None and third > 3:
        default = third - 1
    if move is None:
        return default if other is None else other * 2
    return move[1] - default


"""
_KEYS = ["a % 4", "b % 4", "k % 4", "i % 4", "n % 4", "(a + b) % 4", "MOVES[a % 4][0] + 1", "d[b % 4] % 4", "min(b % 5, 3)"]
_READS = [
    "d[{k}]", "e[{k}]", "d.get({k}, 7)", "d.get({k} + 2, -1)", "MOVES[{k}][1]", "grid[{k}, {l}]", "grid[1, {k}]",
    "grid[({k}, 2)]", "grid.get(({k}, {l} + 1), 5)", "{{True: 3, False: x}}[{k} > 1]", "bank.money[{k}]",
    "bank.pay({k}, 1)", "words[{k}] == 'b'", "{{0: d, 1: e}}[{k} % 2][{l}]", "sum(d.values())", "sum(MOVES[{k}])",
    "({k} in d)", "(({k}, {l}) in grid)",
    "looked_up({k} + 2, {l})", "(-1 if d.get({k} + 2) is None else {l})", "max(d[{k}], e[{l}])",
    "{{0.5: 1, 1: b, 2.0: 4}}.get({k}, 9)",
    "calls[{k}](3)", "len(e)", "list(d.values())[{k}]", "[d[j] for j in range(4)][{k}]",
]  # fmt: skip
_WRITES = [
    "d[{k}] = {v}", "d[{k}] += {v}", "e[{k}] = d[{l}]", "grid[{k}, {l}] = {v}", "grid[{k}, 1] += {v}",
    "bank.money[{k}] = {v}", "d[{k}], d[{l}] = d[{l}], d[{k}]", "n = n + d[{k}]", "e = dict(d)", "d[1] = {v}",
    "n = {v}", "words[{k}] = words[{l}]", "n = n + looked_up({k} + 1, n)",
]  # fmt: skip
_TESTS = ["a > 2", "x > 0", "d[{k}] > 1", "b % 2 == 0", "{k} == {l}", "grid[{k}, {l}] != 3", "n < 5", "({k}, {l}) in grid"]


def write(rng: random.Random) -> str:
    """One program."""
    lines = [
        "n = i = k = 0", "d = {0: 1, 1: a, 2: 3, 3: 5}", "e = {0: b, 1: 1, 2: 4, 3: 1}", "bank = Bank()",
        "grid = {(r, c): r * 4 + c for r in range(4) for c in range(4)}", "words = {0: 'a', 1: 'b', 2: 'c', 3: 'b'}",
        "calls = {0: abs, 1: lambda v: v + a, 2: abs, 3: abs}",
    ]  # fmt: skip
    for _ in range(rng.randint(1, 4)):
        lines += rng.choice([_statement, _branch, _loop, _while])(rng)
    reads = ", ".join(_filled(rng, rng.choice(_READS)) for _ in range(3))
    lines.append(f"return n, {reads}, list(d.values()), list(e.items())")
    return HEADER + "def program(a, b, x, xs):\n" + "\n".join(_in(lines)) + "\n"


def _filled(rng: random.Random, text: str) -> str:
    value = rng.choice(["n", "a", "2", "d[{k}]", "b - 1", "e.get({k}, 3)"])
    key, other = rng.choice(_KEYS), rng.choice(_KEYS)
    return text.replace("{v}", value).format(k=key, l=other)


def _statement(rng: random.Random) -> list[str]:
    return [_filled(rng, rng.choice(_WRITES))]


def _test(rng: random.Random) -> str:
    return _filled(rng, rng.choice(_TESTS))


def _branch(rng: random.Random) -> list[str]:
    return [f"if {_test(rng)}:", *_in(_statement(rng) + _statement(rng)), "else:", *_in(_statement(rng))]


def _loop(rng: random.Random) -> list[str]:
    head = rng.choice(["for k in range(3):", "for i in ag.range(b % 5):", "for k in ag.range(3):"])
    body = rng.choice([_statement, _branch])(rng)
    return [head, *_in(body + _statement(rng) + rng.choice([[], [f"if {_test(rng)}:", "    break"]]))]


def _while(rng: random.Random) -> list[str]:
    return [f"while i < a % 6 and {_test(rng)}:", *_in(rng.choice([_statement, _branch])(rng) + ["i = i + 1"])]


def _in(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]
