"""Iterators and files: which objects are some, who else takes their items, what runs when a loop leaves one.

>>> it = iter([1, 2])
>>> is_native(it), is_native([1, 2]), takes_from_shared(enumerate(it)), takes_from_shared(enumerate(iter([1])))
(True, False, True, False)
"""

from __future__ import annotations

import gc
import io
import itertools
import weakref
from types import FunctionType, GeneratorType
from typing import Any

from jax.core import Tracer

from autograph.code import source
from autograph.jax_internals import is_of_current_trace
from autograph.runtime.tracing import sharing
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.families import BOUND_METHODS, BUILTIN_VALUES
from autograph.runtime.values.reachability import walked

ADVANCING = frozenset(
    "__next__ __setstate__ send throw close read read1 readline readlines readinto readinto1 write writelines seek truncate".split()
)
"""Methods that advance an iterator, a generator or a file."""
# Proxies have every method, whatever the object behind them has.
_NEVER = BUILTIN_VALUES.union({FunctionType, type}, weakref.ProxyTypes)


class StagedIterator:
    """An iterator of the library instead of a Python one, whose loop may be staged (`iterables`)."""

    __slots__ = ()


def is_native(x: Any) -> bool:
    """Whether `x` is an iterator or a file whose state is not in Python attributes."""
    return is_native_class(type(x))


def is_native_class(kind: type) -> bool:
    """The same by its class."""
    if kind in _NEVER:
        return False
    if issubclass(kind, StagedIterator) or issubclass(kind, io.IOBase):
        return True
    step = static_lookup(kind, "__next__")
    return step is not None and type(step) is not FunctionType


def advances(x: Any) -> bool:
    """Whether `x` is a method that advances an iterator, bound to it: `next_number = itertools.count().__next__`."""
    return type(x) in BOUND_METHODS and x.__name__ in ADVANCING and is_native(x.__self__)


def takes_from_shared(iterator: Any) -> bool:
    """Whether an iterator takes its items from native iterators that somebody else knows as well (`enumerate(it)`)."""
    inner = _referents(iterator)
    return any(
        is_native(inner[k]) and (sharing.references_outside(inner, k) > 1 or takes_from_shared(inner[k]))
        for k in range(len(inner))
    )


def runs_when_left(iterator: Any) -> bool:
    """Whether code of the user's runs when a loop leaves the iterator: a generator waits inside a `finally` or a `with`."""
    while type(iterator) is GeneratorType:
        frame = iterator.gi_frame
        code = iterator.gi_code
        if frame is not None and source.runs_cleanup(code.co_filename, frame.f_lineno, code.co_firstlineno):
            return True
        iterator = iterator.gi_yieldfrom
    return is_native(iterator) and any(map(runs_when_left, _referents(iterator)))


def is_endless(iterator: Any) -> bool:
    """Whether an iterator is known to have no end: `count`, `cycle`, `repeat`, and what takes its items from such alone."""
    kind = type(iterator)
    if kind is itertools.repeat:
        try:
            iterator.__length_hint__()
        except TypeError:
            return True
        return False
    if kind in (itertools.count, itertools.cycle):
        return True
    if kind in (zip, map, enumerate, filter, GeneratorType):
        inner = [x for x in _referents(iterator) if is_native(x)]
        return bool(inner) and kind is not GeneratorType and all(map(is_endless, inner))
    return False


def _referents(iterator: Any) -> list[Any]:
    found: list[Any] = []
    for referent in gc.get_referents(iterator):
        # `zip` and `map` keep theirs in a tuple. That of `zip_longest` has holes, which nothing but the collector may see.
        found += gc.get_referents(referent) if type(referent) is tuple else (referent,)
    return found


def keeps_traced(iterator: Any) -> bool:
    """Whether an iterator keeps a value of the region that is open now: in a generator's frame, in an attribute of its own."""
    if type(iterator) in _OF_CONTAINERS:
        return False
    return any(isinstance(x, Tracer) and is_of_current_trace(x) for x in walked([iterator]))


_OF_CONTAINERS: tuple[type, ...] = (type(iter([])), type(iter(())), type(iter(range(0))))
