"""Texts and enum members that the program chooses: states of machines, names looked up in tables, labels put together and compared.

They are chosen in branches, loops and lists, kept in variables, attributes and dicts, handed to functions, and changed while a
loop runs; what the program returns of them are numbers: lengths, comparisons, what a table has for them.

>>> "program" in write(random.Random(0))
True
"""

from __future__ import annotations

import random

HEADER = """\
import enum

class Mode(enum.Enum):
    IDLE = "idle"
    RUN = "run"
    DONE = "done"

    def cost(self):
        return len(self.value)

    @property
    def active(self):
        return self is not Mode.DONE

class Named:
    def __init__(self, name):
        self.name = name

    def rename(self, name, when):
        if when:
            self.name = name
        return len(self.name)

class Labelled(Named):
    def __eq__(self, other):
        return self.name == other.name

TABLE = {"idle": 1, "run": 5, "done": 9, "": 2}

def label(k):
    return "run" if k > 3 else "done" if k > 1 else "idle"

def code(mode, extra=0):
    if mode == "run":
        return 1 + extra
    return len(mode) * 10 + extra


"""
_STRINGS = ["'idle'", "'run'", "'done'", "'run'", "label(b)", "['idle', 'run', 'done'][b % 3]", "('run' if x > 1 else 'idle')"]
_MEMBERS = ["Mode.IDLE", "Mode.RUN", "Mode.DONE", "[Mode.IDLE, Mode.RUN, Mode.DONE][a % 3]", "(Mode.RUN if b > 2 else Mode.DONE)"]
_TESTS = ["a > 2", "x > 0", "b < a", "b % 2 == 0", "xs[0] > b", "i > 1", "k > 2"]
_USES_OF_STRING = [
    "len({s})", "TABLE[{s}]", "TABLE.get({s}, 7)", "TABLE.get({s} + 'z', 7)", "code({s})", "code(mode={s}, extra=a)",
    "({s} == 'run')",    "({s} != {t})",
    "(Labelled({s}) != Labelled({t}))", "([Labelled({s})][0] != Labelled('run'))",
    "({s} in ('run', 'x'))", "({s} in TABLE)", "('n' in {s})", "len({s}.upper() + 'ab')",
    "{s}.startswith('d')",
    "len(f'{{{s}}}-{{{t}}}')", "len('%s!' % {s})", "({s} < {t})", "({s}[0] == 'r')", "len({s} * 2)", "{s}.count('n')",
    "({s} == {s}.lower())", "len(','.join([{s}, 'x', {t}]))", "isinstance({s}, str)", "(type({s}) is str)", "ord({s}[1])",
    "Named({s}).rename({t}, b > 1)", "(({s}, a) == ('run', a))", "len(str({s}))", "[{s}, {t}].count('run')",
    "(not {s})", "max({s} == 'run', 0)",    "sum(1 for n in [{s}, {t}, 'run'] if n == 'run')", "len(sorted([len({s}), 2]))",
    "(1 if {s} else 4)", "(({s} or 'run') == 'run')",
]  # fmt: skip
_USES_OF_MEMBER = [
    "len({s}.value)", "len({s}.name)", "{s}.cost()", "({s} is Mode.RUN)", "({s} is not {t})", "({s} == {t})",
    "({s} in (Mode.RUN, Mode.IDLE))",    "{s}.active", "{{Mode.IDLE: 3, Mode.RUN: 4, Mode.DONE: b}}[{s}]", "isinstance({s}, Mode)",
    "TABLE[{s}.value]", "code({s}.value)",
]  # fmt: skip


def write(rng: random.Random) -> str:
    """One program."""
    values, uses = (_STRINGS, _USES_OF_STRING) if rng.random() < 0.7 else (_MEMBERS, _USES_OF_MEMBER)
    return HEADER + Writer(rng, values, uses).program()


class Writer:
    """Writes a program about variables that hold one of some values.

    Args:
        values: expressions, of which the first three are names or literals.
        uses: expressions with a number as their value, of two such variables `s` and `t`.
        same: the operator that tells them apart.
    """

    def __init__(self, rng: random.Random, values: list[str], uses: list[str], same: str = "==") -> None:
        self.rng, self.values, self.uses, self.same = rng, values, uses, same
        self.places = ["s", "s", "t"]

    def program(self) -> str:
        lines = [f"s = {self.value()}", f"t = {self.plain()}", "n = i = k = 0"]
        for place, line in (("h.name", "h = Named({})"), ("d['k']", "d = {{'k': {}, 'n': a}}")):
            if self.rng.random() < 0.3:
                lines.append(line.format(self.plain()))
                self.places.append(place)
        for _ in range(self.rng.randint(1, 3)):
            lines += self.rng.choice([self.branch, self.chain, self.machine, self.waiting, self.search, self.cases, self.call])()
        lines.append(f"return n, {self.use()}, {self.use()}")
        return "def program(a, b, x, xs):\n" + "\n".join(_in(lines)) + "\n"

    def value(self) -> str:
        return self.rng.choice(self.values)

    def plain(self) -> str:
        return self.rng.choice(self.values[:3])

    def test(self) -> str:
        return self.rng.choice(_TESTS)

    def place(self) -> str:
        return self.rng.choice(self.places)

    def use(self) -> str:
        return self.rng.choice(self.uses).format(s=self.place(), t=self.rng.choice(["t", "s", self.plain()]))

    def change(self) -> str:
        return f"{self.place()} = {self.value()}"

    def branch(self) -> list[str]:
        other = [f"n = n + {self.use()}"]
        if self.rng.random() < 0.4:
            other = [f"if {self.test()}:", *_in([self.change()])]
        return [f"if {self.test()}:", *_in([self.change()]), "else:", *_in(other)]

    def chain(self) -> list[str]:
        second = [self.change(), f"n = {self.use()}"]
        return [f"if {self.place()} {self.same} {self.plain()}:", *_in([self.change()]), f"elif {self.test()}:", *_in(second)]

    def machine(self) -> list[str]:
        first, second, third = self.plain(), self.plain(), self.plain()
        return [
            self.rng.choice(["for k in xs:", "for i in ag.range(b % 5):", "for i in range(3):"]),
            *_in([f"if s {self.same} {first}:", f"    if {self.test()}:", f"        s = {second}"]),
            *_in([f"elif s {self.same} {second}:", f"    n = n + {self.use()}", f"    if {self.test()}:", f"        s = {third}"]),
            *_in(["else:", f"    {self.change()}"]),
        ]

    def waiting(self) -> list[str]:
        ends = "!=" if self.values is _STRINGS else self.rng.choice(["!=", "is not"])
        body = [f"if {self.test()}:", *_in([self.change()]), f"n = n + {self.use()}", "i = i + 1"]
        return [f"while s {ends} {self.plain()} and i < a % 6:", *_in(body)]

    def search(self) -> list[str]:
        jump = self.rng.choice(["break", "continue"])
        return ["for k in xs:", *_in([f"if {self.test()}:", f"    {jump}", self.change(), f"n = n + {self.use()}"])]

    def cases(self) -> list[str]:
        if self.same == "is":
            return self.chain()  # a function is no pattern
        if self.rng.random() < 0.5:
            return self.structured_cases()
        first = [f"case {self.plain()}:", *_in([self.change()])]
        second = [f"case {self.plain()} | {self.plain()}:", *_in([f"n = n + {self.use()}"])]
        return ["match s:", *_in([*first, *second, "case _:", "    n = n - 1"])]

    def structured_cases(self) -> list[str]:
        """A `match` of a tuple, a dict or an object that holds one of the values."""
        place = self.place()
        subject, pattern = self.rng.choice(
            [
                (f"{place}, a % 3", "{}, {}"),
                (f"[a % 3, [{place}]]", "[{1}, [{0}]]"),
                (f"{{'k': {place}, 'n': b % 3}}", "{{'k': {}, 'n': {}}}"),
                (f"Named({place})", "Named(name={})"),
                (f"Named(({place}, b % 2))", "Named(name=({}, {}))"),
            ]
        )
        lines = [f"match {subject}:"]
        for _ in range(self.rng.randint(1, 3)):
            value = self.rng.choice([self.plain(), self.plain(), f"{self.plain()} | {self.plain()}", "_"])
            number = self.rng.choice(["0", "1", "_", "q"])
            guard = " if n < 9" if self.rng.random() < 0.2 else ""
            lines += [f"    case {pattern.format(f'({value})', number)}{guard}:", f"        n = n + {self.use()}"]
        return [*lines, "    case _:", f"        {self.change()}"]

    def call(self) -> list[str]:
        result = self.rng.choice(["w", f"{self.plain()} if a > 1 else w", f"w if w {self.same} {self.plain()} else {self.plain()}"])
        return ["def changed(w):", *_in([f"return {result}"]), f"t = changed({self.place()})"]


def _in(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]
