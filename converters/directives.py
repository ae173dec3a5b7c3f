"""`ag.set_loop_options(...)` in the body of a loop becomes the options of the loop.

>>> from autograph.directives import set_loop_options
>>> from autograph.converters.control_flow import ControlFlow
>>> from autograph.converters.showing import show
>>> print(show('''
... def f(n):
...     while n > 3:
...         set_loop_options(unroll=2)
...         n = g(n)
... ''', Directives, ControlFlow, names={'set_loop_options': set_loop_options}))
def f(n):
    def loop_body():
        nonlocal n
        n = g(n)
    ag__.while_loop(lambda: n > 3, loop_body, lambda: (n,), dead=('n',), options={'unroll': 2})

The options are evaluated once, before the loop. Every loop becomes a node that can hold them (`analyses.loops`). First,
because later passes move the statements of a body.
"""

from __future__ import annotations

import sys
from typing import Any

import gast

from autograph.analyses.loops import extended
from autograph.code import locations
from autograph.converters.base import Node, StatementConverter
from autograph.options import MISSING


class Directives(StatementConverter):
    """Takes the directives out of the bodies of loops and keeps what they say with the loops."""

    def visit_While(self, node: Node) -> Any:
        loop = extended(self.inside(node))
        self.conversion.loops.append(loop)
        given = [item for item in loop.body if self._is_directive(item)]
        if given:
            loop.body = [item for item in loop.body if item not in given] or self.statements("pass", at=given[0])
            keywords = [keyword for item in given for keyword in item.value.keywords]
            keys = [None if word.arg is None else gast.Constant(word.arg, None) for word in keywords]
            options = gast.Dict(keys, [word.value for word in keywords])
            loop.options = locations.place(options, locations.header(given[0]))
        return loop

    visit_For = visit_While

    def _is_directive(self, node: Node) -> bool:
        if not isinstance(node, gast.Expr) or not isinstance(node.value, gast.Call):
            return False
        directives: Any = sys.modules.get("autograph.directives")
        meaning = self.conversion.meaning(node.value.func)
        return meaning is not MISSING and meaning is getattr(directives, "set_loop_options", MISSING)
