"""Handlers wide enough to catch what is no event of the program, the library's refusals and JAX's, let it pass.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     try:
...         return g(x)
...     except KeyError:
...         return 1
...     except Exception as error:
...         return 2
... ''', Handlers))
def f(x):
    try:
        return g(x)
    except KeyError:
        return 1
    except ag__.caught(Exception) as error:
        return 2

A `finally` that may leave by itself lets it pass as well:

>>> print(show('''
... def f(xs):
...     for x in xs:
...         try:
...             g(x)
...         finally:
...             break
... ''', Handlers))
def f(xs):
    for x in xs:
        try:
            g(x)
        finally:
            try:
                break
            finally:
                ag__.raise_refusal()

Why: `autograph.runtime.checks.handlers`.
"""

from __future__ import annotations

import builtins
from typing import Any

import gast

from autograph.analyses.loops import blocks
from autograph.analyses.static_tests import dotted
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node

_WIDE = (
    *(BaseException, Exception, TypeError, NameError, UnboundLocalError, IndexError, LookupError),
    *(ValueError, OverflowError, ArithmeticError, AttributeError),
)


class Handlers(ExpressionConverter):
    """Narrows the classes of such handlers by `ag__.caught`, and raises a refusal again behind such a `finally`."""

    def visit_ExceptHandler(self, node: Node) -> Any:
        if node.type is None:
            node.type = builders.operator(self.alias, "caught", [], at=node)
        elif not self._is_narrow(node.type):
            node.type = builders.operator(self.alias, "caught", [node.type], at=node.type)
        return node

    def visit_Try(self, node: Node) -> Any:
        if any(map(self._leaves, node.finalbody)):
            at = node.finalbody[0]
            call = builders.operator(self.alias, "raise_refusal", [], at=at)
            node.finalbody = self.statements(
                "try:\n    $body\nfinally:\n    $call", at=at, body=node.finalbody, call=call
            )
        return node

    def _leaves(self, statement: Node) -> bool:
        """Whether a statement holds a jump or a `raise`."""
        if isinstance(statement, gast.Return | gast.Raise | gast.Break | gast.Continue):
            return True
        inside = [statement.body] if statement in self.conversion.region_functions else blocks(statement)
        return any(self._leaves(inner) for block in inside for inner in block)

    def _is_narrow(self, kinds: Node) -> bool:
        """Whether these are exceptions of Python's that neither a refusal nor an error about a traced value is a kind of."""
        if isinstance(kinds, gast.Tuple):
            return all(self._is_narrow(kind) for kind in kinds.elts)
        name = dotted(kinds)
        kind = None if name is None else self.conversion.resolve(name)
        return isinstance(kind, type) and vars(builtins).get(kind.__name__) is kind and kind not in _WIDE
