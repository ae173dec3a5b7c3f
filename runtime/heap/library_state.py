"""What the functions of installed packages keep in their modules: counters, registries, stacks of handlers, values.

A library's function announces no write there. So when one is called while a region is staged, what its package keeps is
looked at, once for the region; when the region is over, what changed is announced to the journal as a write of the region, and
joined with what the other branch leaves, or refused. Only what known frameworks note for themselves is not (`framework_notes`).

What a package keeps is what its functions write by `global`, and containers, objects of its own classes and thread-locals that
its modules have as variables. The standard library is not looked at, and neither is JAX.

>>> module = sys.modules["counter"] = ModuleType("counter")
>>> exec("calls, seen = 0, []\\ndef tick():\\n    global calls\\n    calls += 1", vars(module))
>>> written, kept = _places("counter")
>>> [place.name for place in written], [place.name for place in kept]
(['calls'], ['seen'])
>>> del sys.modules["counter"]
"""

from __future__ import annotations

import dis
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from autograph.code import library
from autograph.runtime.heap.opaque_calls import Watch
from autograph.runtime.tracing import context
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.families import MUTABLE_CONTAINERS
from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values.locations import GlobalLocation

_WITHOUT = sys.stdlib_module_names | library.ARRAY_PACKAGES | {"autograph", "ml_dtypes", "pytest", "_pytest"}
_KEEPING = (*MUTABLE_CONTAINERS, threading.local)
_MOST = 2_000  # objects that are looked at for one package
_STORE = frozenset({dis.opmap["STORE_GLOBAL"], dis.opmap["DELETE_GLOBAL"]})

_known: dict[str, tuple[list[ModuleType], list[GlobalLocation], list[GlobalLocation]]] = {}


def watch_package(f: Any) -> None:
    """Looks at what the package of a function keeps, if that is the first call of the innermost region into the package."""
    region = context.innermost()
    module = _module_of(f)
    if region is None or type(module) is not str:
        return
    package = module.partition(".")[0]
    if package in region.watches or package.lstrip("_") in _WITHOUT:
        return
    if library.is_library_module(module):
        region.watches[package] = frozenset(region.entries), _Kept(package)


def _module_of(f: Any) -> Any:
    """The module whose code runs first: a wrapper that a library made bears the name of the user's module.

    A wrapper of JAX's or of the standard library's keeps nothing; what is inside does.
    """
    if type(f) is MethodType:
        f = f.__func__
    elif not isinstance(f, type) and type(call := static_lookup(type(f), "__call__")) is FunctionType:
        f = call
    if type(f) is not FunctionType:
        return getattr(f, "__module__", None)
    module = f.__globals__.get("__name__")
    inner = f.__dict__.get("__wrapped__")
    is_around = type(module) is str and module.partition(".")[0] in _WITHOUT and type(inner) is FunctionType
    return _module_of(inner) if is_around else module


def packages_seen() -> Iterator[tuple[tuple[str, str], Any]]:
    """What the packages keep that were looked at so far, each with a step to it (see `outside`)."""
    for _, _, places in list(_known.values()):
        for place in places:
            yield ("", f"{place.obj.get('__name__')}.{place.name}"), place.get()


class _Kept(Watch):
    """What a package keeps."""

    def __init__(self, package: str) -> None:
        written, kept = _places(package)
        values = [value for place in (*written, *kept) if (value := place.get()) is not UNSET]
        super().__init__(values, written, most=_MOST)


def _places(package: str) -> tuple[list[GlobalLocation], list[GlobalLocation]]:
    """The variables that functions of a package write, and those that hold what may change."""
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith(package) and (name == package or name[len(package)] == ".") and type(module) is ModuleType
    ]
    known = _known.get(package)
    if known is None or known[0] != modules:
        written: dict[Any, GlobalLocation] = {}
        kept: dict[Any, GlobalLocation] = {}
        for module in modules:
            space = vars(module)
            for name in set(_stored(list(space.values()), module.__name__)):
                written[id(space), name] = GlobalLocation(space, name)
            for name, value in list(space.items()):
                if (name[:2] != "__" and issubclass(type(value), _KEEPING)) or _is_own(type(value), package):
                    kept[id(value)] = GlobalLocation(space, name)
        known = _known[package] = modules, list(written.values()), list(kept.values())
    return known[1:]


def _is_own(kind: type, package: str) -> bool:
    return not issubclass(kind, type) and library.package_of(kind) == package


def _stored(values: list[Any], module: str) -> Iterator[str]:
    """The globals that functions of a module write, methods among them."""
    for value in values:
        kind = type(value)
        if kind in (staticmethod, classmethod):
            value = value.__func__
        if type(value) is FunctionType and value.__module__ == module:
            inner = value.__dict__.get("__wrapped__")
            yield from _stored_in(value.__code__)
            yield from _stored_in(inner.__code__) if type(inner) is FunctionType else ()
        elif issubclass(kind, type) and value.__module__ == module:
            yield from _stored(list(value.__dict__.values()), module)


def _stored_in(code: CodeType) -> Iterator[str]:
    if not _STORE.isdisjoint(code.co_code[::2]):
        yield from (x.argval for x in dis.get_instructions(code) if x.opcode in _STORE)
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield from _stored_in(constant)
