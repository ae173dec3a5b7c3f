"""What an outermost call of a converted function can get hold of; the classes among it are prepared before they are used.

A function gets objects by its arguments, its cells, the globals that it names, and the results of functions that are not
converted. These lead to others: by containers, attributes, defaults, suspended frames, modules. Python's own collector knows
what an object of C code or of a library holds.

The first trace looks at all objects. Code gets hold of what variables and containers hold, and of the attributes that it names:
so later traces follow the names that code used in the last one, and look at all objects when a function runs that names
others, or one of a library, which may name any. An object with thousands of parts costs them nothing.

>>> class Celsius:
...     __module__ = "example"
...     def __init__(self, degrees): self.degrees = degrees
...     def __add__(self, other): return Celsius(self.degrees + other)
>>> before = Celsius.__add__.__code__
>>> Reach(None, lambda: [{"x": (Celsius(3), 1.0)}]).look_at_all()
>>> Celsius.__add__.__code__ is before
False
"""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from types import CodeType, FrameType, FunctionType, MemberDescriptorType, ModuleType, TracebackType
from typing import Any, Protocol

import numpy as np

from autograph.code import library
from autograph.code.library import ARRAY_PACKAGES, is_library_class, is_library_module, names_of, package_of
from autograph.code.registry import BY_STRING, LOCK, names_in, words_in
from autograph.code.source import Source
from autograph.conversion import implicit_methods, library_callers
from autograph.errors import is_ours
from autograph.jax_internals import is_tracing
from autograph.runtime.heap.iterator_search import implicit_names
from autograph.runtime.heap.library_objects import has_library_methods
from autograph.runtime.tracing import context, default_dicts
from autograph.runtime.tracing.class_lookup import DICT, MRO, once_per_class, static_lookup
from autograph.runtime.tracing.families import CACHED, COLLECTIONS, LEAVES, MUTABLE_CONTAINERS

_LEAVES: set[Any] = {
    *LEAVES,
    *(CodeType, FrameType, TracebackType, np.float32, np.float64, np.int32, np.int64, np.bool_),
}
"""Classes of objects that lead to none of the user's; those of JAX and NumPy join them when they are met."""
_MAPPINGS = (dict, OrderedDict, defaultdict)
_OF_DATACLASSES = ("__annotations__", "__dataclass_fields__")  # dicts in a class that nobody writes to
# What their objects hold is theirs, not the user's.
_OWN_PACKAGES = ARRAY_PACKAGES | {"autograph"}
_BY_STRING = BY_STRING | {"globals"}
_MOST = 100_000  # values looked at in one go: a graph of objects larger than this is not followed to its end
_FEW = 1_000  # while nothing is traced (staging is forced): a method that is not prepared does what it did


class Unit(Protocol):
    """What is known of the function that is called."""

    names: frozenset[str] | None
    """Those that the last trace used; None where it is the first one, or where they may be any."""

    @property
    def source(self) -> Source:
        """Where it stands."""


def enter_outermost(unit: Unit, body: FunctionType, cells: FunctionType, arguments: Sequence[Any]) -> Any:
    """Calls the staged body of a function, of which `cells` has the variables around."""
    if "bdb" in sys.modules:
        from autograph.runtime.library import debuggers

        debuggers.prepare()
    before, checks = default_dicts.begin(), context.progress.checks
    try:
        if is_tracing():
            from autograph.conversion import returned_values

            returned_values.expect_result()
            implicit_methods.prepare_exchanged()
        context.progress.libraries_wrote = False
        context.progress.reach = reach = Reach(unit.names, lambda: (*arguments, *contents(cells)))
        reach.enter(unit.source.code, cells.__globals__)
        taker, context.progress.takes_none = context.progress.takes_none, None
        is_taken = taker is not None and _place(taker) == _place(unit.source.code)
        context.progress.caller_tests_none = is_taken and "asked_for_none" in body.__code__.co_names
        warn = None
        if "flax.nnx" in sys.modules:
            from autograph.conversion import changed_models

            warn = changed_models.watch(unit.source.code, arguments, sys._getframe(3).f_back)
        result = body(*arguments)
        if warn is not None:
            warn(result)
        unit.names = reach.used() if is_tracing() else None
        if is_tracing():
            returned_values.check(unit.source, result, sys._getframe(3).f_back, is_taken)
        return result
    except Exception as error:
        from autograph.runtime.checks import certain_failures

        if not certain_failures.is_left_to_the_program(error, checks, sys._getframe(4)):
            raise
        return None
    finally:
        default_dicts.end_call(before)
        context.progress.reach = context.progress.failing = None
        context.progress.has_choices = context.progress.has_bounded = False


def _place(code: CodeType) -> tuple[str, str, int]:
    """Returns where a function stands; pytest has another code for one with an `assert` than its source has."""
    return code.co_filename, code.co_qualname, code.co_firstlineno


class Reach:
    """What an outermost call can reach, and the names that its code has for it.

    Args:
        names: those of the last trace: of which attributes only these are followed. None: all are.
        roots: gives what the function is given and what its cells hold.
    """

    def __init__(self, names: frozenset[str] | None, roots: Callable[[], Iterable[Any]]) -> None:
        self.codes: dict[CodeType, dict[str, Any]] = {}  # what ran so far, with its globals
        self.modules: list[ModuleType] = []  # those that were met
        self.names = names
        self.roots = roots
        self.is_any = False
        self.received = weakref.WeakValueDictionary[int, Any]()  # objects that results of libraries led to so far
        self.classes: dict[type, dict[int, Any]] = {}  # the classes among these, with what stood in them, by `id`
        self.search(roots(), names)

    def enter(self, code: CodeType, space: dict[str, Any]) -> None:
        """Takes note of a function that is about to run: what it names is looked at."""
        if code not in self.codes and not is_ours(code.co_filename):
            self.codes[code] = space
            if self.names is None or words_in(code) <= self.names:
                self.search(self.named(code), self.names)
            else:
                self.look_at_all()

    def enter_any(self) -> None:
        """Takes note that code is about to run that may name anything."""
        self.is_any = True
        if self.names is not None:
            self.look_at_all()

    def look_at_all(self) -> None:
        """Follows all attributes from now on."""
        self.names = None
        self.search([*self.roots(), *(value for code in self.codes for value in self.named(code))], None)

    def receive(self, value: Any) -> Any:
        """Looks at what a function returns that is not converted: it may be an object that nothing else leads to.

        Objects of a model lead to one another: each is looked at once in a trace, not once for each layer that a library returns.
        Containers and functions are looked at again, for what they hold may have changed.
        """
        if type(value) not in _LEAVES:
            self.search([value], None, handed=self.received)
        return value

    def hand(self, values: Iterable[Any]) -> None:
        """Looks at what a library is given: it may call what it finds there."""
        convert_handed(values)

    def receive_arguments(self, values: Sequence[Any]) -> None:
        """Looks at what a function is given that Python or a library calls: most often an operand that is known."""
        unknown = [
            value for value in values if type(value) not in _LEAVES and not implicit_methods.is_prepared(type(value))
        ]
        if unknown:
            self.search(unknown, None)

    def used(self) -> frozenset[str] | None:
        """Returns the names that were used; None if they may be any."""
        found = frozenset().union(*map(words_in, self.codes))
        return None if self.is_any or not found.isdisjoint(BY_STRING) else found

    def named(self, code: CodeType) -> Iterable[Any]:
        """Yields what code names, or code inside it: globals, modules that it imports, and what stands in modules."""
        space, names = self.codes[code], names_in(code)
        if not names.isdisjoint(_BY_STRING):
            yield from [value for value in list(space.values()) if type(value) is not ModuleType]
        for name in names:
            value = space.get(name)
            yield sys.modules.get(name) if value is None else value
        for module in self.modules:
            yield from _in_module(module, names)

    def search(
        self,
        values: Iterable[Any],
        names: frozenset[str] | None,
        is_foreign: bool = False,
        handed: weakref.WeakValueDictionary[int, Any] | None = None,
    ) -> None:
        """Prepares the classes of all objects that `values` lead to, and the functions that a library calls.

        Args:
            names: of which attributes only these are followed, and those that the methods name of classes that are met.
            is_foreign: whether objects of packages lead to them that do not use JAX: those call nothing in a trace.
            handed: objects that libraries reach and that were looked at before, to which this adds others.
        """
        if names is not None and not names.isdisjoint(BY_STRING):
            names = None
        roots = [*values]
        open_: deque[Any] = deque(roots)  # what is near comes first
        of_libraries, foreign = deque[Any](), deque[Any]()
        seen = {id(sys.modules)}  # of all modules only those that the code names are its own
        most = _MOST if is_tracing() else _FEW
        while open_ and len(seen) < most:
            value = open_.popleft()
            kind = type(value)
            if kind in _LEAVES or id(value) in seen:
                continue
            seen.add(id(value))
            if kind in COLLECTIONS:
                if not _LEAVES.issuperset(map(type, value)):
                    open_.extend(value)
            elif kind is ModuleType:
                open_.extend(self._of_module(value))
            elif issubclass(kind, type):
                if not is_foreign and library_callers.calls(value):
                    prepare_class(value)
                open_.extend(_inside(value, kind) if handed is None else self._of_class(value))
            elif kind is FunctionType or is_library_class(kind):
                inside = open_
                if not is_foreign:
                    is_other = kind is not FunctionType and library_callers.is_of_installed(kind)
                    inside = of_libraries if library_callers.calls(value) else foreign if is_other else open_
                if inside is not of_libraries or not library_callers.is_marked(value):
                    inside.extend(_inside(value, kind))
            else:
                implicit_methods.prepare_methods(kind)
                if names is not None and not (further := implicit_names(kind)) <= names:
                    return self.search(roots, names | further)
                open_.append(kind)
                found = _attributes(value, kind, None if has_library_methods(kind) else names)
                (open_ if is_foreign or not library_callers.calls(kind) else of_libraries).extend(found)
        if of_libraries:
            convert_handed(of_libraries, handed)
        if foreign:
            self.search(foreign, None, is_foreign=True)

    def _of_class(self, value: type) -> Iterable[Any]:
        """Returns what a class leads to; of one that was met before, what is new in it, and what may hold something new."""
        known = self.classes.get(value, {})
        self.classes[value] = found = {id(part): part for part in _inside(value, type)}
        fixed = {id(value.__dict__.get(name)) for name in _OF_DATACLASSES}
        return [x for key, x in found.items() if key not in known or type(x) in MUTABLE_CONTAINERS and key not in fixed]

    def _of_module(self, module: ModuleType) -> Iterable[Any]:
        """Returns what the code that ran so far names in a module."""
        if module in self.modules or library.package_of_module(module) in _OWN_PACKAGES:
            return ()
        self.modules.append(module)
        return _in_module(module, frozenset().union(*map(names_in, self.codes)))


def _in_module(module: ModuleType, names: frozenset[str]) -> list[Any]:
    space = vars(module)
    if not names.isdisjoint(_BY_STRING) and not is_library_module(module.__name__):
        return [value for value in list(space.values()) if type(value) is not ModuleType]
    return [space[name] for name in names.intersection(space)]


def contents(fn: FunctionType) -> Iterable[Any]:
    """Yields what the cells of a function hold."""
    for cell in fn.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue


def _inside(value: Any, kind: type) -> Iterable[Any]:
    """Returns what an object leads to that is not of a user's class: a class, a function, a container, an object of a library."""
    if kind in _MAPPINGS:
        if kind is defaultdict:
            default_dicts.watch_dict(value)
        keys = () if _LEAVES.issuperset(map(type, value)) else value
        return (*keys, *value.values())
    if kind is FunctionType:
        held = (value.__defaults__, value.__kwdefaults__, value.__dict__)
        return (*contents(value), *filter(None, held)) if value.__closure__ else filter(None, held)
    if issubclass(kind, type):
        if type(static_lookup(value, "__init_subclass__")) is classmethod:
            implicit_methods.prepare_methods(value)  # a `class` statement calls it
        return [part for base in MRO(value) if not is_library_class(base) for part in list(DICT(base).values())]
    if issubclass(kind, weakref.ref):
        return (value(),)
    if kind is CACHED:
        return (
            value.__wrapped__,
        )  # what it keeps for others is not the user's; its results are looked at where it is called
    if issubclass(kind, np.ndarray):
        return value.ravel().tolist() if value.dtype.hasobject else ()
    if issubclass(kind, threading.local):
        return (value.__dict__,)
    if package_of(kind) in _OWN_PACKAGES and not library_callers.stands_for_function(kind):
        _LEAVES.add(kind)
        return ()
    return gc.get_referents(value)


def prepare_class(kind: type) -> None:
    """Prepares a class of which an object is made, or a method called; once."""
    if library_callers.calls(kind) and kind not in _handed:
        with LOCK:
            convert_handed([kind])
    implicit_methods.prepare_methods(kind)


_handed: weakref.WeakSet[type] = weakref.WeakSet()
"""Classes of which all functions have been converted in place; what their objects hold is looked at in each trace."""


def convert_handed(values: Iterable[Any], known: weakref.WeakValueDictionary[int, Any] | None = None) -> None:
    """Converts in place all functions of the user's that a library can reach which is handed `values`, except what is `known`."""
    open_: deque[Any] = deque(values)
    seen = {id(sys.modules)}
    classes: list[type] = []
    while open_ and len(seen) < _MOST:
        value = open_.popleft()
        kind = type(value)
        if kind in _LEAVES or id(value) in seen:
            continue
        seen.add(id(value))
        if kind in COLLECTIONS:
            if not _LEAVES.issuperset(map(type, value)):
                open_.extend(value)
        elif kind is ModuleType or library_callers.is_left(value):
            continue
        elif kind is FunctionType:
            implicit_methods.prepare_function(value)
            open_.extend(_inside(value, kind))
            if not is_tracing():  # where nothing is, what it calls runs as it is, and may hand functions to a library
                open_.extend(library_callers.named_by(value))
        elif issubclass(kind, type):
            if value not in _handed:
                classes.append(value)
                open_.extend(_inside(value, kind))
        elif known is not None and _is_known(value, known):
            continue
        elif is_library_class(kind):
            if kind is not CACHED and (library_callers.calls(value) or not library_callers.is_of_installed(kind)):
                open_.extend(_inside(value, kind))
        else:
            implicit_methods.prepare_methods(kind)
            open_.append(kind)
            open_.extend(gc.get_referents(value))
    _handed.update(classes)


def _is_known(value: Any, known: weakref.WeakValueDictionary[int, Any]) -> bool:
    """Whether an object was met before, and is known from now on. Dicts are never: to refer to them would keep them alive."""
    if known.get(id(value)) is value:
        return True
    try:
        known[id(value)] = value
    except TypeError:
        pass
    return False


def _attributes(value: Any, kind: type, names: frozenset[str] | None) -> Iterable[Any]:
    """Returns what a user's object holds, without running its code: its `__dict__`, its slots, the items of a container.

    Args:
        names: of which attributes; None for all.
    """
    if names is None:
        return gc.get_referents(value)
    found: list[Any] = []
    containers, slots = _layout(kind)
    for base in containers:
        found += (*dict.keys(value), *dict.values(value)) if base is dict else base.__iter__(value)
    own = names_of(value)
    found += [own[name] for name in names.intersection(own)]
    for name, slot in slots:
        if name in names:
            try:
                found.append(slot.__get__(value))
            except AttributeError:
                continue
    return found


@once_per_class
def _layout(kind: type) -> tuple[list[Any], list[tuple[str, Any]]]:
    """Returns the containers that a class derives from, and its slots."""
    members = [item for base in MRO(kind) for item in DICT(base).items()]
    containers = [base for base in (*COLLECTIONS, dict) if issubclass(kind, base)]
    return containers, [(name, member) for name, member in members if type(member) is MemberDescriptorType]
