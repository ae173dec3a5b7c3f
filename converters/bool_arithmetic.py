"""Arithmetic on bools becomes an operator call: bools are integers to Python, and not to JAX.

>>> from autograph.converters.showing import show
>>> print(show("def f(a, b): up = a > 0; return (a > b) + (a < b), up - (b > 0), -(not a), 2 + (a > b), +a", BoolArithmetic))
def f(a, b):
    up = a > 0
    return (ag__.bool_op('+', a > b, a < b), ag__.bool_op('-', up, b > 0), ag__.bool_op('-', not a), 2 + (a > b), ag__.positive(a))

So does what a function returns that compares: `is_odd(a) + is_odd(b)`, `bool(a) - bool(b)`, and `+x`, of which NumPy makes a
copy. Where only one operand is a bool by its form (`hits += x > 0`), the other one decides, in JAX as in Python.
"""

from __future__ import annotations

import dis
from types import CodeType, FunctionType
from typing import Any

import gast

from autograph.analyses.name_kinds import is_bool_expression
from autograph.analyses.operators import ARITHMETIC, TRUTHS, callee, is_operator, variable
from autograph.code.library import is_library
from autograph.code.nodes import SIGNS
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node

_OF_BITS = (gast.BitAnd, gast.BitOr, gast.BitXor)  # of two bools they are bools in JAX too
UNARY_SIGNS = {gast.UAdd: "+", gast.USub: "-", gast.Invert: "~"}
_BOOLS = TRUTHS | ARITHMETIC - {"and_", "or_"}


class BoolArithmetic(ExpressionConverter):
    """Writes `ag__.bool_op` for operators whose operands are bools by their form, and `ag__.positive` for `+x`."""

    def visit_BinOp(self, node: Node) -> Any:
        if isinstance(node.op, (gast.MatMult, *_OF_BITS)) or not (self.is_bool(node.left) and self.is_bool(node.right)):
            return node
        sign = SIGNS[type(node.op).__name__]
        return builders.operator(self.alias, "bool_op", [gast.Constant(sign, None), node.left, node.right], at=node)

    def visit_UnaryOp(self, node: Node) -> Any:
        sign = UNARY_SIGNS.get(type(node.op))
        if sign == "+" and not self.is_bool(node.operand) and not isinstance(node.operand, gast.Constant):
            return builders.operator(self.alias, "positive", [node.operand], at=node)
        if sign is None or not self.is_bool(node.operand):
            return node
        return builders.operator(self.alias, "bool_op", [gast.Constant(sign, None), node.operand], at=node)

    def is_bool(self, node: Node) -> bool:
        """Whether an operand may well be a bool: by its form, also where that has become an operator, or by its name."""
        node = variable(node, self.alias)
        if isinstance(node, gast.Name):
            return node.id in self.conversion.name_kinds.bools
        if is_operator(node, self.alias):
            if node.func.attr in ("and_", "or_"):
                return all(map(self.is_bool, (node.args[0], node.args[1].body)))
            return node.func.attr in _BOOLS
        if isinstance(node, gast.Call):
            return self.is_predicate(callee(node, self.alias))
        return is_bool_expression(node)

    def is_predicate(self, func: Node) -> bool:
        """Whether a function may well return a bool."""
        if isinstance(func, gast.Name) and func.id in self.conversion.name_kinds.predicates:
            return True
        if is_operator(func, self.alias):
            return func.func.attr == "method" and func.args[1].value in ("is_integer", "item")
        meaning = self.conversion.meaning(func)
        if type(meaning) is FunctionType:
            return not is_library(meaning) and returns_bool(meaning.__code__)
        return any(meaning is known for known in (bool, any, all))


def returns_bool(code: CodeType) -> bool:
    """Whether a `return` hands out a comparison, `not x`, `True` or `False`.

    >>> returns_bool((lambda n: n > 2 and n < 5).__code__), returns_bool((lambda n: n + 2).__code__)
    (True, False)
    """
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "NOP")]
    for before, step in zip(steps, steps[1:]):
        if step.opname == "RETURN_VALUE" and (before.opname in _TRUTH or type(before.argval) is bool):
            return True
    return any(step.opname == "RETURN_CONST" and type(step.argval) is bool for step in steps)


_TRUTH = frozenset({"COMPARE_OP", "CONTAINS_OP", "IS_OP", "UNARY_NOT"})
