"""Places that Python code writes to beside local variables, each with one way to read it and one to put a value back.

A location is one attribute, one cell, one global, or a *whole* list, dict, set or array (append, pop, update have no key,
and undoing a deletion by key would change a dict's order). What stands there is read and written beneath any
`__setattr__`, property or `__setitem__` of the user's, since undoing a write must not run the user's code again.

>>> class Point: pass
>>> p = Point()
>>> place = AttributeLocation(p, 'x')
>>> place.get() is UNSET
True
>>> place.set(3); p.x, place.name
(3, '<Point>.x')
"""

from __future__ import annotations

import threading
import weakref
from array import array
from collections import OrderedDict, deque
from types import MemberDescriptorType, ModuleType
from typing import Any

import jax
import numpy as np

from autograph.runtime.tracing.class_lookup import DICT, once_per_class, static_lookup
from autograph.runtime.tracing.refusals import a, refusal
from autograph.runtime.tracing.staging import is_array_like
from autograph.runtime.tracing.variables import UNSET, CellVariable
from autograph.runtime.values.optional import TESTED, Maybe

_OR_NONE = " or None"
"""Ends the name under which an object keeps a `Maybe`: code that reads the attribute by its own name must not find one."""


class AttributeLocation:
    """One attribute of one object, beneath any `__setattr__` or property."""

    __slots__ = ("attribute", "obj")

    def __init__(self, obj: Any, attribute: str) -> None:
        self.obj = obj
        self.attribute = attribute

    @property
    def key(self) -> Any:
        names = self.names()  # several objects may share one `__dict__`
        return (id(self.obj if names is None else names), self.attribute)

    @property
    def name(self) -> str:
        return f"<{type(self.obj).__name__}>.{self.attribute}"

    def names(self) -> Any:
        """The `__dict__` in which the attribute stands; None if it stands in a slot or in a class."""
        if issubclass(type(self.obj), type) or self._slot() is not None:
            return None
        return _names_of(self.obj)

    def _slot(self) -> MemberDescriptorType | None:
        for base in type(self.obj).__mro__:
            found = base.__dict__.get(self.attribute)
            if type(found) is MemberDescriptorType:
                return found
        return None

    def get(self) -> Any:
        slot = self._slot()
        if slot is not None:
            try:
                return slot.__get__(self.obj)
            except AttributeError:
                return UNSET
        if issubclass(type(self.obj), type):
            return self.obj.__dict__.get(self.attribute, UNSET)
        names = _names_of(self.obj)
        found = names.get(self.attribute, UNSET)
        return names.get(self.attribute + _OR_NONE, UNSET) if found is UNSET else found

    def of_class(self) -> Any:
        """What reading the attribute finds in the class of an object that does not have it; `UNSET` for nothing."""
        if issubclass(type(self.obj), type):
            return UNSET
        found = static_lookup(type(self.obj), self.attribute, UNSET)
        return UNSET if hasattr(type(found), "__get__") else found

    def set(self, value: Any) -> None:
        slot = self._slot()
        if slot is not None:
            before = self.get()
            if value is before or (type(value) is type(before) in (int, float, str) and repr(value) == repr(before)):
                return  # C code has slots that are read-only
            try:
                slot.__delete__(self.obj) if value is UNSET else slot.__set__(self.obj, value)
            except (AttributeError, TypeError) as error:
                raise _is_read_only(self) from error
        elif issubclass(type(self.obj), type):
            before = self.get()
            try:
                if value is not UNSET and value is not before:
                    type.__setattr__(self.obj, self.attribute, value)
                elif value is UNSET and before is not UNSET:
                    type.__delattr__(self.obj, self.attribute)
            except (AttributeError, TypeError) as error:
                raise _is_read_only(self) from error
        else:
            names = _names_of(self.obj)
            names.pop(self.attribute + _OR_NONE, None)
            if type(value) is Maybe:
                names.pop(self.attribute, None)
                names[self.attribute + _OR_NONE] = value
                _held.setdefault(type(self.obj), set()).add(self.attribute)
            elif value is not UNSET:
                names[self.attribute] = value
            else:
                names.pop(self.attribute, None)


def may_hold_none(location: Any, *values: Any) -> bool:
    """Whether a location is an attribute that can keep these, `None` and a number, so that only code which tests it can read it."""
    if type(location) is not AttributeLocation or location.attribute not in TESTED or location.names() is None:
        return False
    if any(static_lookup(type(location.obj), name) is not None for name in (location.attribute, "__getattr__")):
        return False
    return all(x is None or type(x) is Maybe or is_array_like(x) for x in values)


def is_read_untested(error: AttributeError) -> bool:
    """Whether an attribute only seems to be missing: it may be `None` or a number, and the code that reads it does not test it."""
    return str(error.name) in _held.get(type(error.obj), ())


_held: weakref.WeakKeyDictionary[type, set[str]] = weakref.WeakKeyDictionary()
"""The attributes that have held a `Maybe`, for each class."""


def _is_read_only(location: AttributeLocation) -> Exception:
    return refusal(
        f"attribute '{location.attribute}' of {a(type(location.obj).__qualname__)} is changed inside a staged statement",
        why="only C code can write it, so it cannot be put back",
        instead="change it before or after the statement, or make another object",
    )


def _names_of(obj: Any) -> Any:
    """The `__dict__` of an object, beneath any `__getattribute__`; of a thread-local the one of this thread."""
    base = threading.local if issubclass(type(obj), threading.local) else object
    return base.__getattribute__(obj, "__dict__")


@once_per_class
def _slots_of(kind: type) -> tuple[str, ...]:
    """The slots of a class, those of its bases first: they are what they were when the class was made."""
    names = ((name, x) for base in reversed(kind.__mro__) for name, x in base.__dict__.items() if name not in _OF_C)
    return tuple(dict.fromkeys(name for name, x in names if type(x) is MemberDescriptorType))


def attribute_names(obj: Any) -> list[str]:
    """The attributes that `obj` holds itself: filled slots, then its `__dict__`. Of a class, those that can be written."""
    if issubclass(type(obj), type):
        return [name for name in DICT(obj) if name not in _OF_CLASSES]
    slots = [name for name in _slots_of(type(obj)) if AttributeLocation(obj, name).get() is not UNSET]
    try:
        return [*slots, *(name.removesuffix(_OR_NONE) for name in _names_of(obj))]
    except AttributeError:
        return slots


def attribute_values(obj: Any) -> list[Any]:
    """What the attributes hold that `obj` holds itself."""
    return [AttributeLocation(obj, name).get() for name in attribute_names(obj)]


class GlobalLocation:
    """One global name of one module."""

    __slots__ = ("name", "obj")

    def __init__(self, names: dict[str, Any], name: str) -> None:
        self.obj = names
        self.name = name

    @property
    def key(self) -> Any:
        return (id(self.obj), self.name)

    @property
    def attribute(self) -> str:
        return self.name

    def names(self) -> Any:
        """The dict in which the global stands."""
        return self.obj

    def get(self) -> Any:
        return self.obj.get(self.name, UNSET)

    def set(self, value: Any) -> None:
        if value is UNSET:
            self.obj.pop(self.name, None)
        else:
            self.obj[self.name] = value


def attribute_location(obj: Any, name: str) -> AttributeLocation | GlobalLocation:
    """The place of `obj.name`: of a module's it is a global."""
    return GlobalLocation(vars(obj), name) if type(obj) is ModuleType else AttributeLocation(obj, name)


class CellLocation(CellVariable):
    """One variable of an enclosing function."""

    __slots__ = ()

    @property
    def obj(self) -> Any:
        return self.cell

    @property
    def key(self) -> Any:
        return id(self.cell)


class WholeLocation:
    """All that one object holds."""

    __slots__ = ("obj",)

    def __init__(self, obj: Any) -> None:
        self.obj = obj

    @property
    def key(self) -> Any:
        return id(self.obj)


class ContentsLocation(WholeLocation):
    """All that a list, dict, set, deque or bytearray holds."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"the contents of {a(type(self.obj).__name__)}"

    def get(self) -> Any:
        kind = type(self.obj)
        if isinstance(self.obj, OrderedDict):
            return OrderedDict(self.obj)  # whose order counts, see `merge`
        if isinstance(self.obj, dict):
            return dict(self.obj)
        if isinstance(self.obj, set):
            return set(self.obj)
        if isinstance(self.obj, bytearray):
            return bytes(self.obj)
        return list(self.obj) if kind is not list else self.obj[:]

    def set(self, value: Any) -> None:
        obj = self.obj
        if isinstance(obj, OrderedDict):  # it keeps the order beside the dict
            OrderedDict.clear(obj)
            for key, item in value.items():
                OrderedDict.__setitem__(obj, key, item)
        elif isinstance(obj, dict):
            if len(obj) != len(value) or any(k is not m for k, m in zip(dict.__iter__(obj), value)):
                dict.clear(obj)
            dict.update(obj, value)  # under the same keys, so that an iterator over it goes on
        elif isinstance(obj, set):
            if {id(x) for x in set.__iter__(obj)} != {id(x) for x in value}:
                set.clear(obj)
                set.update(obj, value)
        elif isinstance(obj, list):
            list.__setitem__(obj, slice(None), value)
        elif isinstance(obj, deque) and len(value) == deque.__len__(obj):  # an iterator over it goes on
            for k, item in enumerate(value):
                deque.__setitem__(obj, k, item)
        elif isinstance(obj, deque):
            deque.clear(obj)
            deque.extend(obj, value)
        elif any(isinstance(x, jax.core.Tracer) for x in value):
            raise holds_known_numbers("an array" if isinstance(obj, array) else "a bytearray")
        elif isinstance(obj, bytearray):
            obj[:] = value
        else:
            obj[:] = array(obj.typecode, value)


def holds_known_numbers(what: str) -> Exception:
    """The refusal of a staged statement that changes what can hold no traced value."""
    return refusal(
        f"{what} is changed inside a staged statement",
        why="what it holds afterwards depends on a traced value, and it holds known numbers only",
        instead="start from a JAX array: `x = jnp.asarray(x)`",
        page="numpy-array-in-a-branch",
    )


class ArrayLocation(WholeLocation):
    """The numbers in a NumPy array, which cannot become traced ones."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return "the contents of a NumPy array"

    def get(self) -> Any:
        return self.obj.copy()

    def set(self, value: Any) -> None:
        if isinstance(value, jax.core.Tracer):
            raise holds_known_numbers("a NumPy array")
        self.obj[...] = value


_OF_CLASSES = frozenset({"__dict__", "__weakref__", "__module__", "__doc__", "__slots__", "__qualname__"})
_OF_C = frozenset({"__vectorcalloffset__", "__dictoffset__", "__weaklistoffset__"})  # how C code lays out an object
NAMED = (AttributeLocation, GlobalLocation)
"""Those that stand in a dict, which may also be written as a whole."""
WHOLES = (ContentsLocation, ArrayLocation)
Location = AttributeLocation | GlobalLocation | CellLocation | ContentsLocation | ArrayLocation
LOCATIONS = (AttributeLocation, GlobalLocation, CellLocation, ContentsLocation, ArrayLocation)


def same_contents(before: Any, after: Any) -> bool:
    """Whether nothing was written after all: the same elements by identity, in the same order; numbers by value.

    An `array.array` makes new numbers each time it is read.
    """
    if before is after:
        return True
    if type(before) is not type(after) or not isinstance(before, (list, dict, set, bytes, np.ndarray)):
        return False
    if isinstance(before, np.ndarray):
        return before.shape == after.shape and before.dtype == after.dtype and before.tobytes() == after.tobytes()
    if isinstance(before, bytes):
        return bool(before == after)
    if len(before) != len(after):
        return False
    if isinstance(before, dict):
        pairs = zip(before.items(), after.items())  # a look-up would call the hash of the user's keys
        return all(k is m and v is w for (k, v), (m, w) in pairs)
    return all(x is y or _is_same_number(x, y) for x, y in zip(before, after))


def _is_same_number(x: Any, y: Any) -> bool:
    kind = type(x)
    return kind is type(y) and (x.hex() == y.hex() if kind is float else kind is int and x == y)
