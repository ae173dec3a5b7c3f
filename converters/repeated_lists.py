"""`[0] * n` goes through the runtime: a list may be repeated a traced number of times.

>>> from autograph.converters.showing import show
>>> print(show("def f(n): return [0] * n + n * [1, 2] + [3] * 4", RepeatedLists))
def f(n):
    return ag__.repeat([0], n) + ag__.repeat(n, [1, 2]) + [3] * 4
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node


class RepeatedLists(ExpressionConverter):
    """Writes `ag__.repeat` for the product of a list display and what is no constant."""

    def visit_BinOp(self, node: Node) -> Any:
        operands = [node.left, node.right]
        has_list = any(isinstance(operand, gast.List) for operand in operands)
        if not has_list or not isinstance(node.op, gast.Mult) or any(isinstance(x, gast.Constant) for x in operands):
            return node
        return builders.operator(self.alias, "repeat", operands, at=node)
