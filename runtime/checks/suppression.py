"""Context managers that may swallow an exception which leaves their `with`.

Looked at is what a manager can do, by its text, never what it does: `__exit__` of C code swallows nothing, one in Python where it
may return something true, a generator where an `except` stands around its `yield`; either may where there is no text.

>>> import contextlib
>>> @contextlib.contextmanager
... def closing():
...     try:
...         yield
...     finally:
...         pass
>>> may_swallow(closing(), KeyError()), may_swallow(contextlib.suppress(KeyError), KeyError())
(False, True)
>>> may_swallow(contextlib.suppress(LookupError), ValueError())
False
"""

from __future__ import annotations

import ast
import contextlib
from types import CellType, FunctionType, GeneratorType, MethodType
from typing import Any

from autograph.code import source
from autograph.code.registry import Role, known
from autograph.errors import SourceError
from autograph.runtime.checks.handlers import may_match
from autograph.runtime.tracing.class_lookup import static_lookup

_NOTHING = (None, False)


def may_swallow(manager: Any, error: BaseException) -> bool:
    """Whether leaving the `with` of `manager` with `error` may go on behind it."""
    if isinstance(manager, contextlib.suppress):
        return issubclass(type(error), getattr(manager, "_exceptions", BaseException))
    if isinstance(manager, contextlib.ExitStack):
        return any(_callback(call, error) for _, call in getattr(manager, "_exit_callbacks", ()))
    generator = getattr(manager, "gen", None)
    if isinstance(manager, contextlib.AbstractContextManager) and hasattr(generator, "gi_code"):
        return _handles(generator, error)
    leave = static_lookup(type(manager), "__exit__")
    return isinstance(leave, FunctionType) and _may_return_true(leave)


def _callback(call: Any, error: BaseException) -> bool:
    if isinstance(call, MethodType):
        return may_swallow(call.__self__, error)
    is_wrapper = hasattr(call, "__wrapped__")  # of `ExitStack.callback`, which nothing swallows
    return isinstance(call, FunctionType) and not is_wrapper and _may_return_true(call)


def _handles(generator: Any, error: BaseException) -> bool:
    """Whether an `except` around the `yield` where a generator waits may be one for `error`."""
    if type(generator.gi_yieldfrom) is GeneratorType and _handles(generator.gi_yieldfrom, error):
        return True  # the staged body is one that the author's waits for
    frame, code = generator.gi_frame, generator.gi_code
    if frame is None:
        return False
    if source.tree_of(code.co_filename) is None:
        try:
            source.find(FunctionType(code, frame.f_globals, closure=tuple(CellType() for _ in code.co_freevars)))
        except SourceError:
            return True
    kinds = source.caught_around(code.co_filename, frame.f_lineno)
    return any(kind is None or may_match(kind, error, frame) for kind in kinds)


def _may_return_true(leave: FunctionType) -> bool:
    entry = known(leave.__code__)
    try:
        found = entry.unit.source if entry is not None and entry.role is Role.AUTHOR else source.find(leave)
    except SourceError:
        return True
    values = [node.value for node in ast.walk(found.node) if isinstance(node, ast.Return) and node.value is not None]
    return isinstance(found.node, ast.Lambda) or not all(
        isinstance(value, ast.Constant) and value.value in _NOTHING for value in values
    )
