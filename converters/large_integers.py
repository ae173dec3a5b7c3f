"""Arithmetic and comparisons beside what may be a large Python integer become operator calls: JAX takes none beyond its own.

>>> from autograph.converters.showing import show
>>> print(show("def f(x, n): return x * 10**10, x / 10**n, x < 2**40, x + 2, 2**40 - 1", LargeIntegerOperations))
def f(x, n):
    return (ag__.large_op('*', x, 10 ** 10), ag__.large_op('/', x, 10 ** n), ag__.large_op('<', x, 2 ** 40), x + 2, 2 ** 40 - 1)

Operators that are calls already (`+=`, chained comparisons, `in`) look for themselves.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.code.nodes import SIGNS
from autograph.converters import builders, comparisons
from autograph.converters.base import ExpressionConverter, Node


class LargeIntegerOperations(ExpressionConverter):
    """Writes `ag__.large_op` for operators of which one operand may be such an integer."""

    def visit_BinOp(self, node: Node) -> Any:
        if isinstance(node.op, gast.MatMult):
            return node
        return self.operation(SIGNS[type(node.op).__name__], node.left, node.right, node)

    def visit_Compare(self, node: Node) -> Any:
        sign = type(node.ops[0]).__name__
        if len(node.ops) > 1 or sign not in comparisons.ORDERINGS:
            return node
        return self.operation(comparisons.SIGNS[sign], node.left, node.comparators[0], node)

    def operation(self, sign: str, left: Node, right: Node, at: Node) -> Node:
        """Returns the operator's call; the node itself where both operands are literals, or none may be large."""
        for one, other in ((left, right), (right, left)):
            if self.conversion.large_integers.may_be(one) and not isinstance(other, gast.Constant):
                return builders.operator(self.alias, "large_op", [gast.Constant(sign, None), left, right], at=at)
        return at
