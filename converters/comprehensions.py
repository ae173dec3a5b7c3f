"""Comprehensions stay Python; what they iterate over and what they test goes through the runtime.

>>> from autograph.converters.showing import show
>>> print(show("def f(xs): return [x for x in xs if x > 0]", Comprehensions))
def f(xs):
    return [x for x in ag__.comp_iter(xs) if ag__.comp_test(x > 0)]

`comp_iter` takes a traced array apart; `comp_test` is where a traced test is met. A display, or a `range` of literals, is
iterated over as it is.
"""

from __future__ import annotations

import builtins
from typing import Any

import gast

from autograph.converters import pieces
from autograph.converters.base import ExpressionConverter, Node

DISPLAYS = (gast.List, gast.Tuple, gast.Set, gast.Dict, gast.ListComp, gast.SetComp, gast.DictComp, gast.JoinedStr)


class Comprehensions(ExpressionConverter):
    """See the module."""

    def visit_comprehension(self, node: Node) -> Any:
        if not node.is_async and not self.is_plain(node.iter):
            node.iter = pieces.operator(self.alias, "comp_iter", [node.iter], at=node.iter)
        node.ifs = [
            test
            if self.conversion.static.holds(test)
            else pieces.operator(self.alias, "comp_test", [test], at=test)
            for test in node.ifs
        ]
        return node

    def is_plain(self, node: Node) -> bool:
        """Whether an iterable is provably a Python container."""
        if isinstance(node, (*DISPLAYS, gast.Constant)):
            return True
        if not isinstance(node, gast.Call) or node.keywords:
            return False
        is_range = self.conversion.static.is_builtin(node.func, builtins.range)
        return is_range and all(isinstance(item, gast.Constant) for item in node.args)
