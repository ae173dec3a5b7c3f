"""Statements that stand for a `raise` or a `try`, written out as such.

>>> import contextlib
>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     try:
...         assert x > 0, "positive"
...     except AssertionError:
...         return 0
...     with contextlib.suppress(KeyError):
...         assert x < 9
... ''', CaughtStatements, names={"contextlib": contextlib}))
def f(x):
    try:
        if not x > 0:
            raise AssertionError('positive')
    except AssertionError:
        return 0
    try:
        assert x < 9
    except KeyError:
        pass

So they take part in what `caught_raises` does. An `assert` whose failure the function does not handle stays; with `python -O`
assertions are gone, here too.
"""

from __future__ import annotations

import builtins
import contextlib
from typing import Any

import gast

from autograph.code import locations
from autograph.converters.base import Conversion, Node, StatementConverter


class CaughtStatements(StatementConverter):
    """Writes an `assert` whose failure is handled, and `with contextlib.suppress(...)`, as the statements that they stand for."""

    def __init__(self, conversion: Conversion) -> None:
        super().__init__(conversion)
        self._caught = False

    def visit_Try(self, node: Node) -> Any:
        outer = self._caught
        self._caught = outer or any(self._may_match(handler.type) for handler in node.handlers)
        node.body = self.block(node.body)
        self._caught = outer
        for part in node.handlers:
            part.body = self.block(part.body)
        node.orelse, node.finalbody = self.block(node.orelse), self.block(node.finalbody)
        return node

    def visit_With(self, node: Node) -> Any:
        kinds = self._suppressed(node)
        if kinds is None:
            return self.inside(node)
        [made] = self.statements(
            "try:\n    $body\nexcept $kinds:\n    pass",
            at=node,
            body=node.body,
            kinds=kinds[0]
            if len(kinds) == 1
            else locations.place(gast.Tuple(kinds, gast.Load()), locations.header(node)),
        )
        return self.visit_Try(made)

    def _suppressed(self, node: Node) -> list[Node] | None:
        """Returns the exceptions of `with contextlib.suppress(...)`; None for any other `with`."""
        if len(node.items) != 1 or node.items[0].optional_vars is not None:
            return None
        call = node.items[0].context_expr
        if not isinstance(call, gast.Call) or self.conversion.meaning(call.func) is not contextlib.suppress:
            return None
        plain = bool(call.args) and not call.keywords and not any(isinstance(x, gast.Starred) for x in call.args)
        return call.args if plain else None

    def visit_Assert(self, node: Node) -> Any:
        if (
            not __debug__
            or not self._caught
            or self.conversion.resolve("AssertionError") is not builtins.AssertionError
        ):
            return node
        message = [] if node.msg is None else [node.msg]
        return self.statements(
            "if not $test:\n    raise AssertionError($message)", at=node, test=node.test, message=message
        )

    def _may_match(self, kinds: Node | None) -> bool:
        if kinds is None:
            return True
        if isinstance(kinds, gast.Tuple):
            return any(map(self._may_match, kinds.elts))
        kind = self.conversion.meaning(kinds)
        return not isinstance(kind, type) or issubclass(AssertionError, kind)
