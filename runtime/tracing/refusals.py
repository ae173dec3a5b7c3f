"""Refusals of operators that have no body to point at: they name the line of user code that is running.

>>> print(refusal("a dict cannot be read at a traced key", instead="use an array").args[0].splitlines()[-1])
  instead: use an array
"""

from __future__ import annotations

import itertools
import linecache
import re
import sys
from collections.abc import Callable, Container, Iterator
from types import CodeType, FrameType
from typing import Any

import jax

from autograph.code.library import is_library_file
from autograph.errors import StagingError, UndefinedVariableError, is_ours
from autograph.runtime.tracing.sharing import locals_of, outward

# What a body raises that works on plain values only: it may succeed unrolled where it cannot be staged.
CANNOT_STAGE = (
    StagingError,
    UndefinedVariableError,
    AttributeError,  # of an attribute that an object gets in the first iteration
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)

VALUE = "the returned value"
RETURNED = "return_value"
"""How the variable begins in which a `return` inside a loop keeps its value."""

_OURS = re.compile(rf"{RETURNED}\d*(?!\w)")


def frames_of_user(frame: FrameType | None, libraries: bool = False) -> Iterator[FrameType]:
    """The frames from `frame` outwards that are neither ours nor, unless those are wanted, a library's."""
    for one in outward(frame):
        filename = one.f_code.co_filename
        if not is_ours(filename) and (libraries or not is_library_file(filename)):
            yield one


def user_line(outer: int = 0) -> tuple[str, int] | None:
    """File and line of the innermost running frame that is neither ours nor a library's, or of the `outer`-th around it.

    Only for the message of an error: no operator decides anything by looking at frames.
    """
    # No variable holds the generator: it would be in a circle with this frame, and all frames around it would outlive their calls.
    frame = next(
        itertools.islice((f for f in frames_of_user(sys._getframe()) if not _is_of_dataclass(f.f_code)), outer, None),
        None,
    )
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def user_expression() -> tuple[str, int, str] | None:
    """Returns file and line, as `user_line` does, and the source of the expression that is evaluated there, if it is one line."""
    frame = next(frames_of_user(sys._getframe()), None)
    if frame is None:
        return None
    code = frame.f_code
    line, end_line, start, end = next(itertools.islice(code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    source = linecache.getline(code.co_filename, line).encode()[start:end] if line is not None and line == end_line else b""
    return code.co_filename, frame.f_lineno, source.decode(errors="replace")


def user_variables() -> dict[str, Any]:
    """Returns the variables of the innermost running frame of the user's code. Only for the message of an error, as `user_line`."""
    frame = next(frames_of_user(sys._getframe()), None)
    return {} if frame is None else frame.f_locals


def running_package(names: Container[str]) -> str:
    """The innermost of these packages whose code is running, or nothing. Only for the message of an error, as `user_line`."""
    packages = (str(f.f_globals.get("__name__")).partition(".")[0] for f in frames_of_user(sys._getframe(), libraries=True))
    return next((package for package in packages if package in names), "")


def _is_of_dataclass(code: CodeType) -> bool:
    """Whether `dataclasses` wrote a function: its source stands nowhere."""
    return code.co_filename == "<string>" and code.co_name == "__init__"


def refusal(what: str, *, why: str = "", instead: str = "", page: str = "", outer: int = 0) -> StagingError:
    """The error for a construct that cannot be staged; see `StagingError` for the parts, `user_line` for the place."""
    return StagingError(what, at=user_line(outer), why=why, instead=instead, page=page)


def message_of_failure(f: Callable[..., Any], *args: Any) -> str:
    """What this version of Python says where `f(*args)` raises a `ValueError`.

    >>> message_of_failure(int, "x")
    "invalid literal for int() with base 10: 'x'"
    """
    try:
        f(*args)
    except ValueError as error:
        return str(error)
    raise AssertionError("it raises")


def names_held(x: Any) -> list[str]:
    """The local variables of the user's running functions that hold an object, innermost first; for the message of an error."""
    found: list[str] = []
    for frame in frames_of_user(sys._getframe()):
        found += [name for name, value in locals_of(frame).items() if value is x and name not in found]
    return found


def quoted(path: str) -> str:
    """What a message calls a variable, a part of one, or a thing without a name.

    >>> quoted("x"), quoted("state['w']"), quoted("the returned value"), quoted("return_value2[0]")
    ("'x'", "`state['w']`", 'the returned value', 'the returned value[0]')
    """
    path = _OURS.sub(VALUE, path) if path.startswith(RETURNED) else path
    if path.startswith(("the ", "a ", "an ")):
        return path
    return f"`{path}`" if "'" in path else f"'{path}'"


def a(noun: str) -> str:
    """The noun with its article.

    >>> a("list"), a("Open")
    ('a list', 'an Open')
    """
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"


GROWS = (
    "say how often the loop iterates at most, `ag.set_loop_options(maximum_iterations=N)`: then a list may grow in it "
    "to which one local variable alone refers, and which goes into a dict or an object after the loop"
)
ONE_NAME = (
    "let nothing but the variables and objects that the statement uses refer to the list (no argument, no tuple, no other name)"
)
GROWS_AS_A_LIST = f"use a list in its place, and {GROWS}"


def remedy_of_none(*sides: str) -> str:
    """What to write instead of a choice between None and a structure; `sides`: what is said of the two."""
    are_structures = any(part in side for side in sides for part in (" of ", " with keys ", " object"))
    return (
        "begin with a value of the same structure instead of None, and a flag of your own that says whether it counts"
        if are_structures
        else ""
    )


READ_ONCE = "read it once before the statement: it is kept when it is computed"
CHOOSE_PARTS = (
    "choose what is read of them (`x = a.x if test else b.x`), or keep it in an array and choose an index; objects of a class "
    "that compares by what they hold (a dataclass) can be chosen, as long as none of them is changed afterwards"
)


def remedy_of_choice(left: Any, right: Any, are_ordinary: bool) -> str:
    """What to write instead of a choice between two objects that cannot be chosen; `are_ordinary`: of a class of the user's."""
    if type(left) is not type(right) or not are_ordinary:
        return ""
    return CHOOSE_PARTS
