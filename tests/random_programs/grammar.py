"""Writes random programs whose arithmetic is exact in 32 bits, so that any difference is an error of the conversion.

Integers are folded into a small range at every assignment; floats are multiples of 1/4 folded the same way. Loops count
their iterations, so every program ends. A name is only read where Python surely has bound it (or rarely, on request).

Levels: 1 integers, `if`, loops, jumps · 2 also floats, arrays, closures, walrus, comprehensions, chained comparisons,
element assignment · 3 also objects, dicts, lists, aliases, `try`, `with`, calls that write
· 4 all of it, deeper, and the rest of the language (`wild`, `constructs`) · 5 jumps everywhere (`jumping`) · 6 also exceptions
(`raising`) · 7 what cannot be expressed (`inexpressible`) · 8 patterns of other people's code, one kind a program (`families`).

>>> text = write_program(seed=1, level=1)
>>> text.splitlines()[-1].strip().startswith("return")
True
"""

from __future__ import annotations

import random

from tests.random_programs import families, wild
from tests.random_programs.expressions import Scope
from tests.random_programs.inexpressible import InexpressibleWriter
from tests.random_programs.jumping import JumpWriter
from tests.random_programs.raising import RaiseWriter

HEADER = """\
import contextlib
import autograph as ag

class Box:
    def __init__(self, p, q):
        self.p = p
        self.q = q

    def bump(self, k):
        self.p = (self.p + k) % 13
        if self.p > 6:
            self.q = self.q + 1
        return self.q

    @property
    def total(self):
        return self.p + self.q

    @total.setter
    def total(self, value):
        self.p = value % 7

def fold(u, k=9):
    if u > k:
        return u % k
    return u

"""


class ProgramWriter(InexpressibleWriter):
    """One random program, from its first line to its `return`."""

    def program(self) -> str:
        s = Scope(["a", "b", "c"], [], [], [], {"a", "b", "c"}, [])
        self.returns = ["a", "b", "c"]
        self.lines.append("def program(a, b, x, xs):")
        self.line(f"c = {self.small()}")
        if self.level >= 2:
            s.floats, s.bools, s.arrays = ["x", "f"], ["p"], ["xs"]
            s.assignable |= {"x", "f", "p", "xs"}
            self.returns += ["x", "f", "p", "xs"]
            self.line(f"f = {self.random.randint(-8, 8) / 4}")
            self.line("p = False")
        if self.level >= 3:
            self.heap()
        if self.level >= 4:
            self.returns += self.declarations(s)
        while self.budget > 0:
            self.statement(s)
        last = f", {self.inexpressible(s)}" if self.level == 7 else ""
        self.line(f"return {self.result(s)}{last}")
        mark = "# refused: what no program of fixed shapes and types can hold\n" if self.level == 7 else ""
        return mark + HEADER + (wild.HEADER if self.level >= 4 else "") + "\n".join(self.lines) + "\n"

    def heap(self) -> None:
        """Objects that the program writes to."""
        self.has_box, self.has_dict, self.has_list = (self.chance(0.5) for _ in range(3))
        if self.has_box:
            self.line("o = Box(a, 1)")
            self.returns += ["o.p", "o.q"]
        if self.has_dict:
            self.line("d = {'k': 0, 'm': b}")
            self.returns += ["d"]
        if self.has_list:
            self.line("l = [a, 1, 2]")
            self.line("m = l" if self.chance(0.6) else "m = [3, b, 1]")
            self.returns += ["l", "m"]


def write_program(seed: int, level: int, family: str | None = None) -> str:
    """The source of program number `seed` of a level; the function in it is called `program(a, b, x, xs)`."""
    if level == 8:
        return HEADER + families.write(seed, family)
    if level in (5, 6):
        return HEADER + (JumpWriter if level == 5 else RaiseWriter)(seed).program()
    text = ProgramWriter(seed, level).program()
    return text + _WITHOUT_COUNT if "    global COUNT" in text else text


_WITHOUT_COUNT = """

counting = program

def program(a, b, x, xs):
    global COUNT
    result = counting(a, b, x, xs)
    COUNT = 0
    return result
"""
"""A traced value that stays in a global when the trace is over is refused (the family `outside` tries that)."""


def write_inputs(seed: int, count: int = 6) -> list[tuple[int, int, float, list[int]]]:
    """Arguments `(a, b, x, xs)` for a program."""
    rng = random.Random(f"inputs {seed}")
    return [
        (rng.randint(-4, 12), rng.randint(-4, 12), rng.randint(-12, 16) / 4, [rng.randint(-3, 9) for _ in range(4)])
        for _ in range(count)
    ]
