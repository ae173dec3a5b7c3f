"""A variable that is `None` at first and tested for it: its reads and tests go through operators.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(xs):
...     best = None
...     for x in xs:
...         if best is None or x > best:
...             best = x
...     return best
... ''', OptionalValues))
def f(xs):
    best = None
    for x in xs:
        if ag__.is_none(best) or x > ag__.some(best, 'best'):
            best = x
    return ag__.some(best, 'best')

Which of the two it holds may be known only when the program runs. So `is None` may be a traced bool there, and a value may be read
only where a test has shown that there is one. No other name holds such a value, since `some` hands out the value itself.

Only a function's own variables count that it sets to `None` and compares with `None`; the `is None` of a parameter that has a
default stays as it is. Before jumps and control flow: what is tested here is not known while Python traces.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph import locations
from autograph.analyses.operators import is_operator
from autograph.converters import pieces
from autograph.converters.base import Node, StatementConverter, own_nodes
from autograph.converters.unbound_reads import around_and_within
from autograph.nodes import PARTS, walk


class OptionalValues(StatementConverter):
    """See the module."""

    only_for = (gast.Compare,)

    def convert_function(self, function: Node) -> None:
        if type(function.body) is not list or self.conversion.sees_frame(function):
            return
        nodes = own_nodes(function)
        names = _set_to_none(nodes) & self.scope.locals
        names &= {tested.id for node in walk(function) if (tested := _tested(node)) is not None}
        if names:
            self.conversion.optional.setdefault(function, set()).update(names)
            self.around: dict[Node, frozenset[str]] = {}
            function.body[:] = self.rewritten(function.body, frozenset(names))

    def rewritten(self, nodes: list[Any], names: frozenset[str]) -> list[Any]:
        return [self.rewrite(node, names) if isinstance(node, gast.AST) else node for node in nodes]

    def rewrite(self, node: Node, names: frozenset[str]) -> Node:
        """The node with the reads and tests of these variables of the function replaced."""
        names = self.around.pop(node, names)
        if not names:
            return node
        if is_operator(node, self.alias) and node.func.attr == "touch":
            return node  # names a variable, does not read it
        if isinstance(node, gast.Name):
            return self.value(node) if node.id in names and isinstance(node.ctx, gast.Load) else node
        if isinstance(node, gast.Assign):
            node = self.as_if(node, names)
        tested = _tested(node)
        if tested is not None and tested.id in names:
            test = pieces.operator(self.alias, "is_none", [tested], at=node)
            return test if isinstance(node.ops[0], gast.Is) else pieces.operator(self.alias, "not_", [test], at=node)
        if node in self.conversion.scopes:
            scope = self.conversion.scopes.of(node)
            self.around.update((part, names) for part in around_and_within(node)[0])
            names &= scope.free - scope.bound if scope.is_class else scope.free
            if written := names & scope.nonlocals:
                self.conversion.optional.setdefault(node, set()).update(written)
        for field in PARTS[type(node)]:
            part = getattr(node, field, None)
            if type(part) is list:
                part[:] = self.rewritten(part, names)
            elif isinstance(part, gast.AST):
                setattr(node, field, self.rewrite(part, names))
        return node

    def as_if(self, node: Node, names: frozenset[str]) -> Node:
        """`x = a if t else None` as an `if`, whose arms leave the variable, which may be `None`."""
        [target, *others], value = node.targets, node.value
        if others or not isinstance(target, gast.Name) or target.id not in names or not isinstance(value, gast.IfExp):
            return node
        if not _may_be_none(value):
            return node
        arms = {}
        for part in ("body", "orelse"):
            name = gast.Name(target.id, gast.Store(), None, None)
            arms[part] = locations.place(gast.Assign([name], getattr(value, part), None), locations.header(node))
        text = "if $test:\n    $body\nelse:\n    $orelse"
        return self.statements(text, at=node, test=value.test, **{part: [arm] for part, arm in arms.items()})[0]

    def value(self, node: Node) -> Node:
        name = locations.place(gast.Constant(node.id, None), locations.position(node))
        return pieces.operator(self.alias, "some", [node, name], at=node)


def _tested(node: Node) -> Any:
    """The name in `name is None` or `name is not None`; None for anything else."""
    if isinstance(node, gast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], gast.Is | gast.IsNot):
        if isinstance(node.left, gast.Name) and _is_none(node.comparators[0]):
            return node.left
    return None


def _is_none(node: Node) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


def _may_be_none(node: Node) -> bool:
    """Whether an expression is `None`, or is that in one arm of it."""
    if isinstance(node, gast.IfExp):
        return _may_be_none(node.body) or _may_be_none(node.orelse)
    return _is_none(node)


def _set_to_none(nodes: list[Node]) -> set[str]:
    """The names that assignments among these statements set to `None`."""
    found: set[str] = set()
    pending = [(node.targets, node.value) for node in nodes if isinstance(node, gast.Assign)]
    pending += [([node.target], node.value) for node in nodes if isinstance(node, gast.AnnAssign)]
    while pending:
        targets, value = pending.pop()
        for target in targets:
            if isinstance(target, gast.Name) and value is not None and _may_be_none(value):
                found.add(target.id)
            elif isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple):
                pending += [([one], part) for one, part in zip(target.elts, value.elts)]
    return found
