"""Joining two values into one result: structure by structure, leaf by leaf.

`Join.add(left, right)` walks both values and returns a *template*; numbers and arrays that differ become numbered
outputs (`Join.left`, `Join.right`, `Join.types`), everything else must be the same on both sides and passes through. When
the staged statement has run, `fill(template, results)` builds the joined value.

>>> join = Join()
>>> template = join.add({'a': 1, 'mode': 'fast'}, {'a': 2.5, 'mode': 'fast'}, 'd')
>>> join.left, join.right, str(join.types[0])
([1], [2.5], 'weak float32')
>>> fill(template, [7.0])
{'a': 7.0, 'mode': 'fast'}

Containers join as new objects when both sides are different objects of one structure; the same object on both sides stays
that object (what was written into it is a matter of the journal). Dicts join with equal keys in any order and keep the
left order; flattening is ours because JAX sorts keys, and keys of several types cannot be sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

import jax
import numpy as np

from autograph.runtime.staging import is_array_like
from autograph.runtime.state import UNSET, Undefined
from autograph.runtime.types import ArrayType, TypesDiffer, join_types, type_of


class Mismatch(Exception):
    """Two values that cannot be one result.

    Attributes:
        path: what differs, as the user would write it (`params['w'][0]`).
        left, right: descriptions of the two sides.
        why: one clause.
    """

    def __init__(self, path: str, left: Any, right: Any, why: str) -> None:
        super().__init__(path)
        self.path = path
        self.left = describe(left)
        self.right = describe(right)
        self.why = why


def describe(value: Any) -> str:
    """A value as an error message shows it."""
    kind = type(value)
    if value is UNSET or kind is Undefined:
        return "no value"
    if kind in (bool, int, float, complex, str, bytes, type(None)):
        text = repr(value)
        return f"{kind.__name__} {text}" if kind in (bool, int, float, complex, str) and len(text) < 40 else text[:60]
    if is_array_like(value):
        return str(type_of(value))
    if kind in (list, tuple):
        inner = ", ".join(describe(v) for v in value[:4]) + (", ..." if len(value) > 4 else "")
        return f"{kind.__name__} of {len(value)} ({inner})" if value else f"empty {kind.__name__}"
    if kind is dict:
        return "dict with keys " + (", ".join(repr(k) for k in list(value)[:6]) or "(none)")
    return f"a {kind.__qualname__} object"


class Same:
    """Template of a value that passes through."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Slot:
    """Template of the n-th output."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class Node:
    """Template of a container: how to build it from its children."""

    __slots__ = ("build", "children")

    def __init__(self, build: Callable[[list[Any]], Any], children: list[Any]) -> None:
        self.build = build
        self.children = children


Template = Same | Slot | Node


def fill(template: Template, results: list[Any]) -> Any:
    """The value of a template once the outputs are known."""
    if type(template) is Slot:
        return results[template.index]
    if type(template) is Same:
        return template.value
    assert type(template) is Node
    return template.build([fill(child, results) for child in template.children])


def map_slots(template: Template, change: Callable[[int], Template]) -> Template:
    """The template with each slot replaced."""
    if type(template) is Slot:
        return change(template.index)
    if type(template) is Node:
        return Node(template.build, [map_slots(child, change) for child in template.children])
    return template


def open_container(value: Any) -> tuple[list[Any], Any, list[str], Callable[[list[Any]], Any]] | None:
    """Children of a pytree node: (children, structure to compare, how each child is written, how to rebuild); None for a leaf."""
    kind = type(value)
    if kind is list:
        return value, (list, len(value)), [f"[{i}]" for i in range(len(value))], list
    if kind is tuple:
        return list(value), (tuple, len(value)), [f"[{i}]" for i in range(len(value))], tuple
    if kind is dict:
        keys = list(value)
        return list(value.values()), (dict, frozenset(keys)), [f"[{k!r}]" for k in keys], lambda vs: dict(zip(keys, vs))
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return list(value), (kind, len(value)), [f".{name}" for name in kind._fields], lambda vs: kind(*vs)
    if kind in _LEAF_KINDS or is_array_like(value):
        return None
    children, treedef = jax.tree_util.tree_flatten(value, is_leaf=lambda x: x is not value)
    if len(children) == 1 and children[0] is value:
        return None
    return children, treedef, [f".<{i}>" for i in range(len(children))], lambda vs: jax.tree_util.tree_unflatten(treedef, vs)


_LEAF_KINDS = frozenset({bool, int, float, complex, str, bytes, type(None), type, np.dtype, range, slice})


class Join:
    """Joins pairs of values; collects the outputs that the staged statement must have."""

    def __init__(self) -> None:
        self.left: list[Any] = []
        self.right: list[Any] = []
        self.types: list[ArrayType] = []

    def add(self, left: Any, right: Any, path: str) -> Template:
        """Joins one pair; raises `Mismatch`."""
        if left is right:
            return Same(left)
        if is_array_like(left) and is_array_like(right):
            return self._numbers(left, right, path)
        a, b = open_container(left), open_container(right)
        if a is not None and b is not None:
            return self._containers(left, right, a, b, path)
        if a is None and b is None and same_static(left, right):
            return Same(left)
        raise Mismatch(path, left, right, "the two sides are of different kinds" if type(left) is not type(right)
                       else "the value is not an array and differs")

    def output(self, left: Any, right: Any, kind: ArrayType) -> Slot:
        """Makes an output of a pair of numbers or arrays."""
        self.left.append(left)
        self.right.append(right)
        self.types.append(kind)
        return Slot(len(self.types) - 1)

    def _numbers(self, left: Any, right: Any, path: str) -> Template:
        if same_number(left, right):
            return Same(left)
        try:
            kind = join_types(type_of(left), type_of(right))
        except TypesDiffer as differ:
            raise Mismatch(path, left, right, str(differ)) from None
        return self.output(left, right, kind)

    def _containers(self, left: Any, right: Any, a: Any, b: Any, path: str) -> Template:
        if a[1] != b[1]:
            same_kind = type(left) is type(right)
            raise Mismatch(path, left, right, "the structures differ" if same_kind else "the two sides are of different kinds")
        others = [right[k] for k in left] if type(left) is dict else b[0]
        children = [self.add(x, y, path + step) for x, y, step in zip(a[0], others, a[2])]
        return Node(a[3], children)


def same_number(left: Any, right: Any) -> bool:
    """Whether two Python numbers are one static value: equal, of one type (and of one sign, if zero)."""
    kind = type(left)
    if kind is not type(right) or kind not in (bool, int, float, complex):
        return False
    return bool(left == right) and (kind in (bool, int) or repr(left) == repr(right))


def same_static(left: Any, right: Any) -> bool:
    """Whether two values that are no arrays count as the same; user-defined equality is never asked."""
    kind = type(left)
    if left is right:
        return True
    if kind is not type(right):
        return False
    if kind is MethodType:
        return left.__self__ is right.__self__ and left.__func__ is right.__func__
    if kind in (str, bytes, range, slice, type(None), frozenset) or kind.__module__.split(".")[0] in ("numpy", "jax", "jaxlib"):
        return bool(left == right)
    return False
