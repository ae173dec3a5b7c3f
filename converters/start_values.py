"""Marks the float beyond 32 bits with which a variable begins that is only compared: it may become an infinity.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(d):
...     best, k = 1e300, 0
...     if d < best:
...         best, k = d, 1
...     return k
... ''', StartValues))
def f(d):
    best, k = (ag__.start(1e+300), 0)
    if ag__.bound_op('<', d, best):
        best, k = (d, 1)
    return k
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

from autograph.analyses.operators import variable
from autograph.analyses.start_values import start_value
from autograph.converters import builders, comparisons
from autograph.converters.base import ExpressionConverter, Node


class StartValues(ExpressionConverter):
    """Writes `ag__.start` around the number, and `ag__.bound_op` where the variable is compared."""

    def visit_Assign(self, node: Node) -> Any:
        if self.conversion.start_values:
            node.value = self.started(node.targets, node.value)
        return node

    def visit_Compare(self, node: Node) -> Any:
        names = {variable(side, self.alias) for side in (node.left, *node.comparators)}
        if len(node.ops) > 1 or not any(isinstance(side, gast.Name) and side.id in self.conversion.start_values for side in names):
            return node
        sign = gast.Constant(comparisons.SIGNS[type(node.ops[0]).__name__], None)
        return builders.operator(self.alias, "bound_op", [sign, node.left, node.comparators[0]], at=node)

    def started(self, targets: Iterable[Node], value: Node) -> Node:
        """Converts a value that is bound to such variables, and to nothing else."""
        if isinstance(value, gast.Tuple):
            if all(isinstance(target, gast.Tuple) and len(target.elts) == len(value.elts) for target in targets):
                places = zip(*(target.elts for target in targets), strict=True)
                value.elts = [self.started(place, item) for place, item in zip(places, value.elts, strict=True)]
        elif all(isinstance(target, gast.Name) and target.id in self.conversion.start_values for target in targets):
            if start_value(value, self.conversion.meaning) is not None:
                return builders.operator(self.alias, "start", [value], at=value)
        return value
