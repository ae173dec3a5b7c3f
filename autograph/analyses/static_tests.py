"""Which tests are known while Python traces, whatever the values are.

>>> import gast
>>> static = StaticTests(lambda name: getattr(__import__("builtins"), name, None))
>>> [static.holds(gast.parse(text, mode="eval").body)
...  for text in ("x is None", "isinstance(x, int) and not hasattr(x, 'n')", "x > 0", "x is None or x > 0", "True")]
[True, True, False, False, True]
"""

from __future__ import annotations

import builtins
import enum
import typing
from collections.abc import Callable
from typing import Any

import gast

from autograph.code.trees import dotted

STATIC_CALLS = (isinstance, issubclass, callable, hasattr)


def is_bool_literal(node: Any) -> bool:
    """Whether an expression is `True` or `False`: identity with one is a test of a value, which may be traced."""
    return isinstance(node, gast.Constant) and isinstance(node.value, bool)


class StaticTests:
    """Decides by the source alone; a name counts as what it means at conversion time.

    Args:
        resolve: the object that a dotted name means, or something that is no function.
    """

    def __init__(self, resolve: Callable[[str], Any]) -> None:
        self.resolve = resolve

    def holds(self, node: Any) -> bool:
        """Whether the truth of `node` is never a traced value."""
        match node:
            case gast.Constant():
                return True
            case gast.Compare():
                return all(isinstance(op, gast.Is | gast.IsNot) for op in node.ops) and not any(
                    is_bool_literal(operand) or self._is_option(operand) for operand in (node.left, *node.comparators)
                )
            case gast.BoolOp():
                return all(self.holds(value) for value in node.values)
            case gast.UnaryOp(op=gast.Not()):
                return self.holds(node.operand)
            case gast.NamedExpr():
                return self.holds(node.value)
            case gast.Call():
                return self.is_builtin(node.func, *STATIC_CALLS)
            case gast.Name(id="__debug__"):
                return True
            case gast.Name() | gast.Attribute():
                return self._is_type_checking(node)
            case gast.Lambda() | gast.JoinedStr():
                return True
        return False

    def is_builtin(self, func: Any, *functions: Any) -> bool:
        """Whether an expression is the name of one of these builtin functions, or `ag__.converted` of it."""
        if isinstance(func, gast.Call) and isinstance(func.func, gast.Attribute) and func.func.attr == "converted":
            func = func.args[0]
        if not isinstance(func, gast.Name) or not hasattr(builtins, func.id):
            return False
        meant = self.resolve(func.id)
        return any(meant is function for function in functions)

    def _is_option(self, node: Any) -> bool:
        """Whether an expression names a function or a member of an enum, of which a program may choose one."""
        name = dotted(node)
        if name is None:
            return False
        meaning = self.resolve(name)
        is_function = callable(meaning) and not isinstance(meaning, type)
        return is_function or isinstance(meaning, enum.Enum) or isinstance(self.resolve(name.rpartition(".")[0]), enum.EnumMeta)

    def _is_type_checking(self, node: Any) -> bool:
        name = dotted(node)
        if name is None or not name.endswith("TYPE_CHECKING"):
            return False
        return self.resolve(name) is typing.TYPE_CHECKING
