"""`global`, `nonlocal` and annotations of variables, before and after the statements move.

A function's `global` and `nonlocal` hold for the whole of it, wherever they stand: `HoistDeclarations` collects them at its
top, so that bodies of statements can declare what they write without a second declaration in the way. Annotations of
variables are never evaluated in a function, and an annotated name cannot be `nonlocal`: they go.

>>> from autograph.converters.control_flow import ControlFlow
>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     if x:
...         global g
...         g: int = 1
... ''', HoistDeclarations))
def f(x):
    global g
    if x:
        g = 1

`Declarations`, the last pass, makes sure that every variable still has its owner. A variable that only bodies of
statements bind is declared in the owner by the bare annotation `y: ag__.Undefined`.

>>> print(show('''
... def f(x):
...     if x:
...         y = 1
...     return y
... ''', ControlFlow, Declarations))
def f(x):
    y: ag__.Undefined
    def if_body():
        nonlocal y
        y = 1
    ag__.if_stmt(x, if_body, ag__.nothing, lambda: (y,))
    return y
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses.scopes import Scope, Scopes
from autograph.code import locations
from autograph.converters import builders
from autograph.converters.base import Node, StatementConverter


class HoistDeclarations(StatementConverter):
    """Moves the declarations of a function to its beginning and drops annotations of variables."""

    def convert_function(self, function: Node) -> None:
        super().convert_function(function)
        declare_outer(function, "Global", self.scope.globals)
        declare_outer(function, "Nonlocal", self.scope.nonlocals)

    def visit_Global(self, node: Node) -> Any:
        return None

    visit_Nonlocal = visit_Global

    def visit_AnnAssign(self, node: Node) -> Any:
        if not isinstance(node.target, gast.Name):
            return node
        if node.value is None:
            return None
        return locations.place(gast.Assign([node.target], node.value, None), locations.position(node))

    def block(self, statements: list[Node]) -> list[Node]:
        return super().block(statements) or self.statements("pass", at=statements[0])


def declare_outer(function: Node, kind: str, names: Any) -> None:
    """Puts `global names` or `nonlocal names` at the top of a function, or extends the one that is there."""
    if not names:
        return
    start = after_docstring(function)
    for node in function.body[start : start + 2]:
        if isinstance(node, getattr(gast, kind)):
            node.names = sorted({*node.names, *names})
            return
    made = getattr(gast, kind)(sorted(names))
    at = locations.header(function.body[min(start, len(function.body) - 1)])
    function.body.insert(start, locations.place(made, at))


def after_docstring(function: Node) -> int:
    """Returns the index of the first statement that is not the docstring."""
    first = function.body[0]
    is_docstring = (
        isinstance(first, gast.Expr) and isinstance(first.value, gast.Constant) and isinstance(first.value.value, str)
    )
    return 1 if is_docstring else 0


class Declarations(StatementConverter):
    """Declares what the functions of statements assign, when all of them are written."""

    def convert(self, tree: Node) -> Node:
        scopes = Scopes(tree, self.alias)
        known = {function: self.conversion.scopes.of(function).locals for function in self.conversion.functions}
        # The functions of statements first: what one of them owns, no function around it needs.
        for function in sorted(scopes.functions, key=known.__contains__):
            scope = scopes.of(function)
            wanted = _owned(scope, self.conversion.region_functions)
            if function in known:
                wanted |= known[function] & (scope.reads | _needed(scope))
            missing = wanted - scope.bound - scope.nonlocals - scope.globals
            if missing:
                self.annotate(function, sorted(missing))
                scope.bound.update(missing)
        return tree

    def annotate(self, function: Node, names: list[str]) -> None:
        start = after_docstring(function)
        while start < len(function.body) and isinstance(function.body[start], gast.Global | gast.Nonlocal):
            start += 1
        at = locations.header(function.body[min(start, len(function.body) - 1)])
        for name in reversed(names):
            kind = gast.Attribute(builders.name(self.alias), "Undefined", gast.Load())
            target = gast.Name(name, gast.Store(), None, None)
            function.body.insert(start, locations.place(gast.AnnAssign(target, kind, None, 1), at))


def _needed(scope: Scope) -> frozenset[str]:
    return frozenset[str]().union(*(child.free for child in scope.children))


def _owned(scope: Scope, made: set[Node]) -> frozenset[str]:
    """Returns what functions made directly in this scope share with it by `nonlocal`. If a scope around it owns the
    name, this scope says `nonlocal` as well.
    """
    return frozenset[str]().union(*(child.nonlocals for child in scope.children if child.node in made))
