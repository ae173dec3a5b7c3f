"""Names that are numbers on every way through a function, so that `n += 1` may stay a statement.

>>> import gast
>>> from types import SimpleNamespace
>>> function = gast.parse('''
... def f(a):
...     n, s = 0, a
...     i = 2 * -1
...     for k in range(a):
...         i += 1
...         k += i
...         s += 1
... ''').body[0]
>>> static = SimpleNamespace(is_builtin=lambda *_: True)
>>> sorted(number_names(function, SimpleNamespace(scopes=(), kinds=set(), static=static)))
['i', 'k', 'n']
"""

from __future__ import annotations

import builtins
from typing import Any

import gast

from autograph.analyses.operators import parameter_nodes
from autograph.analyses.scopes import COMPREHENSIONS, FUNCTIONS
from autograph.code.nodes import children, names_bound, walk

UNKNOWN, ITEM = gast.Constant(None, None), gast.Constant(0, None)  # any value; an item of a `range`
_PURE = frozenset(
    (gast.Attribute, gast.BinOp, gast.BoolOp, gast.Call, gast.Compare, gast.Constant, gast.IfExp, gast.JoinedStr)
    + (gast.Subscript, gast.UnaryOp)
)
_BINDING = (gast.NamedExpr, *COMPREHENSIONS)  # what makes other expressions bind names
Bindings = dict[str, list[Any]]


def number_names(function: Any, conversion: Any) -> frozenset[str]:
    """Returns the names whose every binding is a number: a literal, arithmetic of such names, an item of `range`."""
    kinds = conversion.kinds
    skipped = _PURE if kinds.isdisjoint(_BINDING) else ()
    bindings: Bindings = {item.id: [UNKNOWN] for item in parameter_nodes(function.args)}
    pending: list[Any] = list(function.body)
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind in skipped:
            continue
        if kind is gast.Name:
            if type(node.ctx) is not gast.Load:
                bindings.setdefault(node.id, []).append(UNKNOWN)
        elif kind is gast.Assign:
            for target in node.targets:
                _bind(bindings, target, node.value)
            pending.append(node.value)
        elif kind is gast.AugAssign:
            _bind(bindings, node.target, node.value)
            pending.append(node.value)
        elif isinstance(node, gast.For) and _is_range(node.iter, conversion):
            _bind(bindings, node.target, ITEM)
            pending.extend((node.iter, *node.body, *node.orelse))
        else:
            for name in names_bound(node):
                bindings.setdefault(name, []).append(UNKNOWN)
            if not isinstance(node, FUNCTIONS):
                pending.extend(children(node))
    for scope in conversion.scopes:
        for name in scope.nonlocals | scope.globals:
            bindings[name] = [UNKNOWN]
    known = {name for name, values in bindings.items() if all(_is_arithmetic(value) for value in values)}
    users: dict[str, list[str]] = {}
    for name in known:
        for used in walk(*bindings[name]):
            if type(used) is gast.Name:
                users.setdefault(used.id, []).append(name)
    lost = [name for name in users if name not in known]
    while lost:
        for name in users.get(lost.pop(), ()):
            if name in known:
                known.discard(name)
                lost.append(name)
    return frozenset(known)


def _bind(bindings: Bindings, target: Any, value: Any) -> None:
    if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple) and len(target.elts) == len(value.elts):
        if not any(isinstance(item, gast.Starred) for item in (*target.elts, *value.elts)):
            for item, part in zip(target.elts, value.elts, strict=True):
                _bind(bindings, item, part)
            return
    for node in walk(target):
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            bindings.setdefault(node.id, []).append(value if node is target else UNKNOWN)


def _is_range(node: Any, conversion: Any) -> bool:
    return isinstance(node, gast.Call) and conversion.static.is_builtin(node.func, builtins.range)


def _is_arithmetic(node: Any) -> bool:
    """Whether an expression is a number if all names in it are."""
    match node:
        case gast.Constant():
            return isinstance(node.value, int | float | complex)
        case gast.Name():
            return True
        case gast.UnaryOp():
            return not isinstance(node.op, gast.Not) and _is_arithmetic(node.operand)
        case gast.BinOp():
            return _is_arithmetic(node.left) and _is_arithmetic(node.right)
    return False
