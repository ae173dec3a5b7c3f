"""The rest of the language, for level 4: classes of one's own, records, sets, slices, iteration over dicts, calls of all kinds.

Each program declares some of the things below, and statements and expressions use what was declared. A change of structure
(another set of keys, another length) stays inside one statement: one XLA program cannot hold two structures, so what differs in
structure where branches meet again is refused by design, and is the matter of `inexpressible`.

>>> "Grid" in HEADER and "Frozen" in HEADER
True
"""

from __future__ import annotations

from functools import partial

from tests.random_programs.expressions import Option, Scope
from tests.random_programs.statements import StatementWriter

HEADER = """
import dataclasses
import typing

import jax
import numpy as np

class Grid:
    def __init__(self, first):
        self.cells = [first, 1, 2]
        self.writes = 0

    def __getitem__(self, k):
        return self.cells[k]

    def __setitem__(self, k, value):
        self.cells[k] = value
        self.writes += 1

    def __iadd__(self, value):
        self.cells[0] = (self.cells[0] + value) % 13
        return self

    def __len__(self):
        return len(self.cells)

    def __contains__(self, value):
        return value == self.cells[1]

    def __call__(self, u, *rest, **named):
        if u > named.get("k", 2):
            return u - sum(rest)
        return self.cells[2]

@dataclasses.dataclass
class Point:
    x: typing.Any
    y: typing.Any = 1

    def moved(self, k):
        return dataclasses.replace(self, x=(self.x + k) % 17)

@dataclasses.dataclass(frozen=True)
class Frozen:
    u: typing.Any
    v: typing.Any

class Pair(typing.NamedTuple):
    first: typing.Any
    second: typing.Any

def spread(u, *args, k=1, **named):
    for v in args:
        u = u - v if u > k else u + v
    return u + sum(named.values())

def fill(target, key, value):
    if value > 3:
        target[key] = value
    return len(target)

def tick(u):
    global COUNT
    COUNT = (COUNT + u) % 9
    return COUNT

def each(fn, values):
    if isinstance(values, np.ndarray):
        return np.stack([fn(v) for v in values])
    return jax.vmap(fn)(values)

def compiled(fn, u):
    return jax.jit(fn)(u) if isinstance(u, jax.Array) else fn(u)
"""

DECLARED = {
    "g": ("g = Grid(b)", ["g.cells", "g.writes"]),
    "pt": ("pt = Point(a, 2)", ["pt.x", "pt.y"]),
    "fz": ("fz = Frozen(a, b)", ["fz.u", "fz.v"]),
    "nt": ("nt = Pair(b, 1)", ["nt"]),
    "nd": ("nd = Pair({'p': a}, [b, 1])", ["nd"]),
    "ts": ("ts = {'w': {'p': b, 'q': [a, 2]}, 'n': 0}", ["ts"]),
    "st": ("st = {1, 2, 5}", ["sorted(st)"]),
    "ys": ("ys = xs * 0.5", ["ys"]),
    "bs": ("bs = xs > 2", ["bs"]),
    "ops": ("ops = [lambda u: u + 1, lambda u, v=b: (u - v) % 7]", []),
}


class ConstructWriter(StatementWriter):
    """The options that come from here."""

    has: frozenset[str] = frozenset()

    def constructs(self) -> list[str]:
        """Lines at the top of the program for some of `DECLARED`; gives what the program returns of them."""
        self.has = frozenset(name for name in DECLARED if self.chance(0.3))
        for name in sorted(self.has):
            self.line(DECLARED[name][0])
        return [text for name in sorted(self.has) for text in DECLARED[name][1]]

    def construct_integers(self, s: Scope, depth: int) -> list[Option]:
        """Integers."""
        sub = partial(self.integer, s, depth - 1)
        options: list[Option] = [
            (0.2, lambda: f"spread({sub()}, {sub()}, 2, k={self.pick('012')})"),
            (0.1, lambda: f"spread(*pair, **{{'k': {self.pick('13')}, 'm': {sub()}}})"),
            (0.2, lambda: f"compiled(lambda u: u - 1 if u > {self.small()} else u + 2, {sub()})"),
        ]
        if not s.native:
            options.append((0.15, lambda: f"tick({sub()} % 5)"))
        if s.arrays:
            array = self.pick(s.arrays)
            options += [
                (0.2, lambda: f"sum({array}[{self.pick(['1:', ':2', '1:3', '::2'])}])"),
                (
                    0.2,
                    lambda: (
                        f"each(lambda u: u if u > {self.small()} else {self.small()}, {array})[{self.pick('0123')}]"
                    ),
                ),
                (0.1, lambda: f"int(np.maximum({array}, {self.small()})[{self.pick('0123')}])"),
                (0.1, lambda: f"int(np.where({array} > {self.small()}, {array}, {self.small()})[1])"),
            ]
        if self.has_dict:
            options += [
                (0.2, lambda: self.pick(["sum(d.values())", "max(d.values())", "sum(d[k] for k in d)"])),
                (0.1, lambda: f"{{k: v + {self.small()} for k, v in d.items()}}['m']"),
            ]
        if self.has_list:
            options.append(
                (0.3, lambda: self.pick(["sum(l[1:])", "l[::-1][0]", "max(l[:2])", "sorted(l)[1]", "min(*l)"]))
            )
        for name, reads in self._reads(sub).items():
            if name in self.has:
                options.append((0.4, reads))
        return options

    def _reads(self, sub: object) -> dict[str, object]:
        return {
            "g": lambda: self.pick(
                [
                    "g[0]",
                    "g[-1]",
                    f"g({sub()}, 1, k=3)",
                    f"g({sub()})",
                    "len(g)",
                    f"int({sub()} in g)",
                    f"g[{sub()} % 3]",
                ]
            ),
            "pt": lambda: self.pick(["pt.x", "pt.y", f"pt.moved({sub()}).x"]),
            "fz": lambda: self.pick(["fz.u", "fz.v", f"dataclasses.replace(fz, v={sub()}).v"]),
            "nt": lambda: self.pick(["nt.first", "nt[1]", "sum(nt)", "nt._replace(first=2).first"]),
            "nd": lambda: self.pick(["nd.first['p']", "nd.second[1]", f"nd.second[{sub()} % 2]", "len(nd.first)"]),
            "ts": lambda: self.pick(["ts['w']['p']", "ts['n']", "sum(ts['w']['q'])", f"ts['w']['q'][{sub()} % 2]"]),
            "st": lambda: self.pick(["len(st)", "sum(st)", "max(st)", f"int({sub()} in st)"]),
            "bs": lambda: self.pick(["int(bs[1])", "int(any(bs))", f"int(bs[{sub()} % 4])"]),
            "ops": lambda: f"ops[{self.pick('01')}]({sub()})",
        }

    def construct_lines(self, s: Scope) -> list[Option]:
        """Simple statements."""
        value, at = partial(self.value, s), partial(self.pick, "012")
        options: list[Option] = [(0.1, lambda: f"passing = {value()}; del passing")]
        if self.has_dict:
            options += [
                (0.2, lambda: f"fill(d, '{self.pick('km')}', {value()})"),
                (0.2, lambda: f"d['n'] = {value()}; d['k'] = d.pop('n')"),
                (0.2, lambda: f"d |= {{'m': {value()}}}"),
                (0.1, lambda: f"d.setdefault('k', {value()})"),
            ]
        if self.has_list:
            options += [
                (0.2, lambda: f"fill(l, {at()}, {value()})"),
                (0.2, lambda: f"l[0:2] = [{value()}, l[1]]"),
                (0.2, lambda: f"del l[{at()}]; l.append({value()})"),
                (0.1, lambda: f"l += [{value()}]; l.pop()"),
                (0.2, lambda: self.pick(["l.sort()", "l[1:] = l[:0:-1]", "l.extend([l.pop(1)])"])),
            ]
        for name, lines in self._writes(s, value, at).items():
            if name in self.has and (not s.inner or name in "g st"):
                options.append((0.5, lines))
        return options

    def _writes(self, s: Scope, value: object, at: object) -> dict[str, object]:
        return {
            "g": lambda: self.pick(
                [f"g[{at()}] = {value()}", f"g[{at()}] += {value()}", f"g += {value()}", f"fill(g, {at()}, {value()})"]
                if not s.inner
                else [f"g[{at()}] = {value()}", f"fill(g, {at()}, {value()})"]
            ),
            "pt": lambda: self.pick([f"pt.x = {value()}", f"pt.y += {value()}", f"pt = pt.moved({value()})"]),
            "fz": lambda: self.pick([f"fz = dataclasses.replace(fz, u={value()})", f"fz = Frozen({value()}, fz.u)"]),
            "nd": lambda: self.pick(
                [
                    f"nd = Pair({{'p': {value()}}}, [nd.second[1], {value()}])",
                    f"nd = nd._replace(first={{'p': {value()}}})",
                ]
            ),
            "ts": lambda: self.pick(
                [
                    f"ts['w'] = {{'p': {value()}, 'q': [ts['w']['q'][1], {value()}]}}",
                    f"ts['w'] = dict(ts['w'], p={value()})",
                    f"ts['w']['p'] = {value()}",
                    f"ts['n'] = {value()}",
                    f"ts = {{'w': {{'p': ts['n'], 'q': [{value()}, 1]}}, 'n': ts['w']['p']}}",
                ]
            ),
            "nt": lambda: self.pick([f"nt = nt._replace(first={value()})", f"nt = Pair({value()}, nt.first)"]),
            "st": lambda: self.pick(["st.add(2)", "st.discard(9)", "st |= {1}" if not s.inner else "st.update({5})"]),
            "ys": lambda: self.pick(
                [
                    f"ys[{at()}] = {self.floating(s, 1)} % 8.0",
                    f"ys = ys % 4.0 + xs % {self.pick('35')}",
                    "ys[1:3] = 0.5",
                ]
            ),
            "bs": lambda: self.pick(
                [f"bs[{at()}] = bool({self.condition(s, 0)})", "bs = ~bs", f"bs = bs & (xs > {self.small()})"]
            ),
            "ops": lambda: "ops = ops[::-1]" if self.depth == 1 else "ops = list(ops)",
        }

    def construct_blocks(self, s: Scope) -> list[Option]:
        """Statements with blocks."""
        options: list[Option] = [(0.3, lambda: self.match_structure(s))]
        if s.loops < 3:
            options.append((0.3, lambda: self.loop_over_structure(s)))
        if not s.inner and s.loops == 0:
            options.append((0.3, lambda: self.function_of_any_arguments(s)))
        return options

    def match_structure(self, s: Scope) -> str:
        """A `match` on a tuple, a record, a dict or a list: the structure is known, the values need not be."""
        y = self.fresh("y")
        subjects: list[tuple[str, list[str]]] = [
            (f"({self.integer(s, 1)} % 3, {self.integer(s, 0)})", [f"(0, {y})", f"(1 | 2, {y})", f"({y}, _)"])
        ]
        if "nt" in self.has:
            subjects.append(("nt", [f"Pair(first=1, second={y})", f"Pair({y}, _)"]))
        if "pt" in self.has:
            subjects.append(("pt", [f"Point(x=2, y={y})", f"Point(x={y})"]))
        if self.has_dict:
            subjects.append(("d", [f"{{'k': 1, 'm': {y}}}", f"{{'k': {y}}}"]))
        if self.has_list:
            subjects.append(("l", [f"[0, {y}, _]", f"[{y}, *_]"]))
        subject, patterns = self.random.choice(subjects)
        self.line(f"match {subject}:")
        with self.indented():
            for pattern in patterns:
                guard = f" if {y} > {self.small()}" if self.chance(0.2) else ""
                self.line(f"case {pattern}{guard}:")
                self.suite(s.child(ints=[*s.ints, y]), 1)
        return ""

    def loop_over_structure(self, s: Scope) -> str:
        k, v = self.fresh("k"), self.fresh("v")
        loops: list[tuple[str, list[str]]] = [(f"for {k}, ({v}, _) in enumerate([(a, 1), (2, b)]):", [k, v])]
        if self.has_dict:
            loops += [(f"for _, {v} in d.items():", [v]), (f"for {k}, {v} in zip((3, 4), d.values()):", [k, v])]
        if self.has_list:
            loops += [(f"for {v} in l[1:]:", [v]), (f"for {v} in reversed(l):", [v]), (f"for {v} in sorted(l):", [v])]
            loops += [(f"for {v} in (u + 1 for u in l):", [v])]
        if "st" in self.has:
            loops.append((f"for {v} in sorted(st):", [v]))
        if "g" in self.has:
            loops.append((f"for {v} in g.cells:", [v]))
        if s.arrays:
            loops.append((f"for {v} in {self.pick(s.arrays)}[1:]:", [v]))
        text, names = self.random.choice(loops)
        self.line(text)
        inner = s.child(ints=[*s.ints, *names], loops=s.loops + 1, breakable=True)
        inner.assignable -= set(s.arrays)
        self.suite(inner, self.random.randint(1, 2))
        self.loop_else(s)
        return ""

    def function_of_any_arguments(self, s: Scope) -> str:
        g, u = self.fresh("g"), self.fresh("u")
        default = self.pick([n for n in s.ints if n in s.assignable] or ["3"])
        self.line(f"def {g}({u}, *rest, k={default}, **named):")
        inner = s.child(ints=[u, "k", *[n for n in s.ints if self.chance(0.4)]], assignable={u, "k"}, loops=1)
        inner.breakable, inner.inner = False, True
        with self.indented():
            self.block(inner, self.random.randint(1, 2))
            self.line(f"return {u} - len(rest) + k")
        s.functions.append(g)
        return ""
