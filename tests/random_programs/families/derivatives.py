"""Derivatives inside of a program: of functions that fill arrays of their own or of the program around, also behind jumps.

The functions are of second degree in `u`, so that plain Python finds their exact slope by two of their values.

>>> "slope(" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

HEADER = """\
import jax
import numpy as np

def slope(fn, x):
    if isinstance(x, float):
        return (fn(x + 1) - fn(x - 1)) / 2
    return jax.grad(fn)(x)

def put(t, i, v):
    t[i] = v


"""
_ARRAYS = ["xs / 2", "xs / 2", "xs * 0.5 + a", "xs / 2 + b"]
_PLACES = ["0", "1", "a % 4", "b % 3", "-1", "k"]
_NUMBERS = ["a", "b", "3.0", "k", "0.5"]
_LINEAR = ["{k}", "{k} * u", "u + {k}", "t[{i}] + {k}", "u"]
_USES = ["c = c + (t * u).sum()", "c = c + t[{i}] * u", "c = c + t[{i}]", "c = c + t.sum() * {k}", "c = c + u * u * t0[{i}]"]
_WRITES = ["t[{i}] = {v}", "t[{i}] = {v}", "t[{i}] = {v}", "put(t, {i}, {v})", "t[1:3] = {v}", "t[{i}] = t[{i}] + {v}"]
_TESTS = ["a > 2", "b < a", "k > 1", "xs[1] > b"]


def write(rng: random.Random) -> str:
    """One program."""
    lines = [f"t0 = {rng.choice(_ARRAYS)}", f"t = {rng.choice(_ARRAYS)}", "c, k = u * 0, 1"]
    for _ in range(rng.randint(2, 5)):
        lines += _statement(rng, 2)
    body = "\n".join("        " + line for line in lines)
    called = rng.choice(["slope(f, x)", "slope(f, x)", "slope(f, x) + slope(lambda u: f(u * 1), x + 1)", "slope(f, x) + f(x)"])
    return HEADER + f"def program(a, b, x, xs):\n    def f(u):\n{body}\n        return c\n\n    return {called}\n"


def _statement(rng: random.Random, depth: int) -> list[str]:
    form = rng.random()
    if form < 0.35 or not depth:
        return [_filled(rng, rng.choice(_USES))]
    if form < 0.6:
        return [_filled(rng, rng.choice(_WRITES))]
    inner = ["    " + line for _ in range(2) for line in _statement(rng, depth - 1)]
    if form < 0.75:
        return [f"if {rng.choice(_TESTS)}:", *inner]
    head = rng.choice(["for k in range(3):", "for k in ag.range(3):", "for k in ag.range(3):"])
    leave = [f"    if {rng.choice(_TESTS)}:", f"        {rng.choice(['break', 'break', 'continue'])}"]
    at = rng.randint(0, 1) * len(inner)
    return ["k = 0", head, *inner[:at], *leave * (rng.random() < 0.7), *inner[at:], "k = 1"]


def _filled(rng: random.Random, text: str) -> str:
    value = rng.choice(_LINEAR).format(k=rng.choice(_NUMBERS), i=rng.choice(_PLACES))
    return text.format(i=rng.choice(_PLACES), k=rng.choice(_NUMBERS), v=value)
