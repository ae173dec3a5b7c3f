"""Conditional expressions: `a if test else b` becomes `ag__.if_exp`.

>>> from autograph.converters.showing import show
>>> print(show("def f(p, a, b): return a if p else b", ConditionalExpressions))
def f(p, a, b):
    return ag__.if_exp(p, lambda: a, lambda: b)

The branches become lambdas so that only the chosen one runs, as in Python. With a static test the expression stays.
"""

from __future__ import annotations

from typing import Any

from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node


class ConditionalExpressions(ExpressionConverter):
    """Makes functions of the two operands, unless the test is static."""

    def visit_IfExp(self, node: Node) -> Any:
        if self.conversion.static.holds(node.test) or not self.may_be_operand(node.body, node.orelse):
            return node
        branches = [builders.thunk(branch, at=branch) for branch in (node.body, node.orelse)]
        return builders.operator(self.alias, "if_exp", [node.test, *branches], at=node)
