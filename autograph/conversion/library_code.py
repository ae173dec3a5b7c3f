"""Says what helps where library code, which is not converted, asks for the truth or the number of a traced value.

| the function that asks | instead |
| --- | --- |
| a function that the user's line calls: `calendar.isleap(year)` | `ag.convert(calendar.isleap)` |
| a method that the user's line calls: `early.update(loss)` | `ag.convert(type(early).update)(early, ...)` |
| one that library code calls, also converted library code | the import hook for its package, which converts all of them |
| one that may ask for what it made in a staged statement (`layer.built`) | a call before the statement, or the import hook |

>>> import colorsys
>>> import autograph as ag
>>> try:
...     ag.jit(colorsys.hls_to_rgb)(0.2, 0.3, 0.4)
... except ag.StagingError as error:
...     print(*str(error).splitlines()[-3:-1], sep="\\n")
  why: `_v` is library code, which is not converted
  instead: convert its package, `ag.install_import_hook('colorsys')`, or make the value static (`static_argnums`)
"""

from __future__ import annotations

from types import CodeType, FrameType
from typing import NamedTuple

from autograph.code.library import ARRAY_PACKAGES, is_installed, is_library_file
from autograph.code.registry import known
from autograph.errors import is_of_jax, is_ours
from autograph.runtime.heap.library_objects import ON_FIRST_USE
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.context import progress

STATIC = "make the value static (`static_argnums`)"


class Advice(NamedTuple):
    """Why the value is asked for, and what to write instead."""

    why: str
    instead: str


def conversion_advice(exc: BaseException, call: str, caller: CodeType, asks_truth: bool) -> Advice | None:
    """Finds the advice where library code asks; None where none does, or where no conversion of it would help.

    C code that a function of the standard library hands a value to needs the number itself, so there only a test counts.

    Args:
        call: the source of the call that leads to library code.
        caller: the converted function in which it stands.
        asks_truth: whether the truth of a value is asked for.
    """
    frames = _unconverted_frames(exc)
    if not frames or not (asks_truth or is_installed(frames[-1].f_code.co_filename)):
        return None
    called = frames[0].f_code.co_qualname
    is_direct = all(frame.f_code.co_qualname.startswith(f"{called}.<locals>.") for frame in frames[1:])
    why = f"`{frames[-1].f_code.co_qualname.partition('.<locals>')[0]}` is library code, which is not converted"
    if is_direct and not is_library_file(caller.co_filename) and (converted := _converted(call, frames[0])):
        return Advice(why, f"call it as `{converted}`, or {STATIC}")
    package = _package(frames[-1])
    if package in ARRAY_PACKAGES:
        return None
    first = f"{ON_FIRST_USE}; or " if asks_truth and progress.libraries_wrote else ""
    return Advice(why, f"{first}convert its package, `ag.install_import_hook({package!r})`, or {STATIC}")


def _unconverted_frames(exc: BaseException) -> list[FrameType]:
    """Returns the frames of library code behind the last one of converted code or of the user's."""
    found: list[FrameType] = []
    traceback = exc.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_users(code):
            found.clear()
        elif not is_of_jax(code) and not is_ours(code.co_filename):
            found.append(traceback.tb_frame)
        traceback = traceback.tb_next
    return found


def is_users(code: CodeType) -> bool:
    """Whether code is the user's, or library code that was converted on request."""
    return not is_ours(code.co_filename) and (not is_library_file(code.co_filename) or known(code) is not None)


def _converted(call: str, frame: FrameType) -> str:
    """Returns the callee of a call as `ag.convert` takes it; empty where another function than the called one asks."""
    code, callee = frame.f_code, call.strip("`").partition("(")[0]
    if callee.rpartition(".")[2] != code.co_name:
        return ""
    receiver = callee.rpartition(".")[0]
    if not receiver or not code.co_argcount:
        return f"ag.convert({callee})"
    function = static_lookup(type(frame.f_locals.get(code.co_varnames[0])), code.co_name)
    is_method = getattr(function, "__code__", None) is code
    return f"ag.convert(type({receiver}).{code.co_name})({receiver}, ...)" if is_method else f"ag.convert({callee})"


def _package(frame: FrameType) -> str:
    """Names what the import hook needs: the installed package, or the module of the standard library."""
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] if is_installed(frame.f_code.co_filename) else name
