"""Loop nodes with what staging adds to them.

`While` and `For` are the grammar's nodes with two more fields, which analyses and converters see like any other:

| field | meaning |
| --- | --- |
| `extra_test` (`For`) | asked after each turn: the loop goes on while it holds (jump flags) |
| `options` | a dict display from `set_loop_options`, evaluated before the loop |
"""

from __future__ import annotations

from typing import Any

import gast


class While(gast.While):
    """`while` with options."""

    _fields = (*gast.While._fields, "options")
    options: Any = None


class For(gast.For):
    """`for` with a test after each turn, and options."""

    _fields = (*gast.For._fields, "extra_test", "options")
    extra_test: Any = None
    options: Any = None


LOOPS = (gast.While, gast.For, gast.AsyncFor)


def extended(loop: Any) -> Any:
    """The same loop as one of the nodes above; the body is shared."""
    kind = While if isinstance(loop, gast.While) else For
    if isinstance(loop, kind):
        return loop
    return kind(**vars(loop))


def as_in_grammar(tree: Any) -> None:
    """Gives loops that stayed native the types of the grammar again: `ast` has no place for the other fields."""
    for node in gast.walk(tree):
        if type(node) in (While, For):
            node.__class__ = gast.While if type(node) is While else gast.For


def blocks(node: Any) -> list[list[Any]]:
    """The statement lists directly inside a compound statement; none for functions and classes, which are scopes."""
    if isinstance(node, gast.If | gast.While | gast.For | gast.AsyncFor):
        return [node.body, node.orelse]
    if isinstance(node, gast.With | gast.AsyncWith):
        return [node.body]
    if isinstance(node, gast.Try | gast.TryStar):
        return [node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody]
    if isinstance(node, gast.Match):
        return [case.body for case in node.cases]
    return []


def header_expressions(node: Any) -> list[Any]:
    """The expressions of a compound statement that stand outside its blocks."""
    if isinstance(node, gast.If):
        return [node.test]
    if isinstance(node, gast.While):
        return [node.test]
    if isinstance(node, gast.For | gast.AsyncFor):
        return [node.iter, node.target]
    if isinstance(node, gast.With | gast.AsyncWith):
        return [part for item in node.items for part in (item.context_expr, item.optional_vars) if part is not None]
    if isinstance(node, gast.Try | gast.TryStar):
        return [handler.type for handler in node.handlers if handler.type is not None]
    if isinstance(node, gast.Match):
        return [node.subject, *(part for case in node.cases for part in (case.pattern, case.guard) if part is not None)]
    return []
