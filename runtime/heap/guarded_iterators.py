"""Iterators that a region can reach while it is staged: each is replaced by a proxy that refuses to be advanced.

One of which a library wrote `__next__` in Python (`haiku.PRNGSequence`) is put back instead: what it holds is announced.
They stand in variables that the region's functions close over, in the globals that these name, and in what these lead to (see
`iterator_search`). A function that the region calls may name further attributes: they are looked at before it runs. Everything
is put back when the region ends, also in what it wrote.

>>> class Reader:
...     __module__ = "example"
...     def __init__(self, lines): self.lines = iter(lines)
>>> reader = Reader(["a", "b"])
>>> def f(reader):
...     with guard_iterators([], lambda: reader.lines):
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

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from types import CodeType, FunctionType, GeneratorType
from typing import Any

from autograph.code import registry
from autograph.runtime.heap import journal
from autograph.runtime.heap.iterator_search import (
    Names,
    Proxy,
    cell_locations,
    find_iterators,
    is_guarded,
    is_of_library,
)
from autograph.runtime.heap.iterators import ADVANCING, advances
from autograph.runtime.tracing import context
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.variables import CellVariable, Variable
from autograph.runtime.values.locations import GlobalLocation


class _Guarded(Proxy):
    """Stands for an iterator while a region is staged."""

    def __init__(self, original: Any, name: str) -> None:
        object.__setattr__(self, "_original", original)
        object.__setattr__(self, "_name", name)

    def _refuse(self, *_: Any, **keywords: Any) -> Any:
        kind = type(getattr(self._original, "__self__", self._original))
        what = "generator" if kind is GeneratorType else kind.__name__.lower()
        is_file = issubclass(kind, io.IOBase)
        raise refusal(
            f"'{self._name}' ({what}) is advanced inside a staged statement",
            why="it would be advanced while the program is traced, once, also where the statement is not reached",
            instead="read it before the statement, and write with `ag.print(..., file=f)`, when the program runs"
            if is_file
            else "take the items before the statement (`items = list(...)`), or index a list or an array",
            page="file-written-in-a-branch" if is_file else "iterator-in-a-branch",
        )

    def __iter__(self) -> Any:
        return self  # C code says of a `TypeError` from here, which a refusal is, that this cannot be iterated

    __next__ = __contains__ = __getitem__ = __setitem__ = __setattr__ = __copy__ = __deepcopy__ = _refuse

    def __getattr__(self, name: str) -> Any:
        return self._refuse() if name in ADVANCING else getattr(self._original, name)


class _GuardedMethod(_Guarded):
    """Stands for a method of an iterator, or for a `partial` that hands one to a function."""

    __call__ = _Guarded._refuse


class _Guard:
    """The places of the iterators that the code of one open region can get hold of.

    `names` are those in all functions that the region has run so far (see `iterator_search`), None after code that may name
    any; `roots` are the variables of outside that they name, and `codes` the functions.
    """

    def __init__(self, region: Any, functions: Iterable[FunctionType]) -> None:
        self.region = region
        self.places: list[tuple[Any, Any]] = []
        self.roots = [place for f in functions for place in (*cell_locations(f), *_globals(f.__code__, f.__globals__))]
        self.codes = {f.__code__ for f in functions}
        self.names: Names = frozenset().union(*map(registry.words_in, self.codes))
        self.hold(self.roots, {})

    def enter(self, code: CodeType, space: dict[str, Any]) -> None:
        """Holds back what a function can name that is about to run."""
        if code not in self.codes:
            self.codes.add(code)
            new = list(_globals(code, space))
            self.roots += new
            words = registry.words_in(code)
            if self.names is not None and not words <= self.names:
                self.names, new = self.names | words, self.roots
            self.hold(new, self.written())

    def enter_any(self) -> None:
        """The same for code of which it is not known what it names."""
        if self.names is not None:
            self.names = None
            self.hold(self.roots, self.written())

    def written(self) -> dict[Any, tuple[Any, str]]:
        """What stood in the places that were written to since the region began: what stands there now is its own."""
        before: dict[Any, tuple[Any, str]] = {}
        regions = context.open_regions()
        for region in reversed(regions[regions.index(self.region) :] if self.region is not None else []):
            for variable, value in zip(region.variables, region.entry):
                if isinstance(variable, CellVariable) and variable.get() is not value:
                    before[id(variable.cell)] = value, variable.name
            before |= {key: (value, location.name) for key, (location, value) in region.entries.items()}
        return before

    def hold(self, roots: list[Any], before: dict[Any, tuple[Any, str]]) -> None:
        """Puts proxies to the places of the iterators that can be reached from `roots`; see `written`."""
        values = [(place.get(), place, place.name) for place in roots if place.key not in before]
        values += [(value, None, name) for value, name in before.values()]
        found, self.names = find_iterators(values, self.names, before)
        for value, place, name in found:
            if is_of_library(value):
                journal.touch_container(value, by_library=True)
            elif self.region is not None and self.region.is_trial:
                self.region.is_final = True
            elif place is not None:
                self.places.append((place, value))
                place.set(_proxy(value, name))


_guards: context.PerThread[list[_Guard]] = context.PerThread(list)  # those of the open regions, outermost first


@contextmanager
def guard_iterators(variables: list[Variable], *functions: Callable[..., Any]) -> Iterator[Callable[[Any], Any]]:
    """Holds back the iterators that `functions` lead to; gives a function that makes a proxy its original again.

    What a trial takes from an iterator stands: there it is noted that it did.

    Args:
        variables: where the functions may have put a proxy.
    """
    region = context.innermost()
    inner = [getattr(f, "__func__", f) for f in functions]
    guard = _Guard(region, [f for f in inner if type(f) is FunctionType])
    _guards.value.append(guard)
    try:
        yield original
    finally:
        _guards.value.pop()
        if guard.places:
            for variable in variables:
                variable.set(original(variable.get()))
            for place, value in guard.places:
                if original(place.get()) is not place.get():  # else the region has written or deleted it
                    place.set(value)
            if region is not None:
                region.proxies_out(original)


def enter(code: CodeType, space: dict[str, Any]) -> None:
    """Says that a function with these globals is about to run: the iterators that it can name are guarded."""
    if context.progress.reach is not None:
        context.progress.reach.enter(code, space)
    for guard in _to_hold():
        guard.enter(code, space)


def enter_any() -> None:
    """Says that code is about to run that may read any attribute: a library's, or that of a string."""
    if context.progress.reach is not None:
        context.progress.reach.enter_any()
    for guard in _to_hold():
        guard.enter_any()


def _to_hold() -> list[_Guard]:
    """The guards that must hear of code: what runs in a trial runs in the region around as well, which comes first."""
    guards = _guards.value if context.active() else []
    first = len(guards) - 1
    while first > 0 and guards[first].region is not None and guards[first].region.is_trial:
        first -= 1
    return guards[max(first, 0) :]


def _globals(code: CodeType, space: dict[str, Any]) -> Iterator[Any]:
    return (GlobalLocation(space, name) for name in registry.names_in(code) if name in space)


def _proxy(value: Any, name: str) -> Any:
    if type(value) is tuple:
        return tuple(_proxy(item, f"{name}[{i}]") for i, item in enumerate(value))
    if advances(value) or type(value) is partial:
        return _GuardedMethod(value, name) if is_guarded(value) else value
    return _Guarded(value, name) if is_guarded(value) else value


def original(x: Any) -> Any:
    """What a proxy stands for, also in a list, dict or tuple that holds some; anything else itself."""
    kind = type(x)
    if issubclass(kind, _Guarded):
        return x._original
    if kind in (list, tuple) and any(issubclass(type(item), _Guarded) for item in x):
        return kind(map(original, x))
    if kind is dict and any(issubclass(type(item), _Guarded) for item in x.values()):
        return {key: original(item) for key, item in x.items()}
    return x
