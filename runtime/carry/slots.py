"""The parts of a loop's carry: slots (variables and locations on the heap), and the leaves (numbers and arrays) of their values.

>>> from autograph.runtime.values.merge import Slot
>>> template = Node(tuple, [Slot(1), Same("fast"), Slot(0)])
>>> filled_in(template, [10, 20])
(20, 'fast', 10)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph.runtime.heap import aliases
from autograph.runtime.tracing.array_types import ArrayType
from autograph.runtime.tracing.integer_ranges import Assumed
from autograph.runtime.tracing.python_bools import Noted
from autograph.runtime.values.kinds import is_value_class, open_any
from autograph.runtime.values.locations import LOCATIONS
from autograph.runtime.values.merge import Node, Same, Template, fill


class CarrySlot:
    """A variable or heap location, and the template of its value."""

    __slots__ = ("init", "key", "result", "template", "value", "variable")

    def __init__(self, variable: Any, init: Any, key: tuple[Any, ...]) -> None:
        self.key = key
        self.variable = variable
        self.init = init
        self.template: Template = Same(init)
        self.value: Any = None
        self.result: Template = Same(init)


class Leaf:
    """One number or array of the carry."""

    __slots__ = (
        "assumed", "before", "fold", "init", "invariant", "is_of_python", "key", "known", "last", "noted", "out", "path",
        "tracer", "type",
    )  # fmt: skip

    def __init__(self, key: Any, path: str, init: Any, kind: ArrayType) -> None:
        self.key = key
        self.path = path
        self.init = self.before = init  # a float may be taken for NumPy's
        self.type = kind
        self.tracer: Any = None
        self.fold: Any = None  # the function, and its operands, that makes its number behind the loop of open ones
        self.last: Any = None  # its number behind the loop, if that is known though the loop carries it
        self.known: Any = None  # the number, known in each iteration, that stands for it (see `known_variables`)
        self.out: Any = None
        self.invariant = False
        self.noted: Noted | None = None  # of the bool (see `python_bools`)
        self.is_of_python: bool | None = None  # of what the loop leaves
        self.assumed: Assumed | None = None  # of the integer (see `induction`)

    @property
    def begins_otherwise(self) -> bool:
        """Whether a Python number is of another type before the loop than in the carry."""
        have = getattr(self.init, "aval", None)
        if have is None:
            return type(self.init) is int and self.type.dtype.kind != "i"
        return bool(have.dtype != self.type.dtype)


def is_location(variable: Any) -> bool:
    """Whether what a slot carries stands on the heap."""
    return isinstance(variable, LOCATIONS)


def filled_in(template: Template, values: list[Any]) -> Any:
    """What the body of a loop gets; objects in it stand for one in each iteration."""
    value = fill(template, values)
    for built in built_by(template, value):
        if is_value_class(type(built)):
            aliases.note_carried(built)
    return value


def built_by(template: Template, value: Any) -> Iterator[Any]:
    """The containers and objects that filling a template made."""
    if type(template) is Node:
        yield value
        opened = open_any(value)
        for child, inside in zip(template.children, opened[0] if opened else ()):
            yield from built_by(child, inside)
