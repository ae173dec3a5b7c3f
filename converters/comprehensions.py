"""Comprehensions stay Python; what they iterate over and what they test goes through the runtime.

>>> from autograph.converters.showing import show
>>> print(show("def f(xs): return [x for x in xs if x > 0]", Comprehensions))
def f(xs):
    return [x for x in ag__.comp_iter(xs) if ag__.comp_test(x > 0)]

`comp_iter` takes a traced array apart; `comp_test` is where a traced test is met. A display, or a `range` of literals, is
iterated over as it is.

The filter of `sum(e for x in xs if c)`, `any` and `all` may be traced: an element that it may leave out counts for nothing. So
may that of a list that is only made for `sum`, `any`, `all` or `len`.

>>> print(show("def f(xs): return sum(x for x in xs if x > 0)", Comprehensions))
def f(xs):
    return sum((item for x in ag__.comp_iter(xs) for item in ag__.comp_kept(x > 0, lambda: x, 0)))
>>> print(show("def f(xs): return len([x for x in xs if x > 0])", Comprehensions))
def f(xs):
    return ag__.comp_len([item for x in ag__.comp_iter(xs) for item in ag__.comp_counted(x > 0, lambda: x)])
"""

from __future__ import annotations

import builtins
from typing import Any

import gast

from autograph import locations
from autograph.analyses.operators import callee, is_operator
from autograph.converters import pieces
from autograph.converters.base import ExpressionConverter, Node, binds

FILTERED = {builtins.sum: 0, builtins.any: False, builtins.all: True}
"""Functions of an iterable, and what an element counts for that the filter leaves out."""
DISPLAYS = (gast.List, gast.Tuple, gast.Set, gast.Dict, gast.ListComp, gast.SetComp, gast.DictComp, gast.JoinedStr)


class Comprehensions(ExpressionConverter):
    """See the module."""

    def visit_comprehension(self, node: Node) -> Any:
        if not node.is_async and not self.is_plain(node.iter):
            node.iter = pieces.operator(self.alias, "comp_iter", [node.iter], at=node.iter)
        node.ifs = [
            test if self.conversion.static.holds(test) else pieces.operator(self.alias, "comp_test", [test], at=test)
            for test in node.ifs
        ]
        return node

    def visit_Call(self, node: Node) -> Any:
        """The filter of `sum(e for x in xs if c)`, `any`, `all` and `len` becomes an iterable of one element or none."""
        if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], gast.GeneratorExp | gast.ListComp):
            return node
        func = callee(node, self.alias)
        known = [f for f in (*FILTERED, builtins.len) if self.conversion.static.is_builtin(func, f)]
        if builtins.len in known and not isinstance(node.args[0], gast.ListComp):
            return node  # which Python refuses
        generator = node.args[0]
        *outer, last = generator.generators
        tests = [self.tested(item) for item in last.ifs]
        if not known or not tests or any(item.ifs for item in outer) or last.is_async or None in tests:
            return node
        if not self.may_be_operand(generator.elt, *tests) or any(binds(part) for part in (generator.elt, *tests)):
            return node  # neither a lambda nor an iterable can bind a name of the function's
        test = tests.pop()
        while tests:
            test = pieces.operator(self.alias, "and_", [tests.pop(), pieces.thunk(test, at=test)], at=test)
        element = pieces.thunk(generator.elt, at=generator.elt)
        if known[0] is builtins.len:
            kept = pieces.operator(self.alias, "comp_counted", [test, element], at=generator.elt)
        else:
            passed = locations.place(gast.Constant(FILTERED[known[0]], None), locations.position(test))
            kept = pieces.operator(self.alias, "comp_kept", [test, element, passed], at=generator.elt)
        item = self.conversion.namer(self.function).fresh("item")
        target = gast.Name(item, gast.Store(), None, None)
        clause = gast.comprehension(target, kept, [], 0)
        generator.generators.append(locations.place(clause, locations.position(generator.elt)))
        generator.elt = locations.place(pieces.name(item), locations.position(generator.elt))
        last.ifs = []
        return node if known[0] is not builtins.len else pieces.operator(self.alias, "comp_len", [generator], at=node)

    def tested(self, node: Node) -> Node | None:
        """`t` of `ag__.comp_test(t)`; None where the test is not of that form."""
        return node.args[0] if is_operator(node, self.alias) and node.func.attr == "comp_test" else None

    def is_plain(self, node: Node) -> bool:
        """Whether an iterable is provably a Python container."""
        if isinstance(node, (*DISPLAYS, gast.Constant)):
            return True
        if not isinstance(node, gast.Call) or node.keywords:
            return False
        is_range = self.conversion.static.is_builtin(callee(node, self.alias), builtins.range)
        return is_range and all(isinstance(item, gast.Constant) for item in node.args)
