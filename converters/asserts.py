"""`assert` and, inside the functions of statements, `raise`.

>>> from autograph.converters.control_flow import ControlFlow
>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     assert x > 0, g(x)
...     if x > 1:
...         raise ValueError from x
... ''', ControlFlow, Asserts))
def f(x):
    ag__.assert_(x > 0, lambda: g(x))
    def if_body():
        raise ag__.raise_(ValueError, x)
    ag__.if_stmt(x > 1, if_body, ag__.nothing)

The message is evaluated only when the assertion fails. An exception that leaves a staged branch on purpose is marked by
`ag__.raise_`, which knows it from one that tracing ran into; elsewhere `raise` is Python's. So is an `assert` whose message
binds a name. With `python -O` assertions are gone, as they are from plain code.

An f-string in a message (`formatted_strings`) is put together when the check fails, from the values that it has then.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses.operators import is_operator
from autograph.code import locations
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node, binds


class Asserts(ExpressionConverter):
    """Writes operators for `assert` and for `raise` in functions of statements."""

    def visit_Assert(self, node: Node) -> Any:
        if not __debug__:
            return locations.place(gast.Pass(), locations.position(node))
        arguments = [node.test]
        if node.msg is not None:
            if not self.may_be_operand(node.msg) or binds(node.msg):
                return node  # a message that binds a name must not run where the assertion holds
            arguments.append(builders.thunk(node.msg, at=node.msg))
        call = builders.operator(self.alias, "assert_", arguments, at=node)
        return locations.place(gast.Expr(call), locations.position(node))

    def visit_Raise(self, node: Node) -> Any:
        if not self.moved or (node.exc is not None and is_operator(node.exc, self.alias)):
            return node
        arguments = [] if node.exc is None else [node.exc]
        if node.cause is not None and not isinstance(node.cause, gast.Constant):  # `from None` also suppresses the context
            arguments.append(node.cause)
            node.cause = None
        node.exc = builders.operator(self.alias, "raise_", arguments, at=node)
        return node
