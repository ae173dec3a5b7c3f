"""From `ast` to gast and back, as `gast.ast_to_gast` and `gast.gast_to_ast` do it and several times as fast.

The grammars have the same nodes under the same names. Where they differ, gast's is the same on every version of Python: a
parameter, and the name of an `except`, are a `Name`; fields that the running Python does not have are empty.

>>> node = ast.parse("def f(x, *rest):\\n    return -x + 1").body[0]
>>> tree = to_gast(node)
>>> gast.dump(tree) == gast.dump(gast.ast_to_gast(node))
True
>>> ast.dump(to_ast(tree)) == ast.dump(node)
True
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import gast

from autograph.code.nodes import ByKind, parts_of

# One context or operator serves all nodes of a tree, as in what Python's parser makes.
_TO_GAST_SIGN = ByKind(lambda kind: getattr(gast, kind.__name__)())
_TO_AST_SIGN = ByKind(lambda kind: getattr(ast, kind.__name__)())


def _signs(kind: Any) -> tuple[str, ...]:
    return tuple(name for name in kind._fields if name in ("ctx", "op"))


def _gast_plan(kind: Any) -> tuple[Any, ...]:
    """Returns the type of gast, the fields that hold contexts or operators, those that hold nodes, and those `ast` lacks."""
    made = gast.Name if kind is ast.arg else getattr(gast, kind.__name__)
    lacks = [(name, name == "type_params") for name in made._fields if name not in kind._fields]
    return made, _signs(kind), parts_of(kind), lacks


_TO_GAST = ByKind(_gast_plan)
_TO_AST = ByKind(lambda kind: (getattr(ast, kind.__name__), _signs(kind), parts_of(kind)))


def to_gast(node: Any) -> Any:
    """Returns a copy of a tree as gast has it."""
    given = type(node)
    kind, signs, parts, lacks = _TO_GAST[given]
    new = kind.__new__(kind)
    fields = new.__dict__
    fields.update(node.__dict__)
    for name in signs:
        fields[name] = _TO_GAST_SIGN[type(fields[name])]
    for name in parts:
        value = fields.get(name)
        if type(value) is list:
            fields[name] = [item if item is None else to_gast(item) for item in value]
        elif value is not None:
            fields[name] = to_gast(value)
    for name, is_list in lacks:
        fields[name] = [] if is_list else None
    if given is ast.Compare:
        fields["ops"] = [_TO_GAST_SIGN[type(sign)] for sign in node.ops]
    elif given is ast.arg:
        fields.update(id=node.arg, ctx=_TO_GAST_SIGN[gast.Param])
    elif given is ast.ExceptHandler and node.name is not None:
        fields["name"] = gast.Name(node.name, _TO_GAST_SIGN[ast.Store], None, None)
    return new


def to_ast(tree: Any, constants: Mapping[str, Any] | None = None) -> Any:
    """Returns the tree as `ast` has it: the very nodes, with other types.

    Args:
        tree: a gast tree that nobody needs any more.
        constants: names that become constants where they are read, and their values.
    """
    constants = constants or {}
    pending = [tree]
    while pending:
        node = pending.pop()
        if node is None:
            continue
        given = type(node)
        if given is gast.Name:
            _name(node, constants, pending)
            continue
        node.__class__, signs, parts = _TO_AST[given]
        fields = node.__dict__
        for name in signs:
            fields[name] = _TO_AST_SIGN[type(fields[name])]
        if given is gast.Compare:
            node.ops = [_TO_AST_SIGN[type(sign)] for sign in node.ops]
        elif given is gast.ExceptHandler and node.name is not None:
            node.name = node.name.id
            parts = ("type", "body")
        for name in parts:
            value = fields.get(name)
            if type(value) is list:
                pending += value
            elif value is not None:
                pending.append(value)
    return tree


def _name(node: Any, constants: Mapping[str, Any], pending: list[Any]) -> None:
    """Translates a variable, a parameter, or a name that becomes a constant."""
    context = type(node.ctx)
    if context is gast.Param:
        node.__class__ = ast.arg
        node.arg = node.id
        if node.annotation is not None:
            pending.append(node.annotation)
    elif context is gast.Load and node.id in constants:
        node.__class__ = ast.Constant
        node.value, node.kind = constants[node.id], None
    else:
        node.__class__ = ast.Name
        node.ctx = _TO_AST_SIGN[context]
