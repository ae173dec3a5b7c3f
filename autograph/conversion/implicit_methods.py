"""Methods that Python calls without a call in the source: getters, operators, `__iter__`, `__len__`, `__post_init__`, ...

There is no call to convert where `a + b` runs `a.__add__`. So when staged code meets an object of a user's class, the
class's special methods and getters get their author's body *in place*: the function objects stay what they are (identity,
defaults, cells, attributes, pickling) and their `__code__` becomes the one with the check at entry. While nothing is
traced they run as before.

Staged code meets a class when it makes an instance, calls a method, or can reach an instance (`reach`). Where there is no
author's body (no source, or the user said so), a method that may write is replaced by one that announces what it wrote.

>>> class Celsius:
...     __module__ = "example"
...     def __init__(self, degrees): self.degrees = degrees
...     def __add__(self, other): return Celsius(self.degrees + other)
...     def warmer(self): return self + 1
>>> add, before = Celsius.__add__, Celsius.__add__.__code__
>>> prepare_methods(Celsius)
>>> Celsius.__add__ is add, add.__code__ is before, (Celsius(1) + 2).degrees
(True, False, 3)
"""

from __future__ import annotations

import dis
import functools
import weakref
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from autograph.code.library import is_library_class
from autograph.code.registry import LOCK, known
from autograph.errors import AutoGraphError
from autograph.options import DEFAULT
from autograph.runtime.heap import journal, opaque_calls
from autograph.runtime.tracing import host
from autograph.runtime.tracing.class_lookup import DICT, MRO
from autograph.runtime.tracing.families import CACHED
from autograph.verbosity import describe_code, tell

# Nobody waits for what `__del__` does; construction converts `__init__` and `__new__` by itself.
_LEFT = frozenset({"__del__"})
# Those that a call in the source calls, of which the callee is converted.
_CALLED = frozenset({"__init__", "__new__", "__call__", "__del__"})
# Those that `dataclass` writes without source, of which none writes to the heap unheard.
_DATACLASS = frozenset({"__repr__", "__hash__", "__setattr__", "__delattr__", "__getstate__", "__setstate__"})
_WRITING = frozenset(
    code
    for name, code in dis.opmap.items()
    if name.startswith(("STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "STORE_GLOBAL", "STORE_DEREF", "DELETE_", "CALL"))
    or name == "BINARY_OP"  # `xs += [1]` on a list
)

_begun: weakref.WeakSet[type] = weakref.WeakSet()
_announcing: weakref.WeakSet[Any] = weakref.WeakSet()  # functions of ours around those of cached properties
_ready: weakref.WeakSet[type] = weakref.WeakSet()  # all its methods are exchanged: other threads need not wait

_placed: weakref.WeakKeyDictionary[FunctionType, tuple[CodeType, tuple[str | None, bool]]] = weakref.WeakKeyDictionary()


def prepare_methods(kind: type) -> None:
    """Gives the implicitly called methods of a class and its bases their author's body; once, library classes never."""
    if kind in _ready:
        return
    with LOCK:
        if kind in _begun:
            return
        _begun.add(kind)
        if not is_library_class(kind):
            for base in MRO(kind):
                if base is kind:
                    for name, value in list(DICT(base).items()):
                        if type(value) is FunctionType and value.__module__ == "functools":
                            _own(kind, name, value)
                        else:
                            _prepare_member(name, value)
                            _watch(kind, name, value)
                else:
                    prepare_methods(base)
            prepare_methods(type(kind))
        _ready.add(kind)


def is_prepared(kind: type) -> bool:
    """Whether the methods of a class have their author's body."""
    return kind in _ready


def _prepare_member(name: str, value: Any) -> None:
    """Prepares what a class has under a name, if it is a method that Python calls by itself."""
    kind = type(value)
    if kind in (staticmethod, classmethod):
        value = value.__func__
        kind = type(value)
    if kind is FunctionType or kind is CACHED:
        if name[:2] == "__" == name[-2:] and name not in _LEFT:
            _in_place(value)
    elif kind is property:
        for part in _parts(value):
            _in_place(part)
    elif kind is functools.cached_property:
        _in_place(value.func, caches=value.attrname)
        _announce(value)
    elif not isinstance(value, type):
        prepare_methods(kind)  # a descriptor of the user's


def _own(kind: type, name: str, fn: FunctionType) -> None:
    """Gives a class a converted copy of a method that `functools.total_ordering` shares among all classes."""
    type.__setattr__(kind, name, host.conversion.convert_function(fn, explicit=True))


def _in_place(fn: Any, caches: str | None = None, is_cached: bool = False) -> None:
    """Gives a function its author's body. One that cannot be converted stays as it is: it still does what it did."""
    is_cached = is_cached or type(fn) is CACHED
    if type(fn) is CACHED:
        fn = fn.__wrapped__
    if type(fn) is not FunctionType or host.conversion.stays(fn):
        return
    found = known(fn.__code__)
    if found is not None:
        if is_cached and found.unit is not None:
            found.unit.is_cached = True
        return
    try:
        code = host.conversion.author_code(fn, DEFAULT)
    except AutoGraphError as error:
        tell(1, "%s (%s:%d) stays as it is: %s", *describe_code(fn.__code__), error)
        return
    found = known(code)
    if found is not None and code.co_freevars == fn.__code__.co_freevars:
        found.unit.caches = caches
        found.unit.is_cached = is_cached
        fn.__code__ = code
        _placed[fn] = code, (caches, is_cached)


def prepare_function(fn: FunctionType) -> None:
    """Gives a function that a library calls its author's body."""
    if known(fn.__code__) is None:
        with LOCK:
            _in_place(fn)


def prepare_exchanged() -> None:
    """Gives methods that were prepared their author's body again where somebody gave them other code since."""
    with LOCK:
        for fn, (code, kind) in list(_placed.items()):
            if fn.__code__ is not code:
                del _placed[fn]
                _in_place(fn, *kind)


def _announce(getter: functools.cached_property[Any]) -> None:
    """Makes a getter tell the journal what it keeps, where its function has no prologue that does: one that a staged function
    defines, that is marked `do_not_convert`, or that has no source.
    """
    fn, name = getter.func, getter.attrname
    if type(fn) is not FunctionType or name is None or fn in _announcing:
        return
    found = known(fn.__code__)
    if found is not None and found.unit is not None and found.unit.caches is not None:
        return

    @functools.wraps(fn)
    def get(obj: Any) -> Any:
        journal.touch_attribute(obj, name)
        return fn(obj)

    _announcing.add(get)
    getter.func = get


# --- methods that cannot be converted ---


def _watch(kind: type, name: str, value: Any) -> None:
    """Puts a method that may write and cannot be converted into one that announces what it wrote."""
    if type(value) is property:
        if name == "__dict__":  # a class that computes it: the name can be given in a class's body alone
            return
        if any(map(_writes, _parts(value))):
            get, put, delete = map(_watched, _parts(value))
            if (get, put, delete) != (value.fget, value.fset, value.fdel):
                type.__setattr__(kind, name, property(get, put, delete, value.__doc__))
    elif type(value) is FunctionType and name[:2] == "__" == name[-2:] and name not in _CALLED | _DATACLASS:
        if _writes(value) and (found := _watched(value)) is not value:
            type.__setattr__(kind, name, found)


def _watched(fn: Any) -> Any:
    if type(fn) is not FunctionType or known(fn.__code__) is not None or host.conversion.announces(fn):
        return fn

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        return (opaque_calls.watched(fn) if journal.hears_of_writes() else fn)(*args, **kwargs)

    return call


def _parts(value: property) -> Iterator[Any]:
    yield from (value.fget, value.fset, value.fdel)


def _writes(fn: Any) -> bool:
    """Whether a function may write to the heap by itself or by a call; operators that it uses are other methods."""
    return type(fn) is FunctionType and not _WRITING.isdisjoint(fn.__code__.co_code[::2])
