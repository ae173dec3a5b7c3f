"""A variable that is `None` at first and tested for it: its reads and tests go through operators.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(xs):
...     best = None
...     for x in xs:
...         if best is None or x > best:
...             best = x
...     return 0 if best is None else best
... ''', OptionalValues))
def f(xs):
    best = None
    for x in xs:
        if ag__.is_none(best) or x > ag__.some(best, 'best'):
            best = x
    return 0 if ag__.is_none(best) else ag__.some(best, 'best')

Which of the two it holds may be known only when the program runs. So `is None` may be a traced bool there, and a value may be read
only where a test has shown that there is one. No other name holds such a value, since `some` hands out the value itself.

A function may return either as well. It hears from its caller whether the result is tested (by a call that
`ControlFlow` writes), and whoever tests a result says so. A function that only returns what another one gives is converted
once more for such callers (`ConversionOptions.asked`), and hands the question on:

>>> print(show('''
... def f(xs, t):
...     i = find(xs, t)
...     return -1 if i is None else i
... ''', OptionalValues))
def f(xs, t):
    i = ag__.asking(find)(xs, t)
    return -1 if ag__.is_none(i) else ag__.some(i, 'i')

Of attributes those count that a function compares with `None` and sets to a number (`optional_attributes`).
Only a function's own variables count that it sets to `None`, or to such a result, and compares with `None`; the `is None` of a
parameter that has a default stays as it is. A variable whose truth alone is asked counts where its value is read, too:
`r = f(x)`, `if r: return r`. Before jumps and control flow: what is tested here is not known while Python traces.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection
from types import FunctionType
from typing import Any

import gast

from autograph.analyses import coverage
from autograph.analyses.completion import surely_leaves
from autograph.analyses.operators import is_operator, operands
from autograph.analyses.scopes import COMPREHENSIONS
from autograph.code import locations
from autograph.code.library import is_library
from autograph.code.nodes import PARTS, walk
from autograph.converters import builders
from autograph.converters.base import Node, StatementConverter, own_nodes
from autograph.converters.optional_attributes import attribute_of, number_attributes, read_optional
from autograph.converters.unbound_reads import around_and_within
from autograph.options import MISSING

_WITH_NONE = (gast.While, gast.For, gast.If, gast.Match, gast.IfExp, gast.Compare, gast.BoolOp)
"""What a function has that may return `None` or a value, except for one that returns `d.get(key)`."""


class OptionalValues(StatementConverter):
    """Finds the variables that may be `None` and rewrites their tests, reads and calls."""

    def convert(self, tree: Node) -> Node:
        self.asks = self.conversion.context.options.asked
        kinds = self.conversion.kinds
        if kinds.isdisjoint(_WITH_NONE) and "get" not in self.conversion.names:
            return tree
        tree = super().convert(tree)
        if gast.Lambda in kinds and (self.asks or gast.IfExp in kinds):
            found = list(walk(tree))
            made = {item for node in found if is_operator(node, self.alias) for item in operands(node)}
            for node in found:
                if isinstance(node, gast.Lambda) and node not in made:
                    self.convert_lambda(node)
        return tree

    def convert_function(self, function: Node) -> None:
        """Finds which variables may hold `None` or a value, and whether the function may return either; then rewrites its body."""
        if type(function.body) is not list or self.conversion.sees_frame(function):
            return
        nodes = own_nodes(function)
        self.attributes, self.in_own_frame = number_attributes(nodes, self.alias), True
        tested = [found for node in walk(function) if (found := self.tested(node)) is not None]
        own = self.may_hold_none(nodes) & (self.scope.locals | self.conversion.outcomes)
        names = own & {found.id for found in map(_variable, tested) if isinstance(found, gast.Name)}
        self.truths = truth_tests(function) if own or self.conversion.has_walrus else set()
        walruses = [found for found in self.truths if isinstance(found, gast.NamedExpr)]
        own |= {found.target.id for found in walruses if self.may_return_either(found.value)} & self.scope.locals
        found = {_variable(node).id for node in self.truths if not isinstance(node, gast.BoolOp)}
        found |= {node.values[0].id for node in nodes if own and self.has_default(node)}
        if truths := own & found:
            loads = (node for node in nodes if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load))
            read = {node.id for node in loads if node not in self.truths}
            names |= truths & (read | self.may_hold_none(nodes, calls=False))
        self.none_flag = ""
        returns = [node.value for node in nodes if isinstance(node, gast.Return)]
        returned = own & {value.id for value in returns if isinstance(value, gast.Name)}
        is_asked = self.conversion.context.options.asked or self.asks and function is not self.conversion.tree
        searches = set(filter(self.forwards if is_asked else self.may_find_none, returns))
        self.asks |= bool(names) or any(isinstance(found, gast.NamedExpr | gast.Call) for found in tested)
        if returns_either(function, nodes, names | returned, searches):
            self.none_flag = self.conversion.none_flags[function] = self.namer.fresh("asked")
            self.conversion.return_values.setdefault(function, set()).update(returned - names)
            self.close_covered(function)
        if names:
            self.conversion.optional.setdefault(function, set()).update(names)
        if self.none_flag:
            names |= returned
        if names or self.none_flag or any(isinstance(found, gast.Call | gast.Attribute) for found in tested):
            self.around: dict[Node, frozenset[str]] = {}
            function.body[:] = self.rewritten(function.body, frozenset(names))

    def close_covered(self, function: Node) -> None:
        """Ends a function whose tests cover every number: where none holds, there is no number."""
        chain = coverage.chain_at_end(function.body)
        if not (coverage.is_covering(chain) and all(surely_leaves(node.body) for node in chain)):
            return
        last = chain[-1]
        flag, name = builders.name(self.none_flag, last), gast.Constant(function.name, None)
        self.conversion.read_none_flags.add(self.none_flag)
        end = builders.operator(self.alias, "uncovered", [flag, locations.place(name, locations.position(last))], at=last)
        last.orelse = [locations.place(gast.Expr(end), locations.header(last))]

    def convert_lambda(self, function: Node) -> None:
        """`a if t else None` as the whole of a lambda, whose caller may test which; or a call, where callers test."""
        value = function.body
        if self.asks and self.may_return_either(value):
            self.announce_check(value, builders.operator(self.alias, "asked_for_none", [], at=value))
            return
        if not isinstance(value, gast.IfExp) or not _may_be_none(value) or self.conversion.static.holds(value.test):
            return
        if any(isinstance(node, gast.NamedExpr | gast.Await | gast.Yield | gast.YieldFrom) for node in walk(value)):
            return
        asked = builders.operator(self.alias, "asked_for_none", [], at=value)
        branches = [builders.thunk(branch, at=branch) for branch in (value.body, value.orelse)]
        function.body = builders.operator(self.alias, "either", [asked, value.test, *branches], at=value)

    def may_hold_none(self, nodes: list[Node], calls: bool = True) -> set[str]:
        """Returns the names that these nodes set to `None`, or (with `calls`) to what a function may return as such."""
        found: set[str] = set()
        pending = [(node.targets, node.value) for node in nodes if isinstance(node, gast.Assign)]
        walruses = [test for node in nodes if isinstance(test := self.tested(node), gast.NamedExpr)]
        pending += [([node.target], node.value) for node in walruses]
        while pending:
            targets, value = pending.pop()
            for target in targets:
                if isinstance(target, gast.Name) and (_may_be_none(value) or calls and self.may_return_either(value)):
                    found.add(target.id)
                elif isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple):
                    pending += [([one], part) for one, part in zip(target.elts, value.elts)]
        return found

    def may_return_either(self, node: Node) -> bool:
        """Whether it calls what may be a function of the user's, which returns `None` or a value if its caller tests which."""
        if not isinstance(node, gast.Call) or is_operator(node, self.alias) or not self.conversion.context.recursive:
            return False
        if self.conversion.static.is_builtin(node.func, builtins.next):
            return len(node.args) == 2 and self.is_search(node.args[0])
        meaning = self.conversion.meaning(node.func)
        is_get = type(getattr(meaning, "__self__", None)) is dict and meaning.__name__ == "get"
        is_users = type(meaning) is FunctionType and not is_library(meaning)
        return meaning is MISSING or is_get or is_users or hasattr(type(meaning), "get_concrete_function")  # of `ag.function`

    def forwards(self, value: Node) -> bool:
        """Whether a function returns what another one gives it, by `return value`."""
        if isinstance(value, gast.IfExp):
            return self.forwards(value.body) or self.forwards(value.orelse)
        return self.may_find_none(value) or self.may_return_either(value)

    def is_search(self, items: Node) -> bool:
        """Whether `next` of it may be a loop: a generator, or what `filter` gives."""
        if isinstance(items, gast.Call):
            return self.conversion.static.is_builtin(items.func, builtins.filter)
        return isinstance(items, gast.GeneratorExp)

    def may_find_none(self, node: Node) -> bool:
        """Whether it is `next(..., None)` of a search, or `d.get(key)`."""
        if not isinstance(node, gast.Call) or is_operator(node, self.alias) or not all(map(_is_none, node.args[1:])):
            return False
        if isinstance(node.func, gast.Attribute):
            return node.func.attr == "get" and len(node.args) in (1, 2) and self.may_return_either(node)
        is_next = len(node.args) == 2 and self.conversion.static.is_builtin(node.func, builtins.next)
        return is_next and self.is_search(node.args[0])

    def tested(self, node: Node) -> Node | None:
        """Returns what `... is None` or `... is not None` tests: a name, a walrus of one, or a call; None for anything else."""
        if isinstance(node, gast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], gast.Is | gast.IsNot):
            if _is_none(node.comparators[0]):
                left = node.left
                if isinstance(left, gast.Name | gast.NamedExpr) or self.may_return_either(left) or self.is_optional(left):
                    return left
        return None

    def is_optional(self, node: Node) -> bool:
        """Whether it is an attribute that the function tests for `None`, and sets to a number."""
        return self.in_own_frame and attribute_of(node) in self.attributes

    def rewritten(self, nodes: list[Any], names: frozenset[str]) -> list[Any]:
        return [self.rewrite(node, names) if isinstance(node, gast.AST) else node for node in nodes]

    def rewrite(self, node: Node, names: frozenset[str]) -> Node:
        """Returns the node with the reads and tests of these variables of the function replaced."""
        names = self.around.pop(node, names)
        if not (names or self.in_own_frame):
            return node
        if is_operator(node, self.alias) and node.func.attr in ("touch", "some"):
            return node  # names a variable, or reads it by this pass
        if node in self.truths and _is_one_of(_variable(node), names):
            if isinstance(node, gast.NamedExpr):
                self.announce_check(node.value)
                node.value = self.rewrite(node.value, names)
            return builders.operator(self.alias, "is_some", [node], at=node)
        if self.has_default(node) and _is_one_of(node.values[0], names):
            node = self.with_default(node)
        if isinstance(node, gast.Attribute) and isinstance(node.ctx, gast.Load) and self.is_optional(node):
            return self.value(node)
        if isinstance(node, gast.Name):
            return self.value(node) if node.id in names and isinstance(node.ctx, gast.Load) else node
        if isinstance(node, gast.Assign):
            node = self.as_if(node, names)
            if isinstance(node, gast.Assign) and len(node.targets) == 1:
                self.announce_checks(node.targets[0], node.value, names)
        elif isinstance(node, gast.Return) and self.none_flag and self.in_own_frame:
            node = self.returning(node, names)
        test = self.test(node, names)
        if test is not None:
            return test
        if node in self.conversion.scopes:
            return self.scope_inside(node, names)
        return self.parts(node, names)

    def scope_inside(self, node: Node, names: frozenset[str]) -> Node:
        """Visits a comprehension, a nested function or a class."""
        scope = self.conversion.scopes.of(node)
        self.around.update((part, names) for part in around_and_within(node)[0])
        names &= scope.free - scope.bound if scope.is_class else scope.free
        if written := names & scope.nonlocals:
            self.conversion.optional.setdefault(node, set()).update(written)
        outer, self.in_own_frame = self.in_own_frame, self.in_own_frame and isinstance(node, COMPREHENSIONS)
        self.parts(node, names)
        self.in_own_frame = outer
        return node

    def parts(self, node: Node, names: frozenset[str]) -> Node:
        for field in PARTS[type(node)]:
            part = getattr(node, field, None)
            if type(part) is list:
                part[:] = self.rewritten(part, names)
            elif isinstance(part, gast.AST):
                setattr(node, field, self.rewrite(part, names))
        return node

    def test(self, node: Node, names: frozenset[str]) -> Node | None:
        """`is_none(x)` for `x is None`, where it may be a traced bool."""
        tested = self.tested(node)
        if tested is None:
            return None
        if isinstance(tested, gast.Attribute):
            tested = read_optional(tested, self.alias)
        elif isinstance(tested, gast.Call):
            if not self.in_own_frame:
                return None
            self.announce_check(tested)
            self.parts(tested, names)
        elif not _is_one_of(_variable(tested), names):
            return None
        elif isinstance(tested, gast.NamedExpr):
            self.announce_check(tested.value)
            tested.value = self.rewrite(tested.value, names)
        test = builders.operator(self.alias, "is_none", [tested], at=node)
        return test if isinstance(node.ops[0], gast.Is) else builders.operator(self.alias, "not_", [test], at=node)

    def announce_checks(self, target: Node, value: Node, names: frozenset[str]) -> None:
        """Announces a test for `None` where a result goes to one of these variables."""
        if _is_one_of(target, names):
            self.announce_check(value)
        elif isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple) and len(target.elts) == len(value.elts):
            for one, part in zip(target.elts, value.elts):
                self.announce_checks(one, part, names)

    def announce_check(self, call: Node, *flag: Node) -> None:
        """Makes a call, if it is one, tell the function that its result is tested for `None`."""
        if self.may_return_either(call):
            call.func = builders.operator(self.alias, "asking", [call.func, *flag], at=call.func)

    def returning(self, node: Node, names: frozenset[str]) -> Node:
        """Converts a `return` of a function that may return `None` or a value: its caller may test which."""
        value = node.value
        flag = builders.name(self.none_flag, node)
        if isinstance(value, gast.IfExp) and (_may_be_none(value) or self.forwards(value)):
            text = "if $test:\n    return $body\nelse:\n    return $orelse"
            return self.statements(text, at=node, test=value.test, body=value.body, orelse=value.orelse)[0]
        if _is_one_of(value, names):
            node.value = self.value(value, flag)
            self.conversion.read_none_flags.add(self.none_flag)
        elif self.may_return_either(value):
            self.announce_check(value, flag)
            self.conversion.read_none_flags.add(self.none_flag)
        return node

    def as_if(self, node: Node, names: frozenset[str]) -> Node:
        """`x = a if t else None` as an `if`, whose branches leave the variable, which may be `None`."""
        [target, *others], value = node.targets, node.value
        if others or not isinstance(target, gast.Name) or target.id not in names:
            return node
        if not isinstance(value, gast.IfExp) or not _may_be_none(value):
            return node
        text = "if $test:\n    $x = $body\nelse:\n    $x = $orelse"
        return self.statements(text, at=node, test=value.test, x=target.id, body=value.body, orelse=value.orelse)[0]

    def has_default(self, node: Node) -> bool:
        """Whether it is the value of `x or a`."""
        is_or = isinstance(node, gast.BoolOp) and isinstance(node.op, gast.Or)
        return is_or and isinstance(node.values[0], gast.Name) and node not in self.truths

    def with_default(self, node: Node) -> Node:
        """`x or a` as `x if x else a`, where `x` may be `None`."""
        first, *others = node.values
        self.truths.add(first)
        read = locations.place(gast.Name(first.id, gast.Load(), None, None), locations.position(first))
        rest = others[0] if len(others) == 1 else locations.place(gast.BoolOp(node.op, others), locations.position(node))
        return locations.place(gast.IfExp(first, read, rest), locations.position(node))

    def value(self, node: Node, *flag: Node) -> Node:
        """`some(x, 'x')` for `x`."""
        name = node.id if isinstance(node, gast.Name) else ".".join(attribute_of(node))
        text = locations.place(gast.Constant(name, None), locations.position(node))
        return builders.operator(self.alias, "some", [read_optional(node, self.alias), text, *flag], at=node)


def _variable(tested: Node) -> Node:
    return tested.target if isinstance(tested, gast.NamedExpr) else tested



def truth_tests(function: Node) -> set[Node]:
    """Returns the names, and walruses of names, whose truth a function asks for; and the `and`s and `or`s that are only tests."""
    found: set[Node] = set()
    pending: list[Node] = []
    for node in walk(function):
        if isinstance(node, gast.If | gast.While | gast.IfExp | gast.Assert):
            pending.append(node.test)
        elif isinstance(node, gast.comprehension):
            pending += node.ifs
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            pending.append(node.operand)
    while pending:
        node = pending.pop()
        if isinstance(node, gast.BoolOp):
            pending += node.values
        if isinstance(node, gast.BoolOp | gast.Name | gast.NamedExpr):
            found.add(node)
    return found


def _is_one_of(node: Node, names: Collection[str]) -> bool:
    return isinstance(node, gast.Name) and node.id in names


def returns_either(function: Node, nodes: list[Node], names: Collection[str], calls: Collection[Node]) -> bool:
    """Whether a function may return `None` or a value, by its source; `names` may hold `None`, and `calls` give it."""
    values = [node.value for node in nodes if isinstance(node, gast.Return)]
    if all(value is None or _is_none(value) for value in values) or isinstance(function, gast.AsyncFunctionDef):
        return False
    if any(isinstance(node, gast.Yield | gast.YieldFrom) for node in nodes):
        return False
    if not surely_leaves(function.body):
        return True
    return any(value is None or value in calls or _may_be_none(value) or _is_one_of(value, names) for value in values)


def _is_none(node: Node) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


def _may_be_none(node: Node) -> bool:
    """Whether an expression is `None`, or is that in one branch of it."""
    if isinstance(node, gast.IfExp):
        return _may_be_none(node.body) or _may_be_none(node.orelse)
    return _is_none(node)
