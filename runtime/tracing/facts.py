"""What is known of a traced value, by the identity of its tracer and for as long as that lives.

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

import weakref
from typing import Any, Generic, TypeVar

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
