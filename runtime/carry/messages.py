"""The error for a loop whose carry has no fixed point: the variable, its two values, and a remedy (see `fixed_point`).

>>> def loop_body(): ...
>>> print(refuse(Mismatch("best", None, 1.5, "None is not a number"), loop_body, "'while' loop"))
variable 'best' cannot be carried by the 'while' loop
...
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph import errors
from autograph.runtime.carry.given_room import note_resized
from autograph.runtime.heap import library_notes, outside
from autograph.runtime.heap.escape import ANOTHER
from autograph.runtime.heap.library_objects import has_library_methods
from autograph.runtime.heap.unset_reads import READ_FIRST
from autograph.runtime.tracing.refusals import GROWS, GROWS_AS_A_LIST, quoted, remedy_of_none
from autograph.runtime.tracing.variables import cells_of
from autograph.runtime.values.locations import AttributeLocation, ContentsLocation
from autograph.runtime.values.merge import Mismatch

CHANGED_AND_REPLACED = "the loop both changes the object in place and replaces it by another one"
NO_NUMBER = "the value is not a number or an array, so a loop cannot change it from iteration to iteration"
NO_END = "each iteration makes another string, and a program chooses between those that are found while it is traced"
NO_ITERATION = (
    "it is first written in the loop, which may make no iteration, and an object has an attribute or has none"
)
KNOWN = "another name refers to the object too, and only one of the two would change"
UNKNOWN = "in which iterations the list grows is not known before the loop runs"
UNROLL = ", or loop over a Python range so that the loop is unrolled"
_NONE = "begin with a number: one that loses every comparison (`inf`), or any, with a flag that says whether it counts"
_KEYS = "write every key once before the loop, with a value of the same shape"
_REMEDIES = {
    ANOTHER: "make the object before the loop, or keep what changes in a variable",
    NO_ITERATION: "write it once before the loop",
    READ_FIRST: "assign it before the loop",
    KNOWN: "change the object's attributes, or let the loop begin with an object of its own (`x = copy.copy(x)`)",
    CHANGED_AND_REPLACED: "change the object or replace it, but not both in one loop: change a copy (`copy.copy(x)`, or "
    "`copy.deepcopy(x)` where it holds what changes), or carry what it holds in variables",
}


_GROWS = f"preallocate an array (x[n] = ...), or {GROWS}"
_REPLACED = f"append to the list that there is (`xs.append(v)`, `xs += [v]`), and {GROWS}"
_GROWS_AGAIN = (
    "where a list of unknown length grows, say how often this loop iterates at most too: "
    "`ag.set_loop_options(maximum_iterations=N)`"
)
_SHARED = (
    "let nothing but one local variable refer to the list (no other name, attribute or container, and no list of the "
    "caller's): only then it may grow in a loop with `maximum_iterations`"
)
_PAGES = {
    **dict.fromkeys((_REMEDIES[ANOTHER], _REMEDIES[NO_ITERATION]), "attribute-first-written-in-a-loop"),
    **dict.fromkeys((_REMEDIES[KNOWN], _REMEDIES[CHANGED_AND_REPLACED]), "object-replaced-in-a-loop"),
    _REMEDIES[READ_FIRST]: "variable-read-in-a-loop",
    **dict.fromkeys((_GROWS, _REPLACED, GROWS_AS_A_LIST), "list-grows-in-a-loop"),
    _GROWS_AGAIN: "list-grows-in-a-loop-inside",
    _SHARED: "list-known-elsewhere",
    outside.WRITE_OUTSIDE: "state-outside-of-the-trace",
}


def refuse(
    differ: Mismatch, where: Callable[..., Any], what: str, options: dict[str, Any] | None = None
) -> errors.StagingError:
    """The error for a loop whose carry has no fixed point."""
    place = differ.place
    where = getattr(where, "__wrapped__", where)
    assert isinstance(where, FunctionType)
    remedy: str | None = differ.instead or differ.read_before
    name, is_outside = outside.name_path(differ, cells_of(where), where)
    if not remedy and is_outside:
        remedy = outside.WRITE_OUTSIDE
    remedy = remedy or _REMEDIES.get(differ.why)
    if remedy is None and options is not None and isinstance(place, ContentsLocation) and type(place.obj) is list:
        remedy = _SHARED if "maximum_iterations" in options else _GROWS
    if remedy is None and isinstance(place, ContentsLocation) and type(place.obj) is deque:
        remedy = GROWS_AS_A_LIST
    if remedy is None and all("list" in side.split(" of ")[0] for side in (differ.left, differ.right)):
        remedy = _REPLACED
    if remedy is None and isinstance(place, AttributeLocation) and hasattr(place.obj, "capacity"):
        name, remedy = name.partition(".columns")[0], _GROWS_AGAIN
    if remedy is None and isinstance(place, AttributeLocation) and has_library_methods(type(place.obj)):
        remedy = library_notes.remedy(place) or library_notes.of_framework()
    if remedy is None and differ.left == "None":
        remedy = remedy_of_none(differ.left, differ.right) or _NONE
    is_tuple = differ.right.startswith("tuple of ")
    if remedy is None and isinstance(place, ContentsLocation) and isinstance(place.obj, dict) and not is_tuple:
        remedy = _KEYS
    default = "none-before-a-loop" if differ.left == "None" else "loop-changes-shape"
    error = errors.StagingError(
        f"{'variable ' if name.isidentifier() else ''}{quoted(name)} cannot be carried by the {what}",
        at=where,
        sides={"before the loop": differ.left, "after one iteration": differ.right},
        why=differ.why,
        instead=remedy
        or "keep shape, structure and kind of the value the same in every iteration "
        f"(preallocate an array and use x[i] = ...){UNROLL}",
        page=_PAGES.get(remedy or "") or library_notes.page_of(remedy or "", default),
    )
    error.variable = name
    if options is not None or isinstance(place, AttributeLocation):  # else it may be unrolled
        note_resized(error, differ)
    return error
