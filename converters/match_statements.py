"""`match` becomes a chain of `if`s.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     match x:
...         case 0 | 1:
...             return 'small'
...         case n if n > 9:
...             return n
...         case ['add', 2, y]:
...             return y
... ''', MatchStatements))
def f(x):
    if x == 0 or x == 1:
        return 'small'
    else:
        n = x
        if n > 9:
            return n
        else:
            match x:
                case [part, part_1, part_2]:
                    match_ = part == 'add' and part_1 == 2
                case _:
                    match_ = False
            if match_:
                y = part_2
                return y

Values are compared as `if` compares, so they may be traced, and a traced number may be an `int()` or `int(n)`. The structure
of a subject never is traced: sequences, mappings and classes are taken apart by Python's own `match`, which captures their
parts; values among them are compared afterwards. Strings in a function that calls itself are compared by Python's own `match`:
it walks over a tree that is known, and an `if` for each case would make the stack as many times deeper.
Names are bound when the whole pattern has matched and before the guard, as in Python.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import gast

from autograph.analyses import native_calls
from autograph.analyses.effects import Effects
from autograph.analyses.nativeness import suspends
from autograph.code import locations
from autograph.converters import builders
from autograph.converters.base import Node, StatementConverter, own_nodes

Bindings = list[tuple[str, Node]]


class MatchStatements(StatementConverter):
    """Writes a `match` as tests of its patterns, each with the assignments of what it captures."""

    def convert_function(self, function: Node) -> None:
        if not self.conversion.sees_frame(function):
            called = (node.func for node in own_nodes(function) if isinstance(node, gast.Call))
            names = {getattr(func, "attr", None) or getattr(func, "id", None) for func in called}
            self.is_recursive = getattr(function, "name", None) in names
            super().convert_function(function)

    def visit_Match(self, node: Node) -> Any:
        self.inside(node)
        if suspends(node.cases):
            return node
        before: list[Node] = []
        subject = node.subject
        node = _Opened(self.holds_itself).visit(node)
        bound = Effects(self.alias).of([[case.pattern, case.guard] for case in node.cases]).writes
        if not isinstance(subject, gast.Name) or subject.id in bound:
            name = self.namer.fresh("subject")
            before = [builders.assign(name, subject, at=node)]
            subject = builders.name(name)
        self.subject, self.match = subject.id, ""
        self.strings_are_known = self.is_recursive and not isinstance(node.subject, gast.Tuple | gast.List | gast.Dict)
        chain: list[Node] = []
        for case in reversed(node.cases):
            chain = self.case(case, chain)
        return [*before, *chain]

    def case(self, case: Node, others: list[Node]) -> list[Node]:
        """Returns the statements for one case and all that follow it."""
        pattern, at = case.pattern, case.pattern
        simple = self.simple(pattern)
        if simple is None:
            return self.structural(case, others)
        test, names = simple
        bind = [self.assign(name, builders.name(self.subject, at), at) for name in names]
        if test is None:
            return [*bind, *([self.choice(case.guard, case.body, others, case.guard)] if case.guard else case.body)]
        if case.guard is None:
            return [self.choice(test, [*bind, *case.body], others, at)]
        if not bind:
            both = locations.place(gast.BoolOp(gast.And(), [test, case.guard]), locations.position(at))
            return [self.choice(both, case.body, others, at)]
        match = self.match_name()
        return [
            self.choice(
                test, [*bind, self.assign(match, case.guard, at)], [self.assign(match, self.false(at), at)], at
            ),
            self.choice(builders.name(match, at), [*self.again(case.guard, bind), *case.body], others, at),
        ]

    def structural(self, case: Node, others: list[Node]) -> list[Node]:
        at = case.pattern
        names: Bindings = []
        if case.guard is None and not self.has_values(case.pattern):
            match others:
                case []:
                    rest = []
                case [gast.Match(subject=gast.Name(id=self.subject))]:  # the next case is a Python one as well
                    rest = others[0].cases
                case _:
                    rest = [self.branch(gast.MatchAs(None, None), others, at)]
            made = gast.Match(builders.name(self.subject, at), [self.branch(case.pattern, case.body, at), *rest])
            return [locations.place(made, locations.header(at))]
        made = self.attempt(case.pattern, names)
        bind = [self.assign(name, value, at) for name, value in names]
        test = self.match_name()
        if case.guard is None:
            return [*made, self.choice(builders.name(test, at), [*bind, *case.body], others, at)]
        made.append(self.choice(builders.name(test, at), [*bind, self.assign(test, case.guard, case.guard)], [], at))
        return [*made, self.choice(builders.name(test, at), [*self.again(case.guard, bind), *case.body], others, at)]

    def again(self, guard: Node, bind: list[Node]) -> list[Node]:
        """Returns the bindings once more, for the branch behind a guard: there they are seen to be bound.

        Not those that the guard itself, or a closure that it calls, may have written.
        """
        scope = self.conversion.scopes.of(self.function)
        changed = scope.captured | scope.nonlocals | scope.globals | Effects(self.alias).of(guard).writes
        return [copy.deepcopy(node) for node in bind if changed.isdisjoint((node.targets[0].id, node.value.id))]

    def attempt(self, pattern: Node, names: Bindings, into: dict[str, str] | None = None) -> list[Node]:
        """Returns statements that set `match_`; `names` gets what the pattern binds if it matches.

        With `into`, one of several alternatives: the variables named there get it as soon as the structure matches.
        """
        match = self.match_name()
        pattern = self.spread(pattern)
        if isinstance(pattern, gast.MatchOr) and self.test(pattern, self.subject) is None:
            made: list[Node] = []
            if into is None:
                into = {name: self.namer.fresh("part") for name in sorted(Effects(self.alias).of(pattern).writes)}
                names.extend((name, builders.name(part, pattern)) for name, part in into.items())
            for item in pattern.patterns:
                tried = self.attempt(item, [], into)
                made = (
                    [*made, self.choice(self.expression("not $match", at=item, match=match), tried, [], item)]
                    if made
                    else tried
                )
            return made
        simple = self.simple(pattern)
        if simple is not None:
            test, captured = simple
            names.extend((name, builders.name(self.subject, pattern)) for name in captured)
            kept = [] if into is None else [self.assign(into[name], value, pattern) for name, value in names]
            return [*kept, self.assign(match, test or self.expression("True", at=pattern), pattern)]
        tests: list[Node] = []
        native = self.native(pattern, names, tests)
        outcome = self.expression("True", at=pattern) if not tests else tests[0]
        if len(tests) > 1:
            outcome = locations.place(gast.BoolOp(gast.And(), tests), locations.position(pattern))
        matched, failed = self.assign(match, outcome, pattern), self.assign(match, self.false(pattern), pattern)
        kept = [] if into is None else [self.assign(into[name], value, pattern) for name, value in names]
        cases = [
            self.branch(native, [*kept, matched], pattern),
            self.branch(gast.MatchAs(None, None), [failed], pattern),
        ]
        return [locations.place(gast.Match(builders.name(self.subject, pattern), cases), locations.position(pattern))]

    def has_values(self, pattern: Node) -> bool:
        """Whether a pattern compares something that may be traced."""
        return any(
            isinstance(item.value, bool)
            if isinstance(item, gast.MatchSingleton)
            else not (self.strings_are_known and _is_string(item.value))
            for item in gast.walk(pattern)
            if isinstance(item, gast.MatchValue | gast.MatchSingleton)
        ) or any(map(self.is_number, gast.walk(pattern)))

    def is_number(self, pattern: Node) -> bool:
        """Whether a pattern is `int()`, `float(0.5)`, `numbers.Real()` or of an unknown class, which a traced number may match."""
        if not isinstance(pattern, gast.MatchClass) or self.test(pattern, self.subject) is None:
            return False
        return native_calls.may_tell_numbers(pattern.cls, self.conversion.meaning)

    def holds_itself(self, pattern: Node) -> bool:
        """Whether a pattern is `int(...)` or `float(...)` with a pattern for the number: it has no parts."""
        return len(pattern.patterns) == 1 and not pattern.kwd_patterns and self.conversion.meaning(pattern.cls) in (int, float)

    # --- patterns ---

    def simple(self, pattern: Node) -> tuple[Node | None, list[str]] | None:
        """Returns a test of the subject (None: always true) and the names it gets, for a pattern that looks at no part of it."""
        match pattern:
            case gast.MatchAs(pattern=None):
                return None, [pattern.name] if pattern.name else []
            case gast.MatchAs():
                inner = self.simple(pattern.pattern)
                return None if inner is None else (inner[0], [*inner[1], pattern.name])
        test = self.test(pattern, self.subject)
        return None if test is None else (test, [])

    def test(self, pattern: Node, subject: str) -> Node | None:
        """Returns the comparison that a value pattern means, or the test of a class; None for other patterns."""
        spot = locations.position(pattern)
        match pattern:
            case gast.MatchValue():
                compare = gast.Compare(builders.name(subject), [gast.Eq()], [pattern.value])
                return locations.place(compare, spot)
            case gast.MatchSingleton():
                constant = gast.Constant(pattern.value, None)
                return locations.place(gast.Compare(builders.name(subject), [gast.Is()], [constant]), spot)
            case gast.MatchClass(patterns=[], kwd_patterns=[]) if self.conversion.resolve("isinstance") is isinstance:
                call = gast.Call(builders.name("isinstance"), [builders.name(subject), pattern.cls], [])
                return locations.place(call, spot)
            case gast.MatchClass(patterns=[inner]) if self.holds_itself(pattern):
                whole = locations.place(gast.MatchClass(pattern.cls, [], [], []), spot)
                tests = [self.test(item, subject) for item in (whole, inner)]
                if all(item is not None for item in tests):
                    return locations.place(gast.BoolOp(gast.And(), tests), spot)
            case gast.MatchOr():
                tests = [self.test(item, subject) for item in pattern.patterns]
                if all(item is not None for item in tests):
                    return locations.place(gast.BoolOp(gast.Or(), tests), spot)
        return None

    def native(self, pattern: Node, names: Bindings, tests: list[Node]) -> Node:
        """Returns the pattern with its names and values replaced by captures of temporaries."""
        match pattern:
            case gast.MatchSingleton() if pattern.value is None:
                return pattern
            case gast.MatchValue() if self.strings_are_known and _is_string(pattern.value):
                return pattern
            case gast.MatchAs(pattern=None, name=None) | gast.MatchStar(name=None):
                return pattern
            case gast.MatchAs():
                inner = pattern.pattern and self.native(pattern.pattern, names, tests)
                return locations.place(
                    gast.MatchAs(inner, self.part(pattern.name, names, pattern)), locations.position(pattern)
                )
            case gast.MatchStar():
                return locations.place(
                    gast.MatchStar(self.part(pattern.name, names, pattern)), locations.position(pattern)
                )
            case gast.MatchMapping():
                pattern.patterns = [self.native(item, names, tests) for item in pattern.patterns]
                pattern.rest = pattern.rest and self.part(pattern.rest, names, pattern)
            case gast.MatchSequence():
                pattern.patterns = [self.native(item, names, tests) for item in pattern.patterns]
            case gast.MatchClass() if not self.is_number(pattern):
                pattern.patterns = [self.native(item, names, tests) for item in pattern.patterns]
                pattern.kwd_patterns = [self.native(item, names, tests) for item in pattern.kwd_patterns]
            case _:
                part = self.temporary()
                test = self.test(pattern, part)
                assert test is not None, "structures on both sides of an inner `|` are spread out before"
                tests.append(test)
                return locations.place(gast.MatchAs(None, part), locations.position(pattern))
        return pattern

    def spread(self, pattern: Node) -> Node:
        """`[a, [1] | [2]]` as `[a, [1]] | [a, [2]]`: an inner `|` between structures becomes an outer one."""
        for item in gast.walk(pattern):
            if isinstance(item, gast.MatchOr) and item is not pattern and self.test(item, self.subject) is None:
                copies = (copy.deepcopy(pattern, {id(item): copy.deepcopy(option)}) for option in item.patterns)
                options = [self.spread(each) for each in copies]
                return locations.place(gast.MatchOr(options), locations.position(pattern))
        return pattern

    def part(self, name: str, names: Bindings, at: Node) -> str:
        """Returns a temporary for a captured name."""
        part = self.temporary()
        names.append((name, builders.name(part, at)))
        return part

    # --- nodes ---

    def match_name(self) -> str:
        self.match = self.match or self.namer.fresh("match_")
        return self.match

    def temporary(self) -> str:
        """Makes a variable that is read only behind the `match` that sets it, if that matched."""
        name = self.namer.fresh("part")
        self.conversion.transient.add(name)
        return name

    def branch(self, pattern: Node, body: list[Node], at: Node) -> Node:
        return locations.place(gast.match_case(pattern, None, body), locations.header(at))

    def choice(self, test: Node, body: list[Node], orelse: list[Node], at: Node) -> Node:
        return locations.place(gast.If(test, body, orelse), locations.header(at))

    def assign(self, name: str, value: Node, at: Node) -> Node:
        return builders.assign(name, value, at=at)

    def false(self, at: Node) -> Node:
        return self.expression("False", at=at)


class _Opened(gast.NodeTransformer):
    """Writes `int(n)` as `int() as n`, and `int(0 | n)` as `int(0) | int() as n`, which they mean."""

    def __init__(self, holds_itself: Callable[[Node], bool]) -> None:
        self.holds_itself = holds_itself

    def visit_MatchClass(self, node: Node) -> Node:
        self.generic_visit(node)
        return self.opened(node.cls, node.patterns[0], node) if self.holds_itself(node) else node

    def opened(self, kind: Node, inner: Node | None, at: Node) -> Node:
        match inner:
            case gast.MatchAs(name=str(name)):
                made = gast.MatchAs(self.opened(kind, inner.pattern, at), name)
            case gast.MatchOr():
                made = gast.MatchOr([self.opened(kind, item, at) for item in inner.patterns])
            case None | gast.MatchAs():
                made = gast.MatchClass(kind, [], [], [])
            case _:
                made = gast.MatchClass(kind, [inner], [], [])
        return locations.place(made, locations.position(at))


def _is_string(node: Node) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, str | bytes)
