"""The user's classes that staged code may reach without having met them: through a library's objects and what it returns.

`implicit_methods` prepares the classes that staged code meets. An operator or a getter of another class would write to
the heap unheard, so before the first region of a trace all classes of the process are walked (4,000 take less than a
millisecond), and those methods of the user's get their author's body that Python calls by itself and that may write.
Where there is none (no source, or the user said so), a method is replaced by one that announces what it wrote.

>>> class Tally:
...     __module__ = "example"
...     def __init__(self): self.n = 0
...     def __add__(self, k): self.n += k
...     def __neg__(self): return self
...     def reset(self): self.n = 0
>>> before = {name: Tally.__dict__[name].__code__ for name in ("__init__", "__add__", "__neg__", "reset")}
>>> prepare_unseen()
>>> [name for name, code in before.items() if Tally.__dict__[name].__code__ is not code]
['__add__']
"""

from __future__ import annotations

import dis
import functools
import weakref
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from autograph.code.library import is_library_class
from autograph.code.registry import LOCK, known
from autograph.conversion import implicit_methods
from autograph.jax_internals import outermost_trace
from autograph.runtime.heap import journal, opaque_calls
from autograph.runtime.tracing import host
from autograph.runtime.tracing.context import progress

# Those that a call in the source calls, of which the callee is converted; nobody waits for what `__del__` does.
_CALLED = frozenset({"__init__", "__new__", "__call__", "__del__"})
# Those that `dataclass` writes without source, of which none writes to the heap unheard.
_DATACLASS = frozenset({"__repr__", "__hash__", "__setattr__", "__delattr__", "__getstate__", "__setstate__"})
_WRITING = frozenset(
    code
    for name, code in dis.opmap.items()
    if name.startswith(("STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "STORE_GLOBAL", "STORE_DEREF", "DELETE_", "CALL"))
    or name == "BINARY_OP"  # `xs += [1]` on a list
)


def prepare_unseen() -> None:
    """Prepares what the classes define that are new since the last call; once in a trace."""
    trace = outermost_trace()
    if trace() is not None and progress.walked() is trace():
        return
    progress.walked = trace
    with LOCK:
        for kind in _new_classes():
            if not is_library_class(kind):
                for name, value in list(type.__dict__["__dict__"].__get__(kind).items()):
                    if _may_write(name, value):
                        implicit_methods.prepare_member(name, value, level=3)
                        _watch(kind, name, value)


class _Seen:
    """The classes that were there at one time.

    That they are all there is, and no other, is seen by their addresses, as long as none of them is gone.
    """

    def __init__(self, classes: list[type]) -> None:
        self._ids = list(map(id, classes))
        self._is_whole = True
        me = weakref.ref(self)

        def gone(_: Any) -> None:
            if (seen := me()) is not None:
                seen._is_whole = False

        self._references = {id(kind): weakref.ref(kind, gone) for kind in classes}

    def are(self, classes: list[type]) -> bool:
        """Whether these are the same classes, in the same order."""
        return self._is_whole and list(map(id, classes)) == self._ids

    def without(self, classes: list[type]) -> list[type]:
        """Those that were not there."""
        known = self._references
        return [kind for kind in classes if id(kind) not in known or known[id(kind)]() is not kind]


_seen = _Seen([])


def _new_classes() -> list[type]:
    """The classes that were not there at the last call."""
    global _seen
    classes: list[type] = [object]
    subclasses = type.__subclasses__
    for kind in classes:  # which grows
        classes += subclasses(kind)
    if _seen.are(classes):
        return []
    found = _seen.without(classes)
    _seen = _Seen(classes)
    return found


def _may_write(name: str, value: Any) -> bool:
    if type(value) is property or type(value) is functools.cached_property:
        return any(map(_writes, _parts(value)))
    if type(value) in (staticmethod, classmethod):
        value = value.__func__
    return name[:2] == "__" == name[-2:] and name not in _CALLED and _writes(value)


def _watch(kind: type, name: str, value: Any) -> None:
    """Puts a method that cannot be converted into one that announces what it wrote."""
    if type(value) is property:
        get, put, delete = map(_watched, _parts(value))
        if (get, put, delete) != (value.fget, value.fset, value.fdel):
            type.__setattr__(kind, name, property(get, put, delete, value.__doc__))
    elif type(value) is FunctionType and name not in _DATACLASS and (found := _watched(value)) is not value:
        type.__setattr__(kind, name, found)


def _watched(fn: Any) -> Any:
    if type(fn) is not FunctionType or known(fn.__code__) is not None or host.conversion.announces(fn):
        return fn

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        return (opaque_calls.watched(fn) if journal.hears_of_writes() else fn)(*args, **kwargs)

    return call


def _parts(value: Any) -> Iterator[Any]:
    if type(value) is property:
        yield from (value.fget, value.fset, value.fdel)
    else:
        yield value.func


def _writes(fn: Any) -> bool:
    """Whether a function may write to the heap by itself or by a call; operators that it uses are other methods."""
    return type(fn) is FunctionType and not _WRITING.isdisjoint(fn.__code__.co_code[::2])
