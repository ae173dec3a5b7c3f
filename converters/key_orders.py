"""What takes the elements of a dict in their order without a call: `*d`, `**d`, `{**d}`, `a, b = d`, `d | e`.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(d, e, *args):
...     a, b = d
...     d = {**d, 'k': a} | e.more
...     return [*e], g(*args, **d), 1 | d['flags']
... ''', KeyOrders))
def f(d, e, *args):
    a, b = ag__.ordered(d)
    d = ag__.union(ag__.display((d,), ('k', a)), e.more)
    return ([*ag__.ordered(e)], g(*args, **ag__.ordered(d)), 1 | d['flags'])
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import gast

from autograph.code import locations
from autograph.code.nodes import walk
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node

_PLACES = (gast.Name, gast.Attribute, gast.Subscript)


class KeyOrders(ExpressionConverter):
    """Wraps what is taken in the order of its keys in `ag__.ordered` and its like (`runtime/values/order_reads.py`)."""

    @cached_property
    def items(self) -> frozenset[str]:
        """The parameters of the functions of statements."""
        return frozenset(argument.id for builder in self.conversion.region_functions for argument in builder.args.args)

    def visit_Starred(self, node: Node) -> Any:
        if isinstance(node.ctx, gast.Load):
            node.value = self.ordered(node.value)
        return node

    def visit_keyword(self, node: Node) -> Any:
        if node.arg is None:
            node.value = self.ordered(node.value)
        return node

    def visit_Assign(self, node: Node) -> Any:
        is_item = isinstance(node.value, gast.Name) and node.value.id in self.items  # what a loop puts into its targets
        if not is_item and any(isinstance(target, gast.Tuple | gast.List) for target in node.targets):
            node.value = self.ordered(node.value)
        return node

    def visit_For(self, node: Node) -> Any:
        node.iter = self.ordered(node.iter)
        return node

    def visit_Match(self, node: Node) -> Any:
        if any(isinstance(part, gast.MatchMapping) and part.rest for case in node.cases for part in walk(case.pattern)):
            node.subject = self.ordered(node.subject)  # `{"x": x, **rest}` is a dict of the other keys
        return node

    def visit_YieldFrom(self, node: Node) -> Any:
        node.value = self.ordered(node.value)
        return node

    def visit_Dict(self, node: Node) -> Any:
        if all(key is not None for key in node.keys):
            return node
        items = [
            locations.place(gast.Tuple([value] if key is None else [key, value], gast.Load()), locations.header(value))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return builders.operator(self.alias, "display", items, at=node)

    def visit_BinOp(self, node: Node) -> Any:
        if isinstance(node.op, gast.BitOr) and self.may_be_dict(node.left) and self.may_be_dict(node.right):
            return builders.operator(self.alias, "union", [node.left, node.right], at=node)
        return node

    def ordered(self, value: Node) -> Node:
        """Wraps a variable, an attribute or an element where the order of its keys is read; leaves anything else."""
        if not isinstance(value, _PLACES) or not self.may_be_dict(value):
            return value
        own = getattr(self.function, "args", None)
        names = [item.id for item in (own.vararg, own.kwarg) if item is not None] if own is not None else []
        is_own = isinstance(value, gast.Name) and value.id in names
        return value if is_own else builders.operator(self.alias, "ordered", [value], at=value)

    def may_be_dict(self, node: Node) -> bool:
        """Whether an operand may be a dict, by its form."""
        if isinstance(node, gast.Name):
            return node.id not in self.conversion.name_kinds.numbers
        return isinstance(node, (*_PLACES, gast.Dict, gast.DictComp)) or isinstance(node, gast.Call)
