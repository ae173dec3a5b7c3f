"""Whether control may come out at the end of a statement or a block: where in doubt, yes.

>>> import gast
>>> from autograph.analyses.nativeness import Nativeness
>>> from autograph.analyses.static_tests import StaticTests
>>> tree = gast.parse('''
... def f(x):
...     while True:
...         if x > 3:
...             return x
...         x += 1
... ''').body[0]
>>> Completion(Nativeness(tree, StaticTests(lambda name: None))).of_block(tree.body)
False
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses.nativeness import Nativeness
from autograph.code.nodes import walk

JUMPS = (gast.Return, gast.Break, gast.Continue)
_LEAVING = (*JUMPS, gast.Raise)
_MAY_LEAVE = (gast.If, gast.While, gast.Try, gast.TryStar, gast.Match)


class Completion:
    """What is known about the statements of one function.

    Args:
        native: which loops a `break` of Python's leaves.
    """

    def __init__(self, native: Nativeness) -> None:
        self.native = native
        self._known: dict[Any, bool] = {}

    def declare(self, node: Any, completes: bool) -> None:
        """Says it of a statement that has been rewritten."""
        self._known[node] = completes

    def of_block(self, statements: list[Any]) -> bool:
        """Whether control may come out at the end of a block; where in doubt, yes."""
        return all(self.of(node) for node in reversed(statements))

    def of(self, node: Any) -> bool:
        """Whether control may come out behind one statement."""
        if isinstance(node, _LEAVING):
            return False
        if not isinstance(node, _MAY_LEAVE):
            return True
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._compound(node)
        return known

    def _compound(self, node: Any) -> bool:
        if isinstance(node, gast.If):
            return self.of_block(node.body) or self.of_block(node.orelse)
        if isinstance(node, gast.While):
            return not is_constant(node.test, True) or self.native.breaks(node)
        if isinstance(node, gast.Match):
            last = node.cases[-1]
            catches_all = last.guard is None and isinstance(last.pattern, gast.MatchAs) and last.pattern.pattern is None
            return not catches_all or any(self.of_block(case.body) for case in node.cases)
        if not self.of_block(node.finalbody):
            return False
        if any(self.of_block(handler.body) for handler in node.handlers):
            return True
        return self.of_block(node.body) and self.of_block(node.orelse)


def is_constant(node: Any, value: Any) -> bool:
    """Whether a node is this very constant."""
    return isinstance(node, gast.Constant) and node.value is value


def surely_leaves(block: list[Any]) -> bool:
    """Whether control never comes out at the end of a block, as far as its last statement tells."""
    last = block[-1] if block else None
    if isinstance(last, gast.If):
        return surely_leaves(last.body) and surely_leaves(last.orelse)
    if isinstance(last, gast.With):
        return surely_leaves(last.body)
    if isinstance(last, gast.Try) and not surely_leaves(last.finalbody):
        return surely_leaves(last.orelse or last.body) and all(surely_leaves(handler.body) for handler in last.handlers)
    if isinstance(last, gast.While) and isinstance(last.test, gast.Constant) and last.test.value:
        return not any(isinstance(node, gast.Break) for node in walk(last))
    return isinstance(last, gast.Return | gast.Raise | gast.Try)
