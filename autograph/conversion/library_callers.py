"""Which objects lead to functions of the user's that a library calls: those of installed packages, and classes made with them.

There is no call to convert where `net.apply(params, x)` leads to `Net.__call__`. So what a library's object or function holds, and
a user's class with a base, a metaclass or a decorated method of an installed package, get their author's bodies in place, as the
methods do that Python calls by itself. Objects count whose package uses JAX: a test tool or a progress bar leads to everything, and
traces nothing. The standard library does not count.

>>> import functools, jax
>>> calls(jax.vmap(lambda x: x)), calls(functools.partial(len)), calls(int), calls(lambda x: x)
(True, False, False, False)
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import FunctionType
from typing import Any

from autograph.code.library import HEAP_TYPE, is_library, is_library_class, is_library_module, names_of, package_of
from autograph.code.registry import known, names_in
from autograph.jax_internals import is_tracing
from autograph.runtime.tracing import host
from autograph.runtime.tracing.class_lookup import DICT, MRO, once_per_class, static_lookup
from autograph.runtime.tracing.families import JITTED

_packages: dict[str, bool] = {}
_using: dict[str, bool] = {}


def calls(value: Any) -> bool:
    """Whether a library calls what a value holds: its objects and functions, classes made with it, a function without source."""
    kind = type(value)
    if kind is FunctionType:
        if is_library(value):
            # Any decorator's wrapper calls the user's function. While nothing is traced (staging is forced), those of
            # packages that do not use JAX, as of a test tool around a test, call nothing that has anything to stage.
            name = value.__globals__.get("__name__")
            return _is_installed(name) and (is_tracing() or _uses_jax(name.partition(".")[0]))
        return known(value.__code__) is None and not is_marked(value) and host.conversion.is_unseen(value)
    return _is_made_with_library(value) if issubclass(kind, type) else _leads_to_users(kind)


def named_by(fn: FunctionType) -> Iterable[Any]:
    """Yields the user's functions that a function of the user's names, and classes whose methods a library calls."""
    for name in () if is_library(fn) else names_in(fn.__code__):
        value = fn.__globals__.get(name)
        if calls(value) if isinstance(value, type) else type(value) is FunctionType and not is_library(value):
            yield value


@once_per_class
def stands_for_function(kind: type) -> bool:
    """Whether the objects of a class are JAX's and are called: `jax.jit(f)`, `jax.custom_jvp(f)`, `jax.tree_util.Partial(f)`."""
    is_called = not issubclass(kind, type) and static_lookup(kind, "__call__") is not None
    return kind is JITTED or (is_called and package_of(kind) == "jax")


@once_per_class
def _leads_to_users(kind: type) -> bool:
    """Whether a library calls what the objects of a class hold."""
    package = type.__getattribute__(kind, "__module__").partition(".")[0]
    return stands_for_function(kind) or (is_of_installed(kind) and _uses_jax(package))


def is_marked(value: Any) -> bool:
    """Whether a function is marked `do_not_convert`."""
    return type(value) is FunctionType and value in host.conversion.UNCONVERTED


def is_left(value: Any) -> bool:
    """Whether what a library calls is left as it is, with all that it leads to: marked `do_not_convert`, or ours."""
    return type(value) is FunctionType and (
        is_marked(value) or value.__globals__.get("__name__", "").startswith("autograph.")
    )


def _uses_jax(package: str) -> bool:
    """Whether a module of a package has imported JAX."""
    found = _using.get(package)
    if found is None:
        spaces = [names_of(m) for name, m in list(sys.modules.items()) if name.partition(".")[0] == package]
        jaxes = [m for name, m in list(sys.modules.items()) if name in ("jax", "jax.numpy", "jax.lax")]
        found = _using[package] = any(value is m for space in spaces for value in list(space.values()) for m in jaxes)
    return found


@once_per_class
def _is_made_with_library(kind: type) -> bool:
    """Whether a class of the user's has a base, a metaclass or a decorated method of an installed package."""
    if is_library_class(kind):
        return False
    bases = (*MRO(kind), *MRO(type(kind)))
    parts = (part for base in MRO(kind) if not is_library_class(base) for part in list(DICT(base).values()))
    return any(base.__flags__ & HEAP_TYPE and is_of_installed(base) for base in bases) or any(
        stands_for_function(type(part)) or (type(part) is FunctionType and calls(part)) for part in parts
    )


def is_of_installed(kind: type) -> bool:
    """Whether a class is one of an installed package."""
    return _is_installed(type.__getattribute__(kind, "__module__"))


def _is_installed(name: Any) -> bool:
    """Whether a module, by its name, belongs to an installed package: neither the user's nor the standard library's."""
    if type(name) is not str:
        return False
    found = _packages.get(name)
    if found is None:
        top = name.partition(".")[0]
        is_other = top not in sys.stdlib_module_names and top not in ("autograph", "numpy")
        found = _packages[name] = is_other and is_library_module(name)
    return found
