"""Attributes that an object may have, or take from its class: which of the two depends on a traced value.

`if p: obj.a = 2` with `a` in the class makes `a` an attribute of the object, whose value the `if` chooses. In Python the
object still takes it from the class where `p` is false, and a later write to the class would show. That write is refused.

>>> class Model:
...     rate = 1
>>> import jax
>>> @jax.jit
... def traced(x):
...     model = Model()
...     note_fallback(model, "rate", None)
...     model.rate = x
...     check_fallback(Model, "rate")
>>> try:
...     traced(1.0)
... except errors.StagingError as error:
...     print(str(error).splitlines()[0])
attribute 'rate' of class Model is written while a Model may take it from there
"""

from __future__ import annotations

import gc
import weakref
from typing import Any, NamedTuple

from autograph import errors
from autograph.jax_internals import outermost_trace
from autograph.runtime.tracing.facts import TraceNotes
from autograph.runtime.tracing.refusals import a
from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values.locations import AttributeLocation


class _Fallback(NamedTuple):
    obj: Any
    attribute: str
    at: Any

    def takes_from(self, kind: type) -> bool:
        obj = self.obj()
        return isinstance(obj, kind) and AttributeLocation(obj, self.attribute).get() is not UNSET


_fallbacks: TraceNotes[_Fallback] = TraceNotes()


def note_fallback(obj: Any, attribute: str, at: Any) -> None:
    """Notes that the statement at `at` chose between an attribute of the object and one of its class."""
    try:
        reference: Any = weakref.ref(obj)
    except TypeError:
        return  # it has no `__dict__`, so it takes nothing from its class that it could have itself
    _fallbacks.notes.append((outermost_trace(), _Fallback(reference, attribute, at)))


def check_fallback(kind: Any, attribute: str) -> None:
    """Refuses a write to an attribute of a class that an object may be taking from there.

    Raises:
        StagingError: names the statement after which that is not known.
    """
    if not _fallbacks.notes or not issubclass(type(kind), type):  # which runs no code of the user's
        return
    noted = _fallbacks.still_open()
    for collect in (False, True):
        if collect:
            gc.collect()  # closures that refer to themselves keep objects alive for no reason
        found = [fallback for _, fallback in noted if fallback.attribute == attribute and fallback.takes_from(kind)]
        if not found:
            return
    check_object(kind, found[0].obj(), attribute, found[0].at)


def check_object(kind: Any, obj: Any, attribute: str, at: Any) -> None:
    """The same for one object, whose attribute the statement at `at` chose."""
    if isinstance(kind, type) and isinstance(obj, kind):
        name = type(obj).__qualname__
        raise errors.StagingError(
            f"attribute '{attribute}' of class {kind.__qualname__} is written while {a(name)} may take it from there",
            at=errors.Location.of(at),
            why="the statement writes the attribute of the object on one of its paths only, and whether the object has one "
            "of its own is only known when the program runs",
            instead="write the attribute of the object before the statement, on both paths, or not at all",
            page="class-attribute-behind-a-branch",
        )
