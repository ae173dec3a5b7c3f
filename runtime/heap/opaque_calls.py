"""Writes of code that announces none: library functions, functions without source or marked `do_not_convert`, `exec`.

What such code can reach from its arguments, cells and globals is compared before and after the call, and a write that is found
is announced to the journal then, as if it were still to come.

>>> from autograph.runtime.heap.journal import Region
>>> class Point:
...     __module__ = "example"
>>> p = Point()
>>> with Region([]) as region:
...     watched(lambda point: vars(point).update(x=3))(p)
...     [(written.location.name, written.after) for written in region.collect()[1]]
[('<Point>.x', 3)]
>>> hasattr(p, "x")
False
"""

from __future__ import annotations

import array
import collections
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph.code import library, registry
from autograph.runtime.heap import guarded_iterators, journal
from autograph.runtime.tracing.families import LEAVES, MUTABLE_CONTAINERS, VIEWS, memory_of
from autograph.runtime.tracing.staging import is_array_like
from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values.kinds import is_value_class
from autograph.runtime.values.locations import (
    ArrayLocation,
    AttributeLocation,
    CellLocation,
    ContentsLocation,
    GlobalLocation,
    attribute_names,
    attribute_values,
)
from autograph.runtime.values.writes import Written

RUN_STRINGS = (exec, eval)
_CONTAINERS = (*MUTABLE_CONTAINERS, bytearray, array.array)  # not arrays and views of memory: these have no `ContentsLocation`
_LEAVES = LEAVES | {ModuleType, CodeType, BuiltinFunctionType}
_OF_OTHERS = (library.ARRAY_PACKAGES - {"numpy"}) | {"autograph"}  # whose objects never change, or tell the journal
_MOST = 10_000  # objects that are looked at for one call


def watched(f: Any) -> Callable[..., Any]:
    """`f`, of which the writes are announced when it is over."""
    guarded_iterators.enter_any()

    @functools.wraps(f, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        watch = Watch((f, *args, *kwargs.values()))
        try:
            return f(*args, **kwargs)
        finally:
            watch.announce()

    return call


def of_string(f: Any) -> Any:
    """`exec` or `eval`, called while a region is staged: what the string names is watched."""

    def call(source: Any, /, globals: Any = None, locals: Any = None, **kwargs: Any) -> Any:
        frame = sys._getframe(1)
        if locals is None:
            locals = globals
            if globals is None:
                locals = frame.f_locals if isinstance(frame.f_locals, dict) else dict(frame.f_locals)
        if globals is None:
            globals = frame.f_globals
        watch = _watch_of_string(source, globals, locals, f.__name__)
        try:
            return f(source, globals, locals, **kwargs)
        finally:
            watch.announce()

    guarded_iterators.enter_any()
    return call if journal.hears_of_writes() else f


def _watch_of_string(source: Any, globals: Any, locals: Any, mode: str) -> Watch:
    """A watch over what a string or a code object names in two namespaces."""
    try:
        code = source if type(source) is CodeType else compile(source, "<string>", mode)
    except (SyntaxError, ValueError, TypeError):  # which the call raises
        return Watch(())
    spaces = [space for space in (globals, locals) if isinstance(space, dict)]
    places = [place for space in spaces for place in globals_in(space, code)]
    inside = [place.get() for place in places]
    others = [space for space in (locals,) if space not in spaces]
    return Watch([*others, *(x for x in inside if x is not UNSET)], places)


class Watch:
    """What stands in all places that can be reached from `roots`, and in `locations`."""

    def __init__(self, roots: Iterable[Any], locations: Iterable[Any] = (), most: int = _MOST) -> None:
        self.before = [(location, location.get()) for location in locations]
        self._named: list[tuple[Any, list[str]]] = []
        self._functions: list[FunctionType] = []
        for x in _reached(roots, most):
            if isinstance(x, _CONTAINERS):
                self._note(ContentsLocation(x))
            elif isinstance(x, np.ndarray):
                self._note(ArrayLocation(x))
                continue
            elif type(x) is FunctionType:
                self._functions.append(x)
                for location in _variables(x):
                    self._note(location)
            if type(x) not in _CONTAINERS:
                names = _attributes(x)
                self._named.append((x, names))
                for name in names:
                    self._note(AttributeLocation(x, name))

    def _note(self, location: Any) -> None:
        self.before.append((location, location.get()))

    def locations(self) -> list[Any]:
        """The places, less attributes that no function reads which can be reached."""
        names = frozenset().union(*(registry.names_read_in(f.__code__) for f in self._functions))
        is_named = names.isdisjoint(registry.BY_STRING)
        return [
            at for at, _ in self.before if not is_named or type(at) is not AttributeLocation or at.attribute in names
        ]

    def changes(self) -> Iterator[Written]:
        """What was written since."""
        for x, names in self._named:
            self.before += [(AttributeLocation(x, name), UNSET) for name in _attributes(x) if name not in names]
        for location, before in self.before:
            written = Written(location, before, location.get())
            if written.is_change():
                yield written

    def parts(self) -> set[int]:
        """The ids of dicts that were in others: in snapshots, since what an attribute holds may have changed."""
        snapshots = [found for at, found in self.before if isinstance(at, ContentsLocation) and type(found) is dict]
        return {id(x) for found in snapshots for x in found.values() if type(x) is dict}

    def announce(self, by_library: bool = False) -> set[int]:
        """Announces the writes since; see `journal.Region.touch`. Returns the ids of the objects that were written."""
        changed: set[int] = set()
        for written in self.changes():
            location = written.location
            if isinstance(location, ContentsLocation | ArrayLocation | AttributeLocation):
                changed.add(id(location.obj))
            location.set(written.before)
            try:
                if isinstance(location, ContentsLocation | ArrayLocation):
                    journal.touch_container(location.obj, by_library=by_library)
                elif isinstance(location, AttributeLocation):
                    journal.touch_attribute(location.obj, location.attribute, by_library)
                else:
                    journal.touch_location(location, by_library)
            finally:
                location.set(written.after)
        return changed


def _variables(f: FunctionType) -> Iterator[Any]:
    """The variables of outside that a function may write: its cells, globals, and those of the user's modules."""
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
        yield CellLocation(name, cell)
    yield from globals_in(f.__globals__, f.__code__)


def globals_in(space: dict[str, Any], code: CodeType) -> Iterator[Any]:
    """The places in a namespace, and in the user's modules in it, that code names."""
    names = registry.names_in(code)
    for name in names:
        yield GlobalLocation(space, name)
        module = space.get(name)
        if type(module) is ModuleType and not library.is_library_module(module.__name__):
            for inside in names:
                yield GlobalLocation(vars(module), inside)


def _attributes(x: Any) -> list[str]:
    """The attributes that an object or a class of the user's has itself."""
    if isinstance(x, type):
        return [name for name in x.__dict__ if not (name[:2] == "__" == name[-2:])]
    return attribute_names(x)


def _reached(roots: Iterable[Any], most: int) -> Iterator[Any]:
    """The containers, arrays, objects, classes and functions of the user's that can be reached, each once."""
    open_, seen = collections.deque(roots), set[int]()  # what is near comes first
    while open_ and len(seen) < most:
        x = open_.popleft()
        kind = type(x)
        if kind in _LEAVES or id(x) in seen or library.package_of(kind) in _OF_OTHERS:
            continue
        seen.add(id(x))
        if kind is MethodType:
            open_ += (x.__self__, x.__func__)
        elif issubclass(kind, functools.partial):
            open_ += (x.func, *x.args, *x.keywords.values())
        elif issubclass(kind, tuple | frozenset):
            open_ += x
        elif issubclass(kind, np.ndarray):
            yield x
        elif kind is FunctionType:
            if not _is_library(x):
                yield x
                open_ += [value for value in (at.get() for at in _variables(x)) if value is not UNSET]
        elif issubclass(kind, type):
            if not _is_library(x):
                yield x
                open_ += [value for name, value in x.__dict__.items() if name != "__dict__"]
        elif issubclass(kind, _CONTAINERS):
            yield x
            if issubclass(kind, dict):
                open_ += dict.values(x)
            elif not issubclass(kind, bytearray | array.array):
                open_ += x
            if kind not in _CONTAINERS:
                open_ += attribute_values(x)
        elif kind in VIEWS:
            open_.append(memory_of(x))
        elif kind.__flags__ & library.HEAP_TYPE and not is_array_like(x):
            if not is_value_class(kind):
                yield x
            open_ += attribute_values(x)
            open_.append(kind)


def _is_library(x: Any) -> bool:
    return library.is_library_class(x) if isinstance(x, type) else library.is_library(x)
