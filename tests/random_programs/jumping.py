"""Level 5: jumps in every place that Python allows, in every nesting of loops, `try`, `with` and `if`.

The arithmetic is one number that remembers the way that was taken: each statement folds its own number into it.

>>> print(JumpWriter(3).program().splitlines()[0])
def program(a, b, x, xs):
"""

from __future__ import annotations

import random

Lines = list[str]
_DEPTH = 3
_MOST_LOOPS = 3


class JumpWriter:
    """One program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"jumps {seed}")
        self.statements = 0
        self.loops = 0

    def program(self) -> str:
        """The function `program(a, b, x, xs)`."""
        body = ["t = b", *self.block(_DEPTH, False, False, self.random.randint(2, 4)), "return t"]
        return "\n".join(["def program(a, b, x, xs):", *indented(body)]) + "\n"

    def block(self, depth: int, in_loop: bool, final: bool, size: int = 0) -> Lines:
        """Statements.

        Args:
            depth: how much deeper blocks may nest.
            in_loop: whether `break` and `continue` may stand here.
            final: whether this is in a `finally`, where jumps would swallow exceptions.
            size: how many statements, 0 for a random number.
        """
        lines: Lines = []
        for _ in range(size or self.random.choice((1, 1, 2, 2, 3))):
            lines += self.statement(depth, in_loop, final)
        return lines

    def statement(self, depth: int, in_loop: bool, final: bool) -> Lines:
        kind = self.random.random()
        if depth <= 0 or kind < 0.18:
            return self.step()
        if kind < 0.30 and in_loop and not final:
            return [self.random.choice(("break", "continue"))]
        if kind < 0.33 and not final:
            return [f"return t + {self.number(50)}"]
        if kind < 0.58:
            return self.choice(depth - 1, in_loop, final)
        if kind < 0.84 and self.loops < _MOST_LOOPS:
            self.loops += 1
            return self.loop(depth - 1, in_loop, final)
        if kind < 0.93:
            return self.guarded(depth - 1, in_loop, final)
        if kind < 0.96:
            return ["with contextlib.nullcontext():", *indented(self.block(depth - 1, in_loop, final))]
        return self.step()

    def step(self) -> Lines:
        self.statements += 1
        return [f"t = (t * 3 + {self.statements}) % 1009"]

    def choice(self, depth: int, in_loop: bool, final: bool) -> Lines:
        lines = [f"if {self.test()}:", *indented(self.block(depth, in_loop, final))]
        if self.random.random() < 0.2:
            lines += [f"elif {self.test()}:", *indented(self.block(depth, in_loop, final))]
        if self.random.random() < 0.4:
            lines += ["else:", *indented(self.block(depth, in_loop, final))]
        return lines

    def loop(self, depth: int, in_loop: bool, final: bool) -> Lines:
        self.statements += 1
        name = f"i{self.statements}"
        if self.random.random() < 0.5:
            items = self.random.choice(("range(3)", "range(a)", "[1, 5, 2]", "range(a % 4)", "xs"))
            lines = [f"for {name} in {items}:", f"    t = (t + {name}) % 1009"]
        else:  # it counts its iterations, so that it ends
            test = self.random.choice(("True", "True", self.test(), f"{name} < {self.number(4)}"))
            leave = "break" if final else self.random.choice(("break", "break", "return t"))
            lines = [f"{name} = 0", f"while {test}:", f"    {name} = {name} + 1"]
            lines += [f"    if {name} > {self.number(5) + 1}:", f"        {leave}"]
        lines += indented(self.block(depth, not final, final))
        if self.random.random() < 0.25:
            lines += ["else:", *indented(self.block(depth, in_loop, final))]
        return lines

    def guarded(self, depth: int, in_loop: bool, final: bool) -> Lines:
        lines = ["try:", *indented(self.block(depth, in_loop, final))]
        if self.random.random() < 0.6:
            lines += ["except ValueError:", *indented(self.block(depth, in_loop, final))]
            if self.random.random() < 0.4:
                lines += ["else:", *indented(self.block(depth, in_loop, final))]
            if self.random.random() < 0.7:
                return lines
        return [*lines, "finally:", *indented(self.block(depth, in_loop, True))]

    def test(self) -> str:
        return self.random.choice(
            (
                f"a > {self.number(6)}",
                f"t % {self.number(3) + 1} == 1",
                f"a + t < {self.number(30)}",
                f"a % 2 == 0 and t > {self.number(9)}",
                "not t % 3",
                f"a == {self.number(7)} or t > {self.number(40)}",
            )
        )

    def number(self, most: int) -> int:
        return self.random.randint(1, most)


def indented(lines: Lines) -> Lines:
    """The lines of a block."""
    return ["    " + line for line in lines]
