"""Containers and objects that an iteration of a loop makes, changes, and stores in another container.

>>> all("return shown(" in write(random.Random(k)) for k in range(20))
True
"""

from __future__ import annotations

import random
from collections.abc import Callable

HEADER = """\
def shown(v):
    if isinstance(v, Box):
        return (v.p, v.q)
    if isinstance(v, dict):
        return {k: shown(u) for k, u in v.items()}
    return [shown(u) for u in v] if isinstance(v, (list, tuple)) else v

def pair(u, w):
    made = []
    made.append(u)
    made.append(w)
    return made

def raised(row, u):
    row[0] = row[0] + u

"""
_LOOPS = (
    ["for d in xs:"] * 8
    + ["for k in ag.range(4):\n        d = xs[k]"] * 8
    + ["for k, d in enumerate(xs):"] * 3
    + ["for d in reversed(xs):"] * 3
    + ["for d in xs:\n        if d > 7:\n            break", "for k in ag.range(a % 4):\n        d = xs[k]"]
)
_STORES = (
    ["out.append(row)"] * 7
    + [
        "out.append((row, d))",
        "out.append([row])",
        "out.append({'r': row})",
        "out += [row]",
        "out.append(row); also.append(row)",
    ]
    + ["out.append(row); out.append(row)", "out.append((row, row))", "out.append(kept)", "out.append((row, kept))"]
)
_KEEPS = ["", "", "", "", "prev = row", "prev = row", "prev, first = row, prev"]


def write(rng: random.Random) -> str:
    """One program: a loop; in it a row is made, changed before or after it is stored, and perhaps kept for the next iteration."""
    text, expected = (_product(rng), None) if rng.random() < 0.1 else _rows(rng)
    return f"# refused: {expected}\n" * bool(expected) + HEADER + text


def _rows(rng: random.Random) -> tuple[str, str | None]:
    def value() -> str:
        return rng.choice(["d", "d + a", "b", "d * 2 % 7", "0", "1"])

    kind = rng.choice(["list", "list", "list", "dict", "object", "nested"])
    make, changes, part = _KINDS[kind]
    keep = rng.choice(_KEEPS)
    changes = changes + [f"row{part} = row{part} + prev{part}"] * (4 * bool(keep))
    if rng.random() < 0.15:
        changes = [*changes, f"prev{part} = {value()}", f"kept{part} = kept{part} + d"]

    def some(most: int) -> list[str]:
        return [_filled(rng.choice(changes), value) for _ in range(rng.randint(0, most))]

    if kind == "nested":
        make = [rng.choice(make)]  # what is before the loop has the structure of what comes after
    lines = [_filled(rng.choice(make), value), *some(2), rng.choice(_STORES), *some(2)]
    if kind == "list" and rng.random() < 0.25:
        loop = rng.choice(["for e in xs:", "for e in range(2):", "for e in ag.range(3):"])
        lines.insert(1, f"{loop}\n            row.append(e * {value()})")
    if rng.random() < 0.3:
        at = rng.randrange(1, len(lines) + 1)
        lines[at:at] = ["if d > b:", f"    {rng.choice([f'c = (c + {value()}) % 9', f'row{part} = {value()}'])}"]
    lines += [keep] * bool(keep)
    if rng.random() < 0.2:
        body = f"        for m in {rng.choice(['range(2)', 'xs[:2]'])}:\n" + "\n".join(
            "    " + line for line in "\n".join(f"        {line}" for line in lines).split("\n")
        )
    else:
        body = "\n".join(f"        {line}" for line in lines)
    after = rng.choice(["", "", "", f"out[0]{part} = 9", f"prev{part} = 8", "out[-1], c = kept, 5"])
    if "[" in after.partition("=")[0] or "prev" in after:
        after = f"if len(out) > 0:\n        {after}"
    start = _filled(make[0], lambda: rng.choice("ab1"))
    first = start.replace("row", "first", 1) if kind == "object" else "first = prev"
    loop = rng.choice(_LOOPS)
    expected = None
    if "break" in loop or "a % 4" in loop:
        expected = "a list that grows in a loop of unknown length"
    elif keep and any(f"prev{part} =" in line for line in (*lines, after)):
        expected = "an object that is changed in place and replaced"
    elif keep and any(text in line for line in lines for text in _RESIZES):
        expected = "a variable that changes its structure"
    elif keep.startswith("prev, first") and kind == "object":
        expected = "objects that change places"
    text = (
        "def program(a, b, x, xs):\n    c = 0\n    out, also = [], []\n"
        f"    {start.replace('row', 'prev', 1)}\n    {start.replace('row', 'kept', 1)}\n    {first}\n"
        f"    {loop}\n{body}\n    {after}\n    return shown((out, also, prev, first, kept)), c\n"
    )
    return text, expected


_RESIZES = ("row.append", "row.pop", "row.insert", "row +=", "del row", "row['r']", "row[1].append", "row[0], row[1] =")


def _filled(text: str, value: Callable[[], str]) -> str:
    return text.format(v=value(), w=value())


def _product(rng: random.Random) -> str:
    """A matrix product of nested lists."""
    outer, inner = (rng.choice(["range(2)", "ag.range(2)"]) for _ in range(2))
    row = rng.choice(["row.append(s)", "row.append(s)", "row += [s]"])
    return (
        "def program(a, b, x, xs):\n    m = [[a, b], [xs[0], 1]]\n    n = xs.reshape(2, 2)\n    out = []\n"
        f"    for {rng.choice(['r in n', 'r in m'])}:\n        row = []\n"
        f"        for j in {outer}:\n            s = 0\n            for k in {inner}:\n"
        f"                s = s + r[k] * n[k, j]\n            {row}\n        out.append(row)\n    return shown(out)\n"
    )


_KINDS: dict[str, tuple[list[str], list[str], str]] = {
    "list": (
        ["row = [{v}, {w}]", "row = [{v}, {w}]", "row = pair({v}, {w})", "row = [u + 1 for u in ({v}, {w})]"],
        [
            "row.append({v})",
            "row[0] = {v}",
            "row[0], row[1] = row[1], row[0]",
            "row.pop()",
            "row += [{v}]",
            "row.insert(0, {v})",
            "row.reverse()",
            "row.sort()",
            "del row[0]",
            "raised(row, {v})",
        ],
        "[0]",
    ),
    "dict": (
        ["row = {{'p': {v}, 'q': {w}}}", "row = dict(p={v}, q={w})"],
        ["row['p'] = {v}", "row['q'] += {v}", "row.update(p={v})", "row['r'] = {v}", "row['p'] = row.pop('q', 0)"],
        "['p']",
    ),
    "object": (["row = Box({v}, {w})"], ["row.p = {v}", "row.q += {v}", "row.bump({v})"], ".p"),
    "nested": (
        ["row = [[{v}], [{w}, 1]]", "row = [pair({v}, 0), [{w}, 2]]"],
        [
            "row[0][0] = {v}",
            "row[1].append({v})",
            "row[0] = [{v}]",
            "row.append([{v}])",
            "row[0], row[1] = row[1], row[0]",
        ],
        "[0][0]",
    ),
}
