"""Containers in tests beside other operands: only their truth counts there.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     todo = [x]
...     while todo and x > 0:
...         x = g(todo)
...     return todo and x > 0
... ''', ContainerTests))
def f(x):
    todo = [x]
    while not not todo and x > 0:
        x = g(todo)
    return todo and x > 0

`and` and `or` give one of their operands, which in a test is asked for its truth and no more. Where that is traced, a container and
another operand cannot become one value; their truths can. A loop with exits gets flags beside its test.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph import locations
from autograph.analyses.loops import LOOPS
from autograph.converters.base import Converter, Node
from autograph.nodes import walk

_TESTED = (gast.If, gast.While, gast.IfExp, gast.Assert)
_EXITS = (gast.Break, gast.Return, gast.Raise)


class ContainerTests(Converter):
    """See the module."""

    only_for = (gast.While, gast.BoolOp)

    def convert(self, tree: Node) -> Node:
        if self.conversion.name_kinds.containers:
            for node in walk(tree):
                if isinstance(node, _TESTED):
                    has_exits = isinstance(node, LOOPS) and any(isinstance(inner, _EXITS) for inner in walk(node))
                    node.test = self._asked(node.test, has_exits)
                elif isinstance(node, gast.comprehension):
                    node.ifs = [self._asked(test, len(node.ifs) > 1) for test in node.ifs]
        return tree

    def _asked(self, test: Node, is_operand: bool) -> Any:
        if isinstance(test, gast.BoolOp):
            test.values = [self._asked(value, True) for value in test.values]
        elif isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
            test.operand = self._asked(test.operand, False)
        elif is_operand and isinstance(test, gast.Name) and test.id in self.conversion.name_kinds.containers:
            return locations.place(gast.UnaryOp(gast.Not(), gast.UnaryOp(gast.Not(), test)), locations.position(test))
        return test
