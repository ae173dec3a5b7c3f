"""Iterators that a region can reach while it is staged: each is replaced by a proxy that refuses to be advanced.

They stand in variables that the region's functions close over, in the globals that these name, and in the containers,
attributes and nested functions that these lead to. Everything is put back when the region ends, also in what it wrote.

>>> class Reader:
...     __module__ = "example"
...     def __init__(self, lines): self.lines = iter(lines)
>>> reader = Reader(["a", "b"])
>>> def f(reader):
...     with held_back([], lambda: reader):
...         return list(reader.lines)
>>> try:
...     f(reader)
... except TypeError as error:
...     print(str(error).splitlines()[0])
'reader.lines' (list_iterator) is advanced inside a staged statement
>>> list(reader.lines)
['a', 'b']
"""

from __future__ import annotations

import collections
import gc
import itertools
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import jax
import numpy as np

from autograph.code import registry
from autograph.code.library import is_library_class
from autograph.runtime.heap.iterators import ADVANCING, BOUND, advances, is_native_class
from autograph.runtime.tracing import context
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.variables import UNSET, Variable
from autograph.runtime.values.locations import AttributeLocation, CellLocation, GlobalLocation, attribute_names

_LEAVES = (jax.core.Tracer, jax.Array, np.ndarray, np.generic, type, ModuleType)
_MOST = 2_000  # objects that are looked at where a region begins
_LONGEST = 1_000  # items of one container
_FAR = 20 * _MOST  # objects whose references are followed


class _Held:
    """Stands for an iterator while a region is staged."""

    def __init__(self, original: Any, name: str) -> None:
        object.__setattr__(self, "_original", original)
        object.__setattr__(self, "_name", name)

    def _refuse(self) -> Any:
        kind = type(getattr(self._original, "__self__", self._original))
        what = "generator" if kind is GeneratorType else kind.__name__.lower()
        raise refusal(
            f"'{self._name}' ({what}) is advanced inside a staged statement",
            why="it would be advanced while the program is traced, once, also where the statement is not reached",
            instead="take the items before the statement (`items = list(...)`), or index a list or an array",
        )

    def __iter__(self) -> Any:
        return self  # C code says of a `TypeError` from here, which a refusal is, that this cannot be iterated

    def __next__(self) -> Any:
        return self._refuse()

    def __contains__(self, item: object) -> bool:
        return bool(self._refuse())

    def __setattr__(self, name: str, value: Any) -> None:
        self._refuse()

    def __copy__(self) -> Any:
        return self._refuse()

    def __deepcopy__(self, memo: Any) -> Any:
        return self._refuse()

    def __getattr__(self, name: str) -> Any:
        return self._refuse() if name in ADVANCING else getattr(self._original, name)


class _HeldMethod(_Held):
    """Stands for a method of an iterator."""

    def __call__(self, *args: Any) -> Any:
        return self._refuse()


class _ItemPlace:
    """One item of a list, a deque or a dict."""

    __slots__ = ("key", "obj")

    def __init__(self, obj: Any, key: Any) -> None:
        self.obj = obj
        self.key = key

    def get(self) -> Any:
        try:
            return self.obj[self.key]
        except LookupError:
            return UNSET

    def set(self, value: Any) -> None:
        kind = next(base for base in (dict, list, collections.deque) if isinstance(self.obj, base))
        kind.__setitem__(self.obj, self.key, value)


class _Open(threading.local):
    """What the open regions of this thread hold back, outermost first: places and what stood there."""

    def __init__(self) -> None:
        self.places: list[list[tuple[Any, Any]]] = []


_open = _Open()


@contextmanager
def held_back(variables: list[Variable], *functions: Callable[..., Any]) -> Iterator[Callable[[Any], Any]]:
    """Holds back the iterators that `functions` lead to; gives a function that makes a proxy its original again.

    Args:
        variables: where the functions may have put a proxy.
    """
    places: list[tuple[Any, Any]] = []
    _open.places.append(places)
    region = context.innermost()
    try:
        _hold([(place.get(), place, name) for f in functions for place, name in _places_of(f)])
        yield original
    finally:
        _open.places.pop()
        if places:
            for variable in variables:
                variable.set(original(variable.get()))
            for place, value in places:
                if original(place.get()) is not place.get():  # else the region has written or deleted it
                    place.set(value)
            if region is not None:
                region.stand_ins_out(original)


def hold_globals_of(f: FunctionType) -> None:
    """Holds back the iterators in the globals of a function that is called while a region is staged."""
    if _open.places:
        _hold([(place.get(), place, place.name) for place in _globals(f)])


def _places_of(f: Any) -> Iterator[tuple[Any, str]]:
    """The variables of outside that a function names."""
    if type(f) is MethodType:
        f = f.__func__
    if type(f) is FunctionType:
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            yield CellLocation(name, cell), name
        for place in _globals(f):
            yield place, place.name


def _globals(f: FunctionType) -> Iterator[Any]:
    space = f.__globals__
    return (GlobalLocation(space, name) for name in registry.names_in(f.__code__) if name in space)


def reaches(function: Any) -> bool:
    """Whether a function leads to an iterator."""
    return any(True for _ in _found([(place.get(), place, name) for place, name in _places_of(function)]))


def _hold(values: list[tuple[Any, Any, str]]) -> None:
    """Puts proxies to the places of iterators among `values` (value, place, name), and of those that these lead to."""
    if not _may_lead_to_one([value for value, _, _ in values]):
        return
    for value, place, name in list(_found(values)):
        _open.places[-1].append((place, value))
        place.set(_stand_in(value, name))


def _may_lead_to_one(values: list[Any]) -> bool:
    """Whether `_found` may find an iterator: the same search level by level, by the references that CPython knows, without names.

    It looks at no more than it must: most programs reach many objects, and no iterator.
    """
    seen = set[int]()
    while values:
        ways = {kind: _way(kind) for kind in set(map(type, values))}
        if _IS_ITERATOR in ways.values():
            return True
        level = {id(value): value for value in values if ways[type(value)] is not None}
        for key in seen & level.keys():
            del level[key]
        seen.update(level)
        if len(seen) > _FAR:
            return True
        functions = [value for value in level.values() if ways[type(value)] is _of_function]
        if any(ways[type(value)] is _of_method and advances(value) for value in level.values()):
            return True
        values = gc.get_referents(*(value for value in level.values() if ways[type(value)] is not _of_function))
        values += [place.get() for f in functions for place, _ in _places_of(f) if type(place) is CellLocation]
    return False


def _stand_in(value: Any, name: str) -> Any:
    if type(value) is tuple:
        return tuple(_stand_in(item, f"{name}[{i}]") for i, item in enumerate(value))
    if advances(value):
        return _HeldMethod(value, name)
    return _Held(value, name) if _way(type(value)) is _IS_ITERATOR else value


def _found(pending: list[tuple[Any, Any, str]]) -> Iterator[tuple[Any, Any, str]]:
    """The iterators, and tuples that hold some, with their places and names."""
    open_, seen = collections.deque(pending), set[int]()  # what is near comes first
    while open_ and len(seen) < _MOST:
        value, place, name = open_.popleft()
        way = _way(type(value))
        if way is None or id(value) in seen:
            continue
        if _is_held(value) or (type(value) is tuple and any(map(_is_held, value))):
            yield value, place, name
        else:
            seen.add(id(value))
            open_.extend(way(value, name))


def _is_held(value: Any) -> bool:
    return _way(type(value)) is _IS_ITERATOR or advances(value)


_Values = Iterator[tuple[Any, Any, str]]


def _of_sequence(value: Any, name: str) -> _Values:
    for index, item in enumerate(itertools.islice(value, _LONGEST)):
        if _way(type(item)) is not None:
            yield item, _ItemPlace(value, index), f"{name}[{index}]"


def _of_dict(value: Any, name: str) -> _Values:
    for key, item in itertools.islice(dict.items(value), _LONGEST):
        if _way(type(item)) is not None:
            yield item, _ItemPlace(value, key), f"{name}[{key!r}]"


def _of_tuple(value: Any, name: str) -> _Values:
    for index, item in enumerate(itertools.islice(value, _LONGEST)):
        if _way(type(item)) not in (None, _IS_ITERATOR, _of_tuple):
            yield item, None, f"{name}[{index}]"


def _of_method(value: Any, name: str) -> _Values:
    return iter(())


def _of_object(value: Any, name: str) -> _Values:
    for attribute in attribute_names(value):
        place = AttributeLocation(value, attribute)
        item = place.get()
        if _way(type(item)) is not None:
            yield item, place, f"{name}.{attribute}"


def _of_function(value: Any, name: str) -> _Values:
    for place, inside in _places_of(value):
        if type(place) is CellLocation:
            yield place.get(), place, inside


_IS_ITERATOR: Any = object()


def _way(kind: type) -> Any:
    """What gives the values that one of a class leads to; `_IS_ITERATOR` for an iterator, None for what leads nowhere."""
    try:
        return _ways[kind]
    except KeyError:
        way = _ways[kind] = _found_way(kind)
        return way


def _found_way(kind: type) -> Any:
    if issubclass(kind, _LEAVES) or issubclass(kind, _Held):
        return None
    if kind in BOUND:
        return _of_method
    if is_native_class(kind):
        return _IS_ITERATOR
    for base, way in _CONTAINERS.items():
        if issubclass(kind, base):
            return way
    return None if is_library_class(kind) else _of_object


_CONTAINERS: dict[type, Any] = {
    dict: _of_dict, list: _of_sequence, collections.deque: _of_sequence, tuple: _of_tuple,
    FunctionType: _of_function, MethodType: _of_function,
}  # fmt: skip
_ways: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()


def original(x: Any) -> Any:
    """What a proxy stands for, also in a list, dict or tuple that holds some; anything else itself."""
    kind = type(x)
    if issubclass(kind, _Held):
        return x._original
    if kind in (list, tuple) and any(issubclass(type(item), _Held) for item in x):
        return kind(map(original, x))
    if kind is dict and any(issubclass(type(item), _Held) for item in x.values()):
        return {key: original(item) for key, item in x.items()}
    return x
