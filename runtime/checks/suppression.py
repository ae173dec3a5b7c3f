"""Context managers that may swallow an exception which leaves their `with`.

Looked at is what a manager can do, never what it does: `__exit__` of C code swallows nothing, one in Python where it may
return something true, a generator where an `except` stands around its `yield`.

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

import contextlib
import dis
from types import CodeType, FunctionType, GeneratorType, MethodType
from typing import Any

from autograph.code import source
from autograph.code.registry import Role, known
from autograph.runtime.checks.handlers import may_match
from autograph.runtime.tracing.class_lookup import static_lookup

_NOTHING = (None, False)
_CONSTANTS = ("LOAD_CONST", "LOAD_SMALL_INT")  # the second one since Python 3.14


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
    return isinstance(leave, FunctionType) and _may_return_true(leave.__code__)


def _callback(call: Any, error: BaseException) -> bool:
    if isinstance(call, MethodType):
        return may_swallow(call.__self__, error)
    is_wrapper = hasattr(call, "__wrapped__")  # of `ExitStack.callback`, which nothing swallows
    return isinstance(call, FunctionType) and not is_wrapper and _may_return_true(call.__code__)


def _handles(generator: Any, error: BaseException) -> bool:
    """Whether an `except` around the `yield` where a generator waits may be one for `error`."""
    if type(generator.gi_yieldfrom) is GeneratorType and _handles(generator.gi_yieldfrom, error):
        return True  # the staged body is one that the author's waits for
    frame, code = generator.gi_frame, generator.gi_code
    if frame is None:
        return False
    kinds = source.caught_around(code.co_filename, frame.f_lineno)
    if kinds or source.tree_of(code.co_filename) is not None:
        return any(kind is None or may_match(kind, error, frame) for kind in kinds)
    return _has_handler(code)


def _has_handler(code: CodeType) -> bool:
    names = [instruction.opname for instruction in dis.get_instructions(code)]
    bare = ("PUSH_EXC_INFO", "POP_TOP") in zip(names, names[1:], strict=False)
    return bare or "CHECK_EXC_MATCH" in names or "CHECK_EG_MATCH" in names


def _may_return_true(code: CodeType) -> bool:
    entry = known(code)
    if entry is not None and entry.role is Role.AUTHOR:
        code = entry.unit.source.code
    before: dis.Instruction | None = None
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RETURN_VALUE":
            if before is None or before.opname not in _CONSTANTS or before.argval not in _NOTHING:
                return True
        elif instruction.opname == "RETURN_CONST" and instruction.argval not in _NOTHING:
            return True
        before = instruction
    return False
