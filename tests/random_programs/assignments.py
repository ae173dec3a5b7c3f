"""Random simple statements: assignments of every kind, writes to objects, dicts and lists."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests.random_programs.expressions import ExpressionWriter, Option, Scope


class AssignmentWriter(ExpressionWriter):
    """Statements of one line."""

    def assignment(self, s: Scope) -> str:
        targets = [n for n in s.ints if n in s.assignable]
        floats = [n for n in s.floats if n in s.assignable]
        options: list[tuple[float, Callable[[], None]]] = []
        if targets:
            t = self.pick(targets)
            options += [
                (3, lambda: self.line(f"{t} = ({self.integer(s)}) % {self.random.randint(5, 31)}")),
                (2, lambda: self.line(f"{t} {self.pick(['+=', '-='])} {self.integer(s)} % {self.pick('357')}")),
                (1, lambda: self.line(f"{t} = {self.pick(s.ints)}")),
                (0.5, lambda: self.line(f"{t} = {self.small()}")),
            ]
            if len(targets) > 1:
                a, b = self.random.sample(targets, 2)
                options.append((1, lambda: self.line(f"{a}, {b} = {b}, ({self.integer(s, 1)}) % 19")))
        if self.level >= 2:
            options.append((1, lambda: self.new_name(s)))
            if floats:
                f = self.pick(floats)
                options.append((2, lambda: self.line(f"{f} = ({self.floating(s)}) % 16.0 - 4.0")))
            bools = [n for n in s.bools if n in s.assignable]
            if bools:
                options.append((0.7, lambda: self.line(f"{self.pick(bools)} = bool({self.condition(s, 1)})")))
            arrays = [n for n in s.arrays if n in s.assignable]
            if arrays:
                x = self.pick(arrays)
                options += [
                    (1, lambda: self.line(f"{x}[{self.integer(s, 1)} % 4] = {self.integer(s, 1)} % 9")),
                    (1, lambda: self.line(f"{x}[{self.integer(s, 1)} % 4] += {self.integer(s, 1)} % 5")),
                    (0.3, lambda: self.line(f"{x} = ({x} + {self.pick(s.ints)}) % 9")),
                    (0.3, lambda: self.line(f"{x}[1:3] = {self.integer(s, 0)} % 9")),
                ]
        if options:
            self.random.choices([o for _, o in options], [w for w, _ in options])[0]()
        return ""

    def new_name(self, s: Scope) -> None:
        t = self.fresh("t")
        self.line(f"{t} = ({self.integer(s)}) % 9")
        s.ints.append(t)
        s.assignable.add(t)

    def heap_write(self, s: Scope) -> str:
        options: list[Option] = []
        value = partial(self.value, s)
        if self.has_box:
            options += [
                (2, lambda: f"o.{self.pick(['p', 'q'])} = {value()}"),
                (1, lambda: f"o.{self.pick(['p', 'q', 'total'])} += {value()}"),
                (0.5, lambda: f"o.total = {value()}"),
                (1, lambda: f"o.bump({value()})"),
            ]
        if self.has_dict:
            options += [
                (2, lambda: f"d['{self.pick(['k', 'm'])}'] = {value()}"),
                (1, lambda: f"d['{self.pick(['k', 'm'])}'] += {value()}"),
                (0.5, lambda: f"d.update(k={value()})"),
            ]
        if self.has_list:
            options += [
                (2, lambda: f"{self.pick(['l', 'm'])}[{self.pick(['0', '1', '-1'])}] = {value()}"),
                (1, lambda: f"l[{self.pick(['0', '-2'])}] += {value()}"),
                (0.7, lambda: "l.append(l.pop(0))"),
                (0.5, lambda: f"l[{self.integer(s, 1)} % 3] = {value()}"),
                (0.3, lambda: "l.reverse()"),
            ]
        if options:
            self.line(self.weighted(options))
        else:
            self.assignment(s)
        return ""
