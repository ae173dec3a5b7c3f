"""Functions under `functools.cache` and `lru_cache`: what a piece of the program computes must not stay in the cache.

An entry that a call makes in an arm would be there for everybody, also where the arm is not taken, and hold values of a
trace that has ended. So while a piece is staged, or where an argument is traced (which has no hash), the function itself
is called, and what it returns is kept for as long as the piece lives. That is right if the function does nothing but
compute: one that writes is refused, since whether Python runs it depends on the cache, and one that reads what has changed.

What holds no traced value may stay in the cache, and must where it can be changed: it is one object for all who ask.

>>> import functools, jax
>>> square = functools.cache(lambda x: x * x)
>>> jax.jit(called(square))(3).item(), called(square)(4), square.cache_info().currsize
(9, 16, 1)
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any

from jax.core import Tracer

from autograph.jax_internals import is_tracing, keep_with_trace
from autograph.runtime import calls, journal
from autograph.runtime.containers import is_value_class
from autograph.runtime.locations import attribute_names
from autograph.runtime.references import walked
from autograph.runtime.refusals import a, refusal
from autograph.runtime.staging import is_tracer
from autograph.runtime.unseen_writes import Watch


def called(f: Any) -> Callable[..., Any]:
    """What stands for a cached function of the user's in converted code; `f` itself where the function is another's."""
    fn = getattr(f, "__wrapped__", None)
    if type(fn) is not FunctionType or calls.is_library(fn):
        return f

    def call(*args: Any, **kwargs: Any) -> Any:
        if is_tracing() and (_first.get(f) or _nothing)() is None:
            watch = Watch((fn,))
            keep_with_trace(watch, outermost=True)
            _first[f] = weakref.ref(watch)
        if not journal.active() and not any(map(is_tracer, (*args, *kwargs.values()))):
            return f(*args, **kwargs)
        return _without_cache(f, fn, args, kwargs)

    return call


def _without_cache(f: Any, fn: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    key = (id(f), tuple(map(_key, args)), tuple((name, _key(x)) for name, x in kwargs.items()))
    pieces = [piece for piece in journal.open_pieces() if piece not in _computing]
    for piece in pieces:
        found = _computed.get(piece, {}).get(key)
        if found is not None:
            return found[0]
    _refuse_to_read(f, fn, pieces)
    _uncounted.add(f)
    with journal.Piece([]) as inside:
        _computing.add(inside)
        value = calls.converted(fn)(*args, **kwargs)
        _, written = inside.collect()
    if written:
        raise refusal(
            f"{fn.__name__}() is kept by functools.cache, and changes {written[0].location.name}",
            why="whether Python runs the function depends on what was called before, which a compiled program cannot tell",
            instead="take the decorator away, or let the function only compute",
        )
    if not any(isinstance(x, Tracer) for x in walked((*args, *kwargs.values(), value))):
        value = f(*args, **kwargs)
    elif _can_change(value):
        raise refusal(
            f"{fn.__name__}() is kept by functools.cache, and returns {a(type(value).__name__)} with traced values",
            why="it would be one object for all who ask, and values of a program cannot be kept beyond it",
            instead="take the decorator away, or return a tuple",
        )
    if pieces:  # the arguments live as long as their identity counts
        _computed.setdefault(pieces[-1], {})[key] = value, args, kwargs
    return value


def _refuse_to_read(f: Any, fn: FunctionType, pieces: list[journal.Piece]) -> None:
    """Refuses a function that reads what an open piece writes, or what is not what it was at its first call."""
    watch = (_first.get(f) or _nothing)()
    if watch is None:
        return
    changes = [change.location for change in watch.changes()]
    names = {location.key: location.name for location in watch.locations() if location.get() is not f}
    written = [key for piece in pieces if not piece.is_trial for key in piece.written_keys()]
    changed = [names[key] for key in (*written, *(location.key for location in changes)) if key in names]
    if changed:
        raise refusal(
            f"{fn.__name__}() is kept by functools.cache, and reads {changed[0]}, which changes",
            why="whether Python runs the function again depends on what was called before, which a compiled program cannot tell",
            instead=f"take the decorator away, or give {changed[0]} to the function as an argument",
        )


def refuse_to_count(f: Any) -> None:
    """Refuses to say how often a function ran that was called while a piece was staged."""
    if f in _uncounted:
        raise refusal(
            f"cache_info() counts the calls of {f.__name__}(), which is called inside a staged statement",
            why="how often Python calls it is only known when the program runs",
            instead="count in a variable of your own",
        )


def _nothing() -> None:
    return None


_uncounted: weakref.WeakSet[Any] = weakref.WeakSet()
"""Functions that were called otherwise than Python would have."""
_first: weakref.WeakKeyDictionary[Any, Callable[[], Watch | None]] = weakref.WeakKeyDictionary()
"""What a function could read when it was first called in a trace, for as long as that lasts."""
_computed: weakref.WeakKeyDictionary[journal.Piece, dict[Any, Any]] = weakref.WeakKeyDictionary()
_computing: weakref.WeakSet[journal.Piece] = weakref.WeakSet()
"""Pieces in which such a function runs, so that what it writes is seen; they end before what it computed does."""


def _can_change(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_can_change, value))
    return isinstance(value, list | dict | set) or (
        not isinstance(value, Tracer | type | FunctionType)
        and not is_value_class(type(value))
        and bool(attribute_names(value))
    )


def _key(x: Any) -> Any:
    return ("traced", id(x)) if is_tracer(x) else (type(x), x)
