"""Functions of the user that a library wrapped before: `step = jax.jit(step)`, `slope = jax.grad(loss)` in a module.

The wrapper is made again around the converted function, once, and kept for as long as the old one lives; under a traced condition
a jitted one is made for each call:

| wrapper | how |
| --- | --- |
| `jax.jit` | with the options that it was jitted with |
| `jax.custom_jvp`, `jax.custom_vjp` | a copy whose functions are converted |
| a library's Python function with the user's in a cell (`jax.vmap`, `jax.grad`) | the same code, the cells converted |
| `functools.singledispatch`, `singledispatchmethod` | the same code, what it finds for a class converted |

>>> import jax
>>> f = jax.vmap(len)
>>> rewrapped(f, lambda inner: inner) is f  # nothing inside is the user's
True
"""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Callable
from types import CellType, FunctionType, SimpleNamespace
from typing import Any

import jax

from autograph.code.library import is_library
from autograph.errors import is_ours
from autograph.jax_dispatch import jit_options
from autograph.jax_internals import trace_reference
from autograph.runtime.heap import path_conditions
from autograph.runtime.library.builtin_functions import BUILTINS
from autograph.runtime.tracing import host
from autograph.runtime.tracing.families import JITTED
from autograph.runtime.tracing.variables import UNSET, cell_contents

Convert = Callable[[Any], Any]
_MADE: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
_UNCHECKED: weakref.WeakSet[Any] = weakref.WeakSet()



# Since Python 3.14 a method of `functools.singledispatchmethod` is an object when it is bound.
_DISPATCHED: tuple[type, ...] = tuple(filter(None, [getattr(functools, "_singledispatchmethod_get", None)]))
CUSTOM: tuple[type, ...] = (jax.custom_jvp, jax.custom_vjp, *_DISPATCHED)


def rewrapped(wrapper: Any, convert: Convert) -> Any:
    """The wrapper around converted functions; itself where it holds none of the user's."""
    found = _MADE.get(wrapper)
    if found is None:
        _MADE[wrapper] = _ITSELF  # for what leads back to it
        try:
            is_marked = type(wrapper) is FunctionType and wrapper in host.conversion.UNCONVERTED
            found = wrapper if is_marked else _RULES[type(wrapper)](wrapper, convert)
        except BaseException:
            del _MADE[wrapper]
            raise
        _MADE[wrapper] = _ITSELF if found is wrapper else found
    found = wrapper if found is _ITSELF else found
    return _jitted_afresh(found) if type(found) is JITTED and path_conditions.depends_on_place() else found


_ITSELF = object()


def afresh(f: Callable[..., Any], known_as: Any = None) -> Callable[..., Any]:
    """`f` as a function that JAX has not met: what it checks, and how often it loops, depends on the place where it is called.

    One that was seen to do neither is called as it is.

    Args:
        known_as: what is kept instead of `f`, which may be a method that nobody else refers to.
    """
    known_as = f if known_as is None else known_as
    if known_as in _UNCHECKED:
        return f
    made = trace_reference()

    @functools.wraps(f)
    def traced(*args: Any, **kwargs: Any) -> Any:
        with path_conditions.traced_afresh(made) as reads_conditions:
            result = f(*args, **kwargs)
            if not reads_conditions():
                _UNCHECKED.add(known_as)
        return result

    return traced


def _jitted_afresh(jitted: Any) -> Any:
    """A jitted function that is traced anew, for the same reason."""
    inner: Any = getattr(jitted, "__wrapped__", None)
    options = None if inner is None or jitted in _UNCHECKED or is_library(inner) else jit_options(jitted)
    if options is None:
        return jitted
    fresh = jax.jit(afresh(inner, jitted), **options)

    @functools.wraps(inner)
    def call(*args: Any, **kwargs: Any) -> Any:
        return (jitted if jitted in _UNCHECKED else fresh)(*args, **kwargs)

    return call


def _jitted(wrapper: Any, convert: Convert) -> Any:
    inner: Any = getattr(wrapper, "__wrapped__", None)  # which a copy of a jitted function does not have
    converted = inner and convert(inner)
    options = None if converted is inner else jit_options(wrapper)
    return wrapper if options is None else jax.jit(converted, **options)


def _custom(wrapper: Any, convert: Convert) -> Any:
    # Since Python 3.14 what computes the annotations is among the attributes, and is no function of the user's.
    parts = {name: value if name == "__annotate__" else convert(value) for name, value in vars(wrapper).items()}
    if all(new is vars(wrapper)[name] for name, new in parts.items()):
        return wrapper
    copy = object.__new__(type(wrapper))
    copy.__dict__.update(parts)
    return copy


def _closure(wrapper: FunctionType, convert: Convert) -> Any:
    if wrapper.__code__ is DISPATCH:
        return _implementations(wrapper, convert)
    if is_ours(wrapper.__code__.co_filename):
        return wrapper  # what it calls is converted
    changed = False
    cells, own = [], CellType()  # a function that calls itself has itself in a cell
    for cell in wrapper.__closure__ or ():
        old = cell_contents(cell)
        new = old if old is UNSET else _in_cell(old, convert)
        changed = changed or new is not old
        cells.append(own if old is wrapper else cell if new is old else CellType(new))
    if not changed:
        return wrapper
    copy = FunctionType(wrapper.__code__, wrapper.__globals__, wrapper.__name__, wrapper.__defaults__, tuple(cells))
    own.cell_contents = copy
    copy.__kwdefaults__ = wrapper.__kwdefaults__
    return functools.update_wrapper(copy, wrapper, updated=("__dict__",))


def _in_cell(x: Any, convert: Convert) -> Any:
    if type(x) is FunctionType and x.__code__ is DISPATCH:
        return _implementations(x, convert)
    if type(x) is functools.singledispatchmethod:  # up to 3.12 its methods keep it itself
        copy: Any = functools.singledispatchmethod(x.func)
        copy.dispatcher = SimpleNamespace(dispatch=_implementations(x.dispatcher.dispatch, convert))
        return copy
    return convert(x)


def _dispatched(method: Any, convert: Convert) -> Any:
    made = copy.copy(method)
    made._dispatch = _implementations(method._dispatch, convert)
    return made


def _implementations(dispatch: Callable[[type], Any], convert: Convert) -> Callable[[type], Any]:
    """`dispatch`, whose answers are converted, and which knows traced values as arrays of JAX or Python's numbers."""

    def of_traced(*args: Any, **kwargs: Any) -> Any:
        kind = next(_TYPE(x) for x in args if isinstance(x, jax.core.Tracer))  # behind the object of a method
        return look_up(jax.Array if issubclass(kind, jax.core.Tracer) else kind)(*args, **kwargs)

    def look_up(kind: type) -> Any:
        if issubclass(kind, jax.core.Tracer):
            return of_traced
        found = dispatch(kind)
        if type(found) in (classmethod, staticmethod):
            return type(found)(convert(found.__func__))
        return convert(found)

    return look_up


_TYPE = BUILTINS[type]
DISPATCH = functools.singledispatch(lambda x: x).dispatch.__code__
_RULES: dict[type, Callable[[Any, Convert], Any]] = {
    FunctionType: _closure,
    JITTED: _jitted,
    **{kind: _custom for kind in CUSTOM},
    **{kind: _dispatched for kind in _DISPATCHED},
}
