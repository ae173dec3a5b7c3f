"""Writes of traced code, outside of staged statements, to places that are still there when the trace is over.

`self.count += x` under `jax.jit` leaves a traced value in the object: it means nothing when the trace is over, and calls of
the compiled program do not repeat the write. So the writes of a call that JAX traces are noted, and where the trace ends
with the call, a place that holds one of its values then is put back and refused.

Only the value at the end counts: one that was removed again does no harm, nor does one that code around the call can
still remove before the trace is over. An object that was made in the trace is gone afterwards, so a place counts only if it
can be reached from outside (see `outside`).

>>> import jax
>>> log = []
>>> def traced(x):
...     with Watch(sys._getframe(1), lambda: traced, traced.__code__) as watch:
...         note_write(ContentsLocation(log))
...         log.append(x)
...         return watch.checked([x])
>>> try:
...     jax.jit(traced)(1.0)
... except errors.StagingError as error:
...     print(str(error).splitlines()[0])
'log' keeps a traced value when the trace of traced() is over
>>> log
[]
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
from collections.abc import Callable
from types import CodeType, FrameType, TracebackType
from typing import Any

import jax

from autograph import errors
from autograph.code import library
from autograph.jax_internals import open_traces, records_jitted, records_region, traces_of
from autograph.runtime.heap import outside
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.families import BUFFERS
from autograph.runtime.tracing.refusals import quoted
from autograph.runtime.tracing.sharing import locals_of
from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values.locations import AttributeLocation, ContentsLocation, GlobalLocation, attribute_location
from autograph.runtime.values.reachability import unreferenced

_BETWEEN = (functools.__file__, contextlib.__file__)  # whose frames only pass a call on
_MOST = 20_000  # objects that are looked at in what a call wrote
_MANY = 1_000  # places, after which those are looked for that are gone


class Note:
    """A place that was written to: what it held before, and where the last write is."""

    __slots__ = ("at", "before", "code", "location")

    def __init__(self, location: Any, before: Any) -> None:
        self.location = location
        self.before = before
        self.code: CodeType | None = None
        self.at = 0

    def place(self) -> errors.Location | None:
        """The line of the last write."""
        if self.code is None:
            return None
        position = list(self.code.co_positions())[self.at // 2]
        return errors.Location(self.code.co_filename, position[0] or self.code.co_firstlineno)

    def news(self) -> list[Any]:
        """The values that the place holds now and did not hold before."""
        now = self.location.get()
        if not isinstance(self.location, ContentsLocation):
            return [] if now is self.before or now is UNSET else [now]
        before = set(map(id, _items(self.before)))
        items = _items(now)
        return [x for key, x in zip(map(id, items), items, strict=True) if key not in before]

    def named(self, path: str) -> str:
        """The place as the user writes it, if its owner is written so."""
        if isinstance(self.location, AttributeLocation):
            return f"{path}.{self.location.attribute}"
        return path


def _running() -> tuple[CodeType, int]:
    """The user's instruction that is running; its line is looked up where it is needed."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (errors.is_ours(frame.f_code.co_filename) or errors.is_of_jax(frame.f_code)):
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


class Call:
    """A call that JAX traces: the places that it wrote to, by key; `inside` are the first writes in statements that are staged."""

    __slots__ = ("inside", "limit", "notes", "outer")

    def __init__(self, outer: Call | None) -> None:
        self.notes: dict[Any, Note] = {}
        self.inside: dict[Any, tuple[CodeType, int]] = {}
        self.outer = outer
        self.limit = _MANY

    def forget_those_that_are_gone(self) -> None:
        """Drops places of objects that only the notes keep alive."""
        candidates = {id(note.location.obj): note.location.obj for note in self.notes.values()}
        gone = unreferenced(candidates, {id(held): held for held in _held_by(self)})
        self.notes = {key: note for key, note in self.notes.items() if id(note.location.obj) not in gone}
        self.limit = max(_MANY, 2 * len(self.notes))


def note_write(location: Any, *before: Any) -> None:
    """Notes a write to `location` that is about to happen, or that has happened, where the place held `before`."""
    call = progress.call
    if call is None or issubclass(type(location.obj), BUFFERS):
        return
    note = call.notes.get(location.key)
    if note is None:
        note = call.notes[location.key] = Note(location, *(before or (location.get(),)))
        if len(call.notes) > call.limit:
            call.forget_those_that_are_gone()
    found = call.inside.pop(location.key, None)
    note.code, note.at = _running() if found is None else found


def mark_inside(key: Any) -> None:
    """Takes note of the line of a write in a statement that is staged: the statement writes the place when it is over."""
    call = progress.call
    if call is not None and key not in call.inside:
        call.inside[key] = _running()


def note_attribute_write(obj: Any, name: str) -> None:
    """Takes note of a write to `obj.name`, where it is kept in Python's way."""
    if progress.call is not None:
        try:
            note_write(attribute_location(obj, name))
        except (AttributeError, TypeError):  # C code keeps it
            pass


def holders_in_notes() -> list[Any]:
    """The objects by which the notes refer to others: for the counts of references."""
    found: list[Any] = []
    call = progress.call
    while call is not None:
        found += _held_by(call)
        call = call.outer
    return found


def references(container: Any) -> int:
    """How many references to a container the notes hold."""
    count, call = 0, progress.call
    while call is not None:
        count += id(container) in call.notes
        call = call.outer
    return count


def _held_by(call: Call) -> list[Any]:
    return [held for note in call.notes.values() for held in _holders_in(note)]


def _holders_in(note: Note) -> list[Any]:
    """What refers to objects in a note: a snapshot of a container is one of ours."""
    snapshot = [note.before] if isinstance(note.location, ContentsLocation) else []
    return [note, note.location, *snapshot]


class Watch:
    """Watches a call for what it leaves outside of its trace; around the call, as a context manager.

    Args:
        caller: the frame that goes on when the call has ended.
        cells: a function with the cells and the globals of the one that is called.
        code: its code.
        region: the staged statement around (a `journal.Region`), or None.
    """

    __slots__ = ("call", "caller", "cells", "code", "others")

    def __init__(self, caller: FrameType | None, cells: Any, code: CodeType, region: Any = None) -> None:
        self.caller = caller
        self.cells = cells
        self.code = code
        self.others = {} if region is None else region.entries

    def __enter__(self) -> Watch:
        self.call = progress.call = Call(progress.call)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and issubclass(kind, errors.AutoGraphError):
            self.put_back([])
        progress.call = outer = self.call.outer
        if outer is not None:
            for key, note in self.call.notes.items():
                known = outer.notes.setdefault(key, note)
                known.code, known.at = note.code, note.at

    def checked(self, results: list[Any]) -> Any:
        """The only one of the results. Refuses places outside of the trace that hold a value of it, where it ends with the call."""
        left = self.put_back(results)
        if left:
            note, name = left[0]
            is_of_container = isinstance(note.location, ContentsLocation)
            raise errors.StagingError(
                f"{quoted(name)} keeps a traced value when the trace of {self.code.co_qualname.rpartition('.')[2]}() is over",
                at=note.place() or errors.Location(self.code.co_filename, self.code.co_firstlineno),
                why="a call of the compiled program does not repeat the write, and the value means nothing outside of its "
                "trace",
                instead=outside.WRITE_OUTSIDE + ", or change a copy (`copy.deepcopy(x)`), and return it" * is_of_container,
                page="state-outside-of-the-trace",
            )
        return results[0]

    def put_back(self, results: list[Any]) -> list[tuple[Note, str]]:
        """Puts back what was in those places before; returns them, each as the user writes it, what is near first."""
        notes = [*self.call.notes.values(), *itertools.starmap(Note, self.others.values())]
        traces = [(note, found) for note in notes if (found := traces_in(note.news()))]
        ended, frame = ending_traces(self.caller) if traces else ([], None)
        if not ended:
            return []
        open_ = [trace for trace in open_traces() if not _is_among(trace, ended)]
        suspects = [
            note
            for note, found in traces
            if not all(_is_among(trace, open_) for trace in found)
            and not any(_is_among(trace, ended) for trace in traces_in(_before(note)))  # it was made in the trace
        ]
        suspects = _known_elsewhere(suspects, notes, results)
        globals_ = [note for note in suspects if _is_of_a_module(note.location)]
        wanted: dict[int, list[Note]] = {}
        for note in suspects:
            if note not in globals_:
                wanted.setdefault(id(note.location.obj), []).append(note)
        paths = outside.find_paths(set(wanted), outside.roots(self.cells, self.code, frame)) if wanted else {}
        given_back = paths.keys() & _containers_in(results).keys()
        if given_back and not any(map(records_jitted, ended)):
            # A caller that passed it to a transform, and takes what that returns, keeps the old one in its variables alone.
            kept = outside.find_paths(given_back, outside.roots(self.cells, self.code, None))
            paths = {key: path for key, path in paths.items() if key not in given_back or key in kept}
        left = [(note, self.global_name(note.location)) for note in globals_]
        left += [(note, note.named(path)) for key, path in paths.items() for note in wanted[key]]
        for note, _ in reversed(left):
            note.location.set(note.before)
        return [(note, name) for note, name in left if not _counts_for_a_library(note)]

    def global_name(self, location: Any) -> str:
        """A global as the function names it: with its module where that is another one; or an attribute of a class."""
        if isinstance(location, AttributeLocation):
            return f"{location.obj.__qualname__}.{location.attribute}"
        module = "" if location.obj is self.cells.__globals__ else location.obj.get("__name__", "")
        return f"{module}.{location.name}" if module else location.name


def _is_of_a_module(location: Any) -> bool:
    """Whether a place is a global, or an attribute of a class that is one."""
    owner = location.obj
    if isinstance(location, AttributeLocation) and issubclass(type(owner), type):
        return getattr(sys.modules.get(owner.__module__), owner.__qualname__, None) is owner
    return isinstance(location, GlobalLocation)


def _counts_for_a_library(note: Note) -> bool:
    """Whether a place is a number that a library counts in, in a module or a class of its own: it is put back without a word."""
    owner = note.location.obj
    if type(note.before) is not int:
        return False
    if isinstance(note.location, GlobalLocation):
        return library.is_library_module(owner.get("__name__"))
    return issubclass(type(owner), type) and library.is_library_class(owner)


def _is_among(trace: Any, traces: list[Any]) -> bool:
    return any(trace is one for one in traces)


def ending_traces(frame: FrameType | None) -> tuple[list[Any], FrameType | None]:
    """The traces that are over when a function returns that was called from `frame`, innermost first.

    They are those that were begun in one of JAX's own frames, with no other code between: such code could still use, or
    take out of the user's objects, what the trace left there. The trace of a staged statement is none of them: the journal
    sees to what that leaves, and a method of the user's that is called meanwhile (a hash) ends nothing.

    Returns:
        the traces, and the innermost frame outside of JAX.
    """
    open_ = open_traces()[:-1]  # the last one evaluates
    ended: list[Any] = []
    while frame is not None and (errors.is_of_jax(frame.f_code) or _passes_on(frame.f_code.co_filename)):
        # The function that begins a trace makes it, and keeps the one around as its `parent_trace`.
        if open_ and not records_region(open_[0]) and type(open_[0]).__name__ in frame.f_code.co_names:
            values = [value for name, value in locals_of(frame).items() if not name.startswith("parent")]
            if any(value is open_[0] for value in values):
                ended.append(open_.pop(0))
        frame = frame.f_back
    return ended, frame


def _known_elsewhere(suspects: list[Note], notes: list[Note], results: list[Any]) -> list[Note]:
    """The suspects to whose object something refers besides the notes and the results."""
    candidates = {id(note.location.obj): note.location.obj for note in suspects} | _containers_in(results)
    holders = [suspects, results, *(held for note in notes for held in _holders_in(note))]
    fresh = unreferenced(candidates, {id(holder): holder for holder in holders})
    return [note for note in suspects if id(note.location.obj) not in fresh]


def _containers_in(results: list[Any]) -> dict[int, Any]:
    """The containers that results consist of, by `id`."""
    found: dict[int, Any] = {}
    pending = [*results]
    while pending:
        x = pending.pop()
        if id(x) not in found and issubclass(type(x), (list, tuple, dict, set)):
            found[id(x)] = x
            pending += _items(x)
    return found


def _items(x: Any) -> list[Any]:
    return list(x.values() if isinstance(x, dict) else x)


def _passes_on(filename: str) -> bool:
    return filename in _BETWEEN or errors.is_ours(filename)


def _before(note: Note) -> list[Any]:
    return _items(note.before) if isinstance(note.location, ContentsLocation) else [note.before]


_is_of_tracers: Callable[[Any], bool] = functools.lru_cache(64)(lambda kind: issubclass(kind, jax.core.Tracer))
"""Whether a class is one of tracers: asked for thousands of values, nearly all of one class."""


def traces_in(values: list[Any]) -> list[Any]:
    """The traces of the tracers among values and in what they lead to."""
    found: dict[int, Any] = {}
    pending, seen = values, set[int]()
    while pending and len(seen) < _MOST:  # no `walk`: most are tracers, in long lists
        found |= traces_of([x for x in pending if _is_of_tracers(type(x))])
        others = {id(x): x for x in pending if not _is_of_tracers(type(x))}
        pending = [child for key, x in others.items() if key not in seen for _, child in outside.leads(x)]
        seen |= others.keys()
    return list(found.values())
