"""Guards that leave early, and variables that change their kind where nobody reads them afterwards.

A variable is rebound to a value of another shape, structure or type in a branch, before or after a jump; it is read only
where every path to the reader has left one kind of value in it.

>>> text = "".join(write(random.Random(k)) for k in range(9))
>>> "return" in text, "continue" in text, "match" in text
(True, True, True)
"""

from __future__ import annotations

import random
from collections.abc import Callable

_MAKE = {
    "int": ["({v}) % 50", "({v}) + 1", "({v}) * 2 % 31"],
    "list": ["[{v}, {w}]", "[0, {v}]"],
    "one": ["[{v}]"],
    "tuple": ["({v}, {w})", "(1, {v})"],
    "dict": ["{{'k': {v}}}"],
    "text": ["str(len(xs))"],
    "name": ["f'n{{len(xs)}}'"],
    "array": ["xs + {v}", "xs * ({v})"],
    "half": ["xs[:2] * ({v})", "xs[2:]"],
    "matrix": ["xs.reshape(2, 2) + {v}"],
    "none": ["None"],
}
_READ = {
    "int": ["{n}", "{n} % 7"],
    "list": ["{n}[0]", "sum({n})", "{n}[-1]"],
    "one": ["{n}[0]", "len({n})"],
    "tuple": ["{n}[0]", "{n}[1]"],
    "dict": ["{n}['k']"],
    "text": ["len({n})"],
    "name": ["len({n})"],
    "array": ["{n}.sum()", "{n}[0]", "{n}.shape[0]"],
    "half": ["{n}.sum()", "{n}[1]"],
    "matrix": ["{n}.sum()", "{n}[1, 0]", "({n}.T @ {n})[0, 0]"],
    "none": ["({n} is None)"],
}
Scope = dict[str, str]
"""The kind of value that each name holds; a name that is missing must not be read."""


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.names = ["u", "v", "w", "a"]
        self.loops = 0

    def value(self, scope: Scope) -> str:
        name = self.rng.choice([*scope, "b"])
        read = self.rng.choice(_READ[scope[name]]).format(n=name) if name in scope else "b"
        return self.rng.choice([read, read, f"{read} + b", "c", str(self.rng.randint(0, 5))])

    def test(self, scope: Scope) -> str:
        traced = self.rng.choice(["b", "c", "x", f"({self.value(scope)})"])
        return f"{traced} {self.rng.choice(['>', '<', '>='])} {self.rng.randint(-2, 8)}"

    def block(self, scope: Scope, indent: str, depth: int, loop: Loop | None) -> None:
        for _ in range(self.rng.randint(2, 4)):
            kinds: list[Callable[..., None]] = [self.rebind, self.count]
            if depth and len(self.lines) < 40:
                kinds += [self.guard, self.guard, self.choose, self.choose] + [self.loop] * (self.loops < 2)
            self.rng.choice(kinds)(scope, indent, depth, loop)

    def rebind(self, scope: Scope, indent: str, depth: int, loop: Loop | None) -> None:
        """Binds a name to a value of any kind; one whose kind the loop's next iteration relies on keeps it."""
        name = self.rng.choice(self.names)
        kind = loop.kinds[name] if loop is not None and name in loop.kinds else self.rng.choice(sorted(_MAKE))
        text = self.rng.choice(_MAKE[kind]).format(v=self.value(scope), w=self.value(scope))
        if loop is not None and name in loop.kinds and kind in ("tuple", "dict"):
            return
        self.lines.append(f"{indent}{name} = {text}")
        scope[name] = kind

    def count(self, scope: Scope, indent: str, depth: int, loop: Loop | None) -> None:
        self.lines.append(f"{indent}c = (c + {self.value(scope)}) % 97")

    def guard(self, scope: Scope, indent: str, depth: int, loop: Loop | None) -> None:
        """`if test:` and a jump, with more in front of the jump."""
        self.lines.append(f"{indent}if {self.test(scope)}:")
        inner = dict(scope)
        jump = self.rng.choice(["return", "return", *([] if loop is None else ["break", "continue"])])
        self.few(inner, indent + "    ", None if jump == "return" else loop)
        self.lines.append(f"{indent}    {jump}{f' ({self.value(inner)}) + 100' if jump == 'return' else ''}")

    def few(self, scope: Scope, indent: str, loop: Loop | None) -> None:
        for _ in range(self.rng.randint(0, 2)):
            self.rng.choice([self.rebind, self.rebind, self.count])(scope, indent, 0, loop)

    def choose(self, scope: Scope, indent: str, depth: int, loop: Loop | None) -> None:
        """`if`, `elif`, `else` or `match`, some of whose branches return."""
        before, after = dict(scope), []
        is_match = self.rng.random() < 0.2
        count = self.rng.randint(1, 3)
        if is_match:
            self.lines.append(f"{indent}match b % 4:")
            heads = [*(f"    case {k}:" for k in range(count)), "    case _:"]
        else:
            heads = [f"if {self.test(before)}:", *(f"elif {self.test(before)}:" for _ in range(count - 1)), "else:"]
        has_else = is_match or self.rng.random() < 0.7
        for head in heads if has_else else heads[:-1]:
            self.lines.append(f"{indent}{head}")
            inner, deeper = dict(before), indent + ("        " if is_match else "    ")
            start = len(self.lines)
            returns = self.rng.random() < 0.3
            if self.rng.random() < 0.3:
                self.block(inner, deeper, depth - 1, loop)
            else:
                self.few(inner, deeper, None if returns else loop)
            if returns:
                self.lines.append(f"{deeper}return ({self.value(inner)}) + 200")
            else:
                after.append(inner)
                if len(self.lines) == start:
                    self.lines.append(f"{deeper}pass")
        _join(scope, after if has_else else [*after, before])

    def loop(self, scope: Scope, indent: str, depth: int, loop: Loop | None) -> None:
        """A loop; what its iterations hand on keeps its kind, the other names are read only where they are written."""
        self.loops += 1
        i = f"i{self.loops}"
        before = dict(scope)
        inner = {name: kind for name, kind in scope.items() if self.rng.random() < 0.5}
        if loop is not None:
            inner |= {name: kind for name, kind in loop.kinds.items() if name in scope}
        own = Loop({**(loop.kinds if loop is not None else {}), **inner})
        head = self.rng.choice([f"for {i} in ag.range(3):", f"for {i} in xs:", f"while {i} < b % 4:"])
        if head.startswith("while"):
            self.lines += [f"{indent}{i} = 0", f"{indent}{head}", f"{indent}    {i} += 1"]
        else:
            self.lines.append(f"{indent}{head}")
        self.lines.append(f"{indent}    c = (c + {i}) % 97")
        self.block(inner, indent + "    ", depth - 1, own)
        for name in self.names:
            if name not in own.kinds or name not in before:
                scope.pop(name, None)


class Loop:
    """The kinds of the names that a loop hands from one iteration to the next."""

    def __init__(self, kinds: Scope) -> None:
        self.kinds = kinds


def _join(scope: Scope, after: list[Scope]) -> None:
    """What may be read after several branches: a name that all those that go on leave with one kind."""
    if not after:
        return  # what follows is never reached
    scope.clear()
    scope |= {name: kind for name, kind in after[0].items() if all(s.get(name) == kind for s in after)}


def write(rng: random.Random) -> str:
    """One program: guards, branches that return, and names whose kind changes, in a function or in one that it calls."""
    writer = _Writer(rng)
    scope: Scope = {"a": "int"}
    writer.lines.append("    c = 0")
    writer.block(scope, "    ", 3, None)
    writer.guard(scope, "    ", 1, None)
    writer.rebind(scope, "    ", 0, None)
    body = [*writer.lines, f"    return c + {writer.value(scope)}"]
    if rng.random() < 0.2:
        return _closing(rng)
    if rng.random() < 0.3:
        body = ["def helper(a, b, x, xs):", *body, "", "def program(a, b, x, xs):", *_CALLER]
        return "\n".join(body)
    return "\n".join(["def program(a, b, x, xs):", *body, ""])


def _closing(rng: random.Random) -> str:
    """One program whose guards stand before closures, which are gone when the function returns."""
    reads = [
        "sum(t * {n}[0] for t in {n})",
        "max(range(2), key=lambda i: {n}[i])",
        "(lambda k: {n}[k])(1)",
        "sum(map(lambda t: t + {n}[1], {n}))",
        "[f() for f in [lambda: {n}[0]]][0]",
        "{n}[0]",
    ]
    lines = ["def program(a, b, x, xs):", "    v = xs"]
    for _ in range(rng.randint(1, 3)):
        read = rng.choice(reads).format(n="v")
        lines += [
            f"    if {rng.choice('abx')} {rng.choice('<>')} {rng.randint(-2, 8)}:",
            *rng.choice([[], ["        v = [b, a]"], ["        v = xs[1:] * v[0]"], ["        v = v[:2]"]]),
            f"        return {rng.choice([read, 'b'])}",
            rng.choice(["    v = xs[:2] + a", "    v = [v[0], v[1], b]", "    v = (a, v[1])"]),
        ]
    lines += rng.choice([[], ["    def inner(k):", "        return v[1] + k", "    b = b + inner(a)"]])
    return "\n".join([*lines, f"    return {rng.choice(reads).format(n='v')}", ""])


_CALLER = [
    "    r = helper(a, b, x, xs)",
    "    if r > 20:",
    "        xs = xs.sum()",
    "        return xs + r",
    "    return helper(b, a, x, xs) + r",
    "",
]
