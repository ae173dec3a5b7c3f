"""Quasi-quotes: source with holes becomes located nodes.

>>> import gast
>>> from ast import unparse
>>> at = gast.parse("a if p else b", mode="eval").body
>>> node = expression("ag__.if_exp($test, lambda: $body, lambda: $orelse)", at=at, test=at.test, body=at.body,
...                   orelse=at.orelse)
>>> unparse(gast.gast_to_ast(node)), node.lineno
('ag__.if_exp(p, lambda: a, lambda: b)', 1)

A hole is `$name`: `$` cannot occur in Python, so a user's variable is never captured by accident. A hole takes a node, a
name (`str`), or, where several expressions or statements may stand, a list of them:

>>> block = statements("if $test:\\n    $body", at=at, test=at.test, body=[gast.Pass(), gast.Pass()])
>>> print(unparse(gast.gast_to_ast(block[0])))
if p:
    pass
    pass

A hole without an argument, or an argument without a hole, is an error:

>>> expression("$a + $b", at=at, a=at.body)
Traceback (most recent call last):
    ...
TypeError: template '$a + $b' has the holes a, b; it was given a

A template is parsed once. Nodes given for holes are used as they are, in one place each, and keep their positions.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Any

import gast

from autograph.code import locations

_HOLE = re.compile(r"\$([a-z_]+)")
_SIGNS = (gast.expr_context, gast.boolop, gast.operator, gast.unaryop, gast.cmpop)
_PREFIX = "hole\u00b7"  # a middle dot is legal in an identifier and in nobody's


@cache
def _parsed(text: str) -> tuple[list[gast.stmt], frozenset[str]]:
    tree = gast.ast_to_gast(ast.parse(_HOLE.sub(lambda match: _PREFIX + match[1], text)))
    return tree.body, frozenset(_HOLE.findall(text))


def statements(text: str, *, at: Any, **holes: Any) -> list[Any]:
    """Returns the statements of a template, placed at the header of the node `at`."""
    body, names = _parsed(text)
    if names != holes.keys():
        wanted, given = ", ".join(sorted(names)), ", ".join(sorted(holes)) or "none"
        raise TypeError(f"template {text!r} has the holes {wanted}; it was given {given}")
    spot = at if type(at) is tuple else locations.header(at)
    return _instances(body, holes, spot)


def expression(text: str, *, at: Any, **holes: Any) -> Any:
    """Returns the expression of a template, placed at the header of the node `at`."""
    [statement] = statements(text, at=at, **holes)
    return statement.value


def _instances(items: list[Any], holes: dict[str, Any], spot: locations.Position) -> list[Any]:
    result: list[Any] = []
    for item in items:
        made = _instance(item, holes, spot)
        if type(made) is list:
            result.extend(made)
        else:
            result.append(made)
    return result


def _instance(node: Any, holes: dict[str, Any], spot: locations.Position) -> Any:
    if type(node) is str:
        return holes[node[len(_PREFIX) :]] if node.startswith(_PREFIX) else node
    if not isinstance(node, gast.AST) or isinstance(node, _SIGNS):
        return node
    if isinstance(node, gast.Expr) and isinstance(node.value, gast.Name) and node.value.id.startswith(_PREFIX):
        filling = holes[node.value.id[len(_PREFIX) :]]
        if type(filling) is list or isinstance(filling, gast.stmt):
            return filling
    if isinstance(node, gast.Name) and node.id.startswith(_PREFIX):
        filling = holes[node.id[len(_PREFIX) :]]
        if type(filling) is not str:
            return filling
        node = gast.Name(filling, node.ctx, None, None)
    copy = type(node)()
    for name in node._fields:
        value = getattr(node, name, None)
        setattr(copy, name, _instances(value, holes, spot) if type(value) is list else _instance(value, holes, spot))
    if locations.IS_LOCATED[type(copy)]:
        copy.lineno, copy.col_offset, copy.end_lineno, copy.end_col_offset = spot
    return copy
