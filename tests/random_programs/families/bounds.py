"""Searches that begin with a bound beyond 32 bits: compared in every way, moved on, returned, computed with.

>>> "1e300" in "".join(write(random.Random(seed)) for seed in range(4))
True
"""

from __future__ import annotations

import random

_BOUNDS = ["1e300", "-1e300", "BIG", "-BIG", "sys.float_info.max", "float('inf')", "-float('inf')"]
_ITEMS = ["xs", "[x, a, b / 4]", "[x / 0.25, -x, xs[0]]", "xs * 2", "[INF, x, -INF, b]"]
_TESTS = ["d < p", "p > d", "d > p", "p < d", "d >= p", "p <= d", "not d >= p", "d < p and i != 1"]
_RARE = ["d <= p", "d == p", "p != d", "d - p > 0"]
_ENDS = ["k", "k, q < 3", "k, p > 100", "k + j, x if p < d else d"]
_SEEN = ["k, min(p, x)", "k, max(q, x)"]


def write(rng: random.Random) -> str:
    """One program."""
    test = rng.choice(_TESTS if rng.random() < 0.9 else _RARE)
    changes = ["p, k = d, i", *rng.sample(["j = j + i", "q = p" if rng.random() < 0.3 else "k = i"], rng.randint(0, 1))]
    if "q = p" in changes:
        changes.reverse()
    body = [f"if {test}:", *("    " + line for line in changes)]
    if rng.random() < 0.4:
        body += [f"elif {rng.choice(_TESTS[:4]).replace('p', 'q')}:", "    q, j = d, i + 1"]
    if rng.random() < 0.2:
        body.append("if i > b % 4:\\n        break".replace("\\n        ", "\n            "))
    loop = [f"for i, d in enumerate({rng.choice(_ITEMS)}):", *("    " + line for line in body)]
    bound = rng.choice(_BOUNDS)
    begin = rng.choice([f"p = q = {bound}", f"p, q = {bound}, {bound}", f"p = {bound}\n    q = {rng.choice(['2.0', bound])}"])
    end = rng.choice(_ENDS if rng.random() < 0.8 else _SEEN)
    lines = [begin, "k, j, d = -1, 0, x", *loop, f"return {end}"]
    return (
        "import sys\n\nBIG, INF = 2e300, float('inf')\n\n\ndef program(a, b, x, xs):\n"
        + "\n".join("    " + line for line in lines)
        + "\n"
    )
