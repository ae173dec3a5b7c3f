"""Random expressions whose arithmetic is exact: small integers, multiples of 1/4, conditions of all forms."""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections.abc import Callable, Iterator
from functools import partial

Option = tuple[float, Callable[[], str]]
"""A weight, and what writes the source."""


@dataclasses.dataclass
class Scope:
    """Names that are surely bound, by type, and where we are.

    Args:
        ints, floats, bools, arrays: readable names.
        assignable: names of the function that is being written (the others are read only in it).
        loops: number of loops around; `breakable` tells whether the innermost block belongs to a loop.
    """

    ints: list[str]
    floats: list[str]
    bools: list[str]
    arrays: list[str]
    assignable: set[str]
    functions: list[str]
    loops: int = 0
    breakable: bool = False
    inner: bool = False
    native: bool = False
    may_return: bool = True

    def child(self, **changes: object) -> Scope:
        """A block inside: what it binds is not readable behind it."""
        copied: dict[str, object] = {
            n: list(getattr(self, n)) for n in ("ints", "floats", "bools", "arrays", "functions")
        }
        copied["assignable"] = set(self.assignable)
        return dataclasses.replace(self, **{**copied, **changes})  # type: ignore[arg-type]


class ExpressionWriter:
    """Random expressions over the names of a scope, and the lines written so far."""

    def __init__(self, seed: int, level: int) -> None:
        self.random = random.Random(f"{seed}/{level}")
        self.level = level
        self.lines: list[str] = []
        self.depth = 1
        self.numbers: dict[str, int] = {}
        self.budget = self.random.randint(8, 26) if level == 4 else self.random.randint(4, 14)
        self.deepest = 8 if level == 4 else 6
        self.has_box = self.has_dict = self.has_list = False
        self.returns: list[str] = []

    # --- source --------------------------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextlib.contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        yield
        self.depth -= 1

    def fresh(self, stem: str) -> str:
        self.numbers[stem] = self.numbers.get(stem, 0) + 1
        return f"{stem}{self.numbers[stem]}"

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, options: list[str] | str) -> str:
        return self.random.choice(options)

    def weighted(self, options: list[Option]) -> str:
        return self.random.choices([o for _, o in options], [w for w, _ in options])[0]()

    # --- expressions -------------------------------------------------------------------------------------------------

    def small(self) -> str:
        return str(self.random.randint(-3, 9))

    def integer(self, s: Scope, depth: int = 2) -> str:
        """An integer expression of modest size."""
        if depth <= 0 or self.chance(0.25):
            return self.pick(s.ints) if s.ints and self.chance(0.75) else self.small()
        sub = partial(self.integer, s, depth - 1)
        options: list[Option] = [
            (4, lambda: f"({sub()} {self.pick(['+', '-'])} {sub()})"),
            (1, lambda: f"{sub()} * {self.random.randint(-2, 3)}"),
            (1, lambda: f"{sub()} {self.pick(['//', '%'])} {self.random.randint(2, 5)}"),
            (1, lambda: f"({sub()} if {self.condition(s, depth - 1)} else {sub()})"),
            (0.5, lambda: f"abs({sub()})"),
            (0.7, lambda: f"{self.pick(['min', 'max'])}({sub()}, {sub()})"),
        ]
        if s.functions:
            options.append((1.5, lambda: f"{self.pick(s.functions)}({sub()})"))
        if self.level >= 2:
            options += [
                (0.7, lambda: f"({sub()} {self.pick(['and', 'or'])} {sub()})"),
                (0.5, lambda: f"fold({sub()})"),
                (0.3, lambda: f"int({self.floating(s, 1)})"),
            ]
            if s.arrays:
                options += [
                    (1, lambda: f"{self.pick(s.arrays)}[{sub()} % 4]"),
                    (0.5, lambda: self.comprehension(s)),
                ]
            if not s.native:
                options.append((0.5, lambda: self.walrus(s, depth)))
        if self.level >= 3:
            options += self.heap_reads(s, depth)
        if self.level >= 4:
            options += self.wild_integers(s, depth)
        return self.weighted(options)

    def value(self, s: Scope) -> str:
        """An integer that is small enough to be kept."""
        return f"({self.integer(s, 1)}) % 15"

    def heap_reads(self, s: Scope, depth: int) -> list[Option]:
        reads: list[Option] = []
        if self.has_box:
            reads += [
                (1, lambda: self.pick(["o.p", "o.q", "o.total"])),
                (0.4, lambda: f"o.bump({self.integer(s, depth - 1)})"),
            ]
        if self.has_dict:
            reads.append((1, lambda: self.pick(["d['k']", "d['m']", "d.get('k', 0)", "len(d)"])))
        if self.has_list:
            reads += [(1, lambda: self.pick(["l[0]", "l[-1]", "m[1]", "sum(l)", "len(l)"]))]
            reads += [(0.4, lambda: f"l[{self.integer(s, depth - 1)} % 3]")]
        return reads

    def wild_integers(self, s: Scope, depth: int) -> list[Option]:
        """More expressions; see `wild`."""
        return []

    def walrus(self, s: Scope, depth: int) -> str:
        targets = [n for n in s.ints if n in s.assignable]
        if not targets:
            return self.small()
        return f"({self.pick(targets)} := {self.integer(s, depth - 1)} % 11)"

    def comprehension(self, s: Scope) -> str:
        v = self.fresh("v")
        array = self.pick(s.arrays)
        inner = s.child(ints=[*s.ints, v], native=True)
        element = self.integer(inner, 1)
        return self.weighted(
            [
                (2, lambda: f"sum([{element} for {v} in {array}])"),
                (1, lambda: f"max({element} for {v} in {array})"),
                (1, lambda: f"sum({element} for {v} in ({self.integer(s, 0)}, {self.integer(s, 0)}))"),
                (1, lambda: f"[{element} for {v} in {array}][{self.random.randint(0, 3)}]"),
            ]
        )

    def floating(self, s: Scope, depth: int = 2) -> str:
        """A multiple of 1/4, far below 2**20."""
        if depth <= 0 or self.chance(0.3):
            constant = str(self.random.randint(-8, 16) / 4)
            return self.pick(s.floats) if s.floats and self.chance(0.7) else constant
        sub = lambda: self.floating(s, depth - 1)  # noqa: E731
        return self.weighted(
            [
                (3, lambda: f"({sub()} {self.pick(['+', '-'])} {sub()})"),
                (1, lambda: f"({sub()} + {self.integer(s, depth - 1)})"),
                (1, lambda: f"{sub()} * 2.0"),
                (1, lambda: f"-{sub()}"),
                (1, lambda: f"({sub()} if {self.condition(s, depth - 1)} else {sub()})"),
                (0.5, lambda: f"{self.pick(['min', 'max'])}({sub()}, {sub()})"),
                (0.5, lambda: f"abs({sub()})"),
            ]
        )

    def condition(self, s: Scope, depth: int = 2) -> str:
        compare = self.pick(["<", "<=", ">", ">=", "==", "!="])
        options: list[Option] = [
            (5, lambda: f"{self.integer(s, min(depth, 1))} {compare} {self.integer(s, min(depth, 1))}"),
        ]
        if depth > 0:
            options += [
                (1, lambda: f"({self.condition(s, depth - 1)} and {self.condition(s, depth - 1)})"),
                (1, lambda: f"({self.condition(s, depth - 1)} or {self.condition(s, depth - 1)})"),
                (0.7, lambda: f"not ({self.condition(s, depth - 1)})"),
            ]
        if self.level >= 2:
            options += [
                (1, lambda: f"{self.integer(s, 1)} < {self.integer(s, 1)} <= {self.integer(s, 1)}"),
                (0.5, lambda: f"{self.integer(s, 1)} in (1, {self.integer(s, 0)}, 4)"),
                (1, lambda: f"{self.floating(s, 1)} {compare} {self.floating(s, 1)}"),
                (0.4, lambda: f"({self.integer(s, 1)})"),
            ]
            if s.bools:
                options.append((1, lambda: self.pick(s.bools)))
            if s.arrays:
                options.append((0.5, lambda: f"any(u > {self.small()} for u in {self.pick(s.arrays)})"))
        return self.weighted(options)
