"""Errors which say that a value is traced, and which code that is not converted has swallowed.

`try: return exp(x)` / `except: return 1.8e308` in an installed package makes an answer of the error that JAX raises, where Python
has a number and computes. Raising says nothing: JAX raises such errors itself and handles them (`jnp.roll` by a traced number).
What tells is the frame that has handled it, the first of its traceback when it is freed. So the classes of these errors get a
`__del__` when a converted function is traced, which notes a frame that is neither of JAX nor ours, and the outermost call refuses.
No hook of Python tells the same: `sys.monitoring` begins with 3.12, and a trace function costs each line.

A handler that names JAX's errors knows what it does, and so does code of a package that is made for JAX.

>>> import jax, autograph as ag
>>> @ag.do_not_convert
... def number(x):
...     try:
...         return float(x)
...     except TypeError:
...         return 0.0
>>> try:
...     ag.jit(lambda x: x + number(x))(1.0)
... except ag.StagingError as error:
...     print(str(error).splitlines()[0])
number() handles the error that a value is traced, as if it were the program's
"""

from __future__ import annotations

import ast
import linecache
import sys
from types import CodeType, FrameType
from typing import Any, NamedTuple

import jax

from autograph.code import library, registry
from autograph.errors import Location, StagingError, is_of_jax, is_ours, shown_name
from autograph.runtime.tracing import host
from autograph.runtime.tracing.context import PerThread, progress

_ERRORS: tuple[Any, ...] = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)


class Swallowed(NamedTuple):
    """Where an error was handled: the function, its line, and the line of converted code that led there."""

    frame_code: CodeType
    lineno: int
    module: str
    called_at: Location | None


swallowed: PerThread[list[Swallowed]] = PerThread(list)


def note_handlers() -> None:
    """Notes who handles such errors from now on."""
    swallowed.value.clear()
    if "__del__" not in vars(_ERRORS[0]):  # once in a process
        for kind in _ERRORS:
            kind.__del__ = _note


def _note(error: BaseException) -> None:
    """Notes where an error was handled that is freed now, if the function that handled it is still running in the call."""
    traceback = error.__traceback__
    if traceback is None or progress.reach is None:
        return
    frame, code = traceback.tb_frame, traceback.tb_frame.f_code
    if is_ours(code.co_filename) or is_of_jax(code) or registry.known(code) is not None or not _runs_inside(frame):
        return
    module = frame.f_globals.get("__name__", "")
    if not _knows_jax(frame) and not _names_jax(code.co_filename, traceback.tb_lineno):
        swallowed.value.append(Swallowed(code, traceback.tb_lineno, module, _caller(frame)))


def _caller(frame: FrameType) -> Location | None:
    """The line of converted code that led to a frame."""
    caller = frame.f_back
    while caller is not None and registry.known(caller.f_code) is None:
        caller = caller.f_back
    return caller and Location(caller.f_code.co_filename, caller.f_lineno)


def _runs_inside(frame: FrameType) -> bool:
    """Whether a frame is running inside of the outermost call: who handles the failure of an earlier call is outside."""
    running: FrameType | None = sys._getframe(1)
    while running is not None and running is not frame:
        running = running.f_back
    while running is not None and not (running.f_code.co_name == "enter_outermost" and is_ours(running.f_code.co_filename)):
        running = running.f_back
    return running is not None


def _knows_jax(frame: FrameType) -> bool:
    """Whether the code belongs to a package for JAX, by what its module has imported."""
    return library.is_library_file(frame.f_code.co_filename) and any(
        getattr(value, "__name__", None) in ("jax", "jax.numpy") for value in frame.f_globals.values()
    )


def _names_jax(filename: str, lineno: int) -> bool:
    """Whether a handler of the innermost `try` around a line names one of JAX's errors."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:
        return False
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Try) and node.lineno <= lineno <= (node.body[-1].end_lineno or 0)
    ]
    if not around:
        return False
    handlers = max(around, key=lambda node: node.lineno).handlers
    return any(
        each.type is not None and ("jax" in (said := ast.unparse(each.type)) or "Tracer" in said) for each in handlers
    )


def refuse_noted() -> None:
    """Refuses a call in which such an error was swallowed."""
    first, *_ = swallowed.value
    swallowed.value.clear()
    name = first.frame_code.co_qualname.rpartition(".<locals>.")[2]
    if any(f.__code__ is first.frame_code for f in host.conversion.UNCONVERTED):
        instead = "drop the mark `ag.do_not_convert`"
    elif library.is_library_file(first.frame_code.co_filename):
        instead = f"convert its package, `ag.install_import_hook({first.module.partition('.')[0]!r})`"
    else:
        instead = f"put `@ag.convert` on `{name}`"
    called = (
        f", called at {shown_name(first.called_at.filename)}:{first.called_at.lineno},"
        if first.called_at is not None
        else ""
    )
    raise StagingError(
        f"{name}() handles the error that a value is traced, as if it were the program's",
        at=Location(first.frame_code.co_filename, first.lineno),
        why=f"it is not converted{called} and Python, which has a number there, raises no such error",
        instead=instead,
        page="error-that-library-code-handles",
    )
