"""Chained comparisons, membership, identity and comparisons of what may be tuples, lists or objects become operator calls;
any other single comparison stays, for arrays overload it, and so does identity with `None` or a class.

>>> from autograph.converters.showing import show
>>> print(show("def f(a, b, c): return a < b < c or a in b", Comparisons))
def f(a, b, c):
    return ag__.compare(a, '<', lambda: b, '<', lambda: c) or ag__.in_(a, b)

What may be a container is decided by the source (`autograph.analyses.name_kinds`). Tuples and objects are tested for equality as
often as numbers, so there only what is known to be a number stays; an order is one of numbers unless a container is seen.
A wrong guess is no wrong answer: Python's own comparison of containers with traced values in them fails.

>>> print(show("def f(a, b, n): t = (a, n); return (a == b, a < b, a < t, n < 3, n == a)", Comparisons))
def f(a, b, n):
    t = (a, n)
    return (ag__.eq(a, b), a < b, ag__.lt(a, t), n < 3, n == a)

A chain evaluates each operand at most once and stops at the first comparison that fails. One that binds names by walrus
becomes a conjunction, whose operands have a state:

>>> print(show("def f(a, y, c): return a < (y := a + 1) < c", Comparisons))
def f(a, y, c):
    return ag__.and_(a < (middle := (y := (a + 1))), lambda: middle < c)
"""

from __future__ import annotations

import copy
from collections import deque
from types import FunctionType, ModuleType
from typing import Any

import gast

from autograph.analyses.operators import callee, variable
from autograph.analyses.static_tests import is_bool_literal
from autograph.code import locations
from autograph.code.library import is_library
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node, binds
from autograph.options import MISSING

SIGNS = {
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=",
    "Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in",
}  # fmt: skip


ORDERINGS = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
DISPLAYS = (gast.Tuple, gast.List, gast.Dict, gast.ListComp, gast.DictComp)
GIVE_CONTAINERS = (sorted, divmod, max, min, next, getattr, copy.copy, copy.deepcopy)
PLAIN = frozenset((bool, int, float, complex, str, bytes, type(None)))
# Attributes of arrays that hold Python values.
STATIC_ATTRIBUTES = frozenset(("shape", "ndim", "size", "dtype"))


class Comparisons(ExpressionConverter):
    """Writes an operator for each comparison that the one of arrays does not stand for."""

    def visit_Compare(self, node: Node) -> Any:
        if len(node.ops) > 1:
            if self.conversion.static.holds(node) or not self.may_be_operand(*node.comparators):
                return node
            if self.conversion.has_walrus and any(binds(value) for value in node.comparators):
                return self.as_conjunction(node)
            arguments = [node.left]
            for operator, value in zip(node.ops, node.comparators, strict=True):
                arguments += [gast.Constant(SIGNS[type(operator).__name__], None), builders.thunk(value, at=value)]
            last = node if any(isinstance(sign, gast.In | gast.NotIn) for sign in node.ops) else value
            return builders.operator(self.alias, "compare", arguments, at=node, **builders.lazy(last, self.alias))
        [operator], [right] = node.ops, node.comparators
        return self.single(node.left, operator, right, node)

    def single(self, left: Node, operator: Node, right: Node, at: Node) -> Node:
        if (name := ORDERINGS.get(type(operator).__name__)) is not None:
            sides = (left, right)
            is_order = name not in ("eq", "ne")
            may_be = all(map(self.may_be_container, sides)) and (not is_order or any(map(self.is_container, sides)))
            if may_be or self.are_shapes(*sides):
                return builders.operator(self.alias, name, [left, right], at=at)
        if isinstance(operator, gast.In | gast.NotIn):
            text = "in_" if isinstance(operator, gast.In) else "not_in"
            return builders.operator(self.alias, text, [left, right], at=at)
        if isinstance(operator, gast.Is | gast.IsNot) and not (self.is_one(left) or self.is_one(right)):
            text = "is_" if isinstance(operator, gast.Is) else "is_not"
            return builders.operator(self.alias, text, [left, right], at=at)
        return locations.place(gast.Compare(left, [operator], [right]), locations.position(at))

    def are_shapes(self, left: Node, right: Node) -> bool:
        """Whether the shape of an array is compared with one of the same rank: its sizes may not be known."""
        both = [variable(node, self.alias) for node in (left, right)]
        is_shape = any(isinstance(node, gast.Attribute) and node.attr == "shape" for node in both)
        return is_shape and not any(isinstance(node, gast.Tuple) and not node.elts for node in both)

    def may_be_container(self, node: Node) -> bool:
        """Whether an operand may well be a tuple, a list, a dict or an object of the user's."""
        node = variable(node, self.alias)
        if isinstance(node, gast.Name | gast.Attribute):
            if isinstance(node, gast.Name) and node.id in self.conversion.name_kinds.numbers:
                return False
            if isinstance(node, gast.Attribute) and node.attr in STATIC_ATTRIBUTES:
                return False
            return type(self.conversion.meaning(node)) not in PLAIN
        if isinstance(node, gast.Call):
            meaning = self.conversion.meaning(callee(node, self.alias))
            is_users = type(meaning) is FunctionType and not is_library(meaning)
            return meaning is MISSING or isinstance(meaning, type) or is_users or any(meaning is f for f in GIVE_CONTAINERS)
        return isinstance(node, (*DISPLAYS, gast.Subscript, gast.IfExp)) or self.is_container(node)

    def is_container(self, node: Node) -> bool:
        """Whether an operand is one by its form, or a name that is bound to one, or a new named tuple."""
        node = variable(node, self.alias)
        if isinstance(node, gast.Name):
            kinds = self.conversion.name_kinds
            return node.id in kinds.containers or any(map(self.makes_containers, kinds.made.get(node.id, ())))
        if isinstance(node, gast.Call):
            return self.makes_containers(callee(node, self.alias))
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Add | gast.Mult):
            return self.is_container(node.left) or self.is_container(node.right)
        return isinstance(node, DISPLAYS)

    def makes_containers(self, func: Node) -> bool:
        """Whether a callee is a class of tuples, lists or deques, or makes a list."""
        meaning = self.conversion.meaning(func)
        return meaning is sorted or (isinstance(meaning, type) and issubclass(meaning, tuple | list | deque))

    def is_one(self, node: Node) -> bool:
        """Whether an expression names an object that no statement can replace by another one: `None`, a class, ..."""
        if isinstance(node, gast.Constant):
            return not (is_bool_literal(node) or isinstance(node.value, str))
        if isinstance(node, gast.Call):
            return self.conversion.static.is_builtin(callee(node, self.alias), type)
        return isinstance(self.conversion.meaning(node), type | ModuleType)

    def as_conjunction(self, node: Node) -> Node:
        """`a < b < c` as `a < (middle := b) and middle < c`."""
        namer = self.conversion.namer(self.function)
        left, parts = node.left, []
        for operator, value in zip(node.ops, node.comparators, strict=True):
            following = value
            if value is not node.comparators[-1]:
                middle = namer.fresh("middle")
                target = gast.Name(middle, gast.Store(), None, None)
                value = locations.place(gast.NamedExpr(target, value), locations.position(value))
                following = locations.place(builders.name(middle), locations.position(value))
            parts.append(self.single(left, operator, value, node))
            left = following
        result = parts.pop()
        while parts:
            result = builders.conditional(self.alias, "and_", parts.pop(), result, at=node, test=False)
        return result
