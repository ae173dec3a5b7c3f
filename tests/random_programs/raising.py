"""Level 6: as level 5, and `raise` and `assert` in every place where a `try` of the same function handles them.

>>> "raise" in "".join(RaiseWriter(seed).program() for seed in range(9))
True
"""

from __future__ import annotations

import random

from tests.random_programs.jumping import JumpWriter, Lines, indented

_HANDLERS = (
    "ValueError",
    "KeyError",
    "(KeyError, ValueError)",
    "Exception",
    "AssertionError",
    "(AssertionError, KeyError)",
)


class RaiseWriter(JumpWriter):
    """One program."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.random = random.Random(f"raises {seed}")
        self.caught: tuple[str, ...] = ()
        """What handlers around the statement at hand catch, of the three exceptions that are raised."""

    def statement(self, depth: int, in_loop: bool, final: bool) -> Lines:
        kind = self.random.random()
        if self.caught and kind < 0.13 and not final:
            name = self.random.choice(self.caught)
            if name == "AssertionError":
                return [f"assert {self.test()}, t"]
            return [f"raise {name}(t, {self.number(9)})"]
        if kind < 0.35 and depth > 0:
            return self.guarded(depth - 1, in_loop, final)
        return super().statement(depth, in_loop, final)

    def guarded(self, depth: int, in_loop: bool, final: bool) -> Lines:
        outer = self.caught
        chosen = self.random.sample(_HANDLERS, self.random.choice((0, 1, 1, 2)))
        inside = {name for text in chosen for name in _caught_by(text)}
        self.caught = tuple(sorted({*outer, *inside}))
        lines = ["try:", *indented(self.block(depth, in_loop, final))]
        self.caught = outer
        for text in chosen:
            lines += [f"except {text} as e:", f"    t = (t + (e.args[0] if e.args else 5) + {self.number(20)}) % 1009"]
            lines += indented(self.block(depth, in_loop, final))
            if outer and not final and self.random.random() < 0.15:
                can = [name for name in _caught_by(text) if name in outer]
                if len(can) == len(_caught_by(text)):
                    lines += ["    raise"]
        if chosen and self.random.random() < 0.3:
            lines += ["else:", *indented(self.block(depth, in_loop, final))]
        if not chosen or self.random.random() < 0.3:
            lines += ["finally:", *indented(self.block(depth, in_loop, True))]
        return lines


def _caught_by(text: str) -> list[str]:
    return [name for name in ("AssertionError", "KeyError", "ValueError") if name in text or text == "Exception"]
