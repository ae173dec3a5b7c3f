"""A read that may find its variable unbound goes through `ag__.read`, which explains what left it unbound.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     if x:
...         y = 1
...     return y + x
... ''', UnboundReads))
def f(x):
    if x:
        y = 1
    return ag__.read(lambda: y) + x

Inside the function of a statement Python itself would raise `NameError`, for there the variable is free. Decided on the
user's own control flow, so before jumps become flags: what a flag guards is provably bound only here.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph import locations
from autograph.analyses.definedness import Definedness
from autograph.analyses.operators import is_operator, operands
from autograph.analyses.scopes import FUNCTIONS
from autograph.converters import pieces
from autograph.converters.base import Node, StatementConverter


class UnboundReads(StatementConverter):
    """See the module."""

    def convert_function(self, function: Node) -> None:
        if self.conversion.sees_frame(function):
            return
        native = self.conversion.nativeness(function)
        found = Definedness(function, self.scope, native.holds, self.alias, moves=native.moves)
        self.reads, self.updates = found.reads, found.updates
        names = {node.id for node in self.reads}.union(*self.updates.values())
        # A closure's reads are not followed, so a captured variable counts as one that may be read unbound.
        self.conversion.may_be_unbound[function] = names | self.scope.captured
        if self.reads:
            for statement in function.body:
                self.wrap(statement)
        if self.updates:
            function.body = self.block(function.body)

    def wrap(self, node: Node) -> Node:
        """Wraps the reads below a node."""
        if isinstance(node, gast.Name):
            return self.read(node) if node in self.reads else node
        if isinstance(node, FUNCTIONS):
            parts: list[Node] = [node.args, *getattr(node, "decorator_list", ())]
        else:
            parts = [node]
        if is_operator(node, self.alias):
            for operand in operands(node):
                operand.body = self.wrap(operand.body)
        for part in parts:
            for name, value in vars(part).items():
                if type(value) is list:
                    value[:] = [self.wrap(item) if isinstance(item, gast.AST) else item for item in value]
                elif isinstance(value, gast.AST):
                    setattr(part, name, self.wrap(value))
        return node

    def read(self, node: Node) -> Node:
        return pieces.operator(self.alias, "read", [pieces.thunk(node, at=node)], at=node)

    def visit_Delete(self, node: Node) -> Any:
        reads = [
            locations.place(gast.Expr(self.read(self.expression(name, at=node))), locations.header(node))
            for name in self.updates.get(node, ())
        ]
        return [*reads, node]

    visit_AugAssign = visit_Delete
