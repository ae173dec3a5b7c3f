"""Whether a function may make an array whose length is only known when the program runs: by a slice, a mask, of a list that grew.

>>> import gast
>>> [opens_lengths(gast.parse(source)) for source in ("x[:k]", "x[i]", "x[1:-1]", "m = a & (x > 0); y = x[m]", "np.where(x > 0)")]
[True, False, False, True, True]
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.code.nodes import walk

MAKERS = frozenset("flatnonzero nonzero argwhere unique compress extract".split())
"""Functions of NumPy and jax.numpy whose result has as many elements as a mask has, or as differ; `where` of a mask alone, too."""


def opens_lengths(tree: Any) -> bool:
    """Whether something in a tree may make an array of unknown length, as far as the tree shows."""
    masks: set[str] = set()
    grown: set[str] = set()
    for node in walk(tree):
        match node:
            case gast.Assign() if _is_mask(node.value, masks):
                masks.update(target.id for target in node.targets if isinstance(target, gast.Name))
            case gast.Call(func=gast.Attribute(value=gast.Name(), attr="append")):
                grown.add(node.func.value.id)
    return any(_opens(node, masks) or _is_array_of(node, grown) for node in walk(tree))


def _is_array_of(node: Any, lists: set[str]) -> bool:
    """Whether a node is the call of a function of one of these lists, that may make it an array."""
    if not (lists and isinstance(node, gast.Call) and node.args and isinstance(node.args[0], gast.Name)):
        return False
    return node.args[0].id in lists and getattr(node.func, "attr", "") in ("array", "asarray")


def _is_mask(node: Any, masks: set[str]) -> bool:
    match node:
        case gast.Compare():
            return True
        case gast.Name():
            return node.id in masks
        case gast.UnaryOp():
            return _is_mask(node.operand, masks)
        case gast.BinOp(op=gast.BitAnd() | gast.BitOr() | gast.BitXor()):
            return _is_mask(node.left, masks) or _is_mask(node.right, masks)
    return False


def _opens(node: Any, masks: set[str]) -> bool:
    if isinstance(node, gast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        return any(_is_open_slice(part) if isinstance(part, gast.Slice) else _is_mask(part, masks) for part in parts)
    return isinstance(node, gast.Call) and is_maker(node)


def is_maker(call: Any) -> bool:
    """Whether a call is of a function that makes such an array, by its name."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return name in MAKERS or (name == "where" and len(call.args) == 1 and not call.keywords)


def _is_open_slice(part: Any) -> bool:
    return not all(bound is None or _is_constant(bound) for bound in (part.lower, part.upper, part.step))


def _is_constant(node: Any) -> bool:
    return isinstance(node, gast.Constant) or (isinstance(node, gast.UnaryOp) and _is_constant(node.operand))
