"""Iterators and files that a staged piece can reach: they cannot be put back, so a piece must not advance them.

An arm of a staged `if` is traced whether or not it is taken. What it takes from an iterator of the enclosing function
(`for k in it`, `list(it)`, `a, b = it`, `f.readline()`) would be gone for everybody, so while a piece runs, such variables
hold a stand-in that refuses to be advanced. Iterators that the piece makes itself are its own affair.

>>> it = iter([1, 2])
>>> def arm():
...     return list(it)
>>> is_native(it), is_native([1, 2]), reaches(arm)
(True, False, False)
>>> def f():
...     it = iter([1, 2])
...     return reaches(lambda: list(it))
>>> f()
True
"""

from __future__ import annotations

import gc
import io
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, GeneratorType
from typing import Any

import numpy as np
from jax.core import Tracer

from autograph.jax_internals import is_of_current_trace
from autograph.runtime import iterables
from autograph.runtime.lookups import static_lookup
from autograph.runtime.references import walked
from autograph.runtime.refusals import refusal
from autograph.runtime.state import Variable

_NEVER = frozenset(
    {bool, int, float, complex, str, bytes, type(None), list, dict, tuple, set, FunctionType, type, np.ndarray}
    | set(weakref.ProxyTypes)  # they have every method, whatever the object behind them has
)
_ADVANCING = frozenset(
    "__next__ send throw close read read1 readline readlines readinto readinto1 write writelines seek truncate".split()
)


def is_native(x: Any) -> bool:
    """Whether `x` is an iterator or a file whose state is not in Python attributes."""
    kind = type(x)
    if kind in _NEVER:
        return False
    if kind in iterables.STAGED or issubclass(kind, io.IOBase):
        return True
    step = static_lookup(kind, "__next__")
    return step is not None and type(step) is not FunctionType


def takes_from_shared(iterator: Any) -> bool:
    """Whether an iterator takes its items from native iterators that somebody else knows as well (`enumerate(it)`)."""
    return any(
        is_native(inner) and (sys.getrefcount(inner) > _INSIDE or takes_from_shared(inner))
        for inner in _referents(iterator)
    )


def runs_when_left(iterator: Any) -> bool:
    """Whether code of the user's runs when a loop leaves the iterator: a generator waits inside a `finally` or a `with`."""
    from autograph import source  # above this layer

    while type(iterator) is GeneratorType:
        frame = iterator.gi_frame
        if frame is not None and source.is_guarded(frame.f_code.co_filename, frame.f_lineno):
            return True
        iterator = iterator.gi_yieldfrom
    return is_native(iterator) and any(map(runs_when_left, _referents(iterator)))


def _referents(iterator: Any) -> list[Any]:
    found: list[Any] = []
    for referent in gc.get_referents(iterator):
        found += referent if type(referent) is tuple else (referent,)  # `zip` and `map` keep theirs in a tuple
    return found


def keeps_traced(iterator: Any) -> bool:
    """Whether an iterator keeps a value of the piece that is open now: in a generator's frame, in an attribute of its own."""
    if type(iterator) in _OF_CONTAINERS:
        return False
    return any(isinstance(x, Tracer) and is_of_current_trace(x) for x in walked([iterator]))


_OF_CONTAINERS: tuple[type, ...] = (type(iter([])), type(iter(())), type(iter(range(0))))


def _inside() -> int:
    """What `sys.getrefcount` reports there for an iterator that only the outer one refers to."""
    outer = enumerate(iter(()))
    return next(sys.getrefcount(inner) for inner in _referents(outer) if is_native(inner))


def reaches(function: Any) -> bool:
    """Whether a variable that `function` closes over holds such an iterator."""
    return any(True for _ in _cells(function))


def _cells(function: Any) -> Iterator[Any]:
    for cell in getattr(function, "__closure__", None) or ():
        try:
            if is_native(cell.cell_contents):
                yield cell
        except ValueError:  # unbound
            continue


_INSIDE = _inside()


class _Held:
    """Stands for an iterator while a piece is staged."""

    def __init__(self, original: Any, name: str) -> None:
        object.__setattr__(self, "_original", original)
        object.__setattr__(self, "_name", name)

    def _refuse(self) -> Any:
        kind = type(self._original)
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

    def __getattr__(self, name: str) -> Any:
        return self._refuse() if name in _ADVANCING else getattr(self._original, name)


@contextmanager
def held_back(variables: list[Variable], *functions: Callable[..., Any]) -> Iterator[Callable[[Any], Any]]:
    """Holds back the iterators that `functions` close over; gives a function that makes a stand-in its original again.

    Args:
        variables: where the functions may have put a stand-in.
    """
    changed = []
    for function in functions:
        names = getattr(getattr(function, "__code__", None), "co_freevars", ())
        for cell in _cells(function):
            name = next(n for n, c in zip(names, function.__closure__ or (), strict=True) if c is cell)
            changed.append((cell, cell.cell_contents))
            cell.cell_contents = _Held(cell.cell_contents, name)
    try:
        yield _original
    finally:
        if changed:
            for variable in variables:
                variable.set(_original(variable.get()))
            for cell, original in changed:
                try:
                    if type(cell.cell_contents) is _Held:
                        cell.cell_contents = original
                except ValueError:  # the piece deleted the variable
                    pass


def _original(x: Any) -> Any:
    return x._original if type(x) is _Held else x
