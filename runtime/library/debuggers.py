"""Debuggers: pdb, and what is built on it, stops in the user's frames, and finds the function's variables in those of a branch.

A branch or a loop body is a function that an operator calls, so the library and JAX stand between the user's frames. One
debugger at work is given methods of its own; `AUTOGRAPH_DEBUG=1` leaves it as it is:

| method | what is changed |
| --- | --- |
| `stop_here` | steps pass over this library, JAX, and what they call; breakpoints stop anywhere |
| `break_here` | a breakpoint in the first line of a function does not stop in its prologue under a trace |
| `get_stack` | `where`, `up` and `down` show the other frames; a branch's frame has the variables of its function |
| `user_call`, `user_return` | a step into a branch and out of it shows lines: no function of the user's is called or returns |
"""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType
from typing import Any

from autograph import errors
from autograph.code.library import is_library_file, is_library_module
from autograph.code.registry import Role, known
from autograph.jax_internals import is_tracing

# How `pdb.set_trace` makes its debugger.
_OWN: dict[str, Any] = (
    {"mode": "inline", "backend": "monitoring", "colorize": True} if sys.version_info >= (3, 14) else {}
)


def starting(f: Any) -> Any:
    """What stands for `breakpoint` or `pdb.set_trace`: `set_trace`, or `f` itself where it starts another debugger."""
    if f is breakpoint:
        own = sys.breakpointhook is sys.__breakpointhook__
        return set_trace if own and os.environ.get("PYTHONBREAKPOINT") in (None, "", "pdb.set_trace") else f
    return set_trace if f.__module__ == "pdb" else f


def set_trace(*, header: str | None = None, **options: Any) -> None:
    """`pdb.set_trace()` in converted code: pdb stops in the user's frame that is running."""
    import pdb  # a large module, which only those who debug need

    debugger = getattr(pdb.Pdb, "_last_pdb_instance", None) or pdb.Pdb(**_OWN)
    if header is not None:
        print(header, file=debugger.stdout)
    frame: Any = sys._getframe(1)
    while _is_library(frame):
        frame = frame.f_back
    _instruct(debugger)
    debugger.set_trace(frame, **options)


def prepare() -> None:
    """Makes the debugger at work in this thread one that knows our frames."""
    bdb: Any = sys.modules.get("bdb")
    if bdb is not None:
        debugger = getattr(sys.gettrace(), "__self__", None) or _monitoring(bdb)
        if isinstance(debugger, bdb.Bdb):
            _instruct(debugger)


def _monitoring(bdb: Any) -> Any:
    """The debugger that stands on `sys.monitoring`, as pdb does from Python 3.14 on."""
    if sys.version_info < (3, 14) or sys.monitoring.get_tool(sys.monitoring.DEBUGGER_ID) is None:
        return None
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code is bdb.Bdb.run.__code__:
            return frame.f_locals["self"]
        frame = frame.f_back
    return getattr(getattr(sys.modules.get("pdb"), "Pdb", None), "_last_pdb_instance", None)


def _instruct(debugger: Any) -> None:
    if errors.DEBUG or "stop_here" in vars(debugger):
        return
    stop_here, break_here, get_stack = debugger.stop_here, debugger.break_here, debugger.get_stack
    user_call, user_return = debugger.user_call, debugger.user_return

    def stack(frame: Any, traceback: Any) -> tuple[list[Any], int]:
        entries, index = get_stack(frame, traceback)
        chosen = entries[index]
        shown = [entry for entry in entries if entry is chosen or not _is_hidden(entry[0])]
        for each, _ in shown:
            _lend_variables(each)
        return shown, shown.index(chosen)

    def called(frame: FrameType, arg: Any) -> None:
        if _block_of(frame) is None:
            user_call(frame, arg)

    def returned(frame: FrameType, value: Any) -> None:
        caller = frame.f_back
        while caller is not None and _is_hidden(caller):
            caller = caller.f_back
        if caller is not None and caller.f_trace is None:
            caller.f_trace = debugger.trace_dispatch
        if _block_of(frame) is None:
            user_return(frame, value)
        elif debugger.returnframe is frame:
            debugger.set_step()

    # When Python ends, functions of modules are gone before debuggers are.
    debugger.stop_here = lambda frame: stop_here(frame) and _is_hidden is not None and not _is_hidden(frame)
    debugger.break_here = lambda frame: break_here(frame) and _is_prologue is not None and not _is_prologue(frame)
    debugger.get_stack, debugger.user_call, debugger.user_return = stack, called, returned


def _is_hidden(frame: FrameType) -> bool:
    """Whether a frame is ours or JAX's, or was called from there and is no user's."""
    above: FrameType | None = frame
    while above is not None and _is_library(above):
        if errors.is_ours(above.f_code.co_filename) or errors.is_of_jax(above.f_code):
            return True
        above = above.f_back
    return _is_prologue(frame)


def _is_library(frame: FrameType) -> bool:
    filename = frame.f_code.co_filename
    if not filename.startswith("<"):
        return is_library_file(filename)
    name = frame.f_globals.get("__name__")  # methods of named tuples and dataclasses have no file
    return is_library_module(name) or (type(name) is str and name not in sys.modules)


def _is_prologue(frame: FrameType) -> bool:
    """Whether a frame is that of an author's body whose staged body runs in its place."""
    entry = known(frame.f_code)
    return entry is not None and entry.role is Role.AUTHOR and is_tracing()


def _block_of(frame: FrameType) -> FrameType | None:
    """The frame of the function whose branch, loop body or operand runs in a frame; None for any other frame."""
    code = frame.f_code
    entry = known(code)
    if entry is None or entry.role is not Role.STAGED or entry.held is not None:
        return None
    owner = frame.f_back
    while owner is not None:
        outer = owner.f_code
        if (code.co_name == "<lambda>" or code.co_qualname == outer.co_qualname) and any(
            c is code for c in outer.co_consts
        ):
            return owner
        owner = owner.f_back
    return None


def _lend_variables(frame: FrameType) -> None:
    """Gives the frame of a block the variables of its function that it does not name itself; Python makes no use of them."""
    if (owner := _block_of(frame)) is not None:
        _lend_variables(owner)
        code = frame.f_code
        own = _names_of(code)
        lent = {name: value for name, value in owner.f_locals.items() if name not in own and _is_users(name, value, owner)}
        frame.f_locals.update(lent)


def _names_of(code: CodeType) -> frozenset[str]:
    return frozenset((*code.co_varnames, *code.co_cellvars, *code.co_freevars))


def _is_users(name: str, value: Any, owner: FrameType) -> bool:
    """Whether a variable of a function's frame is one that the user named."""
    unit = getattr(known(owner.f_code), "unit", None)
    if unit is not None:
        return name in _names_of(unit.source.code)
    code = getattr(value, "__code__", None)
    return code is None or code.co_name == name or code.co_qualname != owner.f_code.co_qualname
