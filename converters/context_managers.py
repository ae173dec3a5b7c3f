"""The context managers of a `with` go through `ag__.context`: what they do in a branch that is not taken must leave no trace.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     with scaled(x) as y:
...         return y
... ''', ContextManagers))
def f(x):
    with ag__.context(scaled(x)) as y:
        return y

Python calls `__enter__` and `__exit__` itself, so there is no call to convert.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node


class ContextManagers(ExpressionConverter):
    """Hands each context manager of a `with` to the runtime."""

    def visit_With(self, node: Node) -> Any:
        for item in node.items:
            if not isinstance(item.context_expr, gast.Constant):
                item.context_expr = builders.operator(self.alias, "context", [item.context_expr], at=item.context_expr)
        return node
