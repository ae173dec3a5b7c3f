"""Containers that an iteration of a loop makes, changes, and stores in another container.

>>> "append" in "".join(write(random.Random(k)) for k in range(5))
True
"""

from __future__ import annotations

import random


def write(rng: random.Random) -> str:
    """One program: a loop over an array or a count; in it a row is made, changed before or after it is appended."""
    loop = rng.choice(["for d in xs:", "for k in ag.range(4):\n        d = xs[k]", "for k, d in enumerate(xs):"])
    value = lambda: rng.choice(["d", "d + a", "b", "d * 2 % 7", "0", "1"])  # noqa: E731
    kind = rng.choice(["list", "list", "dict", "object"])
    make, changes = _KINDS[kind]
    lines = [make.format(v=value(), w=value())]
    lines += [rng.choice(changes).format(v=value(), w=value()) for _ in range(rng.randint(0, 2))]
    lines += [
        rng.choice(["out.append(row)", "out.append(row)", "out.append((row, d))", "out.append([row])", "out += [row]"])
    ]
    lines += [rng.choice(changes).format(v=value(), w=value()) for _ in range(rng.randint(0, 2))]
    if rng.random() < 0.3:
        at = rng.randrange(1, len(lines))
        lines[at:at] = ["if d > b:", f"    c = (c + {value()}) % 9"]
    body = "\n".join(f"        {line}" for line in lines)
    return f"def program(a, b, x, xs):\n    c = 0\n    out = []\n    {loop}\n{body}\n    return {_RESULTS[kind]}, c\n"


_KINDS = {
    "list": (
        "row = [{v}, {w}]",
        [
            "row.append({v})",
            "row[0] = {v}",
            "row[0], row[1] = row[1], row[0]",
            "row.pop()",
            "row += [{v}]",
            "row.insert(0, {v})",
        ],
    ),
    "dict": ("row = {{'p': {v}, 'q': {w}}}", ["row['p'] = {v}", "row['q'] += {v}", "row.update(p={v})"]),
    "object": ("row = Box({v}, {w})", ["row.p = {v}", "row.q += {v}", "row.bump({v})"]),
}
_RESULTS = {"list": "out", "dict": "out", "object": "[len(out)]"}
