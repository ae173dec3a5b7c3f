"""What the elements of a list of unknown length have in common (see `bounded_list`).

>>> import jax.numpy as jnp
>>> pairs, leaves = Elements.of((1.0, jnp.zeros(3)))
>>> str(pairs), len(leaves), pairs.make("ab")
('(weak float32, float32[3])', 2, ('a', 'b'))
>>> str(pairs.joined(Elements.of((1, jnp.zeros(3)))[0]))
'(weak float32, float32[3])'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import FunctionType, MethodType
from typing import Any

from autograph.runtime.tracing.array_types import ArrayType, TypesDiffer, join_types, type_of
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_array_like
from autograph.runtime.values.kinds import IMMUTABLE, open_container, same_static, same_structure
from autograph.runtime.values.merge import Node, Same, Slot, Template, describe, fill


class Elements:
    """What the elements of a list have in common: their structure, and the type of each number or array in them.

    Two are equal when the structures are; the types are those of the arrays that hold the values.
    """

    __slots__ = ("structures", "template", "types")

    def __init__(self, template: Template, structures: Sequence[Any], types: Iterable[ArrayType]) -> None:
        self.template = template
        self.structures = structures  # of the tuples in an element, from outside inwards
        self.types = tuple(types)

    @classmethod
    def of(cls, value: Any) -> tuple[Elements, list[Any]]:
        """The structure of one element, and its numbers and arrays."""
        leaves: list[Any] = []
        structures: list[Any] = []
        template = _opened(value, leaves, structures)
        if not leaves:
            leaves.append(True)  # strings, say: the number of rows is the room
        return cls(template, structures, map(type_of, leaves)), leaves

    def joined(self, other: Elements) -> Elements:
        """What holds the elements of both; raises `TypesDiffer`."""
        if self != other:
            raise TypesDiffer("the structures differ")
        types = [join_types(a, b) for a, b in zip(self.types, other.types, strict=True)]
        return Elements(self.template, self.structures, types)

    def make(self, leaves: Sequence[Any]) -> Any:
        """An element."""
        return fill(self.template, list(leaves))

    def __str__(self) -> str:
        return str(self.make([_Named(str(kind)) for kind in self.types]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Elements) or len(self.structures) != len(other.structures):
            return False
        return all(map(same_structure, self.structures, other.structures)) and _alike(self.template, other.template)

    def __hash__(self) -> int:
        return hash(len(self.types))


def _opened(value: Any, leaves: list[Any], structures: list[Any]) -> Template:
    if is_array_like(value):
        leaves.append(value)
        return Slot(len(leaves) - 1)
    opened, is_function = open_container(value), isinstance(value, FunctionType | MethodType)
    if opened is None and not is_function:
        return Same(value)
    if opened is None or not isinstance(value, IMMUTABLE):
        raise refusal(
            f"a list of unknown length cannot hold {describe(value)}",
            why="its elements are rows of arrays"
            if is_function
            else "an element that is read would be a copy of it, and writes into the copy would be lost",
            instead="append numbers, arrays, or tuples of these",
            page="list-of-mutable-elements",
        )
    structures.append(opened[1])
    return Node(opened[3], [_opened(child, leaves, structures) for child in opened[0]])


def _alike(a: Template, b: Template) -> bool:
    if type(a) is Same and type(b) is Same:
        return same_static(a.value, b.value)
    if type(a) is Node and type(b) is Node:
        return len(a.children) == len(b.children) and all(map(_alike, a.children, b.children))
    return type(a) is type(b) is Slot


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name
