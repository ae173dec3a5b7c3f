"""What the functions of installed packages keep in their modules: counters, registries, stacks of handlers, values.

A library's function announces no write there. So when one is called while a region is staged, what its package keeps is
looked at, once for the region; when the region is over, what changed is announced to the journal as a write of the region, and
joined with what the other branch leaves, or refused. Only what known frameworks note for themselves is not (`library_notes`).

What a package keeps is what its functions write by `global` and to attributes of its classes, and containers, objects of its own
classes and thread-locals that its modules and classes have. The standard library is not looked at, and neither is JAX.

>>> module = sys.modules["counter"] = ModuleType("counter")
>>> exec("calls, seen = 0, []\\ndef tick():\\n    global calls\\n    calls += 1", vars(module))
>>> written, kept = _places("counter")
>>> [place.name for place in written], [place.name for place in kept]
(['calls'], ['seen'])
>>> del sys.modules["counter"]
"""

from __future__ import annotations

import dis
import enum
import itertools
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from autograph.code import library
from autograph.code.code_places import codes_in
from autograph.runtime.heap.opaque_calls import Watch
from autograph.runtime.tracing import context
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.families import MUTABLE_CONTAINERS
from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values.locations import AttributeLocation, GlobalLocation

_WITHOUT = sys.stdlib_module_names | library.ARRAY_PACKAGES | {"autograph", "ml_dtypes", "pytest", "_pytest"}
_KEEPING = (*MUTABLE_CONTAINERS, threading.local)
_MOST = 2_000  # objects that are looked at for one package
_STORE = frozenset({dis.opmap["STORE_GLOBAL"], dis.opmap["DELETE_GLOBAL"]})
_STORE_ATTRIBUTE = dis.opmap["STORE_ATTR"]

_Place = GlobalLocation | AttributeLocation
_known: dict[str, tuple[list[ModuleType], list[_Place], list[_Place]]] = {}


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

    A wrapper of JAX or of the standard library keeps nothing; what is inside does.
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
            owner: Any = place.obj
            if isinstance(place, AttributeLocation):
                name = f"{owner.__module__}.{owner.__qualname__}.{place.attribute}"
            else:
                name = f"{owner.get('__name__')}.{place.name}"
            yield ("", name), place.get()


class _Kept(Watch):
    """What a package keeps."""

    def __init__(self, package: str) -> None:
        written, kept = _places(package)
        values = [value for place in (*written, *kept) if (value := place.get()) is not UNSET]
        super().__init__(values, written, most=_MOST)


def _places(package: str) -> tuple[list[_Place], list[_Place]]:
    """The variables that functions of a package write, and those that hold what may change."""
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith(package) and (name == package or name[len(package)] == ".") and type(module) is ModuleType
    ]
    known = _known.get(package)
    if known is None or known[0] != modules:
        written, kept, attributes = dict[Any, _Place](), dict[Any, _Place](), set[str]()
        for module in modules:
            space = vars(module)
            for code in _codes(list(space.values()), module.__name__):
                if not _STORE.isdisjoint(code.co_code[::2]):
                    names = {x.argval for x in dis.get_instructions(code) if x.opcode in _STORE}
                    written.update({(id(space), name): GlobalLocation(space, name) for name in names})
                attributes.update(_written_to_classes(code, space))
            for name, value in list(space.items()):
                if (name[:2] != "__" and issubclass(type(value), _KEEPING)) or _is_own(type(value), package):
                    kept[id(value)] = GlobalLocation(space, name)
        for kind in {x for module in modules for x in vars(module).values() if issubclass(type(x), type)}:
            if library.package_of(kind) == package and not issubclass(kind, (tuple, enum.Enum)):
                for name, value in kind.__dict__.items():
                    if name in attributes and name[:2] != "__" and not hasattr(type(value), "__get__"):
                        written[id(kind), name] = AttributeLocation(kind, name)
                    elif name[:2] != "__" and issubclass(type(value), _KEEPING):
                        kept[id(value)] = AttributeLocation(kind, name)
        known = _known[package] = modules, list(written.values()), list(kept.values())
    return known[1:]


def _written_to_classes(code: CodeType, space: dict[str, Any]) -> Iterator[str]:
    """The attributes that code writes to classes: `Recorder.current = v`, `cls.current = v`, `type(self).current = v`."""
    by_name = [name for name in code.co_names if isinstance(space.get(name), type) or name in ("type", "__class__")]
    if _STORE_ATTRIBUTE in code.co_code[::2] and (by_name or "cls" in code.co_varnames):
        for receiver, store in itertools.pairwise(dis.get_instructions(code)):
            if store.opcode == _STORE_ATTRIBUTE and (receiver.argval in (*by_name, "cls") or receiver.opname == "CALL"):
                yield store.argval


def _is_own(kind: type, package: str) -> bool:
    return not issubclass(kind, type) and library.package_of(kind) == package


def _codes(values: list[Any], module: str) -> Iterator[CodeType]:
    """The code of the functions of a module, of methods, and of functions inside of them."""
    for value in values:
        kind = type(value)
        if kind in (staticmethod, classmethod):
            value = value.__func__
        if type(value) is FunctionType and value.__module__ == module:
            inner = value.__dict__.get("__wrapped__")
            for code in [f.__code__ for f in (value, inner) if type(f) is FunctionType]:
                yield code
                yield from codes_in(code)
        elif issubclass(kind, type) and value.__module__ == module:
            yield from _codes(list(value.__dict__.values()), module)
