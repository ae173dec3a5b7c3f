"""Level 4: everything of the other levels, deeper, and the constructs that are hardest to keep exact.

Names that some path leaves unbound, containers born in branches, closures made in loops, callees that write, exceptions
raised and caught, run-time checks, loop targets that are elements or attributes, generators, context managers.
"""

from __future__ import annotations

from functools import partial

from tests.random_programs import constructs
from tests.random_programs.constructs import ConstructWriter
from tests.random_programs.expressions import Option, Scope

HEADER = f"""
{constructs.HEADER}
COUNT = 0

class Bumped:
    def __init__(self, o):
        self.o = o

    def __enter__(self):
        self.o.p = self.o.p + 1
        return self

    def __exit__(self, *error):
        self.o.q = self.o.q - 1

def three(u):
    yield u
    u = u + 1 if u < 5 else u - 1
    yield u
    yield 2

"""


class WildWriter(ConstructWriter):
    """The options that level 4 adds."""

    def declarations(self, s: Scope) -> list[str]:
        """Lines at the top of the program for what the options below use; gives the names to return."""
        self.line("global COUNT")
        self.line("COUNT = 0")
        self.line("n = a")
        self.line("pair = (a, 1)")
        self.line("mode = 'up'")
        self.line("fs = []")
        self.line("rows = [[a, 1], [b, 2]]")
        s.floats.append("n")
        s.assignable.add("n")
        return ["COUNT", "n", "pair", "rows", *self.constructs()]

    def wild_integers(self, s: Scope, depth: int) -> list[Option]:
        sub = partial(self.integer, s, depth - 1)
        return [
            (0.4, lambda: self.pick(["pair[0]", "pair[1]", "rows[0][1]", "rows[1][0]", "COUNT"])),
            (0.3, lambda: f"sorted([{sub()}, {sub()}, {sub()}])[{self.pick('012')}]"),
            (0.2, lambda: f"divmod({sub()}, {self.pick('2345')})[{self.pick('01')}]"),
            (0.2, lambda: f"sum(three({sub()}))"),
            (0.2, lambda: f"fold({sub()}, k={self.pick('345')})"),
            (0.2, lambda: f"max([{sub()}, {sub()}], key=lambda u: -u)"),
            (0.2, lambda: f"(lambda u, v=2: u - v if u > v else v)({sub()})"),
            (0.2, lambda: "sum(h() for h in fs) % 9"),
            *self.construct_integers(s, depth),
        ]

    def wild_simple(self, s: Scope) -> list[Option]:
        value = partial(self.value, s)
        ints = [n for n in s.ints if n in s.assignable]
        options: list[Option] = [
            (0.5, lambda: f"rows[{self.pick('01')}][{self.pick('01')}] = {value()}"),
            (0.3, lambda: f"rows[{self.pick('01')}][0] += {value()}"),
            (0.2, lambda: f"assert {self.condition(s, 0)} or a < 11, 'checked'"),
            *self.construct_lines(s),
        ]
        if not s.inner:
            options += [
                (0.5, lambda: f"pair = ({value()}, pair[0])"),
                (0.5, lambda: f"n = {self.pick([value(), self.floating(s, 1) + ' % 8.0'])}"),
                (0.3, lambda: f"COUNT = COUNT % 9 + {value()}"),
                (0.3, lambda: "fs.append(lambda: (a + c) % 7)" if self.depth == 1 else "pass"),
                (0.2, lambda: "mode = 'up'"),
            ]
        if ints:
            a = self.pick(ints)
            options += [
                (0.4, lambda: f"{a} = {self.pick(ints)} = {value()}"),
                (0.3, lambda: f"{a} {self.pick(['|=', '&=', '^='])} {value()}"),
                (0.2, lambda: f"{a}, *_ = ({value()}, {value()}, 3)"),
            ]
        if self.has_box and not s.inner:
            options += [(0.05, lambda: f"o = Box({value()}, {value()})"), (0.2, lambda: "o2 = o; o2.p += 1")]
        if self.has_dict:
            options += [(0.3, lambda: "d['k'], d['m'] = d['m'], d['k']")]
            if not s.inner:
                options.append((0.05, lambda: f"d = {{'k': {value()}, 'm': d['k']}}"))
        if self.has_list:
            options += [
                (0.3, lambda: "l[0], l[1] = l[1], l[0]"),
                (0.3, lambda: "l.insert(0, l.pop())"),
                (0.2, lambda: f"l.append({value()}); l.pop(0)"),
            ]
            if not s.inner:
                options.append((0.05, lambda: f"l = [{value()}, l[0], {value()}]"))
        return options

    def wild_compound(self, s: Scope) -> list[Option]:
        options: list[Option] = [
            (0.5, lambda: self.bound_on_one_path(s)),
            (0.5, lambda: self.raise_and_catch(s)),
            (0.2, lambda: self.checked(s)),
            (0.5, lambda: self.match(s)),
            (0.3, lambda: self.static_mode(s)),
            *self.construct_blocks(s),
        ]
        if s.loops < 3:
            options += [(0.7, lambda: self.strange_loop(s)), (0.4, lambda: self.walrus_loop(s))]
        if self.depth == 1:  # the length of `fs` would depend on the branch
            options.append((0.4, lambda: self.closures_in_loop(s)))
        if self.has_box:
            options.append((0.4, lambda: self.managed(s)))
        return options

    def bound_on_one_path(self, s: Scope) -> str:
        """A name that Python may find unbound and nobody reads; for a read see `inexpressible`."""
        z = self.fresh("z")
        self.line(f"if {self.condition(s, 1)}:")
        with self.indented():
            self.line(f"{z} = {self.integer(s, 1)} % 9")
            self.block(s.child(ints=[*s.ints, z], assignable={*s.assignable, z}), 1)
        return ""

    def raise_and_catch(self, s: Scope) -> str:
        self.line("try:")
        with self.indented():
            self.block(s.child(), 1)
            self.line("raise ValueError('static')")
        self.line("except ValueError:")
        self.suite(s.child(), 1)
        return ""

    def checked(self, s: Scope) -> str:
        self.line(f"if a > 11 and {self.condition(s, 0)}:")
        with self.indented():
            self.line("raise ValueError('too large')")
        return ""

    def match(self, s: Scope) -> str:
        self.line(f"match {self.integer(s, 1)} % 5:")
        with self.indented():
            for _ in range(self.random.randint(1, 2)):
                guard = f" if {self.condition(s, 0)}" if self.chance(0.3) else ""
                self.line(f"case {self.pick(['0', '1', '2 | 3', '0 | 4'])}{guard}:")
                self.suite(s.child(), 1)
            if self.chance(0.7):
                self.line("case _:")
                self.suite(s.child(), 1)
        return ""

    def static_mode(self, s: Scope) -> str:
        self.line(f"if mode == '{self.pick(['up', 'down'])}':")
        self.suite(s.child(), 1)
        self.line("else:")
        self.suite(s.child(), 1)
        return ""

    def strange_loop(self, s: Scope) -> str:
        choices: list[tuple[str, list[str]]] = [("for pair in [(a, 1), (2, b)]:", [])]
        choices.append(("for rows[0][0] in (1, b, 3):", []))
        k, v = self.fresh("k"), self.fresh("v")
        choices.append((f"for {v} in three({self.integer(s, 0)}):", [v]))
        choices.append((f"for {k}, {v} in enumerate((a, c), 1):", [k, v]))
        if self.has_dict:
            choices += [("for d['k'] in range(b % 4):", []), (f"for {v} in list(d.values()):", [v])]
        if self.has_list:
            choices += [(f"for {v} in l:", [v]), (f"for {k}, {v} in zip(l, m):", [k, v])]
        if s.inner:
            choices = choices[1:]
        text, names = self.random.choice(choices)
        self.line(text)
        inner = s.child(ints=[*s.ints, *names], loops=s.loops + 1, breakable=True)
        self.suite(inner, self.random.randint(1, 2))
        self.loop_else(s)
        return ""

    def walrus_loop(self, s: Scope) -> str:
        w = self.fresh("w")
        self.line(f"{w} = 0")
        self.line(f"while ({w} := {w} + 1) < {self.pick('345')} and {self.condition(s, 1)}:")
        self.suite(s.child(ints=[*s.ints, w], loops=s.loops + 1, breakable=True), self.random.randint(1, 2))
        self.loop_else(s)
        s.ints.append(w)
        return ""

    def closures_in_loop(self, s: Scope) -> str:
        i = self.fresh("i")
        self.line(f"for {i} in range({self.pick('23')}):")
        with self.indented():
            self.line(f"fs.append(lambda{self.pick(['', f' {i}={i}'])}: {i} + {self.pick(s.ints)})")
            self.block(s.child(ints=[*s.ints, i], loops=1), 1)
        return ""

    def managed(self, s: Scope) -> str:
        self.line("with Bumped(o):")
        self.suite(s.child(), self.random.randint(1, 2))
        return ""
