"""Random compound statements: branches, loops with every kind of exit, nested functions, `try`, `with`."""

from __future__ import annotations

from tests.random_programs.assignments import AssignmentWriter
from tests.random_programs.expressions import Option, Scope


class StatementWriter(AssignmentWriter):
    """Statements with blocks. Every loop counts its iterations, so every program ends."""

    def block(self, s: Scope, size: int) -> None:
        for _ in range(size):
            self.statement(s)

    def suite(self, s: Scope, size: int) -> None:
        with self.indented():
            before = len(self.lines)
            self.block(s, size)
            if len(self.lines) == before:
                self.line("pass")

    def statement(self, s: Scope) -> None:
        self.budget -= 1
        simple: list[Option] = [(6, lambda: self.assignment(s))]
        if self.level >= 3:
            simple.append((2.5, lambda: self.heap_write(s)))
        if self.level >= 4:
            simple.append((2.5, lambda: self.wild_line(s)))
        if s.breakable:
            simple.append((1, lambda: self.guarded_jump(s)))
        compound: list[Option] = []
        if self.budget > 0 and self.depth < self.deepest:
            compound = [(4, lambda: self.branch(s)), (0.5, lambda: self.early_return(s))]
            if s.loops < 3:
                compound += [(1.5, lambda: self.while_loop(s)), (2, lambda: self.for_loop(s))]
            if self.level >= 2 and not s.inner and s.loops == 0:
                compound += [(0.7, lambda: self.function(s)), (0.4, lambda: self.lambda_(s))]
            if self.level >= 3:
                compound += [(0.7, lambda: self.try_(s)), (0.3, lambda: self.with_(s))]
                compound += [] if self.level < 4 else self.wild_compound(s)
        self.weighted(simple + compound)

    def wild_line(self, s: Scope) -> str:
        self.line(self.weighted(self.wild_simple(s)))
        return ""

    def wild_simple(self, s: Scope) -> list[Option]:
        """More lines; see `wild`."""
        return []

    def wild_compound(self, s: Scope) -> list[Option]:
        """More statements with blocks; see `wild`."""
        return []

    def branch(self, s: Scope) -> str:
        size = lambda: self.random.randint(1, 2)  # noqa: E731
        self.line(f"if {self.condition(s)}:")
        both: str | None = self.fresh("t") if self.chance(0.2) and self.level >= 2 else None
        arms = [s.child()]
        self.arm(arms[0], size(), both)
        for _ in range(self.random.choice([0, 0, 1, 2])):
            self.line(f"elif {self.condition(s, 1)}:")
            arms.append(s.child())
            self.arm(arms[-1], size(), both)
        if both or self.chance(0.5):
            self.line("else:")
            arms.append(s.child())
            self.arm(arms[-1], size(), both)
        if both:
            s.ints.append(both)
            s.assignable.add(both)
        return ""

    def arm(self, s: Scope, size: int, both: str | None) -> None:
        with self.indented():
            if both:
                self.line(f"{both} = ({self.integer(s)}) % 9")
            self.block(s, size)

    def guarded_jump(self, s: Scope) -> str:
        self.line(f"if {self.condition(s, 1)}:")
        with self.indented():
            if self.chance(0.3):
                self.assignment(s.child())
            self.line(self.pick(["break", "continue"]))
        if self.chance(0.2):
            self.line("else:")
            self.suite(s.child(), 1)
        return ""

    def early_return(self, s: Scope) -> str:
        if not s.may_return:
            return self.assignment(s)
        self.line(f"if {self.condition(s, 1)}:")
        with self.indented():
            self.line(f"return {self.result(s)}")
        return ""

    def result(self, s: Scope) -> str:
        """What `return` gives: in the program the same names everywhere, the first one computed."""
        value = f"({self.integer(s, 1)}) % 29"
        return value if s.inner else ", ".join([value, *self.returns[1:]])

    def while_loop(self, s: Scope) -> str:
        w = self.fresh("w")
        self.line(f"{w} = 0")
        limit = self.random.choice([str(self.random.randint(1, 5)), f"{self.integer(s, 0)} % 6"])
        inner = s.child(ints=[*s.ints, w], loops=s.loops + 1, breakable=True)
        shape = self.random.random()
        if shape < 0.25:
            self.line("while True:")
            with self.indented():
                self.line(f"{w} += 1")
                if self.chance(0.4):
                    self.block(inner.child(breakable=False), 1)  # a `continue` here would skip the only way out
                self.line(f"if {w} > {limit}{' or ' + self.condition(s, 1) if self.chance(0.5) else ''}:")
                with self.indented():
                    self.line("break" if self.chance(0.75) else f"return {self.result(s)}")
                self.block(inner, self.random.randint(1, 2))
        else:
            extra = f" and {self.condition(s, 1)}" if shape < 0.6 else ""
            self.line(f"while {w} < {limit}{extra}:")
            with self.indented():
                self.line(f"{w} += 1")
                self.block(inner, self.random.randint(1, 3))
        self.loop_else(s)
        s.ints.append(w)
        return ""

    def for_loop(self, s: Scope) -> str:
        i = self.fresh("i")
        bound_before = self.chance(0.4)
        if bound_before:
            self.line(f"{i} = {self.small()}")
        targets, names = i, [i]
        iterables: list[Option] = [
            (2, lambda: f"range({self.random.randint(1, 4)})"),
            (3, lambda: f"range({self.integer(s, 1)} % {self.random.randint(2, 6)})"),
            (1, lambda: f"range({self.integer(s, 0)} % 3, {self.integer(s, 0)} % 7)"),
            (1, lambda: f"range({self.integer(s, 0)} % 7, {self.integer(s, 0)} % 3, {self.pick(['-1', '-2', '2'])})"),
            (1, lambda: f"[{self.integer(s, 0)}, {self.integer(s, 0)}, {self.small()}]"),
            (0.5, lambda: f"ag.range({self.random.randint(1, 4)})"),
            (0.4, lambda: f"reversed(range({self.integer(s, 0)} % 5))"),
        ]
        if s.arrays:
            iterables.append((2, lambda: self.pick(s.arrays)))
            if self.chance(0.2):
                j = self.fresh("j")
                targets, names = f"{i}, {j}", [i, j]
                array = self.pick(s.arrays)
                iterables = [
                    (1, lambda: f"enumerate({array})"),
                    (1, lambda: f"zip({array}, {self.pick(s.arrays)})"),
                    (1, lambda: f"zip({array}, range({self.random.randint(2, 5)}))"),
                ]
        self.line(f"for {targets} in {self.weighted(iterables)}:")
        inner = s.child(ints=[*s.ints, *names], loops=s.loops + 1, breakable=True)
        # Iterating NumPy's array sees writes into it, JAX arrays are values: nothing to compare.
        inner.assignable -= set(s.arrays)
        if self.chance(0.25):
            inner.assignable |= set(names)
        with self.indented():
            self.block(inner, self.random.randint(1, 3))
        self.loop_else(s)
        if bound_before:
            s.ints.append(i)
        return ""

    def loop_else(self, s: Scope) -> None:
        if self.chance(0.2):
            self.line("else:")
            self.suite(s.child(), 1)

    def function(self, s: Scope) -> str:
        g, u = self.fresh("g"), self.fresh("u")
        self.line(f"def {g}({u}):")
        written = [n for n in s.ints if n in s.assignable and self.chance(0.4)][:2]
        reads = [n for n in s.ints if self.chance(0.6)]
        inner = s.child(ints=[*reads, *written, u], assignable={*written, u}, loops=1, breakable=False, inner=True)
        with self.indented():
            if written:
                self.line(f"nonlocal {', '.join(written)}")
            self.block(inner, self.random.randint(1, 2))
            self.line(f"return {self.result(inner)}")
        s.functions.append(g)
        return ""

    def lambda_(self, s: Scope) -> str:
        h, u = self.fresh("h"), self.fresh("u")
        inner = s.child(ints=[*s.ints, u], native=True, functions=[])
        self.line(f"{h} = lambda {u}: ({self.integer(inner, 2)}) % 17")
        s.functions.append(h)
        return ""

    def try_(self, s: Scope) -> str:
        self.line("try:")
        self.suite(s.child(), self.random.randint(1, 2))
        if self.chance(0.5):
            self.line("except ZeroDivisionError:")
            self.suite(s.child(), 1)
            if self.chance(0.4):
                self.line("else:")
                self.suite(s.child(), 1)
            if self.chance(0.5):
                return ""
        self.line("finally:")
        # No arrays: a write to NumPy's array reaches the array that a `return` in the block has taken, JAX's are values.
        self.suite(s.child(breakable=False, loops=3, may_return=False, arrays=[]), 1)
        return ""

    def with_(self, s: Scope) -> str:
        self.line("with contextlib.nullcontext():")
        self.suite(s.child(), self.random.randint(1, 2))
        return ""
