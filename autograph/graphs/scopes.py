"""The names of scopes: the statement or function of the user's in which an operation stands.

A statement that the library staged has its name with it. For the rest JAX's own record serves: it keeps with each equation the
frames that made it. What stands at the innermost line names a statement that was staged by hand, and the functions between
the frame of a region and that line are the calls of it.

>>> statement_scope("cond", Source("none.py", 12, "f"))
'cond@12'
>>> statement_scope("cond", None)
'cond'
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from autograph.code.library import is_library_file
from autograph.graphs.operations import Source
from autograph.jax_dispatch import frames_of

KEYWORDS = {
    "cond": re.compile(r"\b(if|elif|while|for|match|case|assert|and|or)\b"),
    "while": re.compile(r"\b(while|for)\b"),
    "scan": re.compile(r"\b(for|while)\b"),
}
"""The words of the source that may become an operation."""

_STAGED = re.compile(r"([a-z]+\()*(if|and|or|while|for)_\d+\)*")
_ANONYMOUS = re.compile(r"(\.<locals>)?\.?<\w+>$")


class Call(NamedTuple):
    """A call of one of the user's functions: its name, and where it stands, by which calls are distinguished."""

    name: str
    place: tuple[object, ...] = ()


def staged_as(name: str) -> str:
    """Returns the name of a statement whose name JAX was given (`runtime/tracing/statement_names.py`); empty for other scopes.

    >>> staged_as("if_12"), staged_as("jvp(while_12)"), staged_as("layer_12")
    ('if@12', 'jvp(while@12)', '')
    """
    return name.replace("_", "@") if _STAGED.fullmatch(name) else ""


def statement_scope(kind: str, source: Source | None) -> str:
    """Returns the name of the scope of a staged statement: `if@12`; the kind of the operation stands for an unknown word."""
    if source is None:
        return kind
    words = KEYWORDS.get(kind)
    found = words and (words.search(source.expression) or words.search(source.text))
    return f"{found[1] if found else kind}@{source.line}"


def user_frames(equation: Any) -> list[Any]:
    """Returns the frames of an equation that are the user's own, or a library's where there are no others; outermost first."""
    frames = frames_of(equation)
    return [frame for frame in frames if not is_library_file(frame.file_name)] or frames[-1:]


def source_of(frames: list[Any]) -> Source | None:
    """Returns the innermost line."""
    if not frames:
        return None
    last = frames[-1]
    end = last.end_column if last.end_line == last.start_line else None
    return Source(last.file_name, last.start_line, last.function_name, last.start_column, end or None)


def calls_between(frames: list[Any], around: list[Any], name: str) -> list[Call]:
    """Returns the calls between the function of a region and the line of one of its equations.

    Args:
        frames: those of the equation.
        around: those of the equation to which the region belongs; none for the whole program.
        name: of the function that the region is, if it is one.
    """
    own = frames[_begin(frames, around, name) :]
    found = []
    for caller, callee in zip(own, own[1:]):
        if _function(caller) != _function(callee):
            place = (caller.file_name, caller.start_line, caller.start_column)
            found.append(Call(callee.function_name.rpartition("<locals>.")[2], place))
    return found


def _begin(frames: list[Any], around: list[Any], name: str) -> int:
    """Returns the place of the frame of the region's own function.

    A region that JAX traced before, for another call, has the frames of that call: then its name is looked for.
    """
    if around and frames[: len(around)] == around:
        return len(around)
    if around and frames and _function(frames[0]) == _function(around[-1]):
        return 0
    named = (k for k, frame in enumerate(frames) if frame.function_name.rpartition(".")[2] == name)
    return next(named, max(len(frames) - 1, 0))


def _function(frame: Any) -> tuple[str, str]:
    """Returns the function to which a frame belongs: that around a lambda or a comprehension."""
    name, before = frame.function_name, None
    while name != before:
        name, before = _ANONYMOUS.sub("", name), name
    return frame.file_name, name
