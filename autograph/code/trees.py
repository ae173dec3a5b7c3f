"""Edits of syntax trees that share everything they do not change.

The tree of a user's file is parsed once and belongs to every function in it, so an edit copies the nodes on the way to
the change and nothing else.

>>> tree = ast.parse("a = b + c")
>>> new = rebuild(tree, lambda node: changed(node, value=ast.Name("d", ast.Load())))
>>> ast.unparse(new), ast.unparse(tree), new.body[0].targets is tree.body[0].targets
('a = d', 'a = b + c', True)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from autograph.code.nodes import PARTS


def changed(node: Any, **fields: Any) -> Any:
    """Returns a shallow copy of a node with other fields; trees are shared, so nothing is changed in place."""
    kind: Any = type(node)
    new = kind.__new__(kind)
    new.__dict__.update(node.__dict__)
    new.__dict__.update(fields)
    return new


def rebuild(node: Any, visit: Callable[[Any], Any]) -> Any:
    """Returns the node with `visit` applied to its children; the node itself when they all stay what they are.

    For an element of a list, `visit` may return a list of nodes that takes its place.
    """
    fields: dict[str, Any] = {}
    for name in PARTS[type(node)]:
        value = getattr(node, name, None)
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


def at(place: Any, node: Any) -> Any:
    """`node` at the position of another node.

    Of a place that spans lines only the start: the compiler counts a method call to the line on which it ends.
    """
    node.lineno = place.lineno
    node.col_offset = place.col_offset
    if place.end_lineno == place.lineno:
        node.end_lineno, node.end_col_offset = place.end_lineno, place.end_col_offset
    else:
        node.end_lineno, node.end_col_offset = place.lineno, place.col_offset
    return node


def first_evaluated(statements: list[Any]) -> Any:
    """Returns the node of a block that runs first: where a statement that shall cause no line event of its own must stand."""
    for statement in statements:
        if isinstance(statement, ast.Global | ast.Nonlocal):
            continue  # no code
        if isinstance(statement, ast.AnnAssign) and statement.value is None and isinstance(statement.target, ast.Name):
            continue
        node: Any = statement
        while True:
            inner = _FIRST.get(type(node))
            found = inner(node) if inner else None
            if found is None:
                return node
            node = found
    return statements[-1]


_FIRST: dict[type, Callable[[Any], Any]] = {
    ast.Assign: lambda n: n.value,
    ast.AnnAssign: lambda n: n.value,
    ast.AugAssign: lambda n: n.target,
    ast.Return: lambda n: n.value,
    ast.Expr: lambda n: n.value,
    ast.If: lambda n: n.test,
    ast.While: lambda n: n.test,
    ast.Assert: lambda n: n.test,
    ast.For: lambda n: n.iter,
    ast.With: lambda n: n.items[0].context_expr,
    ast.Match: lambda n: n.subject,
    ast.Raise: lambda n: n.exc,
    ast.FunctionDef: lambda n: next(iter([*n.decorator_list, *n.args.defaults]), None),
    ast.ClassDef: lambda n: next(iter(n.decorator_list), None),
    ast.Call: lambda n: n.func,
    ast.Attribute: lambda n: n.value,
    ast.Subscript: lambda n: n.value,
    ast.BinOp: lambda n: n.left,
    ast.Compare: lambda n: n.left,
    ast.BoolOp: lambda n: n.values[0],
    ast.IfExp: lambda n: n.test,
    ast.UnaryOp: lambda n: n.operand,
    ast.NamedExpr: lambda n: n.value,
    ast.Await: lambda n: n.value,
    ast.YieldFrom: lambda n: n.value,
    ast.Yield: lambda n: n.value,
    ast.Tuple: lambda n: next(iter(n.elts), None),
    ast.List: lambda n: next(iter(n.elts), None),
    ast.Starred: lambda n: n.value,
}


def mangled(name: str, class_name: str | None) -> str:
    """Returns the name as the compiler has it inside a class.

    >>> mangled("__x", "_A"), mangled("__x__", "A"), mangled("x", "A"), mangled("__x", "_")
    ('_A__x', '__x__', 'x', '__x')
    """
    if class_name is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stem = class_name.lstrip("_")
    return f"_{stem}{name}" if stem else name


def names_stored(target: Any) -> list[str]:
    """Returns the plain names that an assignment to `target` binds."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Tuple | ast.List):
        return [name for element in target.elts for name in names_stored(element)]
    return names_stored(target.value) if isinstance(target, ast.Starred) else []


def dotted(node: Any) -> str | None:
    """`a.b.c` for a name or a chain of attributes of one, of `ast` or gast; else None."""
    names: list[str] = []
    while type(node).__name__ == "Attribute":
        names.insert(0, node.attr)
        node = node.value
    return ".".join([node.id, *names]) if type(node).__name__ == "Name" else None
