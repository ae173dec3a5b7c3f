"""Writes random programs whose arithmetic is exact in 32 bits, so that any difference is an error of the conversion.

Integers are folded into a small range at every assignment; floats are multiples of 1/4 folded the same way. Loops count
their turns, so every program ends. A name is only read where Python surely has bound it (or rarely, on request).

Levels: 1 integers, `if`, loops, jumps · 2 also floats, arrays, closures, walrus, comprehensions, chained comparisons,
element assignment · 3 also objects, dicts, lists, aliases, `try`, `with`, calls that write.

>>> text = write_program(seed=1, level=1)
>>> text.splitlines()[-1].strip().startswith("return")
True
"""

from __future__ import annotations

import random

from tests.random_programs.expressions import Scope
from tests.random_programs.statements import StatementWriter

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


class ProgramWriter(StatementWriter):
    """One random program, from its first line to its `return`."""

    def program(self) -> str:
        s = Scope(["a", "b", "c"], [], [], [], {"a", "b", "c"}, [])
        self.returns = ["int", "int"]
        self.lines.append("def program(a, b, x, xs):")
        self.line(f"c = {self.small()}")
        if self.level >= 2:
            s.floats, s.bools, s.arrays = ["x", "f"], ["p"], ["xs"]
            s.assignable |= {"x", "f", "p", "xs"}
            self.returns = ["int", "int", "float"]
            self.line(f"f = {self.random.randint(-8, 8) / 4}")
            self.line("p = False")
        if self.level >= 3:
            self.has_box, self.has_dict, self.has_list = (self.chance(0.5) for _ in range(3))
            if self.has_box:
                self.line("o = Box(a, 1)")
            if self.has_dict:
                self.line("d = {'k': 0, 'm': b}")
            if self.has_list:
                self.line("l = [a, 1, 2]")
                self.line("m = l" if self.chance(0.6) else "m = [3, b, 1]")
        while self.budget > 0:
            self.statement(s)
        results = ["a", "b", "c", *s.ints[3:6]]
        if self.level >= 2:
            results += ["x", "f", "p", "xs"]
        if self.has_box:
            results += ["o.p", "o.q"]
        if self.has_dict:
            results += ["d"]
        if self.has_list:
            results += ["l", "m"]
        # An early return has another structure than the end, unless there is none.
        if any(line.strip().startswith("return ") and not self._in_function(i) for i, line in enumerate(self.lines)):
            self.line(f"return {self.result(s)}")
        else:
            self.line(f"return {', '.join(results)}")
        return HEADER + "\n".join(self.lines) + "\n"

    def _in_function(self, at: int) -> bool:
        """Whether a line belongs to a nested function (its `return` is not the program's)."""
        indent = len(self.lines[at]) - len(self.lines[at].lstrip())
        for line in reversed(self.lines[1:at]):
            here = len(line) - len(line.lstrip())
            if here < indent:
                indent = here
                if line.strip().startswith("def "):
                    return True
        return False


def write_program(seed: int, level: int) -> str:
    """The text of program number `seed` of a level; the function in it is called `program(a, b, x, xs)`."""
    return ProgramWriter(seed, level).program()


def write_inputs(seed: int, count: int = 3) -> list[tuple[int, int, float, list[int]]]:
    """Arguments `(a, b, x, xs)` for a program."""
    rng = random.Random(f"inputs {seed}")
    return [
        (rng.randint(-4, 12), rng.randint(-4, 12), rng.randint(-12, 16) / 4, [rng.randint(-3, 9) for _ in range(4)])
        for _ in range(count)
    ]
