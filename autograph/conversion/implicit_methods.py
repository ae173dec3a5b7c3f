"""Methods that Python calls without a call in the source: getters, operators, `__iter__`, `__len__`, `__post_init__`, ...

There is no call to convert where `a + b` runs `a.__add__`. So when staged code meets an object of a user's class, the
class's special methods and getters get their author's body *in place*: the function objects stay what they are (identity,
defaults, cells, attributes, pickling) and their `__code__` becomes the one with the check at entry. While nothing is
traced they run as before.

Staged code meets a class when it makes an instance, calls a method, or can reach an instance: through its arguments,
its cells, the globals that it names, and through containers and attributes of these. Of classes that it reaches in other
ways see `unseen_classes`.

>>> class Celsius:
...     __module__ = "example"
...     def __init__(self, degrees): self.degrees = degrees
...     def __add__(self, other): return Celsius(self.degrees + other)
...     def warmer(self): return self + 1
>>> add, before = Celsius.__add__, Celsius.__add__.__code__
>>> prepare_values([(Celsius(3), 1.0)])
>>> Celsius.__add__ is add, add.__code__ is before, (Celsius(1) + 2).degrees
(True, False, 3)
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from types import BuiltinFunctionType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph.code.library import is_library, is_library_class, is_library_module
from autograph.code.registry import BY_TEXT, LOCK, known, names_in
from autograph.errors import AutoGraphError
from autograph.jax_internals import is_tracing
from autograph.options import DEFAULT
from autograph.runtime.heap import journal
from autograph.runtime.heap.iterator_search import implicit_names
from autograph.runtime.heap.library_objects import has_library_methods
from autograph.runtime.tracing import default_dicts, host
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.verbosity import described, tell

_MRO = type.__dict__["__mro__"].__get__
_DICT = type.__dict__["__dict__"].__get__
# Nobody waits for what `__del__` does; construction converts `__init__` and `__new__` by itself.
_LEFT = frozenset({"__del__"})
_SIMPLE: frozenset[Any] = frozenset(
    {bool, int, float, complex, str, bytes, type(None), range, slice, ModuleType, BuiltinFunctionType, CodeType}
    | {np.ndarray, np.dtype, np.float32, np.float64, np.int32, np.int64, np.bool_}
)
_CACHED = type(functools.cache(len))
_SEQUENCES = (list, tuple, set, frozenset, deque)
_MAPPINGS = (dict, OrderedDict, defaultdict)
# What their objects hold is theirs, not the user's.
_OWN_PACKAGES = frozenset({"builtins", "jax", "jaxlib", "numpy"})
_MOST = 100_000  # values looked at in one go: a graph of objects larger than this is not followed to its end
_FEW = 1_000  # while nothing is traced (staging is forced): a method that is not prepared does what it did

_begun: weakref.WeakSet[type] = weakref.WeakSet()
_announcing: weakref.WeakSet[Any] = weakref.WeakSet()  # functions of ours around those of cached properties
_ready: weakref.WeakSet[type] = weakref.WeakSet()  # all its methods are exchanged: other threads need not wait

_placed: weakref.WeakKeyDictionary[FunctionType, tuple[CodeType, tuple[str | None, bool]]] = weakref.WeakKeyDictionary()


def prepare_class(kind: type) -> None:
    """Gives the implicitly called methods of a class and its bases their author's body; once, library classes never."""
    if kind in _ready:
        return
    with LOCK:
        if kind in _begun:
            return
        _begun.add(kind)
        if not is_library_class(kind):
            for base in _MRO(kind):
                if base is kind:
                    for name, value in list(_DICT(base).items()):
                        if type(value) is FunctionType and value.__module__ == "functools":
                            _own(kind, name, value)
                        else:
                            prepare_member(name, value)
                else:
                    prepare_class(base)
            prepare_class(type(kind))
        _ready.add(kind)


def prepare_member(name: str, value: Any, level: int = 1) -> None:
    """Prepares what a class has under a name, if it is a method that Python calls by itself.

    Args:
        level: at which verbosity it is said that a method cannot be converted.
    """
    kind = type(value)
    if kind in (staticmethod, classmethod):
        value = value.__func__
        kind = type(value)
    if kind is FunctionType or kind is _CACHED:
        if name[:2] == "__" == name[-2:] and name not in _LEFT:
            _in_place(value, level)
    elif kind is property:
        for part in (value.fget, value.fset, value.fdel):
            _in_place(part, level)
    elif kind is functools.cached_property:
        _in_place(value.func, level, caches=value.attrname)
        _announce(value)
    elif kind not in _SIMPLE and not isinstance(value, type):
        prepare_class(kind)  # a descriptor of the user's


def _own(kind: type, name: str, fn: FunctionType) -> None:
    """Gives a class a converted copy of a method that `functools.total_ordering` shares among all classes."""
    type.__setattr__(kind, name, host.conversion.convert_function(fn, explicit=True))


def _in_place(fn: Any, level: int, caches: str | None = None, is_cached: bool = False) -> None:
    """Gives a function its author's body. One that cannot be converted stays as it is: it still does what it did."""
    is_cached = is_cached or type(fn) is _CACHED
    if type(fn) is _CACHED:
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
        tell(level, "%s (%s:%d) stays as it is: %s", *described(fn.__code__), error)
        return
    found = known(code)
    if found is not None and code.co_freevars == fn.__code__.co_freevars:
        found.unit.caches = caches
        found.unit.is_cached = is_cached
        fn.__code__ = code
        _placed[fn] = code, (caches, is_cached)


def prepare_exchanged() -> None:
    """Gives methods that were prepared their author's body again where somebody gave them other code since."""
    with LOCK:
        for fn, (code, kind) in list(_placed.items()):
            if fn.__code__ is not code:
                del _placed[fn]
                _in_place(fn, 1, *kind)


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


def prepare_values(values: Iterable[Any], names: frozenset[str] | None = None) -> None:
    """Prepares the classes of all objects that can be reached from `values` through containers and attributes.

    Args:
        names: of which attributes only these are followed, and those that the methods name of classes that are met.
    """
    if names is not None and not names.isdisjoint(BY_TEXT):
        names = None
    roots = [*values]
    open_: deque[Any] = deque(roots)  # what is near comes first
    seen: set[int] = set()
    most = _MOST if is_tracing() else _FEW
    while open_ and len(seen) < most:
        value = open_.popleft()
        kind = type(value)
        if kind is type and type(static_lookup(value, "__init_subclass__")) is classmethod:
            prepare_class(value)  # a `class` statement calls it
        if kind in _SIMPLE or id(value) in seen:
            continue
        seen.add(id(value))
        if kind in _SEQUENCES:
            if not _SIMPLE.issuperset(map(type, value)):
                open_.extend(value)
        elif kind in _MAPPINGS:
            open_.extend(value.values())
            if kind is defaultdict:
                default_dicts.watch(value)
        elif kind is MethodType:
            open_.append(value.__self__)
        elif kind is functools.partial:
            open_.extend((value.func, *value.args, *value.keywords.values()))
        elif kind is FunctionType:
            if not is_library(value):
                open_.extend(contents(value))
        elif kind is weakref.ref:
            open_.append(value())
        elif issubclass(kind, type):
            for base in _MRO(value):
                if not is_library_class(base):
                    open_.extend(_DICT(base).values())
        elif not is_library_class(kind):
            prepare_class(kind)
            if names is not None and not (further := implicit_names(kind)) <= names:
                return prepare_values(roots, names | further)
            open_.append(kind)
            open_.extend(_attributes(value, kind, None if has_library_methods(kind) else names))
        elif str(kind.__module__).partition(".")[0] not in _OWN_PACKAGES:
            open_.extend(_attributes(value, kind))


def prepare_function(fn: FunctionType) -> None:
    """Prepares what a function can reach by its cells and by the globals that it names."""
    values = list(globals_of(fn.__code__, fn.__globals__))
    prepare_values((*contents(fn), *values))
    for value in values:
        if type(value) is defaultdict:
            default_dicts.watch(value, always=True)  # evaluated once for each function


def contents(fn: FunctionType) -> Iterable[Any]:
    """What the cells of a function hold."""
    for cell in fn.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue


def globals_of(code: CodeType, space: dict[str, Any]) -> Iterable[Any]:
    """What the globals hold that code, or code inside it, names, also those of the user's modules that it names.

    Functions are prepared when they are called.
    """
    names = names_in(code)
    open_, seen = [space], {id(space)}
    while open_:
        space = open_.pop()
        for name in names:
            value = space.get(name)
            if value is None:
                value = sys.modules.get(name)  # imported in the function
            if type(value) is ModuleType and not is_library_module(value.__name__):
                if id(vars(value)) not in seen:
                    seen.add(id(vars(value)))
                    open_.append(vars(value))
            elif type(value) is not FunctionType:
                yield value


def _attributes(value: Any, kind: type, names: frozenset[str] | None = None) -> Iterable[Any]:
    """What an object holds, without asking it: its `__dict__`, its slots, and the items of a container.

    Args:
        names: of which attributes; None for all.
    """
    for base in _SEQUENCES:
        if issubclass(kind, base):
            yield from base.__iter__(value)
    if issubclass(kind, dict):
        yield from dict.values(value)
    try:
        own = object.__getattribute__(value, "__dict__")
        yield from list(own.values()) if names is None else [own[name] for name in names.intersection(own)]
    except (AttributeError, TypeError):
        pass
    for base in _MRO(kind):
        for name, member in _DICT(base).items():
            if type(member) is MemberDescriptorType and (not name.startswith("__") if names is None else name in names):
                try:
                    yield member.__get__(value)
                except AttributeError:
                    continue
