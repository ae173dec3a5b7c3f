"""Lists to which some iterations of a loop append, of known or bounded length: filters, records, stacks, nested loops, helpers.

>>> any("continue" in write(random.Random(k)) for k in range(9))
True
"""

from __future__ import annotations

import random
from textwrap import indent

IN = "    "
_HEAD = """\
import numpy as np


class Record:
    def __init__(self):
        self.kept = []

    def take(self, v):
        if v > 1:
            self.kept.append(v)


def keep(rows, v, limit):
    if v > limit:
        rows.append(v)


def take_all(rows, items, limit):
    for v in items:
        if v > limit:
            rows.append(v)


"""
_HOLDERS = {
    "local": ("out = {start}", "out", "out"),
    "dict": ("h = {{'kept': {start}, 'all': []}}", "h['kept']", "h"),
    "object": ("r = Record()\nr.kept = {start}", "r.kept", "r.kept"),
    "closure": ("out = {start}\ndef add(v):\n    if v > b:\n        out.append(v)", "out", "out"),
    "alias": ("out = {start}\nlate = out", "out", "out, late"),
    "rows": ("rows = [{start}, []]", "rows[0]", "rows"),
}
_LOOPS = [
    "for v in xs:", "for v in xs:", "for v in xs:", "for i in range(len(xs)):\n    v = xs[i]", "for i, v in enumerate(xs):",
    "for v in range(abs(a) % 7):", "for v in range(min(a, 5), 6):", "for v in range(3, b % 5, -1):", "for v in reversed(xs):",
    "for w, v in zip(xs, xs[1:]):", "for v in range(4):", "for u in xs:\n    v = u - a\n    c += 1", "for v in [a, b, 2, 5]:",
    "for v in range(40):", "for v in ag.range(5):",
]  # fmt: skip
_INNER = ["for w in xs:", "for w in range(3):", "for w in range(abs(v) % 4):", "for w in list(range(2)):"]
_TESTS = [
    "v > a", "v < b", "v % 2 == 0", "v != a", "x > v", "c % 3 == 1", "len({o}) < 3", "v > a and v < b", "not {o}",
    "{o} and {o}[-1] < v", "v not in {o}", "sum({o}) < 9", "True", "v in xs", "len({o}) % 2 == 0", "w < v", "v == 3",
]  # fmt: skip
_ITEMS = ["v", "v", "v * 2 + b", "v % 3", "a", "c", "v + x", "1", "len({o})", "v / 2"]
_GROW = [
    "{o}.append({i})", "{o}.append({i})", "{o}.append({i})", "{o}.extend([{i}, v])", "{o} += [{i}]", "{o}.insert(0, {i})",
    "{o}.append({i})\nc += 1", "{o}.insert(len({o}) // 2, {i})",
]  # fmt: skip
_OTHERS = [
    "c += len({o})", "c = (c + sum({o})) % 97", "if {o}:\n    c = (c + {o}[-1]) % 97", "if len({o}) > 2:\n    {o}.pop(0)",
    "if {o} and v > b:\n    {o}.pop()", "for z in {o}:\n    c = (c + z) % 97", "c += 1", "if len({o}) > 1:\n    {o}[0] = c",
    "if v in {o}:\n    c += 1", "more.append(c)", "c = max({o}) % 97 if {o} else c", "if {t}:\n    more.append(v)",
    "row = []\nif {t}:\n    row.append(v)\nc += len(row)", "if v == 77:\n    {o}.clear()",
    "try:\n    if {t}:\n        raise ValueError\n    {o}.append(v)\nexcept ValueError:\n    c += 1",
    "row = [z + v for z in xs if z > v]\nc += len(row)", "c = (c + sum([z for z in {o} if z > 1])) % 97",
]  # fmt: skip
_LEAVE = ["break", "continue", "continue", "return RESULT"]
_RESULTS = [
    "len({o})", "sum({o})", "{o}[0] if {o} else 7", "{o}[-1] if len({o}) > 1 else x", "a in {o}", "max({o}) if {o} else 0",
    "{o}[a % 2] if len({o}) > 1 else b", "c", "more", "list(more)", "[z for z in xs if z > a]", "[z * 2 for z in {o} if z != b]",
]  # fmt: skip


def write(rng: random.Random) -> str:
    """One program."""
    holder = rng.choice(["local", "local", "local", *_HOLDERS])
    made, o, r = _HOLDERS[holder]
    start = rng.choice(["[]", "[]", "[]", "[b]", "[a, 2]", "[x]"])
    lines = [made.format(start=start), "more, c = [], 0"]
    if rng.random() < 0.15:
        lines.append(f"if a > b:\n    {o}.append(b)")
    for _ in range(rng.choice([1, 1, 1, 2])):
        lines.append(_loop(rng, o, holder))
    if rng.random() < 0.3:
        lines.append(f"if b > a:\n    {o}.append({rng.choice(['a', 'x', '2'])})")
    results = [r, *(rng.choice(_RESULTS).format(o=o) for _ in range(rng.randint(0, 2)))]
    if rng.random() < 0.3:
        results = results[1:] or results
    lines.append("return RESULT")
    mark = "# refused: another name has the list\n" if holder == "alias" else ""
    return f"{mark}{_HEAD}def program(a, b, x, xs):\n{indent(chr(10).join(lines), IN)}\n".replace("RESULT", ", ".join(results))


def _loop(rng: random.Random, o: str, holder: str) -> str:
    loop = rng.choice(_LOOPS)
    body = _body(rng, o, holder, "range(4)" not in loop)
    if rng.random() < 0.25:
        body = f"{rng.choice(_INNER)}\n{indent(_body(rng, o, holder, False), IN)}"
        if rng.random() < 0.5:
            body += "\n" + _body(rng, o, holder, True)
    head = "w = 1\n" if "w, v" not in loop else ""
    return f"{head}{loop}\n{indent(body, IN)}"


def _body(rng: random.Random, o: str, holder: str, leaves: bool) -> str:
    def test() -> str:
        return rng.choice(_TESTS).format(o=o)

    def grown(to: str) -> str:
        return rng.choice(_GROW).format(o=to, i=rng.choice(_ITEMS).format(o=o))

    parts = []
    for _ in range(rng.randint(0, 2)):
        parts.append(rng.choice(_OTHERS).format(o=o, t=test()))
    kept = f"if {test()}:\n{indent(grown(o), IN)}"
    if rng.random() < 0.25:
        kept += f"\nelse:\n{indent(grown(rng.choice([o, 'more'])), IN)}"
    if rng.random() < 0.15:
        kept = grown(o)
    if rng.random() < 0.15:
        kept = f"if {test()}:\n{indent(kept, IN)}"
    if holder == "closure" and rng.random() < 0.7:
        kept = "add(v)"
    if holder == "object" and rng.random() < 0.5:
        kept = "r.take(v)"
    if rng.random() < 0.1:
        kept = rng.choice([f"keep({o}, v, a)", f"take_all({o}, xs, v)"])
    parts.insert(rng.randint(0, len(parts)), kept)
    if leaves and rng.random() < 0.35:
        leave = rng.choice(_LEAVE)
        parts.insert(rng.randint(0, len(parts)), f"if {test()}:\n{IN}{leave}")
    return "\n".join(parts)
