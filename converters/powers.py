"""`a ** b` where both may be integers goes through the runtime: its type depends on the sign of `b`.

>>> from autograph.converters.showing import show
>>> print(show("def f(x, n): return x ** 2 + x ** 0.5 + 2.0 ** n + 2 ** n + n ** -1", Powers))
def f(x, n):
    return x ** 2 + x ** 0.5 + 2.0 ** n + ag__.power(2, n) + ag__.power(n, -1)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node


class Powers(ExpressionConverter):
    """Writes `ag__.power` unless an operand shows the type of the result."""

    def visit_BinOp(self, node: Node) -> Any:
        if not isinstance(node.op, gast.Pow) or isinstance(node.right, gast.Constant) or _is_float(node.left):
            return node
        return builders.operator(self.alias, "power", [node.left, node.right], at=node)


def _is_float(node: Node) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, float | complex)
