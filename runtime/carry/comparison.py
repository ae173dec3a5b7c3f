"""What an iteration of a staged loop leaves, compared with what it began with (see `fixed_point` for the table).

Types only grow: a leaf whose type moved is noted in the assumptions, and the body is traced again. A value that cannot be
carried is a `Mismatch`, which names the path to it.

>>> import jax.numpy as jnp
>>> from autograph.runtime.carry.assumptions import LoopAssumptions
>>> from autograph.runtime.tracing.variables import variables_of
>>> def compared(x, out):
...     layout = Layout(variables_of(lambda: (x,)), LoopAssumptions())
...     layout.lay_out()
...     [slot], comparison = layout.slots, Comparison(layout, (), lambda value: True, Made((), None, ()))
...     comparison.compare(slot.template, slot.init, out, slot.init, slot.key, "x")
...     return comparison.moved, [(key, str(kind.dtype)) for key, kind in layout.assumptions.known_types().items()]
>>> compared(jnp.int32(1), jnp.int32(7))  # carried as it is
(False, [])
>>> compared(1, jnp.float32(0.5))  # the body is traced again, from a float
(True, [((0,), 'float32')])
>>> compared((1, 2), (jnp.int32(7), 2, 3))
Traceback (most recent call last):
autograph.runtime.values.merge.Mismatch: x
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from autograph.jax_internals import convert_weak, open_traces
from autograph.runtime.carry.known_variables import last_number, may_stay
from autograph.runtime.carry.layout import Layout
from autograph.runtime.carry.messages import CHANGED_AND_REPLACED, NO_END, NO_NUMBER
from autograph.runtime.carry.slots import Leaf
from autograph.runtime.carry.variable_groups import Pending
from autograph.runtime.heap.escape import Made
from autograph.runtime.heap.unset_reads import READ_FIRST, is_read
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.tracing.array_types import ArrayType, TypesDiffer, check_fits, join_types, placeholder, type_of
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known.number import is_open_number
from autograph.runtime.tracing.recorded import is_copy_of
from autograph.runtime.tracing.staging import is_array_like, is_tracer
from autograph.runtime.tracing.variables import UNSET, CarriesNone, is_unbound
from autograph.runtime.values import choices, key_orders, row_forms
from autograph.runtime.values.bounded_array import BoundedArray
from autograph.runtime.values.callables import KEPT, is_callable_option
from autograph.runtime.values.element_types import Elements
from autograph.runtime.values.kinds import (
    IMMUTABLE,
    defines,
    is_ordinary,
    is_value,
    is_value_class,
    open_any,
    open_container,
    same_number,
    same_static,
    same_structure,
)
from autograph.runtime.values.locations import AttributeLocation, ContentsLocation, may_hold_none
from autograph.runtime.values.merge import (
    Mismatch,
    Node,
    Same,
    Slot,
    Template,
    aligned,
    why_structures_differ,
)
from autograph.runtime.values.optional import Maybe, split_optional

_MOST_LENGTHS = 3
_MOST_SEARCHES = 16
"""After so many attempts that each find another string, there is no end of them."""


class Comparison:
    """The comparison after one iteration; what came out is noted in the leaves that went in.

    Attributes:
        moved: whether a guess was wrong, so that the body must be traced again.
        first_bound: the leaves that came out of variables which were unbound.
        replaced: the variables (their numbers) that hold another object of the same class now.
        pending: the leaves that may be known in each iteration (see `known_variables`).
    """

    def __init__(self, carried: Layout, skipped: Collection[str], is_older: Callable[[Any], bool], made: Made) -> None:
        """`skipped`: the variables that some path through the iteration leaves as they are."""
        self.carried = carried
        self.leaves, self.variables, self.assumptions = carried.leaves, carried.variables, carried.assumptions
        self.aliases, self.locations = carried.aliases, carried.locations
        self.skipped = skipped
        self.is_older = is_older
        self.made = made
        self.moved = False
        self.first_bound: list[Leaf] = []
        self._nodes: dict[int, Node | None] = {}  # of containers in variables that were unbound
        self.replaced: list[int] = []
        self.pending: list[Pending] = []

    def compare(self, template: Template, value: Any, out: Any, init: Any, key: tuple[Any, ...], path: str) -> Template:
        """The template of the loop's result.

        Args:
            template, value: how the value at the start of the iteration was made, and that value.
            out: the value at the end of the iteration.
            init: the value before the loop.
        """
        if self._may_be_none(key, value, out):
            return self._again(template)
        if type(value) is Maybe and type(out) is not Maybe and not is_unbound(out):
            out = Maybe(out is None, value.value if out is None else out)
        if type(value) is choices.Choice and not is_unbound(out):
            if self._may_be_more(value, out, key):
                return self._again(template)
            options = choices.options_of(value, out, within=open_traces()[:1])
            if options is None or len(options) > len(value.choice_options):
                raise Mismatch(path, value, out, NO_END if options else choices.OF_ONE_CLASS, instead=choices.REMEDY)
            out, init = (choices.as_one_of(x, value.choice_options) for x in (out, init))
        if BoundedArray in (type(value), type(out)) and (form := row_forms.form_of_both(value, out)) is not None:
            if form != row_forms.form_of(value):
                return self._in_form(template, value, out, form, key, path)
            self.assumptions.slots[key].rows, out = form, row_forms.in_form(out, form)
        if type(template) is Slot:
            return self._leaf(template, out, key, path)
        if type(template) is Same:
            return self._static(template, out, key, path)
        assert type(template) is Node
        if out is value:
            for child in template.children:
                self._keep(child)
            return Same(init)
        before, after = open_any(value), key_orders.like(out, open_any(self.aliases.contents.get(id(out), out)))
        inits = open_any(init if type(value) is not BoundedArray else value)  # of which no part is an object
        assert before is not None and inits is not None
        both = None if after is None else aligned(before, after, path)
        keeps_order = both is not None and same_structure(before[1], after[1])
        if both is None or self._is_contents(key) and not keeps_order:
            why = "a loop cannot change the structure of a value from iteration to iteration: "
            raise Mismatch(path, value, out, why + why_structures_differ(value, out))
        if not keeps_order and not self.assumptions.slots[key].unordered:
            self.assumptions.slots[key].unordered = self.moved = True
        parts_of_all = zip(template.children, before[0], both[0], inits[0], before[2])
        node = Node(template.build, [self.compare(t, a, b, x, (*key, s), path + s) for t, a, b, x, s in parts_of_all])
        if not isinstance(value, IMMUTABLE) and not self._is_contents(key):
            self.aliases.leaves(key, out, node, path)
        return node

    def _again(self, template: Template) -> Template:
        """The template, where the attempt must be repeated."""
        self.moved = True
        return template

    def _in_form(self, template: Template, value: Any, out: Any, form: row_forms.Form, key: tuple[Any, ...], path: str) -> Template:
        """Notes the form of an array that differs from iteration to iteration, for the next attempt."""
        assumed = self.assumptions.slots[key]
        if assumed.rows is not None and row_forms.shape_in(form) != row_forms.shape_in(assumed.rows):
            assumed.searches += 1
        if assumed.searches > _MOST_LENGTHS:
            raise Mismatch(path, value, out, "each iteration makes a longer array")
        assumed.rows = form
        return self._again(template)

    def _may_be_none(self, key: tuple[Any, ...], value: Any, out: Any) -> bool:
        """Whether a variable is `None` at one end of the iteration and a value at the other, and may be; noted for the next
        attempt."""
        if len(key) != 1:
            return False
        if key[0] in range(len(self.variables)):
            carries = self.variables[key[0]].carries_none
        else:
            carries = CarriesNone.IF_LEFT if may_hold_none(self.locations.get(key[0]), value, out) else CarriesNone.NEVER
        if carries is CarriesNone.NEVER or type(value) is Maybe or is_unbound(value) or is_unbound(out):
            return False
        (_, before), (_, after) = split_optional(value), split_optional(out)
        like = after if before is None else before
        if (value is None) == (out is None) and type(out) is not Maybe or not is_plain(like):
            return False
        if value is None and type(out) is not Maybe and carries is CarriesNone.IF_LEFT:
            return False
        self.assumptions.slots[key].optional = self._placeholder_like(like, key)
        return True

    def _may_be_more(self, value: Any, out: Any, key: tuple[Any, ...]) -> bool:
        """Whether the iteration leaves a string that is none of those known so far; noted for the next attempt."""
        assumed = self.assumptions.slots[key]
        options = choices.options_of(value, out, within=open_traces()[:1])
        if options is None or assumed.options is not None and len(options) == len(assumed.options):
            return False
        assumed.options, assumed.searches = options, assumed.searches + 1
        return assumed.searches < _MOST_SEARCHES

    def _is_contents(self, key: tuple[Any, ...]) -> bool:
        return len(key) == 1 and isinstance(self.locations.get(key[0]), ContentsLocation)

    def _keep(self, template: Template) -> None:
        if type(template) is Slot:
            self._stays(self.leaves[template.index])
        elif type(template) is Node:
            for child in template.children:
                self._keep(child)

    def _stays(self, leaf: Leaf) -> None:
        leaf.invariant = True
        try:
            check_fits(leaf.init, leaf.type)
        except TypesDiffer as differ:
            raise Mismatch(leaf.path, leaf.init, leaf.tracer, str(differ), instead=differ.instead) from None

    def _leaf(self, template: Slot, out: Any, key: tuple[Any, ...], path: str) -> Template:
        leaf = self.leaves[template.index]
        if out is leaf.tracer or is_copy_of(out, leaf.tracer):
            if is_tracer(leaf.init) and leaf.init.dtype != leaf.type.dtype:  # `y = y.astype(float)`, of what is a float by now
                return self.carry_leaf(template, out, key, path)
            self._stays(leaf)
            return template
        if is_unbound(out):
            raise Mismatch(path, leaf.init, out, "the body deletes it or leaves it without a value on some path")
        if not is_array_like(out):
            raise Mismatch(path, leaf.init, out, "a loop cannot change a number or array into something else")
        assumed = self.assumptions.slots[key]
        if same_number(leaf.init, out) and assumed.static is None:
            assumed.static = leaf.invariant = True
            return self._again(template)
        if leaf.known is not None and may_stay(out):
            leaf.invariant = True
            self.pending.append(Pending(leaf, template, out, key, path))
            return template
        if leaf.known is not None and not is_open_number(leaf.known):  # the iteration had its numbers
            assumed.series, self.moved = False, True
        return self.carry_leaf(template, out, key, path)

    def carry_leaf(self, template: Slot, out: Any, key: tuple[Any, ...], path: str) -> Template:
        """Carries a leaf in the type that the iteration leaves in it."""
        leaf, assumed = self.leaves[template.index], self.assumptions.slots[key]
        leaf.out, leaf.invariant = out, False
        try:
            joined = join_types(leaf.type, self._type_of_left(out, leaf.type, key))
            check_fits(leaf.init, joined)
            check_fits(out, joined)
        except TypesDiffer as differ:
            if not progress.is_tried and (form := row_forms.form_of_less(leaf.type.shape, out)) is not None:
                return self._in_form(template, leaf.tracer, out, form, key, path)
            why = f"a loop cannot change the type of a value from iteration to iteration: {differ}"
            raise Mismatch(path, leaf.init, out, why, instead=differ.instead) from None
        if joined == leaf.type:
            return template
        assumed.type = joined
        return self._again(template)

    def _type_of_left(self, out: Any, kind: ArrayType, key: tuple[Any, ...]) -> ArrayType:
        """Returns the type of what an iteration leaves; of the buffer of a bounded array, with as many rows as the carry has."""
        found, of_array = type_of(out), self.assumptions.slots.get(key[:-1])
        is_buffer = found.shape != kind.shape and of_array is not None and of_array.rows is not None
        return found._replace(shape=kind.shape) if is_buffer else found

    def _static(self, template: Same, out: Any, key: tuple[Any, ...], path: str) -> Template:
        value, assumed = template.value, self.assumptions.slots[key]
        if value is UNSET:
            if is_unbound(out):
                return Same(out)
            location = self.locations.get(key[0])
            if isinstance(location, AttributeLocation) and (of_class := location.of_class()) is not UNSET:
                assumed.initial = lambda: of_class
                return self._again(template)
            if path in self.skipped and len(key) == 1 and (is_array_like(out) or open_container(out) is not None):
                assumed.initial = self._placeholder_like(out, key)
                return self._again(template)
            is_dynamic = isinstance(location, AttributeLocation) and defines(type(location.obj), "__getattr__")
            if is_dynamic or is_read(path) in self.skipped:
                raise Mismatch(path, value, out, READ_FIRST)
            return self._first_bound(out, key, path)
        if value is out:
            return template
        if type(value) is Elements and type(out) is Elements:
            xs = self.locations[key[0]].obj
            before = xs.copy()
            self.assumptions.before_failure.append(lambda: xs.become(before))
            self.assumptions.before_attempt.append(lambda: xs.widen(out, xs.capacity))
            return self._again(template)
        if assumed.static and is_array_like(out):
            if same_number(value, out):
                return template
            assumed.static = False
            return self._again(template)
        may_be_replaced = assumed.in_place is None and type(value) in (list, dict, BoundedList) or assumed.kept
        if may_be_replaced and open_container(out) is not None:
            assumed.kept, assumed.in_place = False, False
            self.locations.pop(id(value), None)
            self.assumptions.written.pop(id(value), None)
            return self._again(template)
        if same_static(value, out):
            return template
        if self._may_be_more(value, out, key) or (assumed.in_place is None and self._changes(key, value, out)):
            return self._again(template)
        if assumed.in_place is None and self._is_replaced(key, value, out):
            self.replaced.append(key[0])
            return self._again(template)
        if is_callable_option(value) and is_callable_option(out):
            raise Mismatch(path, value, out, KEPT)
        both = assumed.in_place and type(value) is type(out)
        raise Mismatch(path, value, out, CHANGED_AND_REPLACED if both else NO_NUMBER)

    def _changes(self, key: tuple[Any, ...], value: Any, out: Any) -> bool:
        """Whether the iteration leaves another object of a value class: its fields are carried then, except numbers that stay."""
        if not is_value_class(type(value)) or type(out) is not type(value):
            return False
        opened = open_container(value), open_container(out)
        if opened[0] is None or opened[1] is None:
            return False
        self.assumptions.slots[key].in_place = False
        for step, before, after in zip(opened[0][2], opened[0][0], opened[1][0]):
            assumed = self.assumptions.slots[*key, step]
            if same_number(before, after) and assumed.static is None:
                assumed.static = True
        return True

    def _is_replaced(self, key: tuple[Any, ...], value: Any, out: Any) -> bool:
        """Whether a variable of the loop holds an ordinary object, and then another one of the same class."""
        variable = len(key) == 1 and key[0] in range(len(self.variables))
        return variable and type(value) is type(out) and is_ordinary(value) and is_ordinary(out)

    def _first_bound(self, out: Any, key: tuple[Any, ...], path: str) -> Template:
        """The template of a value in a variable that is unbound when the loop begins."""
        if is_array_like(out):
            if (last := last_number(self.carried, out)) is not NotImplemented:
                return Same(last)
            leaf = Leaf(key, path, None, type_of(out))
            leaf.out = out
            self.first_bound.append(leaf)
            return Slot(-len(self.first_bound))
        opened = open_container(self.aliases.contents.get(id(out), out)) or self.made.open(out, path)
        opened = key_orders.like(out, opened)
        if opened is None or not isinstance(out, IMMUTABLE) and self._stays_itself(out):
            return Same(out)
        if id(out) not in self._nodes:
            self._nodes[id(out)] = None
            node = Node(opened[3], [self._first_bound(c, (*key, s), path + s) for c, s in zip(opened[0], opened[2])])
            self._nodes[id(out)] = node
            if not isinstance(out, IMMUTABLE):
                self.aliases.leaves(key, out, node, path)
        known = self._nodes[id(out)]
        if known is None:
            raise Mismatch(path, UNSET, out, "it contains itself")
        return known

    def _stays_itself(self, container: Any) -> bool:
        """Whether a container is the same object in every iteration: one from before the loop that no proxy stands for."""
        return any(location.obj is container for location in self.locations.values()) or self.is_older(container)

    def _placeholder_like(self, value: Any, key: tuple[Any, ...]) -> Callable[[], Any]:
        """Makes a value of the same types and structure, for iterations that cannot read it."""
        if is_array_like(value):
            kind = type_of(value)
            return lambda: (
                convert_weak(placeholder(kind._replace(weak=False)), kind.dtype) if kind.weak else placeholder(kind)
            )
        opened = None if type(value) is choices.Choice else open_container(value)
        if opened is None:
            return lambda: value if type(value) is not choices.Choice else next(iter(value.choice_options.values()))
        if not isinstance(value, IMMUTABLE) and self._stays_itself(value):
            self.assumptions.slots[key].kept = True
            return lambda: value
        children = [self._placeholder_like(child, (*key, step)) for child, step in zip(opened[0], opened[2])]
        build = opened[3]
        return lambda: build([child() for child in children])


def is_plain(value: Any) -> bool:
    """Whether a value is a number or an array, or a container of such that never changes."""
    if is_array_like(value):
        return True
    opened = open_container(value) if is_value(value) else None
    return opened is not None and all(map(is_plain, opened[0]))
