"""Functions that the program chooses: states of machines, tables of operations, callbacks in attributes and dicts.

They are chosen, kept and changed as strings are (`strings`); the program returns numbers: what they return and are.

>>> "program" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

from tests.random_programs.families.strings import Writer

HEADER = """\
import functools
import operator

class Named:
    def __init__(self, name):
        self.name = name
        self.calls = 0

    def half(self, v):
        self.calls = self.calls + 1
        return v / 2

    def rename(self, name, when):
        if when:
            self.name = name
        return self.name(2)

def square(v):
    return v * v

def shrink(v, by=3):
    if v > by:
        return v - by
    return v

def pick(k):
    if k > 3:
        return square
    return shrink if k > 1 else operator.neg

def compose(f, g):
    return lambda v: f(g(v))

def twice(f, v=1):
    return f(f(v))


"""
_VALUES = [
    "square", "shrink", "operator.neg", "pick(b)", "[square, shrink, operator.neg][b % 3]",
    "(square if x > 1 else shrink)", "(lambda v: v + a)", "(lambda v, k=2: v * k)",
    "{'p': square, 'q': abs}['p' if b > 2 else 'q']", "compose(square, shrink)", "q.half",
]  # fmt: skip
_USES = [
    "{s}(3)", "{s}(x)", "{s}(b - 2)", "twice({s})", "twice(v=b, f={s})", "compose({s}, {t})(2)", "({s} is square)",
    "({s} is not shrink)", "({s} == operator.neg)", "({s} in (shrink, operator.neg))", "sum(map({s}, [1, 2, b]))",
    "min([3, -4, 1], key={s})", "functools.reduce(lambda u, v: u + {s}(v), [1, 2], 0)", "[{s}, {t}][a % 2](5)",
    "(1 if callable({s}) else 2)", "Named({s}).rename({t}, b > 1)", "[f(2) for f in ({s}, {t})][0]",
    "functools.partial({s}, 4)()", "({s} or square)(2)", "(7 if {s} else 8)", "(q.calls + {s}(1))",
    "max({s}(1), {t}(2))",
]  # fmt: skip


def write(rng: random.Random) -> str:
    """One program."""
    program = Writer(rng, _VALUES, _USES, "is").program()
    return HEADER + program.replace("    n = i = k = 0\n", "    q = Named(abs)\n    n = i = k = 0\n", 1)
