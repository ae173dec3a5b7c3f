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
that object (what was written into it is a matter of the journal). A pair of containers met twice is one new object, so
aliases stay aliases; `aliases` notes which new object stands for which pair, since the two old ones may live on.
Dicts join with equal keys; where their orders differ the result is marked as one whose order is not known (`key_orders`). How
containers are opened: `kinds`.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import jax

from autograph.jax_internals import variable_of
from autograph.runtime.tracing import context, number_kinds
from autograph.runtime.tracing.array_types import ArrayType, TypesDiffer, check_fits, join_types, type_of
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.dead_results import flags
from autograph.runtime.tracing.families import NUMBERS, SCALARS
from autograph.runtime.tracing.known.number import is_open_number
from autograph.runtime.tracing.recorded import is_copy_of
from autograph.runtime.tracing.refusals import READ_ONCE, quoted, remedy_of_choice
from autograph.runtime.tracing.staging import is_array_like
from autograph.runtime.tracing.variables import UNSET, Undefined, Variable
from autograph.runtime.values import callables, choices, key_orders, kinds
from autograph.runtime.values.bounded_array import BoundedArray
from autograph.runtime.values.kinds import (
    Opened,
    defines,
    equal_sets,
    is_ordinary,
    open_container,
    open_object,
    same_number,
    same_static,
    same_structure,
)
from autograph.runtime.values.locations import AttributeLocation, ContentsLocation
from autograph.runtime.values.optional import Maybe


class Merged(NamedTuple):
    """A container that was just built, what it may be instead, and how the user writes it."""

    container: Any
    roots: Sequence[Any]
    path: str


class Mismatch(Exception):
    """Two values that cannot be one result.

    Attributes:
        path: what differs, as the user would write it (`params['w'][0]`).
        left, right: descriptions of the two sides.
        why: one clause.
        instead: what helps, where it is known better than from what the statement is.
        place: the variable or the location on the heap whose values they are, where it is known.
    """

    def __init__(self, path: str, left: Any, right: Any, why: str, place: Any = None, *, instead: str = "") -> None:
        super().__init__(path)
        self.path = path
        self.left, self.right = describe(left), describe(right)
        self.why = why
        instead = instead or kinds.remedy_of_holder(left, right)
        self.instead = {choices.OF_ONE_CLASS: choices.REMEDY, callables.KEPT: callables.REMEDY}.get(why, instead)
        self.place = place

    @property
    def read_before(self) -> str:
        """What helps where a cached property is read for the first time; empty where it is something else."""
        place = self.place
        found = isinstance(place, AttributeLocation) and static_lookup(type(place.obj), place.attribute)
        return READ_ONCE if type(found) is functools.cached_property else ""

    def named(self, variables: Iterable[Variable]) -> str:
        """The path; a location on the heap by the name of a variable, or of a variable's attribute, that leads to it."""
        place = self.place
        if not isinstance(place, AttributeLocation | ContentsLocation) or not self.path.startswith(place.name):
            return self.path
        names = kinds.paths_to(place.obj, {v.name: v.get() for v in variables})
        if not names:
            return self.path
        rest = self.path.removeprefix(place.name)
        if isinstance(place, AttributeLocation):
            return f"{names[0]}.{place.attribute}{rest}"
        return f"the contents of the {type(place.obj).__name__} {quoted(names[0])}{rest}"


def describe(value: Any, depth: int = 3) -> str:
    """A value as an error message shows it, down to `depth` containers in one another."""
    kind = type(value)
    if value is UNSET or kind is Undefined:
        return "no value"
    if kind in SCALARS:
        text = repr(value)
        return f"{kind.__name__} {text}" if kind in (*NUMBERS, str) and len(text) < 40 else text[:60]
    if is_array_like(value) or kind is BoundedArray:
        return repr(value) if kind is BoundedArray else str(type_of(value))
    if kind is choices.Choice:
        return choices.described(value)
    if kind is Maybe:
        return f"None or {describe(value.value, depth)}"
    if kind in (list, tuple):
        first = ", ".join(describe(v, depth - 1) for v in value[:4]) if depth else "..."
        inner = first + (", ..." if depth and len(value) > 4 else "")
        return f"{kind.__name__} of {len(value)} ({inner})" if value else f"empty {kind.__name__}"
    if isinstance(value, enum.Enum):
        return f"{kind.__qualname__}.{value.name}"
    if callables.is_callable_option(value):
        return f"the function {callables.name_of(value)}"
    if issubclass(kind, dict):
        keys = [repr(key) for key in dict.keys(value)]
        shown = keys if len(keys) < 9 else [*keys[:4], "...", *keys[-4:]]
        return f"{kind.__name__} with keys " + (", ".join(shown) or "(none)")
    if isinstance(value, jax.core.Tracer):
        return str(jax.typeof(value))
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


def fill(template: Template, results: list[Any], built: dict[int, Any] | None = None) -> Any:
    """The value of a template once the outputs are known.

    `built` holds the containers made so far, by the id of their node; templates filled with one table share them.
    """
    if type(template) is Slot:
        return results[template.index]
    if type(template) is Same:
        return template.value
    assert type(template) is Node
    if built is None:
        built = {}
    if id(template) not in built:
        built[id(template)] = template.build([fill(child, results, built) for child in template.children])
    return built[id(template)]


def slots_of(template: Template) -> list[int]:
    """The numbers of the slots that a template has."""
    if type(template) is Slot:
        return [template.index]
    return [k for child in template.children for k in slots_of(child)] if type(template) is Node else []


class Join:
    """Joins pairs of values; collects the outputs that the staged statement must have.

    Attributes:
        left, right, types: the outputs: both sides, and the type of the result.
        mixed, open: by their places, numbers that may be of two Python types, with these; open numbers that outputs stand for.
        nodes: for each pair of mutable containers (by their ids) the pair, the node that stands for it, and its path.
        contents_of: for each side, what containers hold that were written to (by id), where that is not there now.
        made: ids of ordinary objects of which nothing else knows; two of them join attribute by attribute.
        owned: ids of older ones that only the variables of the statement know; they join as well, as a new object.
        changed: ids of objects that one side changed, which is undone by now.
        traces: those of the two sides. choose: gives the one of two numbers that counts, or `NotImplemented`.
    """

    def __init__(self, traces: Sequence[Any] = (), choose: Callable[[Any, Any], Any] | None = None) -> None:
        self.traces, self.choose = traces, choose
        self.made, self.owned, self.changed = set[int](), set[int](), set[int]()
        self.left, self.right = list[Any](), list[Any]()
        self.types: list[ArrayType] = []
        self.mixed, self.open = dict[int, Any](), dict[int, Any]()
        self.nodes: dict[tuple[int, int], tuple[tuple[Any, ...], Template | None, str]] = {}
        self.contents_of: tuple[dict[int, Any], dict[int, Any]] = ({}, {})

    def add(self, left: Any, right: Any, path: str) -> Template:
        """Joins one pair; raises `Mismatch`."""
        if left is right:
            return Same(left)
        if is_array_like(left) and is_array_like(right):
            return self._numbers(left, right, path)
        if BoundedArray in (type(left), type(right)) and (found := self._in_form(left, right, path)) is not None:
            return found
        if (options := choices.options_of(left, right, within=self.traces)) and not same_static(left, right):
            number = self._numbers(choices.number_of(left), choices.number_of(right), path)
            return Node(lambda made: choices.choice_of(options, made[0]), [number])
        if self._is_ours(left) and self._is_ours(right):
            return self._pair(left, right, self._open(left), self._open(right), path)
        a, b = (
            key_orders.like(x, open_container(contents.get(id(x), x)))
            for x, contents in zip((left, right), self.contents_of, strict=True)
        )
        if a is not None and b is not None:
            return self._pair(left, right, a, b, path)
        if a is None and b is None and same_static(left, right):
            return Same(left)
        if left is not None and type(left) is type(right) and self._joins_by_value(left) and self._joins_by_value(right):
            return self._pair(left, right, self._open(left), self._open(right), path)
        raise Mismatch(path, left, right, _why_apart(left, right), instead=remedy_of_choice(left, right, is_ordinary(left)))

    def _is_ours(self, value: Any) -> bool:
        return id(value) in self.made or id(value) in self.owned

    def _joins_by_value(self, value: Any) -> bool:
        """Whether an object that others know may become a new one that stands for it: only `is` and writes could tell."""
        kind = type(value)
        if not (defines(kind, "__eq__") and defines(kind, "__hash__") and is_ordinary(value)):
            return False
        names = object.__getattribute__(value, "__dict__") if kind.__dictoffset__ else None
        return {id(value), id(names)}.isdisjoint(self.changed) and not context.is_referred_to_weakly(value)

    def _open(self, value: Any) -> Opened:
        return open_object(value, in_place=id(value) in self.made)

    def contents(self, left: Any, right: Any, path: str) -> Template:
        """Joins two snapshots of what one list, dict or set holds."""
        if type(left) is set and type(right) is set:
            if equal_sets(left, right):
                return Same(left)
            raise Mismatch(path, left, right, why_structures_differ(left, right))
        a, b = open_container(left), open_container(right)
        if a is None or b is None:
            return self.add(left, right, path)
        if isinstance(left, dict) and not same_structure(a[1], b[1]):  # one dict, changed in place: its order counts
            raise Mismatch(path, left, right, why_structures_differ(left, right))
        return self._containers(left, right, a, b, path)

    def mark(self) -> Any:
        """Where the join stands, for `reset`."""
        return len(self.types), dict(self.nodes)

    def reset(self, mark: Any) -> None:
        """Forgets what was added since `mark`."""
        count, self.nodes = mark
        del self.left[count:], self.right[count:], self.types[count:]
        self.mixed, self.open = ({k: x for k, x in table.items() if k < count} for table in (self.mixed, self.open))

    def output(self, left: Any, right: Any, kind: ArrayType) -> Slot:
        """Makes an output of a pair of numbers or arrays."""
        self.left.append(left)
        self.right.append(right)
        self.types.append(kind)
        return Slot(len(self.types) - 1)

    def _in_form(self, left: Any, right: Any, path: str) -> Template | None:
        """Joins two arrays of different lengths; None where these are of one form, or something else."""
        from autograph.runtime.values import row_forms  # most programs have none

        form = row_forms.form_of_both(left, right)
        if form is None:
            return None
        parts, others = (row_forms.parts_in_form(x, form) for x in (left, right))
        children = [self._numbers(x, y, path, is_part=True) for x, y in zip(parts, others, strict=True)]
        return Node(lambda made: row_forms.array_of_parts(made, form), children)

    def _numbers(self, left: Any, right: Any, path: str, is_part: bool = False) -> Template:
        if same_number(left, right):
            return Same(left)
        chosen = NotImplemented if self.choose is None else self.choose(left, right)
        if chosen is not NotImplemented and not is_open_number(chosen):
            return Same(chosen)
        is_alias = variable_of(left) is not None and variable_of(left) is variable_of(right)
        if is_alias and not (is_copy_of(left, right) or is_copy_of(right, left)):  # a write to a copy is none to the other
            return Same(left if flags.of(left) is None else right)
        try:
            first, second = type_of(left), type_of(right)
            if first.shape != second.shape and len(first.shape) == len(second.shape):
                if not is_part and (found := self._in_form(left, right, path)) is not None:
                    return found
                shape = tuple(map(max, first.shape, second.shape))
                first, second = first._replace(shape=shape), second._replace(shape=shape)
            kind = join_types(first, second)
            check_fits(left, kind)
            check_fits(right, kind)
        except TypesDiffer as differ:
            raise Mismatch(path, left, right, str(differ), instead=differ.instead) from None
        if chosen is not NotImplemented:
            self.open[len(self.types)] = chosen
        if kind.weak and not kind.shape and (first.dtype != second.dtype or number_kinds.noted):
            self.mixed[len(self.types)] = number_kinds.kinds_of_sides((left, first.dtype), (right, second.dtype))
        return self.output(left, right, kind)

    def _pair(self, left: Any, right: Any, a: Opened, b: Opened, path: str) -> Template:
        if isinstance(left, tuple):
            return self._containers(left, right, a, b, path)
        key = (id(left), id(right))
        if key in self.nodes:
            known = self.nodes[key][1]
            if known is None:
                raise Mismatch(path, left, right, "it contains itself")
            return known
        ids = (id(left), id(right))
        if self._is_ours(left) and any(id(x) in ids for pair, _, _ in self.nodes.values() for x in pair):
            raise Mismatch(path, left, right, "two names of one object on one side name two objects on the other")
        self.nodes[key] = ((left, right), None, path)
        node = self._containers(left, right, a, b, path)
        self.nodes[key] = ((left, right), node, path)
        return node

    def merged(self, built: dict[int, Any]) -> list[Merged]:
        """The containers that were built (`fill`) and what each may stand for; forgets the pairs."""
        made = [Merged(built[id(node)], roots, path) for roots, node, path in self.nodes.values() if id(node) in built]
        self.nodes.clear()
        return made

    def _containers(self, left: Any, right: Any, a: Opened, b: Opened, path: str) -> Node:
        both = aligned(a, b, path)
        if both is None:
            raise Mismatch(path, left, right, why_structures_differ(left, right))
        others, build = both
        return Node(build, [self.add(x, y, path + step) for x, y, step in zip(a[0], others, a[2])])


def aligned(a: Opened, b: Opened, path: str) -> tuple[list[Any], Callable[[list[Any]], Any]] | None:
    """The children of `b` in the order of those of `a`, and what builds one for both; None when the structures differ.

    Two dicts of one set of keys in different orders become one whose order is not known; `path` is how the user writes it.

    >>> children, build = aligned(open_container({"x": 1, "y": 2}), open_container({"y": 3, "x": 4}), "d")
    >>> children, key_orders.has_unknown_order(build([5, 6]))
    ([4, 3], True)
    """
    if same_structure(a[1], b[1]):
        return b[0], a[3]
    if not (type(a[1]) is type(b[1]) is tuple and a[1][:1] == b[1][:1] == (dict,)):
        return None
    keys, others = map(key_orders.keys_of, (a[1], b[1]))
    found = {(type(key), key): child for key, child in zip(others, b[0])}
    if len(keys) != len(others) or any((type(key), key) not in found for key in keys):
        return None
    return [found[type(key), key] for key in keys], key_orders.builder(keys, path)


def _why_apart(left: Any, right: Any) -> str:
    """The reason why two values that no program can hold do not become one."""
    if callables.is_callable_option(left) and callables.is_callable_option(right):
        return callables.KEPT
    if type(left) is not type(right):
        return why_structures_differ(left, right)
    if describe(left) != describe(right):
        return "the value is not an array and differs"
    return "a program can choose between numbers and arrays, not between objects"


def why_structures_differ(left: Any, right: Any) -> str:
    """The reason why two containers are not of one structure."""
    if choices.Choice in (type(left), type(right)):
        return choices.OF_ONE_CLASS
    if type(left) is not type(right):
        return "the two sides are of different kinds"
    if isinstance(left, dict) and left.keys() == right.keys():
        return "the dicts have the same keys in different orders"
    return "the structures differ"
