"""Calls: `f(x)` becomes `ag__.converted(f)(x)`.

>>> from autograph.converters.showing import show
>>> print(show("def f(g, x): return g(isinstance(x, str), x.m(*x, k=1))", Calls))
def f(g, x):
    return ag__.converted(g)(isinstance(x, str), ag__.converted(x.m)(*x, k=1))

The callee is evaluated and looked up before the arguments are evaluated, and called from the user's own frame. Calls of
names that mean library code which takes no functions stay as they are (`autograph.analyses.native_calls` has the list), and so do
decorators, which run once, when the function is made.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses import native_calls
from autograph.analyses.operators import callee, is_operator
from autograph.code import locations
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node
from autograph.options import MISSING

OF_NUMBERS = frozenset(
    {"bit_length", "bit_count", "is_integer", "as_integer_ratio", "hex", "to_bytes", "item", "tolist", "fill"}
)
"""Methods of Python's numbers that arrays have not, methods of arrays that give numbers, and one that JAX's arrays have not."""


class Calls(ExpressionConverter):
    """Wraps the callees that are not known to stay. Late: what other converters wrote are calls of operators, which stay."""

    def visit_Call(self, node: Node) -> Any:
        func = node.func
        if is_operator(node, self.alias) or callee(node, self.alias) is not func:
            return node
        meaning = self.conversion.meaning(func)
        takes_bounded = self.conversion.opens_lengths and native_calls.is_of_arrays(meaning)
        if meaning is not MISSING and not takes_bounded and native_calls.stays_native(meaning, node, self.conversion.meaning):
            return node
        if not self.conversion.context.recursive and not native_calls.has_counterpart(meaning, node):
            return node
        if isinstance(func, gast.Attribute) and func.attr in OF_NUMBERS:
            name = locations.place(gast.Constant(func.attr, None), locations.header(func))
            node.func = builders.operator(self.alias, "method", [func.value, name], at=func)
            return node
        node.func = builders.operator(self.alias, "converted", [func], at=func)
        return node
