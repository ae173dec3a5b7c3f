"""How the values of a loop's variables and locations are laid out: slots, templates, and the leaves that a carry is made of.

A list stays the object that it is, and its contents are a slot of their own; any other container is opened, and the body gets
one like it. What a loop was seen to need instead is in its `assumptions` (`in_place`, `kept`, `static`).

>>> from autograph.runtime.tracing.variables import variables_of
>>> def laid_out(n, xs, d):
...     layout = Layout(variables_of(lambda: (n, xs, d)), LoopAssumptions())
...     layout.lay_out()
...     return [type(slot.template).__name__ for slot in layout.slots], [leaf.path for leaf in layout.leaves]
>>> slots, leaves = laid_out(3, [1.0, 2.0], {"a": 0, "mode": "fast"})
>>> slots  # of the dict, of the number, of the list, which stays, and of what the list holds
['Node', 'Slot', 'Same', 'Node']
>>> leaves
["d['a']", 'n', 'the contents of a list[0]', 'the contents of a list[1]']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.runtime.carry.assumptions import LoopAssumptions
from autograph.runtime.carry.loop_aliases import LoopAliases
from autograph.runtime.carry.slots import CarrySlot, Leaf
from autograph.runtime.heap import array_versions, array_views, journal
from autograph.runtime.jaxprs.graph import is_literal
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.tracing.array_types import (
    ArrayType,
    convert_to,
    fits,
    join_types,
    of_type,
    placeholder,
    type_of,
    weakly,
)
from autograph.runtime.tracing.refusals import RETURNED
from autograph.runtime.tracing.staging import is_array_like
from autograph.runtime.tracing.variables import BOUND, UNSET, Variable, is_unbound
from autograph.runtime.values import choices, key_orders, row_forms
from autograph.runtime.values.bounded_array import BoundedArray
from autograph.runtime.values.kinds import IMMUTABLE, is_value_class, open_any, open_container
from autograph.runtime.values.locations import ContentsLocation
from autograph.runtime.values.merge import Node, Same, Slot, Template
from autograph.runtime.values.optional import Maybe, settled


class Layout:
    """What one attempt carries in.

    Attributes:
        locations: the heap locations that are carried, by key.
        slots: a variable or location each, with the template of its value.
        leaves: the numbers and arrays in the slots, in order; operands: their values, in the types of the carry.
        aliases: which objects a variable may hold.
    """

    def __init__(self, variables: Sequence[Variable], assumptions: LoopAssumptions) -> None:
        self.variables = list(variables)
        self.assumptions = assumptions
        self.locations: dict[Any, Any] = assumptions.known_locations(variables)
        self.slots: list[CarrySlot] = []
        self.leaves: list[Leaf] = []
        self.operands: list[Any] = []
        self.aliases = LoopAliases()

    def lay_out(self) -> None:
        """Opens the values that the variables and the known locations hold."""
        self.slots, self.leaves = [], []
        self.aliases = LoopAliases()
        for index, variable in enumerate(self.variables):
            self._lay_out_slot(variable, (index,))
        # Opening a value can find further containers to watch, which are opened in turn.
        opened = 0
        while opened < len(self.locations):
            location = list(self.locations.values())[opened]
            opened += 1
            self._lay_out_slot(location, (location.key,))
        self.operands = [
            convert_to(leaf.init, leaf.type) if fits(leaf.init, leaf.type) else of_type(leaf.type) for leaf in self.leaves
        ]

    def _lay_out_slot(self, variable: Any, key: tuple[Any, ...]) -> None:
        slot = CarrySlot(variable, self._start_of(variable, key), key)
        self.slots.append(slot)
        if isinstance(variable, ContentsLocation) and isinstance(slot.init, (list, dict)):
            slot.template = self._open_children(slot.init, key, variable.name, True)
        else:
            slot.template = self._open(slot.init, key, variable.name, None)

    def _start_of(self, variable: Any, key: tuple[Any, ...]) -> Any:
        """The value with which a slot enters the loop.

        A slot that is unbound before the loop gets the placeholder that an earlier attempt has chosen (`initial`), and one that
        may hold `None` or a value gets both, as a `Maybe`.
        """
        value = settled(variable.get())
        assumed = self.assumptions.slots[key]
        if not is_unbound(value):
            assumed.initial = None
        elif assumed.initial is not None:
            journal.note_skipped(variable.name)
            return assumed.initial()
        if assumed.optional is not None and type(value) is not Maybe:
            return Maybe(value is None, assumed.optional() if value is None else value)
        return value

    def _open(self, value: Any, key: tuple[Any, ...], path: str, in_place: bool | None) -> Template:
        """The template of a value that goes into the body.

        `in_place`: containers stay the objects they are and their contents are slots of their own (True), or the
        body gets a fresh container of tracers (False), or that depends on the kind (None: lists stay).
        """
        if is_unbound(value):
            return Same(UNSET)
        assumed = self.assumptions.slots[key]
        if assumed.rows is not None:
            value = _widened(value, assumed.rows)
        if is_array_like(value):
            return self._open_leaf(value, key, path)
        value = choices.as_one_of(value, assumed.options)
        if in_place is None and path.startswith(RETURNED) and assumed.in_place is None:
            # What is returned is a container from before the loop: most likely each `return` gives this very object.
            # If one gives another object, the comparison finds out, and the body is traced again (`Comparison._static`).
            if not isinstance(value, IMMUTABLE):
                assumed.kept = True
        if assumed.kept:
            return Same(value)
        if assumed.in_place is not None:
            in_place = assumed.in_place
        elif is_value_class(type(value)):
            in_place = None
        stays = type(value) in (list, BoundedList) or is_value_class(type(value)) if in_place is None else in_place
        if stays:
            if type(value) in (list, dict):
                location = ContentsLocation(value)
                self.locations.setdefault(location.key, location)
                return Same(value)
            if not isinstance(value, IMMUTABLE):
                return Same(value)
        template = self._open_children(value, key, path, in_place)
        if type(template) is Node and not isinstance(value, IMMUTABLE):
            self.aliases.opened(key, value)
        return template

    def _open_children(self, value: Any, key: tuple[Any, ...], path: str, in_place: bool | None) -> Template:
        """The template of a container with its parts opened; what has no parts is the same object in the body."""
        opened = open_any(value) if self.assumptions.slots[key].in_place is False else open_container(value)
        if opened is None:
            return Same(value)
        in_place = None if is_value_class(type(value)) else in_place
        children = [self._open(c, (*key, s), path + s, in_place) for c, s in zip(opened[0], opened[2])]
        build = (
            key_orders.builder(key_orders.keys_of(opened[1]), path)
            if self.assumptions.slots[key].unordered
            else opened[3]
        )
        return Node(build, children)

    def _open_leaf(self, value: Any, key: tuple[Any, ...], path: str) -> Template:
        """The template of a number or an array: a leaf of the carry, or the Python value itself where it is assumed static."""
        assumed = self.assumptions.slots[key]
        if value is True and assumed.static is None and path.endswith(BOUND):
            assumed.static = True  # nothing unbinds the variable
        if assumed.static:
            return Same(value)
        kind, known = type_of(value), assumed.type
        if known is not None and known.shape == kind.shape:
            kind = join_types(kind, known)
        self.leaves.append(Leaf(key, path, value, kind))
        return Slot(len(self.leaves) - 1)


def _widened(x: Any, form: row_forms.Form) -> Any:
    """Returns an array in a form that takes it and arrays of another form, as one that shares its elements; else what it is."""
    both = row_forms.common_form(row_forms.form_of(x), form) if type(x) is BoundedArray or is_array_like(x) else None
    if both is None:
        return x
    found, shape = row_forms.in_form(x, both), row_forms.shape_in(both)
    if found.data.shape == shape:
        return found
    padded = jnp.pad(found.data, [(0, size - n) for size, n in zip(shape, found.data.shape, strict=True)])
    array_views.note_choice(padded, [found.data])
    if array_versions.is_superseded(found.data):
        array_versions.supersede(padded, array_versions.LOST)
    return BoundedArray(padded, found.rows)


def traced_like(value: Any) -> Any:
    """Traced values of the same types, for a trace that is going to be thrown away."""
    if is_array_like(value):
        return of_type(type_of(value))
    opened = open_container(value)
    return opened[3](list(map(traced_like, opened[0]))) if opened is not None else value


def start_of_first_bound(kind: ArrayType, out: Any) -> Any:
    """What a variable first bound in a loop holds before its first iteration, which leaves `out` (of a jaxpr) in it."""
    if kind.shape or not is_literal(out):
        return placeholder(kind)
    start = np.asarray(out.val, kind.dtype)
    return weakly(start, kind) if kind.weak else start
