"""Operands that bind a name by walrus become functions in front of the statement.

>>> from autograph.converters.logical_expressions import LogicalExpressions
>>> from autograph.converters.showing import show
>>> print(show('''
... def f(a, y):
...     return a and (y := g(a)) + y
... ''', LogicalExpressions, NamedOperands))
def f(a, y):
    def and_right():
        nonlocal y
        return (y := g(a)) + y
    return ag__.and_(a, and_right, lambda: (y,), lazy=True)

In a lambda the walrus would bind a variable of the lambda. Last of the passes over expressions: by now every operand is the
lambda of an operator, whichever pass made it. Where no statement can stand in front (in a lambda or comprehension of the
user's) those passes left the expression as it was.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses.effects import Effects
from autograph.analyses.operators import is_operator, operands
from autograph.code import locations
from autograph.code.nodes import walk
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node, binds
from autograph.converters.outer_writes import announcements

ROLES = {"and_": ("and_right",), "or_": ("or_right",), "if_exp": ("if_value", "else_value")}


class NamedOperands(ExpressionConverter):
    """Makes functions of operands that are not always evaluated, so that their walrus binds the variable outside."""

    def convert(self, tree: Node) -> Node:
        self.effects = Effects(self.alias)
        self._front: list[Node] = []
        self.states: dict[Node, set[str]] = {}
        """By operator call, the names that its operands bind, also those of operators inside them."""
        return super().convert(tree)

    def _list(self, values: list[Node]) -> None:
        """Puts the functions of their operands in front of the statements of a block."""
        if not values or not isinstance(values[0], gast.stmt):
            super()._list(values)
            return
        result: list[Node] = []
        for node in values:
            outer, self._front = self._front, []
            visited = self.visit(node)
            result.extend((*self._front, visited))
            self._front = outer
        values[:] = result

    def visit_Call(self, node: Node) -> Any:
        if self.in_expression_scope or not is_operator(node, self.alias):
            return node
        bound: set[str] = set()
        made: dict[Any, Node] = {}
        inside: set[str] = set()
        for index, item in enumerate(operands(node)):
            for part in gast.walk(item.body):
                inside |= self.states.get(part, set())
            if binds(item.body):
                names = self.effects.of(item.body).writes
                made[item] = self.function_of(item, self.role(node.func.attr, index), names)
                bound |= names
        bound |= inside
        if not bound:
            return node
        self.states[node] = bound
        node.args = [made.get(item, item) for item in node.args]
        for keyword in node.keywords:
            keyword.value = made.get(keyword.value, keyword.value)
        state = sorted(bound - self.globals)
        if state and node.func.attr in ROLES:  # the others evaluate their operands whatever is traced
            node.args.append(builders.state(state, at=node))
            risky = [item for item in state if item in self.conversion.may_be_unbound.get(self.function, ())]
            if risky:
                names = gast.Tuple([gast.Constant(item, None) for item in risky], gast.Load())
                node.keywords.append(locations.place(gast.keyword("unbound", names), locations.position(node)))
        return node

    def visit_GeneratorExp(self, node: Node) -> Node:
        """Converts what binds variables by walrus that others read: `ag__.binding(generator, lambda: (y,))`."""
        outer = self.conversion.scopes.of(self.function).nonlocals
        names = sorted(
            name
            for name in self.effects.of(node).writes - self.globals
            if name in outer or _reads(self.function, name) > _reads(node, name)
        )
        state = builders.state(names, at=node)
        return builders.operator(self.alias, "binding", [node, state], at=node) if names else node

    def role(self, operator: str, index: int) -> str:
        roles = ROLES.get(operator, ("operand",))
        return roles[min(index, len(roles) - 1)]

    def function_of(self, operand: Node, role: str, names: set[str]) -> Node:
        """Puts a `def` for an operand in front of the statement; returns the expression that names it."""
        scope = self.conversion.scopes.of(self.function)
        outer = scope.globals | scope.nonlocals
        text = self.conversion.namer(self.function).fresh(role)
        body = [*announcements(names & outer, self.alias, at=operand), gast.Return(operand.body)]
        shared, outside = sorted(names - scope.globals), sorted(names & scope.globals)
        made = builders.local_function(text, (), shared, outside, body, at=operand)
        self.conversion.region_functions.add(made)
        self._front.append(made)
        return locations.place(builders.name(text), locations.position(operand))

    @property
    def globals(self) -> set[str]:
        return self.conversion.scopes.of(self.function).globals


def _reads(root: Node, name: str) -> int:
    """Counts how often a tree reads a variable."""
    nodes = walk(root)
    return sum(isinstance(node, gast.Name) and node.id == name and isinstance(node.ctx, gast.Load) for node in nodes)
