"""`try`: what its handlers catch is known while its body runs, and wide handlers let pass what is no event of the program.

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
        with ag__.handled(lambda: (KeyError, Exception)):
            return g(x)
    except KeyError:
        return 1
    except ag__.caught(Exception) as error:
        return 2

A `finally` that may leave by itself catches everything, and lets that pass as well:

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
            with ag__.handled(lambda: BaseException):
                g(x)
        finally:
            try:
                break
            finally:
                ag__.raise_refusal()

Any other `finally` that calls something says that it is one, for what it prints after a failed check (`ag__.ending`).

Why: `autograph.runtime.checks.handlers`.
"""

from __future__ import annotations

import builtins
import copy
from typing import Any

import gast

from autograph.analyses.loops import blocks
from autograph.analyses.operators import is_operator
from autograph.code.trees import dotted
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node

_WIDE = (
    *(BaseException, Exception, TypeError, NameError, UnboundLocalError, IndexError, LookupError),
    *(ValueError, OverflowError, ArithmeticError, AttributeError),
)


class Handlers(ExpressionConverter):
    """Tells what handlers catch, narrows wide ones by `ag__.caught`, and raises a refusal again behind such a `finally`."""

    def visit_ExceptHandler(self, node: Node) -> Any:
        if node.type is None:
            node.type = builders.operator(self.alias, "caught", [], at=node)
        elif not self._is_narrow(node.type):
            node.type = builders.operator(self.alias, "caught", [node.type], at=node.type)
        return node

    def visit_Try(self, node: Node) -> Any:
        leaves = any(map(self._leaves, node.finalbody))
        kinds = [kind for handler in node.handlers for kind in self._kinds(handler.type)]
        if kinds or leaves:
            self._tell(node, [*kinds, *[builders.name("BaseException")] * leaves])
        if leaves:
            at = node.finalbody[0]
            call = builders.operator(self.alias, "raise_refusal", [], at=at)
            node.finalbody = self.statements(
                "try:\n    $body\nfinally:\n    $call", at=at, body=node.finalbody, call=call
            )
        elif any(isinstance(part, gast.Call) for statement in node.finalbody for part in gast.walk(statement)):
            at = node.finalbody[0]
            call = builders.operator(self.alias, "ending", [], at=at)
            node.finalbody = self.statements("with $call:\n    $body", at=at, body=node.finalbody, call=call)
        return node

    def visit_TryStar(self, node: Node) -> Any:
        self._tell(node, [builders.name("BaseException")])  # it takes a group apart by what is in it
        return node

    def _kinds(self, kinds: Node) -> list[Node]:
        """Returns what a handler catches, as the user wrote it."""
        return (kinds.args or [builders.name("BaseException")]) if is_operator(kinds, self.alias) else [kinds]

    def _tell(self, node: Node, kinds: list[Node]) -> None:
        if isinstance(node.body[0], gast.Raise):
            return  # it is raised now, if at all
        kinds = copy.deepcopy(kinds)
        caught = builders.thunk(kinds[0] if len(kinds) == 1 else gast.Tuple(kinds, gast.Load()), at=node)
        call = builders.operator(self.alias, "handled", [caught], at=node)
        node.body = self.statements("with $call:\n    $body", at=node, body=node.body, call=call)

    def _leaves(self, statement: Node) -> bool:
        """Whether a statement holds a jump, a `raise` or an `assert`."""
        if isinstance(statement, gast.Return | gast.Raise | gast.Break | gast.Continue):
            return True
        if isinstance(statement, gast.Expr) and is_operator(statement.value, self.alias):
            return bool(statement.value.func.attr == "assert_")
        inside = [statement.body] if statement in self.conversion.region_functions else blocks(statement)
        return any(self._leaves(inner) for block in inside for inner in block)

    def _is_narrow(self, kinds: Node) -> bool:
        """Whether these are Python exceptions that neither a refusal nor an error about a traced value is a kind of."""
        if isinstance(kinds, gast.Tuple):
            return all(self._is_narrow(kind) for kind in kinds.elts)
        name = dotted(kinds)
        kind = None if name is None else self.conversion.resolve(name)
        return isinstance(kind, type) and vars(builtins).get(kind.__name__) is kind and kind not in _WIDE
