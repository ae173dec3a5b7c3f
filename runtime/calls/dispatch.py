"""Calls: `converted(f)` is what converted code calls instead of `f`; the call itself is Python's own.

| `f` | what is called |
| --- | --- |
| the user's function, lambda, method, static or class method | its staged body: no frame of ours stands between |
| `functools.partial` | a partial of the converted function |
| the user's class | `__new__` and `__init__` converted (where the metaclass leaves `type.__call__` alone) |
| the user's function under `functools.cache` | itself, or the function inside where the cache must not see it |
| the user's callable object | its class's `__call__`, converted |
| `breakpoint`, `pdb.set_trace` | the same, which knows our frames |
| a builtin, `math`, `numpy` | itself, or the version that takes traced arguments |
| a library's function that takes functions (`jax.vmap`, `lax.scan`, `functools.reduce`) | itself, these converted |
| `append`, `update`, ... of a list, dict, set, deque | itself; the journal hears of the write first |
| the user's function under `jax.jit`, `jax.vmap`, ... | the wrapper made again around the converted one |
| any other library code, functions without source or marked `do_not_convert`, `exec` | itself; its writes are announced behind it |

No code of the user's runs to decide what to do: `type(f)` does, and what classes define.

>>> converted(id) is id, converted([].append).__name__
(True, 'append')
"""

from __future__ import annotations

import functools
import logging
import operator
import os
import random
from collections import defaultdict
from collections.abc import Callable
from queue import SimpleQueue
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.code import registry
from autograph.code.library import is_library
from autograph.jax_internals import is_tracing
from autograph.runtime.calls import cached_functions, choice_arguments, native_methods, rewrapping
from autograph.runtime.calls.function_arguments import argument, takes_functions, with_functions_converted
from autograph.runtime.checks import handlers, messages, traced_strings
from autograph.runtime.heap import constants, guarded_iterators, journal, native_state, opaque_calls
from autograph.runtime.library import array_methods, bounded_calls, debuggers, numpy_arguments, standard_library
from autograph.runtime.library.arithmetic_errors import refuse_unasked as refuse_unasked
from autograph.runtime.library.numpy_functions import counterpart
from autograph.runtime.library.numpy_versions import METHODS
from autograph.runtime.tracing import context, default_dicts, host, sizes
from autograph.runtime.tracing.class_lookup import MRO, static_lookup
from autograph.runtime.tracing.families import CACHED, JITTED, UNBOUND_METHODS
from autograph.runtime.tracing.known.limits import needs_number
from autograph.runtime.values import key_orders, order_reads
from autograph.runtime.values.choices import Choice, each_apart

_LOGGING = frozenset(("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log"))
_TYPE_CALL = type.__dict__["__call__"]
_IMPURE = frozenset(("time", "datetime", "secrets", "uuid"))
"""Modules whose functions give something else in each iteration of a loop."""


def _is_impure(f: Any) -> bool:
    """Whether a function of C code gives something else at each call: a clock, a source of random bytes, what is typed in."""
    module = f.__module__ or getattr(f.__self__, "__module__", "")
    return module in _IMPURE or f is input or f is os.urandom


def converted(f: Any) -> Any:
    """The callable that stands for `f` in converted code."""
    find = _BY_TYPE.get(type(f), _other)
    found = find(f)
    if sizes.seen and type(found) in (JITTED, CACHED) and is_tracing():
        found = functools.partial(sizes.call_apart, found)
    if context.progress.has_choices:
        found = choice_arguments.each_option_before(f, found, find)
    if context.progress.has_bounded:
        found = bounded_calls.library_before(f, found)
    if f is list and is_tracing():
        found = bounded_calls.list_before(found)
    return order_reads.check_orders_before(f, found) if key_orders.any_unknown() else found


def staged(f: FunctionType) -> FunctionType:
    """The staged body of the user's Python function; `f` itself where it is library code or stays as it is."""
    guarded_iterators.enter(f.__code__, f.__globals__)
    return host.conversion.staged(f, in_try=is_tracing() and handlers.may_catch_arithmetic())


def _function(f: FunctionType) -> Any:
    found = staged(f)
    if found is not f:
        return found
    if context.progress.is_tried and f.__module__ in _IMPURE:
        raise needs_number(f"`{f.__name__}()` gives something else in each iteration")
    if not is_library(f):
        return _unseen(f) if (journal.hears_of_writes() or is_tracing()) and host.conversion.is_unseen(f) else f
    if f.__module__ == "logging" and f.__name__ in _LOGGING:
        return functools.partial(traced_strings.log, f)
    if f.__name__ == "set_trace" and (starting := debuggers.starting(f)) is not f:
        return starting
    known = counterpart(f) or standard_library.library_counterpart(f, _library(f))
    is_wrapper = "__wrapped__" in f.__dict__ or f.__code__ is rewrapping.DISPATCH
    return known or _library(rewrapping.rewrapped(f, argument) if is_wrapper else f)


def _unseen(f: FunctionType) -> Any:
    guarded_iterators.enter_any()
    return native_methods.received(
        opaque_calls.watched(f) if journal.hears_of_writes() else constants.check_constants_after(f)
    )


def _method(f: Any) -> Any:
    inner = f.__func__
    if (name := numpy_arguments.METHODS.get(inner)) is not None:
        version = METHODS.get(inner)
        found = array_methods.numpy_method(f) if version is None else functools.partial(version, f.__self__)
        return functools.partial(numpy_arguments.call_method, found, name, f.__self__)
    if type(inner).__name__ == "cython_function_or_method":  # numpy.random's functions are methods
        native_state.refuse_to_draw(f.__self__, f.__name__)
        return counterpart(f) or (constants.check_constants_after(f) if is_tracing() else f)
    elif type(inner) is FunctionType and is_library(inner):
        if inner in array_methods.VERSIONS:
            return array_methods.numpy_method(f)
        native_state.refuse_to_draw(f.__self__, f.__name__)
        if isinstance(f.__self__, logging.Logger | logging.LoggerAdapter) and f.__name__ in _LOGGING:
            return functools.partial(traced_strings.log, f)  # what loggers remember of levels is theirs
        call = native_methods.announced(f, f.__self__)
        if isinstance(f.__self__, random.Random) and is_tracing():
            call = constants.check_constants_after(call)
        return with_functions_converted(call) if takes_functions(inner) else call
    host.conversion.prepare_class(type(f.__self__))
    found = converted(inner)
    return f if found is inner else MethodType(found, f.__self__)


def _native_function(f: Any) -> Any:
    owner = f.__self__
    if context.progress.is_tried and _is_impure(f):
        raise needs_number(f"`{f.__name__}()` gives something else in each iteration")
    if f is breakpoint:
        return debuggers.starting(f)
    if f in opaque_calls.RUN_STRINGS:
        return opaque_calls.of_string(f)
    if owner is None or type(owner) is ModuleType:
        if f.__name__ in registry.BY_STRING:
            guarded_iterators.enter_any()
        writes = is_tracing() and f.__module__ == operator.setitem.__module__
        found = counterpart(f) or standard_library.library_counterpart(f, _library(f))
        call = found or _library(constants.check_constants_after(f) if writes else f)
        return functools.partial(traced_strings.show_printed, call) if f is print and is_tracing() else call
    native_state.refuse_to_draw(owner, f.__name__)
    if f.__name__ == "cache_info":
        cached_functions.refuse_to_count(owner)
    return messages.string_method(f) if type(owner) is str else native_methods.bound(f)


def _library(f: Any) -> Any:
    call = native_methods.announced(f)
    call = with_functions_converted(call) if takes_functions(f) else call
    return bounded_calls.of_leaves(f.__name__, call) if type(f) is FunctionType and f in bounded_calls.OF_TREES else call


def _numpy_function(f: Any) -> Any:
    return counterpart(f) or f


def _class(cls: Any) -> Any:
    return (counterpart(cls) if type(cls) is type else None) or constructor(cls)


def constructor(cls: Any) -> Any:
    """Returns the callable that makes instances of `cls`; `cls` itself where none of its code is the user's.

    It does what `type.__call__` does, with the user's `__new__` and `__init__` converted.

    >>> constructor(int) is int
    True
    """
    host.conversion.prepare_class(cls)
    if context.active():
        native_state.refuse_factories(cls)
    meta = type(cls)
    if meta is not type:
        call = static_lookup(meta, "__call__")
        if call is not _TYPE_CALL:
            found = staged(call) if type(call) is FunctionType else call
            return _native_class(cls) if found is call else MethodType(found, cls)
    new = static_lookup(cls, "__new__")
    function = new.__func__ if type(new) is staticmethod else new
    staged_new = staged(function) if type(function) is FunctionType else None
    init = static_lookup(cls, "__init__")
    staged_init = staged(init) if type(init) is FunctionType else init
    if staged_init is init and (staged_new is None or staged_new is function):
        return _native_class(cls)
    return functools.partial(_construct, cls, staged_new or function, init, staged_init)


def _native_class(cls: Any) -> Any:
    if cls is defaultdict:
        make = with_functions_converted(cls)
        return lambda *args, **kwargs: default_dicts.watch_dict(make(*args, **kwargs))
    make = native_methods.announced(cls)
    return with_functions_converted(make) if takes_functions(cls) else make


def _construct(cls: type, new: Callable[..., Any], own: Any, staged_own: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Makes `cls(...)` with converted methods; `own` is the `__init__` of the class, `staged_own` the converted one."""
    obj = new(cls, *args, **kwargs)
    kind = type(obj)
    if cls is not kind and cls not in MRO(kind):
        return obj
    init = static_lookup(kind, "__init__")
    if init is own:
        init = staged_own
    elif type(init) is FunctionType:
        init = staged(init)
    if type(init) is FunctionType:
        result = init(obj, *args, **kwargs)
    else:
        result = init.__get__(obj, kind)(*args, **kwargs)
    if result is not None:
        raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
    return obj


def _method_caller(f: Any) -> Any:
    made, args = f.__reduce__()
    keywords: dict[str, Any] = {}
    if type(made) is functools.partial:
        (name,), keywords = made.args, made.keywords
    else:
        name, *args = args
    return lambda obj, /: converted(getattr(obj, name))(*args, **keywords)


def _partial(f: Any) -> Any:
    inner = converted(f.func)
    return f if inner is f.func else functools.partial(inner, *f.args, **f.keywords)


def _chosen(f: Choice) -> Any:
    """One of several functions, or of several enum members whose class has a `__call__`."""
    return functools.partial(each_apart, lambda option, /, *args, **kwargs: converted(option)(*args, **kwargs), f)


def _wrapper(f: Any) -> Any:
    module = getattr(f, "__module__", None)
    if type(module) is str and module.startswith("jax."):
        return bounded_calls.functions_of_jax().get(f) or _library(f)  # jax.numpy's own
    return rewrapping.rewrapped(f, argument)


def _other(f: Any) -> Any:
    kind = type(f)
    if issubclass(kind, type):
        return _class(f)
    call = static_lookup(kind, "__call__")
    if issubclass(kind, functools.partial) and call is static_lookup(functools.partial, "__call__"):
        return _partial(f)
    if type(call) is not FunctionType:
        guarded_iterators.enter_any()
        return native_methods.received(f)
    if is_library(call):
        found = native_methods.announced(f, f)
        return with_functions_converted(found) if takes_functions(call) else found
    found = staged(call)
    return f if found is call else MethodType(found, f)


def _bound(f: Any) -> Any:
    owner = f.__self__
    if f.__name__ == "__call__" and type(static_lookup(type(owner), "__call__")) is WrapperDescriptorType:
        return converted(owner)  # else it is that of a base: `super().__call__`
    return native_methods.bound(f)


_BY_TYPE: dict[type, Callable[[Any], Any]] = {
    FunctionType: _function,
    MethodType: _method,
    BuiltinFunctionType: _native_function,
    type(SimpleQueue().get): _native_function,  # a method of C code that is given its class
    **dict.fromkeys(UNBOUND_METHODS, native_methods.unbound),
    MethodWrapperType: _bound,
    type: _class,
    functools.partial: _partial,
    Choice: _chosen,
    CACHED: cached_functions.cached_counterpart,
    operator.methodcaller: _method_caller,
    JITTED: _wrapper,
    **{kind: _wrapper for kind in rewrapping.CUSTOM},
    np.ufunc: _numpy_function,
    type(np.sum): _numpy_function,
    type(jnp.add): _wrapper,
}
