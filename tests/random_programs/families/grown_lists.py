"""Lists that grow in a staged loop, and ranges with traced bounds: given to Python's functions, and to those of NumPy.

NumPy makes an array of what it is given, and of what has no length an array without axes: `np.argmax(out)` was 0.

>>> any("np." in write(random.Random(k)) for k in range(9))
True
"""

from __future__ import annotations

import random
from textwrap import indent

IN = "    "
_LIMIT = "ag.set_loop_options(maximum_iterations=30)"
_LOOPS = [
    "for v in xs:\n    {limit}\n    if v > b:\n        out.append({item})",
    "for v in range(abs(a)):\n    {limit}\n    out.append({item})",
    "v = a\nwhile v > 0:\n    {limit}\n    out.append({item})\n    v = v - 1",
    "for v in xs:\n    {limit}\n    out.append({item})\n    if v == a:\n        break",
]
_ITEMS = ["v", "v", "v * 2 + b", "v % 3"]
_PYTHONS = ["len({s})", "sum({s})", "a in {s}", "max({s}) if len({s}) > 0 else 0", "[{s}[0] if len({s}) > 0 else 7, b]"]
_NUMPYS = [
    "np.sum({s})", "np.argmax({s})", "np.array({s}).size", "np.shape({s})", "np.ndim({s})", "np.size({s})", "np.max({s})",
    "np.isin(a, {s})", "a in np.array({s})", "np.array_equal({s}, [a, b])", "np.array_equiv({s}, a)", "np.array({s}) == a",
    "np.where(np.array({s}) == a, 1, 0)", "np.array([{s}, {s}]).size", "np.shape(({s},))", "np.count_nonzero({s})",
    "np.unique({s})", "np.iterable({s})", "np.arange(3) == {s}", "{s} == np.int32(2)", "np.cumsum({s})", "np.sort({s})",
    "np.add.reduce({s})", "np.size([{s}])", "np.append({s}, a)", "np.dot({s}, {s})",
]  # fmt: skip


def write(rng: random.Random) -> str:
    """One program: a list grows, or a range is made, and is read."""
    made = rng.choice(["list", "list", "list", "range"])
    if made == "list":
        loop = rng.choice(_LOOPS).format(limit=_LIMIT, item=rng.choice(_ITEMS))
        lines = [f"out = {rng.choice(['[]', '[]', '[b]'])}", loop]
    else:
        lines = [f"out = range({rng.choice(['abs(a)', 'a', '1, b', 'b, a, 2', 'a, b'])})"]
    uses = [rng.choice(_PYTHONS if rng.random() < 0.4 else _NUMPYS) for _ in range(rng.randint(1, 2))]
    given = rng.choice(["out", "out", "out", "(lambda: out)()", "{0: out}[0]"])
    results = [use.format(s=given) for use in uses]
    mark = "# refused: NumPy makes arrays, and their size is not known\n" if any(use in _NUMPYS for use in uses) else ""
    if rng.random() < 0.2:
        lines += [f"c = 0\nif b > 0:\n    c = {results[0]}"]
        results[0] = "c"
    lines += [f"return {', '.join(results)}"]
    return f"{mark}import numpy as np\n\n\ndef program(a, b, x, xs):\n{indent(chr(10).join(lines), IN)}\n"
