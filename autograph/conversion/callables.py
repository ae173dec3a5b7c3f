"""Conversion of whatever can be called: the function inside is converted, what is around it stays.

| given | result |
| --- | --- |
| function, lambda | the two-body function |
| bound method | the converted function bound to the same object |
| `staticmethod`, `classmethod`, `property`, `cached_property` | the same descriptor around the converted function |
| `functools.partial`, `partialmethod` | the same arguments around the converted function |
| `functools.lru_cache` | a cache with the same parameters around it, for traced values too; for `ag.jit` the function alone |
| `jax.jit` | `jax.jit` with the same options around the converted function |
| `nnx.jit` | itself, also for `ag.jit`; what it calls is converted in place |
| callable object | itself, its class's methods converted in place; where that cannot be, its `__call__`, converted, bound |
| function or object of a library: `jax.grad(f)`, `model.apply` | itself; what it calls is converted in place |
| `jax.jit` or a partial around one of these: `partial(lax.scan, step)` | the same |
| class | refused: see the message |
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from types import FunctionType, MethodType
from typing import Any

import jax

from autograph.code.library import is_library
from autograph.code.source import has_source
from autograph.conversion import library_callers, reach
from autograph.errors import AutoGraphWarning, ConversionError, is_of_jax, shown_name
from autograph.jax_dispatch import jit_options
from autograph.runtime.calls import cached_functions
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.families import CACHED, JITTED
from autograph.runtime.tracing.refusals import user_line

Each = Callable[[FunctionType], Any]


def convert_inside(callee: Any, each: Each, as_method: bool = False) -> Any:
    """Returns the callable with `each` applied to the Python function in it.

    Args:
        as_method: whether a callable object is to be its method, and a cache the function inside: `jax.jit` needs a hash,
            which few models have, and a cache needs those of the arguments, which no traced value has.
    Raises:
        ConversionError: when there is no function inside that could be converted.
    """
    kind = type(callee)
    rule = _RULES.get(kind)
    if rule is not None:
        return rule(callee, each)
    if kind is JITTED:
        return _jit(callee, each)
    if kind is CACHED:
        inside = convert_inside(callee.__wrapped__, each)
        return inside if as_method else cached_functions.open_to_libraries(functools.lru_cache(**callee.cache_parameters())(inside))
    if isinstance(callee, type):
        raise ConversionError(
            f"class `{callee.__qualname__}` cannot be converted as a whole",
            why="its methods may be called by code that expects them as they are",
            instead="decorate the methods that are traced, or convert an instance: `ag.convert(instance)`",
            page="class",
        )
    call = static_lookup(kind, "__call__")
    if call is None:
        raise ConversionError(
            f"{kind.__qualname__!r} object is not callable",
            instead="pass a function: the one that uses the object, or one of its methods (`ag.convert(x.method)`)",
            page="not-callable",
        )
    reach.convert_handed([callee])
    if is_library(callee):
        return callee
    inner = convert_inside(call, each)
    if inner is call and not as_method:
        return callee
    return inner.__func__ if isinstance(inner, staticmethod) else MethodType(inner, callee)


def _function(callee: FunctionType, each: Each) -> Any:
    is_wrapper = callee.__closure__ is not None or "__wrapped__" in callee.__dict__
    if is_library(callee) and library_callers.calls(callee):
        stays = is_wrapper or is_of_jax(callee.__code__)
    else:
        stays = "__wrapped__" in callee.__dict__ and not has_source(callee)
    if not stays:
        return each(callee)
    reach.convert_handed([callee, *reach.contents(callee)])  # also of one that is marked `do_not_convert`
    return callee


def _method(callee: MethodType, each: Each) -> Any:
    obj = callee.__self__  # of the user's class, or of one that a library made of it: `nn.scan(Cell)`
    if (library_callers.calls(type(obj)) or library_callers.calls(obj)) and is_library(callee.__func__):
        reach.convert_handed([obj])
        return callee
    return MethodType(convert_inside(callee.__func__, each), callee.__self__)


def _around(callee: Any, each: Each) -> Any:
    return type(callee)(convert_inside(callee.__func__, each))


def _property(callee: property, each: Each) -> Any:
    fget, fset, fdel = (part and convert_inside(part, each) for part in (callee.fget, callee.fset, callee.fdel))
    return property(fget, fset, fdel, callee.__doc__)


def _partial(callee: Any, each: Each) -> Any:
    inner = convert_inside(callee.func, each)
    if inner is callee.func:
        if is_library(inner):
            reach.convert_handed([callee.args, callee.keywords])  # `lax.scan` and `jax.tree.map` call what they are given
        return callee
    new = type(callee)(inner, *callee.args, **callee.keywords)
    new.__dict__.update(callee.__dict__)
    return new


def _jit(callee: Any, each: Each) -> Any:
    inner = convert_inside(callee.__wrapped__, each)
    if inner is callee.__wrapped__:
        return callee  # it was converted before, or is a library's: then what it calls was converted in place
    options = jit_options(callee)
    if options is None:
        warnings.warn(
            f"`{getattr(callee, '__name__', callee)}` is left as it is: the options of its jax.jit cannot be read; "
            "write `jax.jit(ag.convert(f), ...)`",
            AutoGraphWarning,
            stacklevel=4,
        )
        return callee
    return jax.jit(inner, **options)


def is_of_nnx(jitted: Any, options: Mapping[str, Any]) -> bool:
    """Whether `nnx.jit` made a function, which needs no `jax.jit` except for options: that would lose what the function writes."""
    made = type(jitted).__module__ == "flax.nnx.transforms.compilation" and hasattr(jitted, "lower")
    if made and options:
        filename, lineno = user_line() or (__file__, 0)
        warnings.warn_explicit(
            "`ag.jit(nnx.jit(f), ...)` loses what `f` writes to a model among its arguments: write `ag.convert(nnx.jit(f, ...))`, "
            "with the options in `nnx.jit`",
            AutoGraphWarning,
            shown_name(filename),
            lineno,
        )
    return made and not options


_RULES: dict[type, Callable[[Any, Each], Any]] = {
    FunctionType: _function,
    MethodType: _method,
    staticmethod: _around,
    classmethod: _around,
    property: _property,
    functools.cached_property: lambda callee, each: functools.cached_property(convert_inside(callee.func, each)),
    functools.partial: _partial,
    jax.tree_util.Partial: _partial,
    functools.partialmethod: _partial,
}
