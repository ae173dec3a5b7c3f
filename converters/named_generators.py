"""A generator that has a name until the next statement takes it: it is written where it is taken.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(xs):
...     large = (x for x in xs if x > 3)
...     return next(large, 0)
... ''', NamedGenerators))
def f(xs):
    return next((x for x in xs if x > 3), 0)

What stands in the call itself can be a loop of the compiled program (`comprehensions`); a generator that is an object cannot, where
its filter is traced. Only where nobody else can know the generator, and nothing is evaluated between the two.
"""

from __future__ import annotations

import builtins
from typing import Any

import gast

from autograph.code.nodes import walk
from autograph.converters.base import Node, StatementConverter, own_nodes

_TAKERS = (builtins.next, builtins.sum, builtins.any, builtins.all, builtins.min, builtins.max)

_ITERATORS = (builtins.enumerate, builtins.zip, builtins.reversed)


class NamedGenerators(StatementConverter):
    """Writes the generator instead of its name: before arithmetic is lifted out of calls and tests for `None` are sought."""

    def convert_function(self, function: Node) -> None:
        own = own_nodes(function)
        generators = [node for node in own if _names_generator(node)]
        if not generators or self.conversion.sees_frame(function):
            return
        uses = [node.id for node in walk(function) if isinstance(node, gast.Name)]
        once = {node.targets[0].id for node in generators if uses.count(node.targets[0].id) == 2}
        self._names = once & self.scope.locals - self.scope.captured
        if self._names:
            super().convert_function(function)

    def block(self, statements: list[Node]) -> list[Node]:
        result: list[Node] = []
        for node in super().block(statements):
            if result and self._takes(result[-1], node):
                result.pop()
            result.append(node)
        return result

    def _takes(self, before: Node, node: Node) -> bool:
        """Whether a statement takes the generator that the one before it has named; then the generator stands in it."""
        if not _names_generator(before) or before.targets[0].id not in self._names:
            return False
        while isinstance(node, gast.Try) and self._raises_nothing(before.value.generators[0].iter):
            node = node.body[0]
        call = getattr(node, "value", None)
        if not isinstance(node, gast.Assign | gast.Return | gast.Expr) or not isinstance(call, gast.Call):
            return False
        if not any(self.conversion.static.is_builtin(call.func, taker) for taker in _TAKERS) or not call.args:
            return False
        taken = isinstance(call.args[0], gast.Name) and call.args[0].id == before.targets[0].id
        if taken:
            call.args[0] = before.value
        return taken

    def _raises_nothing(self, node: Node) -> bool:
        """Whether the items are a variable, or `enumerate`, `zip`, `reversed` of such: no handler tells the difference."""
        if isinstance(node, gast.Call) and not node.keywords:
            known = any(self.conversion.static.is_builtin(node.func, f) for f in _ITERATORS)
            return known and all(map(self._raises_nothing, node.args))
        return isinstance(node, gast.Name | gast.Constant)


def _names_generator(node: Any) -> bool:
    return (
        isinstance(node, gast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], gast.Name)
        and isinstance(node.value, gast.GeneratorExp)
    )
