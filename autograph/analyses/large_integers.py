"""Expressions whose value may be a Python integer that no integer of a compiled program holds, by their form.

>>> import gast
>>> from autograph.options import MISSING
>>> tree = gast.parse('''
... def f(x, n):
...     top, fact = 10**12, 1
...     for i in range(1, n):
...         fact *= i
... ''')
>>> forms = LargeIntegers(tree, lambda node: MISSING)
>>> texts = "10**10", "2**n", "1 << 31", "2**16 - 1", "-(10**n - 1)", "top", "fact", "n", "top * x"
>>> [forms.may_be(gast.parse(text, mode="eval").body) for text in texts]
[True, True, True, False, True, True, True, False, False]

No proof, and none is needed: the operator of small operands is Python's, and where this says too little JAX fails aloud.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import gast

from autograph.analyses.operators import callee, is_operator, variable
from autograph.code.nodes import walk

_LEAST = 2**31
_MAKERS = (math.factorial, math.comb, math.perm, math.prod, pow)
_FOLDED: dict[type, Callable[[int, int], int]] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Pow: operator.pow, gast.LShift: operator.lshift,
}  # fmt: skip
_RISING = (gast.Pow, gast.LShift)
_LARGEST_EXPONENT = 4096


class LargeIntegers:
    """The forms of such expressions in one tree.

    Args:
        tree: a function; its scopes are not distinguished.
        meaning: the object that an expression names, or `MISSING`.
        alias: the name of the operators' module in the tree.
    """

    def __init__(self, tree: Any, meaning: Callable[[Any], Any], alias: str = "ag__") -> None:
        self.tree, self.meaning, self.alias = tree, meaning, alias
        self._counters = {node.target.id for node in walk(tree) if isinstance(node, gast.For) and _counts(node)}

    def may_be(self, node: Any) -> bool:
        """Whether an expression may well be such an integer."""
        node = variable(node, self.alias)
        if isinstance(node, gast.Name) and node.id in self.names:
            return True
        return self._is_written(node)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that are bound to such an expression, or are a product of integers that a loop makes."""
        return frozenset(
            name
            for name, value, factor in _bindings(self.tree)
            if self._is_written(value) or (factor is not None and _is_integer(factor, self._counters))
        )

    def _is_written(self, node: Any) -> bool:
        """Whether an expression is one without a look at the names that the tree binds."""
        if isinstance(node, gast.UnaryOp):
            return isinstance(node.op, gast.USub) and self._is_written(node.operand)
        if isinstance(node, gast.Call):
            if is_operator(node, self.alias):
                return node.func.attr == "power" and (_folded(node.args[0]) or 0) ** 2 > 1
            made = self.meaning(callee(node, self.alias))
            return any(made is maker for maker in _MAKERS)
        if isinstance(node, gast.BinOp):
            left, right = _folded(node.left), _folded(node.right)
            if left is not None and right is None and isinstance(node.op, _RISING):
                return left**2 > 1 or (left == 1 and isinstance(node.op, gast.LShift))
            if (left is None) is not (right is None):
                return type(node.op) in _FOLDED and self._is_written(node.left if left is None else node.right)
        number = _folded(node)
        if number is None and isinstance(node, gast.Name | gast.Attribute):
            number = self.meaning(node)
        return type(number) is int and not -_LEAST <= number < _LEAST


def _folded(node: Any) -> int | None:
    """Returns the value of an expression of integer literals; None for any other one."""
    if isinstance(node, gast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        value = _folded(node.operand)
        return None if value is None else -value
    if not isinstance(node, gast.BinOp) or type(node.op) not in _FOLDED:
        return None
    left, right = _folded(node.left), _folded(node.right)
    if left is None or right is None or (isinstance(node.op, _RISING) and not 0 <= right <= _LARGEST_EXPONENT):
        return None
    return _FOLDED[type(node.op)](left, right)


def _bindings(tree: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yields each name that is bound, its new value, and by what its old value is multiplied for that."""
    for node in walk(tree):
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            yield node.target.id, None, node.value if isinstance(node.op, gast.Mult | gast.LShift) else None
        elif isinstance(node, gast.Assign | gast.NamedExpr):
            for target in node.targets if isinstance(node, gast.Assign) else [node.target]:
                yield from _pairs(target, node.value)


def _pairs(target: Any, value: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple) and len(target.elts) == len(value.elts):
        for part, given in zip(target.elts, value.elts, strict=True):
            yield from _pairs(part, given)
    elif isinstance(target, gast.Name):
        is_product = isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult)
        own = is_product and isinstance(value.left, gast.Name) and value.left.id == target.id
        yield target.id, value, value.right if own else None


def _counts(loop: Any) -> bool:
    """Whether a loop counts: `for i in range(...)`."""
    if not isinstance(loop.target, gast.Name) or not isinstance(loop.iter, gast.Call):
        return False
    func = loop.iter.func
    return getattr(func, "id", getattr(func, "attr", "")) == "range"


def _is_integer(node: Any, counters: set[str]) -> bool:
    """Whether an expression computes with integer literals and counters of loops alone."""
    if isinstance(node, gast.BinOp):
        return (
            not isinstance(node.op, gast.Div) and _is_integer(node.left, counters) and _is_integer(node.right, counters)
        )
    return node.id in counters if isinstance(node, gast.Name) else _folded(node) is not None
