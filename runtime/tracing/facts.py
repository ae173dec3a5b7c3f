"""What is known of a traced value, as long as its tracer lives, and of other objects, as long as a trace is open.

>>> import jax
>>> even: Facts[bool] = Facts()
>>> def f(x):
...     y = even.note(x * 2, True)
...     return print(even.of(y), even.of(x), even.of(4)) or y
>>> _ = jax.make_jaxpr(f)(3)
True None None
>>> bool(even)
False
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from autograph.jax_internals import keep_with_trace, open_traces
from autograph.runtime.tracing.staging import is_traced

F = TypeVar("F")


class _Note(weakref.ref[Any]):
    """A fact, and the tracer that it is of: one object, for a program may have thousands of these."""

    __slots__ = ("fact", "key")

    fact: Any
    key: int


class Facts(Generic[F]):
    """One fact, or none, of each traced value. A tracer belongs to one thread, so threads need no tables of their own."""

    def __init__(self) -> None:
        self._notes: dict[int, _Note] = {}

    def __bool__(self) -> bool:
        return bool(self._notes)

    def note(self, x: Any, fact: F) -> Any:
        """Notes a fact of `x`, instead of an earlier one; returns `x`. Of what is not traced nothing is noted."""
        if is_traced(x):
            try:
                note = _Note(x, self._drop)
            except TypeError:  # a tracer of a kind that nobody can watch
                return x
            note.fact, note.key = fact, id(x)
            self._notes[id(x)] = note
        return x

    def of(self, x: Any) -> F | None:
        """What was noted of `x`."""
        found = self._notes.get(id(x))
        return found.fact if found is not None and found() is x else None

    def forget(self, x: Any) -> None:
        """Drops what was noted of `x`."""
        if self.of(x) is not None:
            del self._notes[id(x)]

    def _drop(self, note: _Note) -> None:
        if self._notes.get(note.key) is note:  # another value may have the address by now
            del self._notes[note.key]


class TraceNotes(threading.local, Generic[F]):
    """Notes of objects that are not traced values, each with a weak reference to the trace as long as which it counts.

    Every thread has its own.
    """

    def __init__(self) -> None:
        self.notes: list[tuple[Callable[[], Any], F]] = []

    def still_open(self) -> list[tuple[Callable[[], Any], F]]:
        """Returns the notes whose trace is open; drops the others."""
        if self.notes:
            traces = open_traces()
            self.notes = [note for note in self.notes if note[0]() in traces]
        return self.notes


kept: TraceNotes[Any] = TraceNotes()
"""What holds values of a trace that cannot hold it itself."""


def keep(x: Any, outermost: bool = False) -> None:
    """Keeps `x`, which holds values of the trace in progress (or the outermost one), as long as that is open, and not longer."""
    kept.still_open()
    trace = keep_with_trace(x, outermost)
    if trace is not None:
        kept.notes.append((trace, x))
