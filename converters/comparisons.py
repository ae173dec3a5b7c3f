"""Chained comparisons, membership, identity and comparisons with a tuple or list that is written out become operator calls;
any other single comparison stays, for arrays overload it, and so does identity with `None` or a class.

>>> from autograph.converters.showing import show
>>> print(show("def f(a, b, c): return a < b < c or a in b", Comparisons))
def f(a, b, c):
    return ag__.compare(a, '<', lambda: b, '<', lambda: c) or ag__.in_(a, b)

A chain evaluates each operand at most once and stops at the first comparison that fails. One that binds names by walrus
becomes a conjunction, whose operands have a state:

>>> print(show("def f(a, y, c): return a < (y := a + 1) < c", Comparisons))
def f(a, y, c):
    return ag__.and_(a < (middle := (y := (a + 1))), lambda: middle < c)
"""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import gast

from autograph import locations
from autograph.analyses.operators import callee
from autograph.analyses.static_tests import is_bool_literal
from autograph.converters import pieces
from autograph.converters.base import ExpressionConverter, Node, binds

SIGNS = {
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=",
    "Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in",
}  # fmt: skip


ORDERINGS = frozenset(("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"))


class Comparisons(ExpressionConverter):
    """See the module."""

    def visit_Compare(self, node: Node) -> Any:
        if len(node.ops) > 1:
            if self.conversion.static.holds(node) or not self.may_be_operand(*node.comparators):
                return node
            if self.conversion.has_walrus and any(binds(value) for value in node.comparators):
                return self.as_conjunction(node)
            arguments = [node.left]
            for operator, value in zip(node.ops, node.comparators, strict=True):
                arguments += [gast.Constant(SIGNS[type(operator).__name__], None), pieces.thunk(value, at=value)]
            return pieces.operator(self.alias, "compare", arguments, at=node)
        [operator], [right] = node.ops, node.comparators
        if type(operator).__name__ in ORDERINGS and any(
            isinstance(x, gast.Tuple | gast.List) for x in (node.left, right)
        ):
            if not self.conversion.static.holds(node) and self.may_be_operand(right) and not binds(right):
                sign = gast.Constant(SIGNS[type(operator).__name__], None)
                return pieces.operator(self.alias, "compare", [node.left, sign, pieces.thunk(right, at=right)], at=node)
        return self.single(node.left, operator, right, node)

    def single(self, left: Node, operator: Node, right: Node, at: Node) -> Node:
        if isinstance(operator, gast.In | gast.NotIn):
            text = "in_" if isinstance(operator, gast.In) else "not_in"
            return pieces.operator(self.alias, text, [left, right], at=at)
        if isinstance(operator, gast.Is | gast.IsNot) and not (self.is_one(left) or self.is_one(right)):
            text = "is_" if isinstance(operator, gast.Is) else "is_not"
            return pieces.operator(self.alias, text, [left, right], at=at)
        return locations.place(gast.Compare(left, [operator], [right]), locations.position(at))

    def is_one(self, node: Node) -> bool:
        """Whether an expression names an object that no statement can replace by a merged one: `None`, a class, ..."""
        if isinstance(node, gast.Constant):
            return not is_bool_literal(node)
        if isinstance(node, gast.Call):
            return self.conversion.static.is_builtin(callee(node, self.alias), type)
        return isinstance(self.conversion.meaning(node), type | FunctionType | BuiltinFunctionType | ModuleType)

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
                following = locations.place(pieces.name(middle), locations.position(value))
            parts.append(self.single(left, operator, value, node))
            left = following
        result = parts.pop()
        while parts:
            result = pieces.operator(self.alias, "and_", [parts.pop(), pieces.thunk(result, at=result)], at=node)
        return result
