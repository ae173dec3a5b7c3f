"""Where iterators stand that code can get hold of: in what variables and containers hold, and in attributes that it names.

No other attribute is followed, so an object with thousands of parts costs nothing where the code reads one of them. The
methods that Python calls by itself (`__add__`, a getter) name attributes as well: those of each class that is met count.

>>> class Reader:
...     __module__ = "example"
...     def __init__(self, lines): self.lines, self.width = iter(lines), 80
>>> reader = Reader(["a", "b"])
>>> def found(*names): return [name for _, _, name in find_iterators([(reader, None, "reader")], frozenset(names), {})[0]]
>>> found("lines"), found("width")
(['reader.lines'], [])
"""

from __future__ import annotations

import collections
import functools
import gc
import itertools
import weakref
from collections.abc import Iterator
from types import FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

from autograph.code import registry
from autograph.code.library import is_library, is_library_class
from autograph.runtime.heap.iterators import advances, is_native_class
from autograph.runtime.heap.library_objects import has_library_methods
from autograph.runtime.tracing.class_lookup import DICT, MRO, once_per_class, static_lookup
from autograph.runtime.tracing.families import ARRAYS, BOUND_METHODS, JITTED
from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values.locations import AttributeLocation, CellLocation, WholeLocation, attribute_names

Value = tuple[Any, Any, str]
"""A value, the place where it stands (None where nothing else can be put there), and its name."""
Names = frozenset[str] | None
"""The names that code may use; None where it may be any."""

_FEW = 40  # objects, after which the search first finds out whether there is any iterator at all
_MOST = 2_000  # objects that are looked at
_LONGEST = 1_000  # items of one container
_FAR = 20 * _MOST  # objects whose references are followed
_CALLED = frozenset(
    {"__init__", "__new__", "__call__", "__del__"}
)  # the calls of which are heard, or that nobody waits for
_PROTOCOL = frozenset("keys read readline write flush send throw close".split())  # what C code calls by name


class Proxy:
    """What stands for an iterator: it leads nowhere."""

    __slots__ = ()


class _ItemPlace(WholeLocation):
    """One item of a list, a deque or a dict."""

    __slots__ = ("index",)

    def __init__(self, obj: Any, index: Any) -> None:
        self.obj = obj
        self.index = index

    def get(self) -> Any:
        try:
            return self.obj[self.index]
        except LookupError:
            return UNSET

    def set(self, value: Any) -> None:
        kind = next(base for base in (dict, list, collections.deque) if isinstance(self.obj, base))
        kind.__setitem__(self.obj, self.index, value)


class _DefaultsPlace(WholeLocation):
    """The values that a function has for parameters that are not given."""

    __slots__ = ()

    @property
    def key(self) -> Any:
        return id(self.obj), "__defaults__"

    def get(self) -> Any:
        return self.obj.__defaults__

    def set(self, value: Any) -> None:
        self.obj.__defaults__ = value


def find_iterators(values: list[Value], names: Names, before: dict[Any, tuple[Any, str]]) -> tuple[list[Value], Names]:
    """The iterators, and tuples that hold some, to which `values` lead, with their places and names.

    Args:
        names: what the code names.
        before: what stood in places that were written to, by their keys: what stands there now is not looked at.
    Returns:
        them, and the names with those that the classes add which were met.
    """
    while True:
        search = _Search(names, before)
        found = list(search.found(values))
        if search.names == names:
            return found, names
        names = search.names


class _Search:
    """One search; `names` grow while classes are met."""

    def __init__(self, names: Names, before: dict[Any, tuple[Any, str]]) -> None:
        self.names = names
        self.before = before

    def found(self, values: list[Value]) -> Iterator[Value]:
        before = self.before
        pending, seen = collections.deque(values), set[int]()  # what is near comes first
        while pending and len(seen) < _MOST:
            value, place, name = pending.popleft()
            way = _way(type(value))
            if way is None or id(value) in seen:
                continue
            if way is _IS_OF_LIBRARY or is_guarded(value) or (type(value) is tuple and any(map(is_guarded, value))):
                yield value, place, name
                continue
            if len(seen) == _FEW and not _may_lead_to_one([value for value, _, _ in values]):
                return
            seen.add(id(value))
            if way is _HAS_ATTRIBUTES or way is _of_class:
                pending += (item for item in self.attributes(value, name) if item[1].key not in before)
            elif id(value) in before:
                pending += ((item, None, name) for item, _, _ in way(before[id(value)][0], name))
            else:
                pending += (item for item in way(value, name) if item[1] is None or item[1].key not in before)

    def attributes(self, value: Any, name: str) -> Iterator[Value]:
        """The attributes of an object, and of its class, that the code names."""
        kind = type(value)
        if self.names is not None:
            self.names |= implicit_names(kind)
        is_any = self.names is None or has_library_methods(kind) or not self.names.isdisjoint(registry.BY_STRING)
        is_class = issubclass(kind, type)
        bases = (*MRO(value), *MRO(kind)) if is_class else MRO(kind)
        for owner in (*([] if is_class else [value]), *(base for base in bases if not is_library_class(base))):
            for attribute in attribute_names(owner):
                if is_any or attribute in (self.names or ()) or _closes_over(owner, attribute):
                    place = AttributeLocation(owner, attribute)
                    item = place.get()
                    if _way(type(item)) is not None:
                        yield item, place, f"{name}.{attribute}"


def _closes_over(owner: Any, name: str) -> bool:
    """Whether a class has a method that refers to variables around it."""
    method = DICT(owner).get(name) if issubclass(type(owner), type) else None
    return type(method) is FunctionType and bool(method.__closure__)


def implicit_names(kind: type) -> frozenset[str]:
    """What the methods of a class name that Python calls without a call in the source."""
    found = _implicit.get(kind)
    if found is None:
        _implicit[kind] = frozenset()  # for a class that has an object of itself as an attribute
        members = [item for base in MRO(kind) if not is_library_class(base) for item in list(DICT(base).items())]
        found = _implicit[kind] = frozenset().union(*(_names_of_member(*item) for item in members))
    return found


def _names_of_member(name: str, value: Any) -> frozenset[str]:
    if type(value) in (staticmethod, classmethod):
        value = value.__func__
    kind = type(value)
    if kind is property:
        return frozenset().union(*map(_names_of_function, (value.fget, value.fset, value.fdel)))
    if kind is functools.cached_property:
        return _names_of_function(value.func)
    if name in _PROTOCOL or (name[:2] == "__" == name[-2:] and name not in _CALLED and callable(value)):
        return _names_of_function(value)
    return frozenset() if issubclass(kind, type) or is_library_class(kind) else implicit_names(kind)


def _names_of_function(f: Any) -> frozenset[str]:
    if type(f) is FunctionType:
        return registry.words_in(f.__code__)
    return frozenset() if f is None or isinstance(f, (type, *BOUND_METHODS)) else registry.BY_STRING


_implicit: weakref.WeakKeyDictionary[type, frozenset[str]] = weakref.WeakKeyDictionary()


def _may_lead_to_one(values: list[Any]) -> bool:
    """Whether `find_iterators` may find an iterator: the same search by level, by the references that CPython knows, without names.

    It looks at no more than it must: most programs reach many objects, and no iterator.
    """
    seen = set[int]()
    while values:
        ways = {kind: _way(kind) for kind in set(map(type, values))}
        if _IS_ITERATOR in ways.values() or _IS_OF_LIBRARY in ways.values():
            return True
        level = {id(value): value for value in values if ways[type(value)] is not None}
        for key in seen & level.keys():
            del level[key]
        seen.update(level)
        if len(seen) > _FAR:
            return True
        if any(ways[type(value)] is _of_method and advances(value) for value in level.values()):
            return True
        apart = [value for value in level.values() if ways[type(value)] in _APART]
        values = gc.get_referents(*(value for value in level.values() if ways[type(value)] not in _APART))
        values += [item for value in apart for item, _, _ in ways[type(value)](value, "")]
    return False


def cell_locations(f: FunctionType) -> Iterator[CellLocation]:
    return map(CellLocation, f.__code__.co_freevars, f.__closure__ or ())


def is_guarded(value: Any) -> bool:
    """Whether a value is an iterator, a method that advances one, or a `partial` that hands one to a function."""
    if type(value) is functools.partial:
        return any(map(is_guarded, (value.func, *value.args, *value.keywords.values())))
    return _way(type(value)) is _IS_ITERATOR or advances(value)


def is_of_library(value: Any) -> bool:
    """Whether a value is an iterator of which a library wrote `__next__` in Python: what it advances can be put back."""
    return _way(type(value)) is _IS_OF_LIBRARY


def _of_sequence(value: Any, name: str) -> Iterator[Value]:
    for index, item in enumerate(itertools.islice(value, _LONGEST)):
        if _way(type(item)) is not None:
            yield item, _ItemPlace(value, index), f"{name}[{index}]"


def _of_dict(value: Any, name: str) -> Iterator[Value]:
    for key, item in itertools.islice(dict.items(value), _LONGEST):
        if _way(type(item)) is not None:
            yield item, _ItemPlace(value, key), f"{name}[{key!r}]"


def _of_tuple(value: Any, name: str) -> Iterator[Value]:
    for index, item in enumerate(itertools.islice(value, _LONGEST)):
        if _way(type(item)) not in (None, _IS_ITERATOR, _of_tuple):
            yield item, None, f"{name}[{index}]"


def _of_method(value: Any, name: str) -> Iterator[Value]:
    yield value.__self__, None, name


def _of_wrapper(value: Any, name: str) -> Iterator[Value]:
    if type(value) is JITTED:
        parts: tuple[Any, ...] = (vars(value).get("__wrapped__"),)  # none in a copy
    elif type(value) is MethodType:
        parts = value.__func__, value.__self__
    else:
        parts = value.func, *value.args, *value.keywords.values()
    return ((part, None, name) for part in parts)


def _of_class(value: Any, name: str) -> Iterator[Value]:
    bases = [base for base in MRO(value) if not is_library_class(base)]
    return ((item, None, name) for base in bases for item in list(DICT(base).values()))


def _of_function(value: Any, name: str) -> Iterator[Value]:
    for cell in cell_locations(value):
        yield cell.get(), cell, cell.name
    if value.__defaults__:
        yield value.__defaults__, _DefaultsPlace(value), f"{name}.__defaults__"
    if value.__kwdefaults__:
        yield from _of_dict(value.__kwdefaults__, f"{name}.__kwdefaults__")
    yield from _of_namespace(value, name)


def _of_namespace(value: Any, name: str) -> Iterator[Value]:
    return ((item, place, f"{name}.{place.index}") for item, place, _ in _of_dict(vars(value), name))


_IS_ITERATOR: Any = object()
_IS_OF_LIBRARY: Any = object()  # see `is_of_library`
_HAS_ATTRIBUTES: Any = object()  # those that the code names: see `_Search.attributes`


@once_per_class
def _way(kind: type) -> Any:
    """What gives the values that one of a class leads to; one of the marks above, or None for what leads nowhere."""
    if issubclass(kind, _NOWHERE):
        return None
    if kind in BOUND_METHODS:
        return _of_method
    if kind in _NAMESPACES:
        return _of_namespace
    if is_native_class(kind):
        return _IS_ITERATOR
    for base, way in _CONTAINERS.items():
        if issubclass(kind, base):
            return way
    if issubclass(kind, type):
        return _of_class
    step = static_lookup(kind, "__next__")
    if type(step) is FunctionType and is_library(step):
        return _IS_OF_LIBRARY
    return None if is_library_class(kind) else _HAS_ATTRIBUTES


_CONTAINERS: dict[type, Any] = {
    dict: _of_dict, list: _of_sequence, collections.deque: _of_sequence, tuple: _of_tuple,
    FunctionType: _of_function, MethodType: _of_wrapper, functools.partial: _of_wrapper, JITTED: _of_wrapper,
}  # fmt: skip
_NOWHERE = (*ARRAYS, ModuleType, Proxy)
_NAMESPACES = (SimpleNamespace, collections.UserDict, collections.UserList)
_APART = (_of_function, _of_wrapper, _of_class)  # of which the collector knows more than code gets hold of
