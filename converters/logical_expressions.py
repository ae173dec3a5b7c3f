"""`and`, `or` and `not` become `ag__.and_`, `ag__.or_`, `ag__.not_`.

>>> from autograph.converters.showing import show
>>> print(show("def f(a, b, c): return a and not b and c", LogicalExpressions))
def f(a, b, c):
    return ag__.and_(a, lambda: ag__.and_(ag__.not_(b), lambda: c))

Operands after the first are lambdas, so they are evaluated only when Python evaluates them. Operands that are static
together stay as they are (`x is None or isinstance(x, int)`).
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters import pieces
from autograph.converters.base import ExpressionConverter, Node

LONGEST_CHAIN = 8  # operands that nest to the right; more are halved, for Python's compiler recurses


class LogicalExpressions(ExpressionConverter):
    """See the module."""

    def visit_BoolOp(self, node: Node) -> Any:
        if self.conversion.static.holds(node) or not self.may_be_operand(*node.values[1:]):
            return node
        return self.chain("and_" if isinstance(node.op, gast.And) else "or_", node.values, node)

    def chain(self, text: str, values: list[Node], at: Node) -> Node:
        """A right-nested chain of calls; both operators are associative."""
        if len(values) == 1:
            return values[0]
        cut = 1 if len(values) <= LONGEST_CHAIN else len(values) // 2
        left, right = self.chain(text, values[:cut], at), self.chain(text, values[cut:], at)
        return pieces.operator(self.alias, text, [left, pieces.thunk(right, at=values[cut])], at=at)

    def visit_UnaryOp(self, node: Node) -> Any:
        if not isinstance(node.op, gast.Not) or self.conversion.static.holds(node.operand):
            return node
        return pieces.operator(self.alias, "not_", [node.operand], at=node)
