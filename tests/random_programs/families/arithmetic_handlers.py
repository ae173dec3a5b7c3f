"""A `try` whose handlers catch what arithmetic raises: divisions, powers, functions of `math`, conversions to integers.

>>> "except" in "".join(write(random.Random(k)) for k in range(5))
True
"""

from __future__ import annotations

import random

_DIVIDING = [
    "{u} // {v}", "{u} % {v}", "x / {v}", "{u} / {v}", "divmod({u}, {v})[1]", "7 // ({u} // {v})", "pow(float({v}), -1)",
    "({u} + {v} % 3) // {v}", "(1 if {u} > 1 else 6 // {v})", "({v} > 0 or {u} // {v} > 2)", "half({u}, {v})",
    "max({u} // {v}, {u} % {v})", "(0 < {u} // {v} < 3)", "float({v}) ** -2", "twice({u} % {v})",
]  # fmt: skip
_OF_MATH = [
    ("ValueError", "math.sqrt({v})"),
    ("ValueError", "math.log({v})"),
    ("ValueError", "math.log2({v} + 2)"),
    ("ValueError", "math.fmod({u}, {v})"),
    ("OverflowError", "math.exp(1000 * {v})"),
    ("OverflowError", "10.0 ** (400 * {v})"),
    ("ValueError", "(1 << {v})"),
    ("OverflowError", "int(math.inf if {v} > 0 else 1.5)"),
]
_NUMBERS = ["a", "b", "(a - 1)", "(b - a)", "c", "int(xs[1])", "(c - 2)", "(a % 2)", "(b - 3)"]
_PLACES = ["rows[0][0]", "rows[0][a % 2]", "rows[-2][c % 2]", "rows[1]['u'][0]", "list(rows)[0][1]", "Box(rows, 0).p[0][1]"]
_WIDE = ["Exception", "ArithmeticError", ""]


def write(rng: random.Random) -> str:
    """One program."""
    return (
        "import contextlib\nimport math\n\n\ndef half(u, v):\n    return u / 2 + v\n\n\ndef twice(u):\n    return u * 2\n\n\n"
        "def program(a, b, x, xs):\n    c, k, t = 1, 0, 0.0\n    rows = [[2.0, 5.0], {'u': [7.0]}]\n"
        + "\n".join(_indented(_block(rng, 2, False))) + "\n"
        "    return c, k, t\n"
    )


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def _operation(rng: random.Random, kinds: list[str]) -> str:
    fitting = [text for kind, text in _OF_MATH if kind in kinds]
    text = rng.choice(_DIVIDING if not fitting or rng.random() < 0.5 else fitting)
    return text.format(u=rng.choice(_NUMBERS), v=rng.choice(_NUMBERS))


def _statement(rng: random.Random, kinds: list[str], in_loop: bool) -> list[str]:
    if not kinds:
        return [rng.choice(["c += 1", "t = t + x", "c = (c * 3 + a) % 11", "k += 1"])]
    found = _operation(rng, kinds)
    form = rng.random()
    if form < 0.3:
        return [f"t += {found}"]
    if form < 0.5:
        return [f"t = {found} + c"]
    if form < 0.6:
        return [f"if {found} > 1:", "    c += 2", "else:", "    t += 0.5"]
    if form < 0.7:
        if rng.random() < 0.4:
            place, sign = rng.choice(_PLACES), rng.choice(["/=", "//=", "%="])
            update = f"{place} {sign} {rng.choice(_NUMBERS)}"
            return [update, "t += rows[0][0] + rows[0][1]", "rows[0][0], rows[0][1], rows[1]['u'][0] = 2.0, 5.0, 7.0"]
        return [f"{rng.choice(['c //=', 'c %=', 't /='])} {rng.choice(_NUMBERS)}", "c = min(max(c, -9), 9)"]
    if form < 0.76:
        return [f"return c, k, t + ({found})"]
    if form < 0.82 and in_loop:
        return [f"if {found} > 2:", f"    {rng.choice(['break', 'continue'])}"]
    if form < 0.88:
        return [f"pair = [c, {found}]", "t += pair[1]"]
    return ["k += 1", f"t = t + ({found})", "k += 10"]


def _block(rng: random.Random, depth: int, in_loop: bool, kinds: list[str] | None = None) -> list[str]:
    lines: list[str] = []
    for _ in range(rng.randint(1, 3)):
        form = rng.random()
        if depth and form < 0.5:
            lines += _try(rng, depth, in_loop, kinds or [])
        elif depth and form < 0.65:
            head = rng.choice(
                ["for d in range(3):", "for d in ag.range(3):", "for c in xs.tolist()[:2]:", "for c in (a, b):"]
            )
            lines += [head, *_indented(_block(rng, depth - 1, True, kinds))]
        elif depth and form < 0.75:
            lines += [rng.choice(["if a > b:", "if x > 0:"]), *_indented(_block(rng, depth - 1, in_loop, kinds))]
        else:
            lines += _statement(rng, kinds or [], in_loop)
    return lines


def _try(rng: random.Random, depth: int, in_loop: bool, outer: list[str]) -> list[str]:
    kind = rng.choice(["ZeroDivisionError", "ZeroDivisionError", "ValueError", "OverflowError", *_WIDE])
    inside = {"ArithmeticError": ["OverflowError"]}.get(
        kind, ["ValueError", "OverflowError"] if kind in _WIDE else [kind]
    )
    caught = sorted({*outer, *inside, "ZeroDivisionError"})
    if rng.random() < 0.1:
        body = _block(rng, depth - 1, in_loop, caught)
        kinds = ", ".join(name for name in caught if name not in outer)
        return [f"with contextlib.suppress({kinds or 'KeyError'}):", *_indented(body)]
    body = _block(rng, depth - 1, in_loop, caught) + _statement(rng, caught, in_loop)
    named = " as e" if rng.random() < 0.2 and kind else ""
    text = kind if kind in _WIDE or kind == "ZeroDivisionError" else f"({kind}, ZeroDivisionError)"
    lines = ["try:", *_indented(body), f"except {text}{named}:".replace("except :", "except:")]
    lines += _indented([f"k += {rng.choice([100, 200])}", *_block(rng, 0, in_loop, outer)])
    if named and "ValueError" in outer and rng.random() < 0.5:
        lines += ["    raise ValueError(k) from e"]
    if rng.random() < 0.3:
        lines += ["else:", *_indented(_block(rng, 0, in_loop, outer))]
    if rng.random() < 0.3:
        lines += ["finally:", "    k += 1000"]
    return lines
