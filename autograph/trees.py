"""Edits of syntax trees that share everything they do not change.

The tree of a user's file is parsed once and belongs to every function in it, so an edit copies the nodes on the way to the
change and nothing else.

>>> tree = ast.parse("a = b + c")
>>> new = rebuild(tree, lambda node: changed(node, value=ast.Name("d", ast.Load())))
>>> ast.unparse(new), ast.unparse(tree), new.body[0].targets is tree.body[0].targets
('a = d', 'a = b + c', True)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any


def changed(node: Any, **fields: Any) -> Any:
    """A shallow copy of a node with other fields; trees are shared, so nothing is changed in place."""
    kind = type(node)
    new = kind.__new__(kind)
    new.__dict__.update(node.__dict__)
    new.__dict__.update(fields)
    return new


def rebuild(node: Any, visit: Callable[[Any], Any]) -> Any:
    """The node with `visit` applied to its children; the node itself when they all stay what they are.

    For an element of a list, `visit` may return a list of nodes that takes its place.
    """
    fields: dict[str, Any] = {}
    for name, value in node.__dict__.items():
        if isinstance(value, ast.AST):
            new = visit(value)
            if new is not value:
                fields[name] = new
        elif type(value) is list and value:
            items: list[Any] = []
            same = True
            for item in value:
                new = visit(item) if isinstance(item, ast.AST) else item
                same = same and new is item
                if type(new) is list:
                    items.extend(new)
                else:
                    items.append(new)
            if not same:
                fields[name] = items
    return changed(node, **fields) if fields else node
