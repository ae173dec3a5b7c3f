"""`super()` inside the function of a statement names what it would have found in the frame of the method.

>>> from autograph.converters.control_flow import ControlFlow
>>> from autograph.converters.jumps import Jumps
>>> from autograph.converters.showing import show
>>> print(show('''
... def m(self, x):
...     if x:
...         return super().m(x)
... ''', Jumps, ControlFlow, SuperCalls))
def m(self, x):
    def if_body():
        return super(__class__, self).m(x)
    def else_body():
        return None
    return ag__.if_stmt(x, if_body, else_body)

Without arguments `super` looks at the class cell and at the first argument of the frame that calls it; there that is our
own function, which has neither.
"""

from __future__ import annotations

import builtins
from typing import Any

import gast

from autograph.code import locations
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node


class SuperCalls(ExpressionConverter):
    """Writes out the class and the object of `super()`. Late: only then is it known which code moved."""

    def convert(self, tree: Node) -> Node:
        return super().convert(tree) if "super" in self.conversion.names else tree

    def visit_Call(self, node: Node) -> Any:
        func = node.func
        if not self.moved or node.args or node.keywords or not isinstance(func, gast.Name) or func.id != "super":
            return node
        arguments = [*(self.function.args.posonlyargs or ()), *(self.function.args.args or ())]
        if arguments and self.conversion.resolve("super") is builtins.super:
            names = [builders.name("__class__"), builders.name(arguments[0].id)]
            node.args = locations.place(names, locations.position(node))
        return node
