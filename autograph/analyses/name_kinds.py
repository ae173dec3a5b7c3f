"""Names that a function uses as numbers, and names that it binds to containers.

No proof, and none is needed: a comparison that stays Python's own on a container with traced values fails aloud.

>>> import gast
>>> tree = gast.parse('''
... def f(a, b, best, p, q, xs):
...     i = 0
...     for k in range(a):
...         i = -b
...     best = (i, p)
...     return best - 1, p == q, xs[k] < 3, len(xs) > a
... ''')
>>> kinds = name_kinds(tree)
>>> sorted(kinds.numbers), sorted(kinds.containers)
(['a', 'b', 'i', 'k'], ['best'])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import gast

from autograph.code.nodes import walk

_ARITHMETIC = (gast.Sub, gast.Div, gast.FloorDiv, gast.Mod, gast.Pow, gast.LShift, gast.RShift)
_NUMBER_CALLS = frozenset(("range", "abs", "int", "float", "round", "divmod"))
_NUMBERS = frozenset((*_NUMBER_CALLS - {"range", "divmod"}, "len", "sum", "ord"))
_BOOL_CALLS = frozenset(("bool", "any", "all"))
_CONTAINERS = (gast.Tuple, gast.List, gast.Dict, gast.ListComp, gast.DictComp)


class NameKinds(NamedTuple):
    """What the source of a function says of its names.

    Attributes:
        numbers: stand in arithmetic, are ordered with numbers or bound to them, and never to a container.
        containers: are bound to a tuple, a list or a dict that is written out.
        bools: are bound to `True`, `False`, comparisons, or `not`, `and`, `or` of such.
        made: are bound to what these expressions return when they are called.
        predicates: are functions that return a bool by its form.
    """

    numbers: frozenset[str] = frozenset()
    containers: frozenset[str] = frozenset()
    bools: frozenset[str] = frozenset()
    made: Mapping[str, Sequence[Any]] = MappingProxyType({})
    predicates: frozenset[str] = frozenset()


def name_kinds(tree: Any) -> NameKinds:
    """Returns what the names in a tree are; scopes are not distinguished."""
    numbers: set[str] = set()
    containers: set[str] = set()
    bools: set[str] = set()
    made: dict[str, list[Any]] = {}
    predicates: set[str] = set()
    for node in walk(tree):
        kind = type(node)
        if kind is gast.BinOp:
            if isinstance(node.op, _ARITHMETIC) or is_number(node.left) or is_number(node.right):
                if not isinstance(node.left, gast.Constant | gast.JoinedStr) or is_number(node.left):  # `"%d" % pair`
                    numbers.update(_ids(node.left, node.right))
        elif kind is gast.UnaryOp and not isinstance(node.op, gast.Not):
            numbers.update(_ids(node.operand))
        elif kind is gast.Compare:
            sides = (node.left, *node.comparators)
            if any(map(is_number, sides)) and not any(isinstance(sign, gast.Eq | gast.NotEq) for sign in node.ops):
                numbers.update(_ids(*sides))
        elif kind is gast.Call and isinstance(node.func, gast.Name) and node.func.id in _NUMBER_CALLS:
            numbers.update(_ids(*node.args))
        elif kind is gast.For and isinstance(node.iter, gast.Call) and _ids(node.iter.func) == ["range"]:
            numbers.update(_ids(node.target))
        elif kind is gast.AugAssign and (isinstance(node.op, _ARITHMETIC) or is_number(node.value)):
            numbers.update(_ids(node.target, node.value))
        elif kind is gast.Assign:
            for target in node.targets:
                _bind(target, node.value, numbers, containers, bools, made)
            if isinstance(node.value, gast.Lambda) and is_bool_expression(node.value.body):
                predicates.update(_ids(*node.targets))
        elif kind is gast.FunctionDef:
            if any(isinstance(inner, gast.Return) and is_bool_expression(inner.value) for inner in walk(node)):
                predicates.add(node.name)
    numbers -= containers
    return NameKinds(frozenset(numbers), frozenset(containers), frozenset(bools), made, frozenset(predicates))


def is_number(node: Any) -> bool:
    """Whether an expression is a number by its form."""
    if isinstance(node, gast.Constant):
        return isinstance(node.value, int | float | complex)
    if isinstance(node, gast.UnaryOp):
        return not isinstance(node.op, gast.Not) and is_number(node.operand)
    if isinstance(node, gast.BinOp):
        return isinstance(node.op, _ARITHMETIC) or is_number(node.left) or is_number(node.right)
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in _NUMBERS


def is_bool_expression(node: Any) -> bool:
    """Whether an expression is a bool by its form."""
    if isinstance(node, gast.BoolOp):
        return all(map(is_bool_expression, node.values))
    if isinstance(node, gast.Constant):
        return type(node.value) is bool
    if isinstance(node, gast.IfExp):
        return is_bool_expression(node.body) and is_bool_expression(node.orelse)
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.BitAnd | gast.BitOr | gast.BitXor):
        return is_bool_expression(node.left) and is_bool_expression(node.right)
    if isinstance(node, gast.Call):
        return isinstance(node.func, gast.Name) and node.func.id in _BOOL_CALLS
    return isinstance(node, gast.Compare) or (isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not))


def _ids(*nodes: Any) -> list[str]:
    return [node.id for node in nodes if isinstance(node, gast.Name)]


def _bind(
    target: Any,
    value: Any,
    numbers: set[str],
    containers: set[str],
    bools: set[str],
    made: dict[str, list[Any]],
) -> None:
    if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple) and len(target.elts) == len(value.elts):
        for part, given in zip(target.elts, value.elts, strict=True):
            _bind(part, given, numbers, containers, bools, made)
    elif isinstance(target, gast.Name):
        if is_bool_expression(value):
            bools.add(target.id)
        if is_number(value):
            numbers.add(target.id)
        elif isinstance(value, _CONTAINERS):
            containers.add(target.id)
        elif isinstance(value, gast.Call):
            made.setdefault(target.id, []).append(value.func)
