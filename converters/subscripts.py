"""Reads of elements: an index that may be traced goes through the runtime.

>>> from autograph.converters.showing import show
>>> print(show("def f(x, i, k): return x[i] + x[0] + x[i, 1:] + x[2:] + x[i:i + k]", Subscripts))
def f(x, i, k):
    return ag__.get_item(x, i) + x[0] + ag__.get_item(x, (i, slice(1, None))) + x[2:] + ag__.get_slice(x, i, k)

Python lists and dicts know no traced index; arrays do, but a row is read in fewer steps than JAX takes for it, and the index may be
a mask. A window `x[i:i + k]` or `x[i - 1:i + 2]` of a traced start has a static length. NumPy makes `x[..., i]` a view where it
has no axes, while `x[i]` is a number: the first has an operator of its own.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.code import locations
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node

_PLAIN = (
    gast.Name,
    gast.Attribute,
    gast.Constant,
    gast.BinOp,
    gast.UnaryOp,
    gast.expr_context,
    gast.operator,
    gast.unaryop,
)


class Subscripts(ExpressionConverter):
    """Writes an operator for each read with an index that may be traced."""

    def visit_Subscript(self, node: Node) -> Any:
        if not isinstance(node.ctx, gast.Load):
            return node
        index = node.slice
        if isinstance(index, gast.Slice):
            length = self.window(index) or self.constant_window(index)
            if length is None:
                return node if _is_known(index) else self.open_read(node, index)
            return builders.operator(self.alias, "get_slice", [node.value, index.lower, length], at=node)
        if _is_constant(index) or isinstance(index, gast.Starred):
            return node
        if _is_view_of_element(index):
            index = builders.index_argument(index, self.conversion.resolve("slice") is slice, self.alias)
            return builders.operator(self.alias, "get_view", [node.value, index], at=node)
        if isinstance(index, gast.Tuple) and not _is_place(index):
            is_left = all(map(_is_known, index.elts)) or any(isinstance(part, gast.Starred) for part in index.elts)
            return node if is_left else self.open_read(node, index)
        return builders.operator(self.alias, "get_item", [node.value, index], at=node)

    def open_read(self, node: Node, index: Node) -> Node:
        """Returns the read at an index with slices."""
        index = builders.index_argument(index, self.conversion.resolve("slice") is slice, self.alias)
        return builders.operator(self.alias, "get_item", [node.value, index], at=node)

    def window(self, index: Node) -> Node | None:
        """Returns the length of `start:start + length`, where the start has the same value both times."""
        start, end = index.lower, index.upper
        if (
            index.step is not None
            or start is None
            or not isinstance(end, gast.BinOp)
            or not isinstance(end.op, gast.Add)
        ):
            return None
        if _is_constant(start) or not all(isinstance(node, _PLAIN) for node in gast.walk(start)):
            return None
        if gast.dump(start) == gast.dump(end.left):
            return end.right
        return None

    def constant_window(self, index: Node) -> Node | None:
        """Returns the length of `start - 1:start + 2`: one expression on both sides, and numbers that are written out."""
        if index.step is not None or index.lower is None or index.upper is None:
            return None
        (low, first), (high, last) = _with_offset(index.lower), _with_offset(index.upper)
        if isinstance(low, gast.Constant) or not all(isinstance(node, _PLAIN) for node in gast.walk(low)):
            return None
        if last <= first or gast.dump(low) != gast.dump(high):
            return None
        return locations.place(gast.Constant(last - first, None), locations.position(index.upper))


def _with_offset(node: Node) -> tuple[Node, int]:
    """Returns an expression as another one and the number that is added to it."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Add | gast.Sub):
        offset = node.right
        if isinstance(offset, gast.Constant) and type(offset.value) is int:
            return node.left, offset.value if isinstance(node.op, gast.Add) else -offset.value
    return node, 0


def _is_place(index: Node) -> bool:
    """Whether a tuple of indices names one element or row: no slices, `...` or `None`; or one value of a dict."""
    return not any(
        isinstance(part, gast.Slice | gast.Starred) or (isinstance(part, gast.Constant) and type(part.value) not in (int, str))
        for part in index.elts
    ) and not all(map(_is_constant, index.elts))


def _is_view_of_element(index: Node) -> bool:
    """Whether an index has `...` or `None` beside numbers alone: what it reads may be one element, and a view all the same."""
    parts = index.elts if isinstance(index, gast.Tuple) else []
    values = [part.value for part in parts if isinstance(part, gast.Constant)]
    return (... in values or None in values) and not any(isinstance(part, gast.Slice | gast.Starred) for part in parts)


def _is_known(node: Node) -> bool:
    parts = (node.lower, node.upper, node.step) if isinstance(node, gast.Slice) else (node,)
    return all(part is None or _is_constant(part) for part in parts)


def _is_constant(node: Node) -> bool:
    if isinstance(node, gast.UnaryOp):
        return _is_constant(node.operand)
    return isinstance(node, gast.Constant)
