"""Calls of classes: what `type.__call__` does, with the user's `__new__` and `__init__` converted.

>>> class Pair:
...     def __init__(self, a, b): self.a, self.b = a, b
>>> constructor(int) is int
True
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from autograph.runtime.calls import native_methods
from autograph.runtime.calls.function_arguments import takes_functions, with_functions_converted
from autograph.runtime.heap import native_state
from autograph.runtime.tracing import context, default_dicts, host
from autograph.runtime.tracing.class_lookup import MRO, static_lookup

_TYPE_CALL = type.__dict__["__call__"]


def constructor(cls: Any) -> Any:
    """The callable that makes instances of `cls`; `cls` itself where none of its code is the user's."""
    host.conversion.prepare_class(cls)
    if context.active():
        native_state.refuse_factories(cls)
    meta = type(cls)
    if meta is not type:
        call = static_lookup(meta, "__call__")
        if call is not _TYPE_CALL:
            found = host.calls.staged(call) if type(call) is FunctionType else call
            return _native(cls) if found is call else MethodType(found, cls)
    new = static_lookup(cls, "__new__")
    function = new.__func__ if type(new) is staticmethod else new
    staged_new = host.calls.staged(function) if type(function) is FunctionType else None
    init = static_lookup(cls, "__init__")
    staged_init = host.calls.staged(init) if type(init) is FunctionType else init
    if staged_init is init and (staged_new is None or staged_new is function):
        return _native(cls)
    return functools.partial(_construct, cls, staged_new or function, init, staged_init)


def _native(cls: Any) -> Any:
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
        init = host.calls.staged(init)
    if type(init) is FunctionType:
        result = init(obj, *args, **kwargs)
    else:
        result = init.__get__(obj, kind)(*args, **kwargs)
    if result is not None:
        raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
    return obj
