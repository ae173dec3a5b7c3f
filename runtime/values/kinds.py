"""Containers and objects opened: what they hold, how each part is written, and how to build one like it from other parts.

>>> children, structure, steps, build = open_container({'a': 1, 'mode': 'fast'})
>>> children, steps, build([2, 'slow'])
([1, 'fast'], ["['a']", "['mode']"], {'a': 2, 'mode': 'slow'})

Flattening is ours because JAX sorts the keys of dicts, and keys of several types cannot be sorted. Three kinds of objects:

| kind | is |
| --- | --- |
| container | a pytree node: a list, a tuple, a dict, or what is registered with JAX |
| object of a class of values (`is_value_class`) | a container as well: it is what it holds, and never changes |
| ordinary object (`is_ordinary`) | opened where nobody else knows it, as a new object or in place (`open_object`) |
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError
from functools import cached_property, partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import jax
import numpy as np

from autograph.code.library import ARRAY_PACKAGES, HEAP_TYPE, package_of
from autograph.runtime.tracing import context, default_dicts
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.families import LEAF_KINDS, NUMBERS
from autograph.runtime.tracing.known.limits import needs_number
from autograph.runtime.tracing.staging import is_array_like
from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values import choices, key_orders
from autograph.runtime.values.bounded_array import BoundedArray
from autograph.runtime.values.locations import AttributeLocation, attribute_names
from autograph.runtime.values.optional import Maybe

IMMUTABLE = (tuple, choices.Choice, BoundedArray)
"""What is built anew wherever it is opened: nobody can tell."""

Opened = tuple[list[Any], Any, list[str], Callable[[list[Any]], Any]]


def open_container(value: Any) -> Opened | None:
    """A pytree node opened: (children, structure, how each child is written, how to rebuild); None for a leaf."""
    kind = type(value)
    if kind is list:
        return value, (list, len(value)), [f"[{i}]" for i in range(len(value))], list
    if kind is tuple:
        return list(value), (tuple, len(value)), [f"[{i}]" for i in range(len(value))], tuple
    if kind in (dict, OrderedDict):
        keys = list(value)
        opened = list(value.values()), (kind, *keys), [f"[{k!r}]" for k in keys], lambda vs: kind(zip(keys, vs))
        return key_orders.like(value, opened)
    if kind is defaultdict:
        keys, factory = list(value), value.default_factory
        return (
            list(value.values()),
            (kind, factory, *keys),
            [f"[{k!r}]" for k in keys],
            lambda vs: default_dicts.watch_dict(defaultdict(factory, zip(keys, vs))),
        )
    if kind is Maybe:
        return list(value), (kind, 2), [" is None", ""], lambda vs: Maybe(*vs)
    if kind is choices.Choice:
        options = value.choice_options
        return [value.choice_number], (kind, *sorted(options)), [""], lambda vs: choices.choice_of(options, vs[0])
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return list(value), (kind, len(value)), [f".{name}" for name in kind._fields], lambda vs: kind(*vs)
    if kind is partial and not value.__dict__:
        count, keys = len(value.args), list(value.keywords)
        steps = [*(f".args[{i}]" for i in range(count)), *(f".keywords[{k!r}]" for k in keys)]
        fn = value.func
        return (
            [*value.args, *value.keywords.values()],
            (kind, fn, count, *keys),
            steps,
            lambda vs: partial(fn, *vs[:count], **dict(zip(keys, vs[count:]))),
        )
    if kind in LEAF_KINDS or is_array_like(value) or hasattr(kind, "__next__"):  # JAX warns of iterators
        return None
    if kind is BoundedArray and context.progress.is_tried:
        raise needs_number("the length of an array is a number that is known in each iteration")
    with context.paused():
        children, treedef = jax.tree_util.tree_flatten(value, is_leaf=lambda x: x is not value)
    if len(children) == 1 and children[0] is value:
        known = not is_value_class(kind) or context.is_referred_to_weakly(value)
        return None if known else open_object(value, in_place=False)
    steps = [f".<{i}>" for i in range(len(children))]
    return children, treedef, steps, lambda vs: _unflattened(treedef, vs)


def _unflattened(treedef: Any, children: list[Any]) -> Any:
    with context.paused():
        return jax.tree_util.tree_unflatten(treedef, children)


def open_object(value: Any, in_place: bool = True) -> Opened:
    """Attributes of an ordinary object as children; it is rebuilt in place, or as a new object.

    What `cached_property` keeps in an object that never changes is no part of it: it is computed again.
    """
    kind = type(value)
    names = attribute_names(value)
    if is_value_class(kind):
        names = [name for name in names if type(getattr(kind, name, None)) is not cached_property]
    places = [AttributeLocation(value, name) for name in names]

    build = partial(_filled, value if in_place else None, kind, names)
    return [place.get() for place in places], (kind, *names), ["." + name for name in names], build


def _filled(obj: Any, kind: type, names: list[str], values: list[Any]) -> Any:
    """`obj`, or a new object of a class, with these attributes."""
    obj = object.__new__(kind) if obj is None else obj
    for name, inside in zip(names, values):
        AttributeLocation(obj, name).set(inside)
    return obj


def is_value_class(kind: type) -> bool:
    """Whether a class is that of dataclasses that never change: such an object is what it holds, like a tuple.

    Frozen ones, and those whose own `__setattr__` says that they are (as that of `equinox.Module`). Where such objects are equal to
    themselves alone, `==` is `is` (`comparison.compare_values`).
    """
    parameters = kind.__dict__.get("__dataclass_params__")
    return parameters is not None and (parameters.frozen or _refuses_writes(kind)) and is_written(kind)


def _refuses_writes(kind: type) -> bool:
    """Whether the `__setattr__` of a class was written to raise what that of a frozen dataclass raises."""
    method: Any = kind.__setattr__
    return type(method) is FunctionType and FrozenInstanceError.__name__ in method.__code__.co_names


def defines(kind: type, method: str) -> bool:
    """Whether a class or a base of it, but `object`, has a method of that name, or None in its place."""
    return any(method in base.__dict__ for base in kind.__mro__[:-1])


def is_value(x: Any) -> bool:
    """Whether `x` is a container that never changes: a tuple, a `partial`, or an object of a class of frozen dataclasses."""
    return isinstance(x, IMMUTABLE) or type(x) is partial or is_value_class(type(x))


def open_any(value: Any) -> Opened | None:
    """A pytree node or an ordinary object opened; None for anything else."""
    opened = open_container(value)
    return open_object(value, in_place=False) if opened is None and is_ordinary(value) else opened


def is_ordinary(value: Any) -> bool:
    """Whether `value` is an object of a class written in Python, all of whose state is in its attributes."""
    kind = type(value)
    if kind in LEAF_KINDS or is_array_like(value) or isinstance(value, (tuple, type)) or not is_written(kind):
        return False
    return open_container(value) is None and bool(attribute_names(value))


def paths_to(obj: Any, values: Mapping[str, Any]) -> list[str]:
    """How the user writes an object: the names that have it as their value, then attributes and items of their values.

    >>> paths_to(found := [], {"hist": {"loss": found}, "xs": found})
    ['xs', "hist['loss']"]
    """
    paths = [name for name, value in values.items() if value is obj]
    for name, value in values.items():
        if type(value) in (dict, list, tuple):
            items = value.items() if type(value) is dict else enumerate(value)
            paths += [f"{name}[{key!r}]" for key, item in items if item is obj]
        elif is_ordinary(value):
            attributes = (attribute for attribute in attribute_names(value) if AttributeLocation(value, attribute).get() is obj)
            paths += [f"{name}.{attribute}" for attribute in attributes]
    return paths


def is_written(kind: type) -> bool:
    """Whether all of a class was made by class statements; C code has classes of the heap too, and makes their objects."""
    return all(
        base.__flags__ & HEAP_TYPE and type(base.__dict__.get("__new__")) is not BuiltinFunctionType
        for base in kind.__mro__[:-1]
    )


def same_structure(a: Any, b: Any) -> bool:
    """Whether two structures of `open_container` are equal."""
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(x is y or (type(x) is type(y) and x == y) for x, y in zip(a, b))
    return bool(a == b)


def equal_sets(left: set[Any], right: set[Any]) -> bool:
    """Whether two sets hold the same elements, without calling a user's `__eq__`."""
    if {id(x) for x in left} == {id(x) for x in right}:
        return True
    return len(left) == len(right) and all(type(x) in LEAF_KINDS for x in (*left, *right)) and left == right


def same_number(left: Any, right: Any) -> bool:
    """Whether two Python numbers are one static value: equal, of one type (and of one sign, if zero)."""
    kind = type(left)
    if kind is not type(right) or kind not in NUMBERS:
        return False
    return bool(left == right) and (kind in (bool, int) or repr(left) == repr(right))


def same_static(left: Any, right: Any) -> bool:
    """Whether two values that are no arrays count as the same; user-defined equality is never called."""
    kind = type(left)
    if left is right or kind is not type(right):
        return left is right
    if kind is MethodType:
        return left.__self__ is right.__self__ and left.__func__ is right.__func__
    if kind is np.ndarray:
        return left.dtype == right.dtype and left.dtype.kind in "SU" and np.array_equal(left, right)
    library = package_of(kind) in ARRAY_PACKAGES and not isinstance(left, jax.core.Tracer)
    if library or kind in (str, bytes, range, slice, type(None), frozenset):
        return bool(left == right)
    return False


def holds_container(value: Any) -> bool:
    """Whether a value is a container, or a tuple that leads to one through tuples."""
    if isinstance(value, tuple):
        return any(map(holds_container, value))
    return not is_array_like(value) and open_container(value) is not None


def differing_objects(left: tuple[Any, ...], right: tuple[Any, ...]) -> list[Any]:
    """The ordinary objects that two structures do not have in common."""
    found: dict[int, Any] = {}
    seen: set[tuple[int, int]] = set()
    pending: list[tuple[Any, Any]] = [*zip(left, right, strict=True)]
    while pending:
        pair = pending.pop()
        if pair[0] is pair[1] or (key := (id(pair[0]), id(pair[1]))) in seen:
            continue
        seen.add(key)
        found.update((id(x), x) for x in pair if x is not UNSET and is_ordinary(x))
        children = [() if x is UNSET or (opened := open_any(x)) is None else opened[0] for x in pair]
        if len(children[0]) == len(children[1]):
            pending.extend(zip(*children, strict=True))
        else:
            pending.extend((x, UNSET) for inside in children for x in inside)
    return [*found.values()]


HOLDER = "leave the value and not"


def remedy_of_holder(left: Any, right: Any) -> str:
    """What to write where one side is a number or an array, and the other an object that has one as its value; else nothing.

    >>> class Total:
    ...     value = property(lambda self: 1.0)
    >>> remedy_of_holder(2.0, Total()), remedy_of_holder(2.0, object())
    ('leave the value and not the Total that holds it: `x.value`, or `x + 0`', '')
    """
    for one, other in ((left, right), (right, left)):
        if is_array_like(one) and isinstance(static_lookup(type(other), "value"), property) and not is_array_like(other):
            return f"{HOLDER} the {type(other).__name__} that holds it: `x.value`, or `x + 0`"
    return ""
