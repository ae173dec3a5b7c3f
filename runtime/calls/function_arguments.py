"""Functions of the user that are handed to library code: `jax.vmap(f)`, `lax.scan(f, ...)`, `functools.reduce(f, xs)`.

They are replaced by their converted functions (the same object each time, so that JAX's caches, which go by
identity, hit). Only libraries that are known to *call* what they are given are trusted with that: elsewhere identity
might matter.

>>> import jax, json
>>> [takes_functions(f) for f in (jax.vmap, functools.reduce, jax.numpy.sin, json.dumps)]
[True, True, False, False]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from autograph.code.library import is_library, package_of
from autograph.runtime.calls import cached_functions, rewrapping
from autograph.runtime.heap import journal, path_conditions
from autograph.runtime.library import numpy_functions
from autograph.runtime.tracing import context, host
from autograph.runtime.tracing.families import BOUND_METHODS, CACHED, JITTED, UNBOUND_METHODS
from autograph.runtime.values.choices import Choice, is_of_functions

_PACKAGES = frozenset(
    "jax functools itertools heapq bisect equinox flax optax haiku diffrax optimistix lineax jaxopt blackjax numpyro "
    "chex".split()
)
# Modules of JAX whose functions take arrays, except for those named.
_ARRAY_MODULES = ("jax.numpy", "jax.nn", "jax.random", "jax._src.numpy", "jax._src.nn", "jax._src.random")
_OF_ARRAY_MODULES = frozenset(
    {"vectorize", "piecewise", "apply_along_axis", "apply_over_axes", "fromfunction", "frompyfunc"}
)
# Those of which nothing else calls what it is given, whatever it finds in an object.
_ALONE = frozenset("jax functools itertools heapq bisect".split())
# What keeps or compares the function itself.
_KEEPS_IDENTITY = frozenset({"register", "wraps", "update_wrapper", "partial"})


def takes_functions(f: Any) -> bool:
    """Whether a library callable may be given functions to call, judged by the package it comes from."""
    if package_of(f).lstrip("_") not in _PACKAGES:
        return False
    name = getattr(f, "__name__", "")
    if f.__module__.startswith(_ARRAY_MODULES):
        return name in _OF_ARRAY_MODULES
    return name not in _KEEPS_IDENTITY and not name.startswith("register_")


def calls_functions(f: Any) -> bool:
    """Whether it takes functions and does nothing but call them."""
    return takes_functions(f) and package_of(f).lstrip("_") in _ALONE


def with_functions_converted(f: Any) -> Callable[..., Any]:
    """`f`, whose function arguments are converted as it is called."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = {name: _given(x) for name, x in kwargs.items()}
        args = tuple(map(_given, args))
        if is_other:
            context.announce_hand_over((*args, *kwargs.values()))
        return f(*args, **kwargs)

    is_other = not calls_functions(f)
    return call


def _given(x: Any) -> Any:
    """`argument(x)`; of a builtin its version for traced values: `functools.reduce(max, xs)`."""
    if type(x) is not BuiltinFunctionType:
        found = argument(x)
        return found if not path_conditions.depends_on_place() else _afresh(x, found)
    return numpy_functions.counterpart(x) or argument(x)


def _afresh(x: Any, found: Any) -> Any:
    """`found`, which is given instead of `x`, for this place alone: a cached trace would read the conditions of another."""
    kind = type(found)
    if type(x) is Choice:
        return found
    if kind is FunctionType:
        return found if found is x and is_library(x) else rewrapping.afresh(found)
    if kind is MethodType:
        return MethodType(_afresh(x.__func__, found.__func__), found.__self__)
    if kind is functools.partial:
        return functools.partial(_afresh(x.func, found.func), *found.args, **found.keywords)
    if (kind is list or kind is tuple) and any(type(e) in _FUNCTIONS for e in found):
        return kind(map(_afresh, x, found))
    return found


def convert_argument(f: FunctionType) -> Any:
    """The converted function; `f` itself where it is library code, marked `do_not_convert`, or has no source."""
    if is_library(f):
        return rewrapping.rewrapped(f, argument) if "__wrapped__" in f.__dict__ or f.__closure__ else f
    return f if host.conversion.staged(f) is f else host.conversion.convert_function(f)


def argument(x: Any) -> Any:
    """`x`, or its converted function where `x` is a function, method or partial of the user's (or a list of such)."""
    kind = type(x)
    if kind is FunctionType:
        return convert_argument(x)
    if kind is MethodType:
        inner = argument(x.__func__)
        return x if inner is x.__func__ else MethodType(inner, x.__self__)
    if kind is functools.partial:
        inner = argument(x.func)
        if inner is x.func:
            if takes_functions(inner):
                context.announce_hand_over((*x.args, *x.keywords.values()))
            return x
        return functools.partial(inner, *x.args, **x.keywords)
    if kind is Choice:
        return host.calls.converted(x) if is_of_functions(x) else x
    if (kind is list or kind is tuple) and x and _may_be_called(x[0]) and any(type(e) in _FUNCTIONS for e in x):
        return kind(map(argument, x))  # a heap of thousands of numbers is not walked at each call
    if kind is JITTED or kind in rewrapping.CUSTOM:
        return rewrapping.rewrapped(x, argument)
    if kind is CACHED:
        return cached_functions.cached_counterpart(x)
    if (
        kind in _NATIVE and journal.hears_of_writes()
    ):  # `operator.iadd`, `xs.append`: the journal must hear of what they write
        return host.calls.converted(x)
    return x


def _may_be_called(x: Any) -> bool:
    return type(x) is Choice or callable(x)


_NATIVE = (*BOUND_METHODS, *UNBOUND_METHODS)
_FUNCTIONS = frozenset({FunctionType, MethodType, functools.partial, Choice})
