"""Functions under `functools.cache` and `lru_cache`: what a region of the program computes must not stay in the cache.

An entry that a call makes in a branch would be there for everybody, also where the branch is not taken, and hold values of a
trace that has ended. So while a region is staged, or where an argument is traced (which has no hash), the function itself
is called, and what it returns is kept for as long as the region lives. That is right if the function does nothing but
compute: one that writes is refused, since whether Python runs it depends on the cache, and one that reads what has changed.

What holds no traced value may stay in the cache, and must where it can be changed: it is one object for all callers.

>>> import functools, jax
>>> square = functools.cache(lambda x: x * x)
>>> jax.jit(cached_counterpart(square))(3).item(), cached_counterpart(square)(4), square.cache_info().currsize
(9, 16, 1)
"""

from __future__ import annotations

import enum
import functools
import weakref
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from jax.core import Tracer

from autograph.code.library import is_library, is_library_class
from autograph.jax_internals import is_tracing
from autograph.runtime.heap import iterators, journal
from autograph.runtime.heap.opaque_calls import Watch
from autograph.runtime.tracing import context, facts, host
from autograph.runtime.tracing.families import JAX_ARRAYS, SCALARS
from autograph.runtime.tracing.refusals import a, refusal
from autograph.runtime.tracing.staging import is_tracer
from autograph.runtime.values.kinds import is_value_class
from autograph.runtime.values.reachability import walked


def cached_counterpart(f: Any) -> Callable[..., Any]:
    """What stands for a cached function of the user's in converted code; `f` itself where the function is another's."""
    fn = getattr(f, "__wrapped__", None)
    if fn is None or not _is_users(fn):
        return f

    def call(*args: Any, **kwargs: Any) -> Any:
        return context.receive(_call(f, fn, args, kwargs)) if is_tracing() else f(*args, **kwargs)

    return call


def open_to_libraries(f: Any) -> Callable[..., Any]:
    """The cache `f` for callers that are no converted code: `jax.jit` and its like hand it traced values, which have no hash."""
    call = cached_counterpart(f)
    if call is f:
        return call
    functools.update_wrapper(call, f)
    for name in ("cache_info", "cache_clear", "cache_parameters"):
        setattr(call, name, getattr(f, name))
    call.__wrapped__ = f.__wrapped__  # type: ignore[attr-defined]  # any function takes attributes
    return call


def _is_users(fn: Any) -> bool:
    kind = type(fn)
    if kind is MethodType:
        return _is_users(fn.__func__)
    if kind is functools.partial:
        return _is_users(fn.func)
    return not (is_library(fn) if kind is FunctionType else is_library_class(kind))


class _Computing(journal.Region):
    """In which such a function runs, so that what it writes is seen."""


class _Seen:
    """What is known of a cached function in a trace.

    Attributes:
        first: what could be read at its first call, by the identity of arguments that can change.
        is_staged: whether it was called otherwise than Python would have: in a region, or with traced arguments.
        results: what it returned in each region, and, by this object itself, outside of regions.
    """

    def __init__(self) -> None:
        self.first: dict[Any, Watch] = {}
        self.is_staged = False
        self.results: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()


def _seen_of(f: Any) -> _Seen:
    facts.kept.still_open()
    reference = _seen.get(f)
    found = None if reference is None else reference()
    if found is None:
        found = _Seen()
        _seen[f] = weakref.ref(found)
        facts.keep(found, outermost=True)
    return found


def _call(f: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    seen = _seen_of(f)
    roots = [fn, *(x for x in (*args, *kwargs.values()) if not _is_plain(x))]
    key = tuple(map(id, roots))
    if key not in seen.first:
        seen.first[key] = Watch(roots)
    regions = [region for region in context.open_regions() if type(region) is not _Computing]
    is_staged = bool(regions) or any(map(is_tracer, (*args, *kwargs.values())))
    seen.is_staged |= is_staged
    if not seen.is_staged:
        return f(*args, **kwargs)
    name = getattr(fn, "__name__", type(fn).__name__)
    _refuse_to_read(f, name, seen.first[key], regions)
    if not is_staged:
        value = f(*args, **kwargs)
    else:
        value = _without_cache(f, fn, name, args, kwargs, [seen.results.setdefault(x, {}) for x in (seen, *regions)])
    info = f.cache_info()
    if not _is_plain(value) and info.maxsize is not None and info.currsize >= info.maxsize:
        raise refusal(
            f"{name}() is kept by functools.lru_cache, which is full, and returns {a(type(value).__name__)}",
            why="which of its results it still keeps is only known when the program runs",
            instead="use functools.cache, or return a tuple",
            page="lru-cache-that-is-full",
        )
    return value


def _without_cache(
    f: Any, fn: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], results: list[dict[Any, Any]]
) -> Any:
    """What the function returns.

    Args:
        results: those that are known, outside of regions and in each, outermost first; its own goes to the last.
    """
    key = (tuple(map(_key, args)), tuple((name, _key(x)) for name, x in kwargs.items()))
    for known in results:
        if key in known:
            return known[key][0]
    with _Computing([]) as inside:
        value = host.calls.converted(fn)(*args, **kwargs)
        _, written = inside.collect()
    if written:
        raise refusal(
            f"{name}() is kept by functools.cache, and changes {written[0].location.name}",
            why="whether Python runs the function depends on what was called before, which a compiled program cannot tell",
            instead="take the decorator away, or let the function only compute",
            page="cached-function-that-writes",
        )
    is_traced = any(isinstance(x, Tracer) for x in walked((*args, *kwargs.values(), value)))
    if not _is_plain(value) and (is_traced or iterators.is_native(value)):
        raise refusal(
            f"{name}() is kept by functools.cache, and returns {a(type(value).__name__)}"
            + (" with traced values" if is_traced else ""),
            why="it would be one object for all who ask, and values of a program cannot be kept beyond it"
            if is_traced
            else "it would be one object for all who ask, and it cannot be put back where the statement is not reached",
            instead="take the decorator away, or return a tuple",
            page="cached-function-that-returns-a-list" if is_traced else "cached-function-that-returns-an-iterator",
        )
    if not is_traced:
        with context.paused():
            value = f(*args, **kwargs)
    results[-1][key] = value, args, kwargs  # the arguments live as long as their identity counts
    return value


def _refuse_to_read(f: Any, name: str, first: Watch, regions: list[journal.Region]) -> None:
    """Refuses a function that reads what an open region writes, or what is not what it was at its first call."""
    changes = [change.location.key for change in first.changes()]
    names = {location.key: location.name for location in first.locations() if location.get() is not f}
    written = [key for region in regions if not region.is_trial for key in region.written_keys()]
    changed = next((names[key] for key in (*written, *changes) if key in names), None)
    if changed is not None:
        raise refusal(
            f"{name}() is kept by functools.cache, and reads {changed}, which changes",
            why="whether Python runs the function again depends on what was called before, which a compiled program cannot tell",
            instead=f"take the decorator away, or give {changed} to the function as an argument",
            page="cached-function-that-reads",
        )


def refuse_implicit(fn: CodeType) -> None:
    """Refuses a cached method that Python calls without a call in the source, where the cache does not know the answer."""
    if context.active():
        raise refusal(
            f"{fn.co_qualname}() is kept by functools.cache, and called without a call in the source",
            why="what it returns would stay in the cache, also where the statement is not reached",
            instead="take the decorator away, or read it once before the statement",
            outer=1,
            page="cached-method-without-a-call",
        )


def refuse_to_count(f: Any) -> None:
    """Refuses to say how often a function ran that was called while a region was staged."""
    if _seen_of(f).is_staged:
        raise refusal(
            f"cache_info() counts the calls of {f.__name__}(), which is called inside a staged statement",
            why="how often Python calls it is only known when the program runs",
            instead="count in a variable of your own",
            page="cache-info",
        )


def _is_plain(value: Any) -> bool:
    """Whether a value never changes, so that nobody can tell it from one that is computed again."""
    if isinstance(value, tuple | frozenset):
        return all(map(_is_plain, value))
    if isinstance(value, FunctionType):
        return not value.__closure__
    return isinstance(value, _PLAIN) or is_value_class(type(value))


_PLAIN = (*SCALARS, *JAX_ARRAYS, np.generic, np.dtype, enum.Enum, type, ModuleType)
_seen: weakref.WeakKeyDictionary[Any, weakref.ref[_Seen]] = weakref.WeakKeyDictionary()


def _key(x: Any) -> Any:
    return ("traced", id(x)) if is_tracer(x) else (type(x), x)
