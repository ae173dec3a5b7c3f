"""What the functions of installed packages keep in their modules: counters, registries, stacks of handlers, values.

A library's function announces no write there. So when one is called while a region is staged, what its package keeps is
looked at, once for the region; when the region is over, what changed is announced to the journal as a write of the region:

| what changed | it is |
| --- | --- |
| a number, or what holds traced values or arrays | a value: joined with what the other branch leaves, or refused |
| a list, or a container from which something was taken | refused where the branches leave different ones |
| keys of a dict or a set that are new, another object in a variable | bookkeeping (a cache, what is made on first use): put back |

What a package keeps is what its functions write by `global`, and containers, objects of its own classes and thread-locals that
its modules have as variables. The standard library is not looked at, and neither is JAX.
"""

from __future__ import annotations

import collections
import dis
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import jax
import numpy as np

from autograph.code import library
from autograph.runtime.heap.opaque_calls import Watch
from autograph.runtime.tracing import context
from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values.locations import ContentsLocation, GlobalLocation
from autograph.runtime.values.reachability import walked
from autograph.runtime.values.writes import Written

_WITHOUT = sys.stdlib_module_names | {"jax", "jaxlib", "numpy", "autograph", "ml_dtypes", "pytest", "_pytest"}
_KEEPING = (list, dict, set, collections.deque, threading.local)
_MOST = 2_000  # objects that are looked at for one package
_NUMBERS = (bool, int, float, complex)
_STORE = frozenset({dis.opmap["STORE_GLOBAL"], dis.opmap["DELETE_GLOBAL"]})

_known: dict[str, tuple[list[ModuleType], list[GlobalLocation], list[GlobalLocation]]] = {}


def watch(f: Any) -> None:
    """Looks at what the package of a function keeps, if that is the first call of the innermost region into the package."""
    region = context.innermost()
    module = getattr(f, "__module__", None)
    if region is None or type(module) is not str:
        return
    package = module.partition(".")[0]
    if package in region.watches or package.lstrip("_") in _WITHOUT:
        return
    if library.is_library_module(module):  # a wrapper of JAX's bears the module of the user's function
        region.watches[package] = _Kept(package)


def kept() -> Iterator[tuple[tuple[str, str], Any]]:
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

    def changes(self) -> Iterator[Written]:
        """What was written since, less bookkeeping, which is put back."""
        for written in list(super().changes()):
            if _is_bookkeeping(written):
                written.location.set(written.before)
            else:
                yield written


def _is_bookkeeping(written: Written) -> bool:
    before, after = written.before, written.after
    if not isinstance(written.location, ContentsLocation):
        return type(after) not in _NUMBERS and not _holds_values([after])
    if isinstance(before, dict):
        new = [value for key, value in after.items() if key not in before]
        is_kept = all(key in after and after[key] is value for key, value in before.items())
    elif isinstance(before, set):
        new, is_kept = list(after - before), before <= after
    else:
        return False
    return is_kept and not _holds_values(new)


def _holds_values(values: list[Any]) -> bool:
    return any(isinstance(x, (jax.Array, np.ndarray)) for x in walked(values))


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
