"""Whether a function may make an array whose length is only known when the program runs: by a slice, a mask, `np.zeros(n)`, a list.

>>> import gast
>>> [opens_lengths(gast.parse(source)) for source in ("x[:k]", "x[i]", "x[1:-1]", "m = a & (x > 0); y = x[m]", "np.where(x > 0)")]
[True, False, False, True, True]
>>> [opens_lengths(gast.parse(source)) for source in ("jnp.zeros(n)", "n, m = x.shape; jnp.zeros((n, 2 * m))", "jnp.eye(len(x))")]
[True, False, False]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import gast

from autograph.code.nodes import walk

MAKERS = frozenset("flatnonzero nonzero argwhere unique compress extract".split())
"""Functions of NumPy and jax.numpy whose result has as many elements as a mask has, or as differ; `where` of a mask alone, too."""
_OF_A_SIZE = {
    **dict.fromkeys("zeros ones empty full identity".split(), slice(1)),
    "eye": slice(2),
    "arange": slice(3),
    "linspace": slice(2, 3),
}
"""Functions that make arrays of a size, with the places of the sizes among their arguments."""
_SIZES = frozenset("shape stop num N M n".split())
"""Keywords of sizes; those of functions that make arrays like another one, too."""


def opens_lengths(tree: Any, is_number: Callable[[Any], bool] = lambda node: False) -> bool:
    """Whether something in a tree may make an array of unknown length, as far as the tree shows.

    Args:
        is_number: whether a name means a number of the module.
    """
    masks: set[str] = set()
    grown: set[str] = set()
    opened = []
    for node in walk(tree):
        match node:
            case gast.Assign() if _is_mask(node.value, masks):
                masks.update(target.id for target in node.targets if isinstance(target, gast.Name))
            case gast.If() | gast.While():
                grown.update(_appended(node))
            case gast.Call():
                opened += _sizes(node)
    if any(_opens(node, masks) or _is_array_of(node, grown) for node in walk(tree)):
        return True
    if all(map(_is_constant, opened)):
        return False
    known = _names_of_sizes(tree)
    return not all(_is_known_size(node, lambda name: _id(name) in known or is_number(name)) for node in opened)


def _appended(statement: Any) -> set[str]:
    """Returns the names of the lists to which something in a statement appends."""
    calls = (node.func for node in walk(statement) if isinstance(node, gast.Call))
    methods = (f for f in calls if isinstance(f, gast.Attribute) and f.attr == "append" and isinstance(f.value, gast.Name))
    return {f.value.id for f in methods}


def _is_array_of(node: Any, lists: set[str]) -> bool:
    """Whether a node is the call of a function of one of these lists, that may make it an array."""
    if not (lists and isinstance(node, gast.Call) and node.args and isinstance(node.args[0], gast.Name)):
        return False
    return node.args[0].id in lists and getattr(node.func, "attr", "") in ("array", "asarray")


def _sizes(call: Any) -> list[Any]:
    """Returns the arguments that say the size of an array which a call makes, by the name of the function."""
    name = _name_of_callee(call)
    if name.endswith("_like"):
        return [keyword.value for keyword in call.keywords if keyword.arg == "shape"]
    if name not in _OF_A_SIZE:
        return []
    return [*call.args[_OF_A_SIZE[name]], *(keyword.value for keyword in call.keywords if keyword.arg in _SIZES)]


def _names_of_sizes(tree: Any) -> set[str]:
    """Returns the variables that are only ever the size of an array of known shape: `n = len(x)`, `n, m = x.shape`."""
    every = Counter(node.id for node in walk(tree) if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load))
    found = Counter[str]()
    for node in walk(tree):
        if isinstance(node, gast.Assign) and _is_known_size(node.value, lambda name: 0 < found[_id(name)] == every[_id(name)]):
            targets = (part for target in node.targets for part in getattr(target, "elts", [target]))
            found.update(target.id for target in targets if isinstance(target, gast.Name))
    return {name for name, count in found.items() if count == every[name]}


def _id(name: Any) -> str:
    return getattr(name, "id", "")


def _is_known_size(node: Any, is_known: Callable[[Any], bool]) -> bool:
    """Whether an expression is computed from numbers and from sizes of arrays alone."""
    match node:
        case gast.Name():
            return is_known(node)
        case gast.Attribute():
            return node.attr in ("shape", "size", "ndim") or is_known(node)
        case gast.Call():
            return _name_of_callee(node) in ("len", "shape", "ndim")
        case gast.Subscript():
            return _is_known_size(node.value, is_known)
        case gast.BinOp():
            return _is_known_size(node.left, is_known) and _is_known_size(node.right, is_known)
        case gast.Tuple() | gast.List():
            return all(_is_known_size(part, is_known) for part in node.elts)
        case gast.Starred():
            return _is_known_size(node.value, is_known)
    return _is_constant(node)


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
    name = _name_of_callee(call)
    return name in MAKERS or (name == "where" and len(call.args) == 1 and not call.keywords)


def _name_of_callee(call: Any) -> str:
    name: str = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return name


def _is_open_slice(part: Any) -> bool:
    return not all(bound is None or _is_constant(bound) for bound in (part.lower, part.upper, part.step))


def _is_constant(node: Any) -> bool:
    return isinstance(node, gast.Constant) or (isinstance(node, gast.UnaryOp) and _is_constant(node.operand))
