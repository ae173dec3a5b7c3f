"""Scopes inside scopes: lambdas, comprehensions, generators, nested functions and classes, made in branches and loops.

What they capture is bound before and after them, in branches as well. They are kept under a name, in an attribute, in a
container, or as a default, and called later.

>>> "lambda" in "".join(write(random.Random(k)) for k in range(5))
True
"""

from __future__ import annotations

import random


def write(rng: random.Random) -> str:
    """One program: numbers `p`, `q` and a tuple `ys`, functions `f`, `g` over them, branches and loops around all."""
    return _Writer(rng).program()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.choice = rng.choice
        self.lines: list[str] = []
        self.bound = 0  # a fresh name for each variable of a scope inside

    def program(self) -> str:
        self.add(1, "p, q = a, 1", "ys = (a, b, 3)", "o, d, l = Box(a, b), {}, []")
        self.keep(1, "f")
        if self.rng.random() < 0.5:
            self.keep(1, "g")
        self.block(1, 2)
        self.add(1, f"p = (p + {self.called()}) % 11")
        self.block(1, 1)
        self.add(1, f"return p, q, tuple(ys), {self.called()}")
        return "def program(a, b, x, xs):\n" + "\n".join(self.lines) + "\n"

    def add(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    def fresh(self) -> str:
        self.bound += 1
        return f"v{self.bound}"

    # --- statements ---

    def block(self, depth: int, room: int, traced: bool = False) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth, room, traced)

    def statement(self, depth: int, room: int, traced: bool) -> None:
        kind = self.rng.random()
        if room and kind < 0.35:
            test, is_known = self.choice(_TESTS)
            self.add(depth, f"if {test}:")
            self.block(depth + 1, room - 1, traced or not is_known)
            if self.rng.random() < 0.6:
                self.add(depth, "else:")
                self.block(depth + 1, room - 1, traced or not is_known)
        elif room and kind < 0.5:
            loop, is_known = self.choice(_LOOPS)
            self.add(depth, loop)
            self.block(depth + 1, room - 1, traced or not is_known)
        elif kind < 0.65 and traced:
            self.use(depth)
        elif kind < 0.65:
            self.keep(depth, self.choice("fg"))
        else:
            v = self.fresh()
            changes = [
                f"p = ({self.number()} + p) % 9",
                f"q = {self.number()}",
                f"q = (q + {self.called()}) % 7",
                f"ys = ({self.number()}, q, p)",
                f"{self.choice('pq')} = ({self.value(2)}) % 9",  # in a scope that ends before the name is bound again
                f"{self.choice('pq')} = sum(map(lambda {v}: {v} + {self.number()}, ys)) % 9",
            ]
            if not traced:
                changes += ["ys = tuple(ys)", "ys = tuple([v + 1 for v in ys])"]
            self.add(depth, self.choice(changes))

    def use(self, depth: int) -> None:
        """A function that is made, kept and called in one branch or iteration of what is traced."""
        name = self.fresh()
        if self.rng.random() < 0.4:
            self.define(depth, name)
        else:
            self.add(depth, f"{name} = {self.function()}")
        at = self.fresh()
        keeps = [
            (f"{at} = [{name}]", f"{at}[0]()"),
            (f"{at} = {{}}", f"{at}['f']()"),
            (f"{at} = Box({name}, 1)", f"{at}.p()"),
            (f"{at} = Box(0, 1)", f"{at}.p()"),
        ]
        make, call = self.choice(keeps)
        self.add(depth, make)
        if make.endswith("{}"):
            self.add(depth, f"{at}['f'] = {self.choice([name, self.function()])}")
        elif make.endswith("(0, 1)"):
            self.add(depth, f"{at}.p = {self.choice([name, self.function()])}")
        self.add(depth, f"{self.choice('pq')} = {self.number()}")
        self.add(depth, f"{self.choice('pq')} = {call} % 9")

    def function(self) -> str:
        return f"lambda{self.choice(['', '', ' w=p', ' w=[v for v in ys]'])}: {self.value(2)}"

    def keep(self, depth: int, name: str) -> None:
        """A function over the variables around it, and the place that keeps it."""
        if self.rng.random() < 0.35:
            self.define(depth, name)
            made = name
        else:
            made = self.function()
            if self.rng.random() < 0.3:
                return self.add(depth, f"{name} = {made}", self.place(name, name))
        self.add(depth, self.place(made, name))

    def place(self, made: str, name: str) -> str:
        places = [
            f"o.{name} = {made}",
            f"d['{name}'] = {made}",
            f"l.append({made})",
            f"l += [{made}]",
            f"l = [*l, {made}]",
            f"o.{name}, q = ({made}), {self.number()}",
            f"{name} = (lambda h=({made}): h())",
            f"{name} = {made}",
        ]
        return self.choice(places)

    def define(self, depth: int, name: str) -> None:
        kind = self.rng.randrange(4)
        if kind == 0:
            inside = self.fresh()
            self.add(depth, f"def {name}():", f"    {inside} = {self.value(2)}", f"    return {inside} + 1")
        elif kind == 1:
            self.add(depth, f"def {name}(w={self.value(1)}):", f"    return w + {self.value(1)}")
        elif kind == 2:
            self.add(depth, f"def {name}():", "    if p > 2:", f"        return {self.value(1)}")
            self.add(depth, f"    return {self.value(2)}")
        else:
            self.add(depth, f"class {name.upper()}:", f"    m = {self.number()}")
            self.add(depth, f"    h = lambda self: {self.value(1)}", f"{name} = {name.upper()}().h")

    # --- expressions ---

    def number(self) -> str:
        return self.choice(["p", "q", "a", "b", "1", "2", "ys[0]", "ys[-1]", "len(ys)"])

    def called(self) -> str:
        """A call of what was kept, wherever it is."""
        f = self.choice(["f", "f", "g"])
        return self.choice(
            [
                f"sum([h() for h in l]) % 5 + {self.number()}",
                f"(getattr(o, '{f}')() if hasattr(o, '{f}') else {self.number()})",
                f"(d['{f}']() if '{f}' in d else {self.number()})",
                f"sum(h() for h in d.values()) % 5 + {self.number()}",
            ]
        )

    def value(self, room: int) -> str:
        """A number computed in scopes inside."""
        if not room or self.rng.random() < 0.25:
            return self.number()
        v, w = self.fresh(), self.fresh()
        inner, outer = self.value(room - 1), self.number()
        return self.choice(
            [
                f"sum([{v} + {outer} for {v} in ys]) % 9",
                f"sum({v} * {inner} for {v} in ys) % 9",
                f"[{inner} for {v} in ys if {v} is not None][-1]",
                f"len([{v} for {v} in ys if ({w} := {inner}) is not None]) + {outer}",
                f"sum([({w} := {v} + {inner}) for {v} in ys]) % 9",
                f"(lambda {v}: {v} + {inner})({outer})",
                f"(lambda {v}=({w} for {w} in ys): sum({v}) + {inner})() % 9",
                f"(lambda: {inner})()",
                f"sum([{w} for {v} in [ys, ys] for {w} in {v}]) % 9",
                f"max([(lambda: {v} + {inner})() for {v} in ys])",
                f"sum({{{v}: {inner} for {v} in range(2)}}.values()) % 9",
                f"({inner} if {outer} > 2 else {outer})",
            ]
        )


_TESTS = [
    ("a > b", False), ("p > 3", False), ("q % 2 == 0", False),
    ("len(ys) > 2", True), ("x is None", True), ("b is not None", True),
]  # fmt: skip
_LOOPS = [("for k in range(3):", True), ("for k in xs:", False), ("for k in ag.range(3):", False)]
"""Tests and loops, and whether what they depend on is known while JAX traces."""
