"""`is` and `is not` between bools, known and traced, and with `None`: switches that change, flags of loops, options.

Comparisons of an array's elements are left out: they are bools of NumPy's, of which none is `True`.

>>> " is " in write(random.Random(0))
True
"""

from __future__ import annotations

import random

_TRACED = [
    "a > b",
    "x > 1",
    "not a > 2",
    "b % 2 == 0",
    "(b - a) % 3 > 1",
    "a > 0 and b > 0",
    "(a if x > 0 else b) > 1",
    "bool(a)",
]
_KNOWN = ["True", "False", "not False", "len(xs) > 3", "isinstance(a, str)", "bool([])", "None is None"]
_STEPS = [
    "on = {t}",
    "was = on",
    "on = not on",
    "on, was = was, on",
    "on = {k}",
    "was = {t}",
    "on = on and {t}",
    "c += 1",
]
_OPERATORS = ["is", "is not"]


def write(rng: random.Random) -> str:
    """One program; what asks for the identity of two names that may be bools is to be refused, or to give the same answer."""
    names = ["on", "was", "options['fast']", "state[0]", "switch.on", "flag(a)"]
    lines = [
        f"on, was, c = {rng.choice(_TRACED + _KNOWN)}, {rng.choice(_TRACED + _KNOWN)}, 0",
        f"options, state = {{'fast': {rng.choice(_TRACED + _KNOWN)}}}, [{rng.choice(_TRACED)}]",
        f"switch, best = Switch({rng.choice(_TRACED + _KNOWN)}), None",
    ]
    for _ in range(rng.randint(2, 5)):
        lines += _statement(rng, names, 2)
    text = "\n".join("    " + line for line in lines)
    mark = "# refused: identity of two bools\n" if " is was" in text or " is not was" in text else ""
    return (
        f"{mark}class Switch:\n    def __init__(self, on):\n        self.on = on\n\n\n"
        "def flag(u):\n    return u > 1\n\n\ndef same(u, v=True):\n    return u is v\n\n\n"
        f"def program(a, b, x, xs):\n{text}\n    return c, on, was is True\n"
    )


def _test(rng: random.Random, names: list[str]) -> str:
    operator, name = rng.choice(_OPERATORS), rng.choice(names)
    form = rng.random()
    if form < 0.45:
        test = f"{name} {operator} {rng.choice(['True', 'False'])}"
    elif form < 0.6:
        test = f"{rng.choice(['True', 'False'])} {operator} {name}"
    elif form < 0.7:
        test = f"best {operator} None"
    elif form < 0.75:
        test = f"bool({name}) {operator} True {operator} {rng.choice(['True', 'False'])}"
    elif form < 0.85:
        test = f"{name} {operator} was"
    else:
        test = f"({rng.choice(_TRACED)}) {operator} {rng.choice(['True', 'False'])}"
    if rng.random() < 0.25:
        test = rng.choice(
            ["not ({t})", "({t}) and c < 9", "c < 9 and ({t})", "({t}) or a > 3", "({t}) == (a > 1)"]
        ).format(t=test)
    return test


def _statement(rng: random.Random, names: list[str], depth: int) -> list[str]:
    step = rng.choice(_STEPS).format(t=rng.choice(_TRACED), k=rng.choice(_KNOWN))
    test, form = _test(rng, names), rng.random()
    if form < 0.2 or not depth:
        return [step, f"c = (c + 1) if {test} else (c - a)"]
    if form < 0.35:
        return [f"if {test}:", f"    {step}", "    c += 1", *rng.choice([[], ["else:", "    c += a"]])]
    if form < 0.45:
        return [f"now = {test}", "if now:", "    c += 2"]
    if form < 0.5:
        return [f"c += int(same({rng.choice(names)}))"]
    if form < 0.6:
        return [f"if {test}:", "    return c, on, a > 1"]
    if form < 0.7:
        return [
            "for d in (a, 2, b, 5):",
            "    on = d > a",
            f"    if {test}:",
            "        " + rng.choice(["c += 1", "break", "continue", "best = c"]),
        ]
    if form < 0.8:
        return [f"while c < 3 and ({test}):", "    c += 1", f"    {step}"]
    if form < 0.85:
        return [f"match {rng.choice(names)}:", "    case True:", "        c += 3", "    case False:", "        c -= 1"]
    if form < 0.9:
        return [
            f"switch.on = {rng.choice(_TRACED + _KNOWN)}",
            f"options['fast'] = {rng.choice(_TRACED + _KNOWN)}",
            step,
        ]
    inner = _statement(rng, names, depth - 1)
    head = rng.choice(["for k in range(2):", "for k in ag.range(2):", "if a > b:"])
    return [head, *("    " + line for line in inner), "    was = on"]
