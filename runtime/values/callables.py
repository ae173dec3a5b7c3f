"""Functions as options of a choice: when two count as one, and what is no option.

A function is known by its code and by what it refers to: the variables around it (by their cells, whose contents may change), its
defaults, the object of a method. So a `lambda` that stands in a branch is one option, however often the branch is traced.

>>> def add(n): return lambda x: x + n
>>> plus, minus = add(1), add(-1)
>>> key_of(plus) == key_of(plus), key_of(plus) == key_of(minus)
(True, False)
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Sequence
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import jax
import numpy as np

from autograph.code.library import names_of
from autograph.jax_internals import open_traces, trace_of
from autograph.runtime.tracing.class_lookup import MRO, once_per_class
from autograph.runtime.tracing.families import CACHED, JAX_ARRAYS, JITTED, LEAF_KINDS, SCALARS, UNBOUND_METHODS
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.variables import cell_contents
from autograph.runtime.values.reachability import walk_objects

_KINDS = {FunctionType, MethodType, BuiltinFunctionType, JITTED, np.ufunc, type(np.sum), *UNBOUND_METHODS}
_KINDS |= {jax.custom_jvp, jax.custom_vjp, type(jax.numpy.add), CACHED}
KEPT = "one of the functions refers to a value of the branch or iteration that made it"
REMEDY = "hand the value to the function where it is called, or call the function where it is made"
_MODULES = frozenset({"flax.linen.module.Module"})
_MOST = 10_000
"""After so many objects no traced value is looked for any more."""


def add_option_class(kind: type) -> None:
    """Lets a program choose between callable objects of this class, which never change."""
    _KINDS.add(kind)


def is_callable_option(x: Any) -> bool:
    """Whether a program may choose between `x` and others: a function or a method, not a class."""
    return type(x) in _KINDS or is_module(type(x))


@once_per_class
def is_module(kind: type) -> bool:
    """Whether the objects of a class are modules that are called and never change, as those of Flax linen."""
    return any(f"{base.__module__}.{base.__qualname__}" in _MODULES for base in MRO(kind))


def family_of(option: Any) -> type:
    """What all options have in common: they are strings, members of one enum, functions of any kind, or modules of one class."""
    return FunctionType if is_callable_option(option) and not is_module(type(option)) else type(option)


def is_only_called(x: Any) -> bool:
    """Whether it is called, and has no attributes of which anybody asks, as a module of Flax has."""
    return callable(x) and not is_module(type(x))


def is_made_when_read(f: Any) -> bool:
    """Whether it is a method of an object: Python makes another one each time that it is read."""
    kind = type(f)
    return kind is MethodType or kind is BuiltinFunctionType and not isinstance(f.__self__, ModuleType | None)


def key_of(f: Any) -> tuple[Any, ...]:
    """What two functions have in common where it makes no difference which of them is called."""
    kind = type(f)
    if is_made_when_read(f):
        return id(f.__self__), *(key_of(f.__func__) if kind is MethodType else [f.__name__])
    if kind is not FunctionType or f.__dict__:
        return (id(f),)
    named = (f.__kwdefaults__ or {}).items()
    defaults = *map(_key_of_value, f.__defaults__ or ()), *((name, _key_of_value(value)) for name, value in named)
    return id(f.__code__), id(f.__globals__), *map(id, f.__closure__ or ()), *defaults


def _key_of_value(x: Any) -> Any:
    return (type(x), repr(x)) if type(x) in SCALARS else id(x)


def name_of(f: Any) -> str:
    """A function as a message shows it; a module of Flax by its class."""
    f = type(f) if is_module(type(f)) else f
    return str(getattr(f, "__qualname__", None) or getattr(f, "__name__", None) or repr(f)).rpartition("<locals>.")[2]


def are_equal(option: Any, other: Any) -> bool:
    """`option == other`, the first one of several that a program chooses between.

    Raises:
        StagingError: Python may have made two functions of one `def` or `lambda`, which count as one here.
    """
    if not is_callable_option(option):
        return bool(option == other)
    is_made_again = type(option) is type(other) is FunctionType and "<" in option.__qualname__
    if is_made_again and key_of(option) == key_of(other):
        raise refusal(
            f"{name_of(option)} is compared with a function that the program chooses",
            why="Python makes another function each time that it comes to a `def` or `lambda`, and here they count as one",
            instead="compare a number or a string that says which function it is",
            page="choice-between-strings",
        )
    return bool(option == other)


def keeps_traced_value(f: Any, of: Sequence[Any] = ()) -> bool:
    """Whether a function refers to a value of one of these traces, or of one that has ended, as what a branch makes may do."""
    traces = [trace for trace in open_traces() if all(trace is not other for other in of)]
    found = walk_objects([f], _leads_to, _may_lead, _MOST)
    return any(isinstance(x, jax.core.Tracer) and all(trace_of(x) is not trace for trace in traces) for x in found)


def _leads_to(x: Any) -> Iterable[Any]:
    if type(x) is FunctionType:
        return [*map(cell_contents, x.__closure__ or ()), *(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values()]
    if type(x) is JITTED:
        return [names_of(x).get("__wrapped__")]
    return [] if isinstance(x, JAX_ARRAYS) else gc.get_referents(x)


def _may_lead(x: Any) -> bool:
    return type(x) not in LEAF_KINDS and not isinstance(x, type | ModuleType | CodeType | np.ndarray)


