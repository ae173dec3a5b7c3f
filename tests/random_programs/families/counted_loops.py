"""Loops of known length that compute with Python's numbers: index, counters, recurrences, tables, beyond 32 bits and in floats.

The numbers meet traced values as small integers. So that a last bit counts, a float is multiplied and cut to one.

>>> "ag.range" in write(random.Random(0))
True
"""

from __future__ import annotations

import random
from textwrap import indent

_HEADER = """\
import math

import numpy as np

WEIGHTS = np.array([0.1, 0.2, 0.3, 0.7, 0.9])
SIZES = [3, 1, 4, 1, 5]
RATES = {0: 0.1, 1: 0.25, 2: 0.7}
TENTHS = [0.1, 0.2, 0.4, 0.8]


class Box:
    def __init__(self):
        self.n, self.t = 0, 0.5


"""


class _Writer:
    """Writes one program.

    Attributes:
        indices: of the loops around. ints, floats, flags: the variables that hold known numbers.
        is_traced: whether the statement stands behind a traced test: there nothing known is changed.
        is_plain: whether the outermost loop is one over `range`.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.indices: list[str] = []
        self.ints, self.floats, self.flags = ["c", "box.n", "d['k']", "l[0]"], ["t", "box.t", "l[1]", "u"], ["odd"]
        self.is_traced = self.is_plain = False

    def int_(self, depth: int = 2) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(
                [*self.indices * 3, *self.ints, str(rng.randint(-3, 12)), str(rng.choice((2**31, 10**12, 2654435761)))]
            )
        a, b = self.int_(depth - 1), self.int_(depth - 1)
        form = rng.choice((
            "({a} + {b})", "({a} - {b})", "({a} * {b})", "({a} * {b} % 1000003)", "({a} // {k})", "({a} % {k})", "min({a}, {b})",
            "max({a}, {b})", "abs({a})", "({a})**2", "({a})**3 % 7919", "({a} & 255)", "({a} ^ {b})", "({a} >> 2)", "-({a})",
            "int({f})", "({a} if {p} else {b})", "({p} + {q})", "SIZES[{a} % 5]", "SIZES[-1 - {a} % 5]", "divmod({a}, {k})[1]",
            "round({f})", "math.gcd({a}, {b})", "range(3, 90, 2)[{a} % 40]",
        ))  # fmt: skip
        return form.format(
            a=a,
            b=b,
            k=rng.choice((2, 3, 7, 97, -5)),
            f=self.float_(depth - 1),
            p=self.bool_(0),
            q=self.bool_(depth - 1),
        )

    def float_(self, depth: int = 2) -> str:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.2:
            return rng.choice([*self.floats, f"({self.int_(0)} % 89 * 0.1)", str(rng.choice((0.1, 0.3, 2.5)))])
        a, b, n = self.float_(depth - 1), self.float_(depth - 1), self.int_(depth - 1)
        form = rng.choice((
            "({a} + {b})", "({a} - {b})", "({a} * {b} % 97.0)", "({a} * {n} % 89.0)", "({n} % 50 / 7)", "0.9**({n} % 60)",
            "math.sin({a})", "math.sqrt({n} % 77)", "({n} % 1009 / 3)", "({a} if {p} else {b})", "float(WEIGHTS[{n} % 5])",
            "RATES[{n} % 3]", "TENTHS[{n} % 4]", "TENTHS[-1 - {n} % 4]",
            "min({a}, {b})", "max({b}, 0.5)", "math.floor({a}) * 0.1", "({a} // 0.3 % 71.0)",
            "math.exp(-({n} % 9))", "round({a}, 2)", "float(WEIGHTS[{n} % 5] * {a} % 61.0)",
        ))  # fmt: skip
        return form.format(a=a, b=b, n=n, p=self.bool_(0))

    def bool_(self, depth: int = 1) -> str:
        rng = self.rng
        if depth <= 0:
            return rng.choice(
                [*self.flags, *(f"({i} % 2 == 1)" for i in self.indices), *(f"({i} > 1)" for i in self.indices)]
            )
        a, b = self.int_(max(depth - 1, 0)), self.int_(0)
        forms = ["{a} % 3 == 1", "{a} < {b}", "{a} != {b}", "{a} % 5 in (0, 3)", "{f} > 0.4", "not {a} % 4"]
        forms += ["{f} < {a}", "{f} * 1e9 > 2654435761", "{f} != 10**12"]
        if depth > 0:
            forms += ["({p} and {q})", "({p} or {q})", "1 <= {a} % 7 < 5"]
        return "(" + rng.choice(forms).format(a=a, b=b, f=self.float_(0), p=self.bool_(0), q=self.bool_(0)) + ")"

    def small(self) -> str:
        """A known integer that meets traced ones."""
        return self.rng.choice((f"({self.int_()}) % 97", f"int({self.float_()} * 1000) % 50", f"({self.int_()} & 31)"))

    def update(self) -> str:
        rng = self.rng
        if rng.random() < 0.15:
            return "odd = not odd"
        if (
            rng.random() < 0.1 and self.is_plain
        ):  # an int before the loop; `ag.range` computes in 32 bits where it is not alone
            return rng.choice(("q *= 0.75", "q += 0.1"))
        if rng.random() < 0.1:
            return "c, d['k'] = d['k'], (c + d['k']) % 10**9"
        if rng.random() < 0.6:
            name = rng.choice(self.ints)
            return (
                f"{name} = ({self.int_(1)}) % 10**10"
                if rng.random() < 0.4
                else f"{name} += {rng.choice(('1', '2', *self.indices))}"
            )
        name = rng.choice(self.floats)
        return rng.choice(
            (
                f"{name} += WEIGHTS[{self.int_(0)} % 5]",
                f"{name} += 0.1",
                f"{name} *= 0.75",
                f"{name} = ({self.float_(1)}) % 83.0",
                f"{name} += {self.int_(0)} % 5 * 0.01",
            )
        )

    def use(self) -> str:
        return self.rng.choice((
            f"p += a * ({self.small()})", f"p = p + ({self.small()})", f"ys[{self.small()} % 3] += {self.small()}",
            f"p += xs[{self.small()} % len(xs)]", f"out.append({self.small()})", f"out.append(p % 50 + {self.small()})",
            f"last = {self.int_(1)} % 10**9", f"p += b * {self.bool_()}", f"rate = {self.float_(1)}", "p += m % 13",
        ))  # fmt: skip

    def block(self, depth: int, count: int | None = None) -> list[str]:
        return [line for _ in range(count or self.rng.randint(1, 3)) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        rng = self.rng
        if rng.random() < 0.1:
            line = self.comprehension()
            return [line if not self.is_traced or not line.startswith(("out", "t ")) else "m += 1"]
        form = rng.random()
        if self.indices and form < 0.3 and not self.is_traced:
            return [self.update()]
        if form < 0.6 or depth == 0:
            line = self.use()
            return [
                line
                if self.indices and not self.is_traced or not line.startswith(("out", "last", "rate"))
                else "m += 1"
            ]
        if form < 0.75:
            grows = len(self.indices) == 1 and not self.is_traced  # a list may grow in iterations that are known

            def branch() -> str:
                return indent("\n".join(self.block(depth - 1) if grows else self.without_growth(depth)), "    ")

            lines = [f"if {self.bool_()}:", branch()]
            if rng.random() < 0.5:
                lines += ["else:", branch()]
            return lines
        if form < 0.83:
            before, self.is_traced = self.is_traced, True
            lines = [
                f"if p % {rng.randint(2, 5)} == {self.small()} % 2:",
                indent("\n".join(self.without_growth(depth)), "    "),
            ]
            self.is_traced = before
            return lines
        return self.loop(depth)

    def comprehension(self) -> str:
        """A list that is made by a comprehension, or what a generator is reduced to; known numbers decide the filters."""
        rng, outer = self.rng, len(self.indices)
        clauses = self.clauses(rng.randint(1, 2))
        element = rng.choice((
            f"a * ({self.small()})", f"p % 50 + {self.small()}", f"xs[{self.small()} % len(xs)]", f"xs[0] * {self.bool_()}",
            f"b - {self.int_(1)} % 97", f"sum([b * {self.indices[-1]}, {self.small()}])", self.small(),
        ))  # fmt: skip
        test = f"({element}) % 5 == {rng.randint(0, 5)}"
        known, made = f"{self.float_(1)} % 59.0", f"[{element} {clauses}]"
        listed = f"out += {made}" if self.is_plain else f"p += len({made})"
        del self.indices[outer:]
        return rng.choice((
            listed, f"p += sum([{element} {clauses}]) % 1009",
            f"p += sum({element} {clauses}) % 1009", f"p += sum({element} {clauses}) % 1009", f"p += any({test} {clauses})",
            f"p += all({test} {clauses})", f"p += max(({element} {clauses}), default=3) % 1009", self.matrix(),
            f"p += min(({element} {clauses}), default=b) % 1009", f"t = sum({known} {clauses}) % 83.0",
        ))  # fmt: skip

    def clauses(self, count: int) -> str:
        """The `for` clauses of a comprehension, with their filters; their variables are indices from then on."""
        rng, found = self.rng, []
        for name in "gh"[:count]:
            bounds = [f"{rng.randint(0, 6)}", f"1, {rng.randint(2, 7)}", f"{rng.randint(1, 6)}, 0, -1"]
            if self.indices:
                bounds += [f"{self.indices[-1]} % 4", f"{self.indices[-1]}, 4"]
            found.append(f"for {name} in range({rng.choice(bounds)})")
            self.indices.append(name)
            if rng.random() < 0.4:
                found.append(f"if {self.bool_()}")
        return " ".join(found)

    def matrix(self) -> str:
        """A list of rows, of which one number is used, or all."""
        rng, outer = self.rng, len(self.indices)
        rows, columns = rng.randint(2, 5), rng.randint(2, 5)
        self.indices += ["g", "h"]
        element = f"xs[g % len(xs)] * ({self.small()}) + a * h"
        del self.indices[outer:]
        made = f"[[{element} for h in range({columns})] for g in range({rows})]"
        return rng.choice((f"p += {made}[-1][1]", f"p += sum({made}[1])", f"p += np.array({made}).sum() % 1009"))

    def without_growth(self, depth: int) -> list[str]:
        """Statements of which a branch may consist: no list grows, and no variable is bound first."""
        return [line if not line.startswith(("out", "last", "rate")) else "m += 1" for line in self.block(depth - 1)]

    def loop(self, depth: int) -> list[str]:
        rng = self.rng
        index = "ijk"[len(self.indices)]
        bounds = rng.choice(("{n}", "{n}", "1, {n}", "{n}, 0, -1", "0, {m}, 2"))
        if self.indices and rng.random() < 0.4:
            bounds = rng.choice((
                "{i} % 4", "{i}", "{i}, {m}", "{i} * {i}, 20, {i} + 1", "{m}, {i}, -1", "{i} - 2, {i}", "{i}, {i} + 3",
                "{i} % 3, {i}", "{j}, {i}", "SIZES[{i} % 5]", "0, {m}, {i} % 2 + 1",
            ))  # fmt: skip
            bounds = bounds.replace("{i}", self.indices[-1]).replace("{j}", self.indices[0])
        text = bounds.format(n=rng.randint(1, 6), m=rng.randint(3, 9))
        head = rng.choice(
            (
                "for {i} in ag.range({t}):",
                "for {i} in range({t}):",
                "for {i} in range({t}):",
                "for {i}, z in zip(ag.range(5), xs):",
                "for {i} in reversed(range({t})):",
                "for m, {i} in enumerate(range({t})):",
            )
        )
        if not self.indices:
            self.is_plain = "in range(" in head
        self.indices.append(index)
        is_inner = len(self.indices) > 1
        body = self.block(depth - 1, rng.randint(2, 4))
        if is_inner:
            body = [line if not line.startswith(("out", "last", "rate")) else "m += 2" for line in body]
        if rng.random() < 0.15:
            body.insert(rng.randrange(len(body) + 1), f"if {self.bool_()}:\n    continue")
        ends = not self.is_traced
        self.indices.pop()
        if ends and rng.random() < 0.3:
            return self.while_loop(index, body)
        is_long = not is_inner or not any(other in text for other in "ijk")
        if ends and is_long and head.startswith("for {i} in range") and rng.random() < 0.4:
            late = f"{index} > {rng.randint(1, 4)}"
            if is_inner:
                late = f"{index} * 2 > {self.indices[-1]}"
            test = rng.choice(
                (late, f"{index} * {index} == 9", f"{index} % 4 == 3 and t < 40", "box.t > 1.5", "l[0] > 5")
            )
            if is_inner:
                test = rng.choice((late, f"{index} * {index} == 9"))
            jump = "break" if is_inner else rng.choice(("break", "break", "return p, m, c, out, ys"))
            body.insert(rng.randrange(len(body) + 1), f"if {test}:\n    {jump}")
            orelse = ["else:", "    m += 3"] if jump == "break" and rng.random() < 0.5 else []
            return [head.format(i=index, t=text), indent("\n".join(body), "    "), *orelse]
        return [head.format(i=index, t=text), indent("\n".join(body), "    ")]

    def while_loop(self, index: str, body: list[str]) -> list[str]:
        """A `while` whose test known numbers decide; the index counts its iterations, also behind a `continue`."""
        rng = self.rng
        n = self.indices[-1] if self.indices and rng.random() < 0.5 else str(rng.randint(2, 9))
        forms = [
            "while {i} < {n}:",
            "while {i} * {i} < {n} * 3:",
            "while ({i} < {n}) == True:",
            "while not {i} >= {n}:",
        ]
        if not self.indices:  # inside of another loop, one that changes what the test reads makes floats of 32 bits
            forms += [
                "while {i} < {n} and t < 60.0:", "while {i} < {n} and box.n < 40:", "while d['k'] < 60 and {i} < {n}:",
                "while {i} < {n} and l[1] < 5:", "while True:\n    if {i} >= {n}:\n        break",
            ]  # fmt: skip
        form = rng.choice(forms).format(i=index, n=n)
        return [f"{index} = {rng.randint(-2, 1)}", form, indent("\n".join([f"{index} += 1", *body]), "    ")]


def write(rng: random.Random) -> str:
    """One program."""
    writer = _Writer(rng)
    lines = [
        "p, m, c, t, odd, last, rate, q, u = a, 0, 0, 0.5, False, 0, 0.0, 1, np.float64(0.25)",
        "box, d, l, out, ys = Box(), {'k': 1}, [2, 0.25], [], xs * 0",
        *writer.loop(3),
        *(writer.loop(2) if rng.random() < 0.3 else ()),
        "floats = [int(n * 1000) for n in (t, rate, box.t, l[1], q, u)]",
        "return p, m, c, odd, last, box.n, d['k'], l[0], floats, out, ys",
    ]
    return f"{_HEADER}def program(a, b, x, xs):\n{indent(chr(10).join(lines), '    ')}\n"
