"""What functions of Python make of numbers, and what arrays take of them: rounding, cutting, dividing with a remainder.

Floats are multiples of a quarter, so that arithmetic on them is exact in 32 bits. Sums of comparisons are left out: the arguments
are NumPy's numbers, whose truth values do not count as Python's do.

>>> "program" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

_INTEGERS = [
    "a",
    "b",
    "c",
    "int(x)",
    "round(x)",
    "math.floor(x)",
    "math.ceil(x / 2)",
    "math.trunc(x)",
    "len(xs)",
    "abs(a)",
    "(a - b)",
]
_FLOATS = ["x", "(x / 2)", "(x - a)", "float(b)", "abs(x)", "(x * c)", "-x"]
_LARGE = ["2**40", "large", "BIG", "(1 << 33)", "2**k"]
_OF_INTEGERS = [
    "round({i}, -1)", "divmod({i}, {k})[0]", "divmod({i}, -{k})[1]", "{i} // {k}", "{i} % -{k}", "pow({i}, 2)",
    "{i} ** 2", "math.gcd({i}, {j})", "math.isqrt(abs({i}))", "abs({i}).bit_length()", "min({i}, {j})",
    "max({i}, {j}, {k})", "sum([{i}, {j}])", "{i} & {j}", "{i} ^ {k}", "int({i} > {j})",
    "pow(abs({i}), 3, 7)", "~{i}", "({i} >> 1)", "sorted([{i}, {j}, {k}])[1]", "math.comb(abs({i}) % 6, 2)",
    "math.factorial(abs({i}) % 5)", "int({i} < {l})", "int({i} == {l} or -{l} < {j} < {l})", "min({i}, {l})",
    "({i}, {j}, {k}).count({j})", "[{i}, {j}].count({k})", "({i}, {j}, {k}).index({j})", "round({i}, {j} % 5 - 2)",
    "int([{i}, {j}] != sorted([{j}, {i}]))", "int(list(xs) == sorted(xs))", "int(sorted([{i}, {k}]) >= [{j}] * 2)",
    "int((2, {i}) in [({k}, {j}), ({i}, 2)])", "int(divmod({i}, {k}) == ({j}, 0))",
]  # fmt: skip
_OF_FLOATS = [
    "round({x}, 1)", "{x} // 0.75", "divmod({x}, 0.5)[0]", "{x} % 0.5", "{x} % -0.75", "math.fmod({x}, 0.75)",
    "min({x}, {y})", "max({x}, {i})", "math.copysign({x}, {y})", "{x} ** 2", "math.fabs({y})", "float({x} == {y})",
    "({x}).is_integer()", "math.modf({x})[0]", "sum([{x}, {i}])", "math.hypot(3 * {x}, 4 * {x})", "bool({x})",
    "{x} * {i}", "{x} * {l} / 2**40", "({y} + {l}) / {l}", "{l} / 2**38 - {x}", "float(-{l} < {x} <= {l})",
    "round({x} / 2, {i} % 4)", "({x}, {y}).count({x})", "float(({x}, {i}) < ({y}, {j}))",
    "round({y}) / 2", "math.isclose({x}, {y})", "abs({x} - {y})",
]  # fmt: skip
_WRITES = [
    "ks[0] = {x}", "ks[{i} % 4] = {x}", "ks[-1] = 2.75", "ks[1] /= 2", "ks[{i} % 4] += {x}",
    "ks[{i} % 3 : {i} % 3 + 2] += {k}", "ks[{i} % 4 :] -= 1", "ks[: {i} % 3] *= {j}", "ks[ks > {i}] = {x}",
    "at = {i} % 3\n    ks[at : at + 2] += ks[:2] * 1", "ys[{i} % 4] = {i}", "ys[{i} % 3 : {i} % 3 + 2] /= 2",
    "ys[0] -= {x}", "ks[:] = {x}", *[
        f"grid = ks.reshape(2, 2) + {{x}}\n    {write}\n    q = q + grid.sum()"
        for write in [
            "grid[xs[:2] > {i}, 0] = {x}", "grid[{i} % 2, ys[2:] > {x}] = {k}", "grid[xs[1:3] > {i}, 1:] += {y}",
            "grid[..., ks[:2] < {k}] *= ys[:2, None]", "grid[grid > {x}] -= {i}", "grid[:, xs[2:] < {i}] = grid[:, :1]",
            "grid[ks[:2] > 1] += ys[:2]", "grid[None, xs[:2] < {k}, {i} % 2] = {x}",
        ]
    ],
]  # fmt: skip
_ATTRIBUTES = [
    "xs.name = {i}", "a.name = 'a'", "ks.ndim = 2", "xs.T = ks", "del xs.name", "del ks.size", "xs.name += 1",
    "ks[0] = {i}\n        ks.units = 'm'",
]  # fmt: skip
"""Attributes that no array and no number takes."""


def write(rng: random.Random) -> str:
    """One program."""
    lines = ["c, large, k = 2, 2**36, 35", "ks, ys = xs + 0, xs / 2", "p, q = 0, 0.0"]
    for _ in range(rng.randint(2, 6)):
        lines += _statement(rng).split("\n    ")
    body = "\n".join("    " + line for line in lines)
    return f"import math\n\nBIG = 2**37\n\n\ndef program(a, b, x, xs):\n{body}\n    return p, q, ks, ys\n"


def _filled(rng: random.Random, text: str) -> str:
    return text.format(
        i=rng.choice(_INTEGERS),
        j=rng.choice(_INTEGERS),
        k=rng.randint(1, 7),
        l=rng.choice(_LARGE),
        x=rng.choice(_FLOATS),
        y=rng.choice(_FLOATS),
    )


def _statement(rng: random.Random) -> str:
    form = rng.random()
    if form < 0.3:
        return "p = p + " + _filled(rng, rng.choice(_OF_INTEGERS))
    if form < 0.6:
        return "q = q + " + _filled(rng, rng.choice(_OF_FLOATS))
    if form < 0.7:
        return f"if {_filled(rng, rng.choice(_OF_INTEGERS))} > 1:\n        {_filled(rng, 'p += {i}')}"
    if form < 0.78:
        return f"for c in range({rng.randint(1, 3)}):\n        " + _filled(rng, rng.choice(_WRITES)).replace(
            "\n    ", "\n        "
        )
    if form < 0.8:
        kinds = rng.choice(["(int, float)", "float", "int", "(float, str)", "complex"])
        return _filled(rng, "v = int({j}) if {i} > 1 else 2.5\n    p += int(isinstance(v + {k}, " + kinds + "))")
    if form < 0.83:
        text = _filled(rng, rng.choice(_ATTRIBUTES))
        handled = f"try:\n        {text}\n        p += 1\n    except AttributeError:\n        q += 1"
        if rng.random() < 0.4:
            handled = f"if {_filled(rng, '{i}')} > 1:\n        " + handled.replace("\n", "\n    ")
        return handled
    return _filled(rng, rng.choice(_WRITES))
