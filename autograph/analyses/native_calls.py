"""Which callees stay unconverted: their meaning is known, and they neither take functions nor care what is traced.

>>> import gast, jax, jax.numpy as jnp
>>> call = gast.parse("f(x)", mode="eval").body
>>> unknown = lambda node: None
>>> [stays_native(meaning, call, unknown) for meaning in (jnp.sin, jax.random.split, ValueError, jax.vmap, jnp.vectorize, len)]
[True, True, True, False, False, False]
"""

from __future__ import annotations

import builtins
import inspect
import re
import sys
from collections.abc import Callable
from functools import cache
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import gast

from autograph.code.container_effects import METHODS

STATIC = frozenset(
    getattr(builtins, name)
    for name in (
        "isinstance issubclass super locals globals vars dir property staticmethod classmethod object slice"
    ).split()
)

# Modules whose functions work on traced values as they are.
NUMERIC_MODULES = (
    "jax.numpy", "jax.numpy.linalg", "jax.numpy.fft", "jax.lax", "jax.lax.linalg", "jax.random", "jax.nn", "jax.scipy.special",
    "jax.scipy.linalg", "jax.scipy.stats", "jax.scipy.stats.norm", "jax.scipy.signal", "jax.ops", "jax.dtypes",
)  # fmt: skip

# Those of their functions that call what they are given; the user's functions among it must be converted.
TAKE_FUNCTIONS = frozenset(
    (
        "apply_along_axis apply_over_axes fromfunction frompyfunc piecewise vectorize"
        " associative_scan cond custom_linear_solve custom_root fori_loop map platform_dependent reduce reduce_window scan"
        " switch while_loop linear_call composite custom_jvp_call reduce_precision_call sharding_cast cg gmres bicgstab"
    ).split()
)


# Those that ask of a list of unknown length, or of a range with a traced bound, what these tell otherwise than an array.
_ASK = frozenset(("iterable", "size"))


@cache
def _numeric(module: ModuleType) -> frozenset[int]:
    others = TAKE_FUNCTIONS | _ASK
    return frozenset(id(value) for name, value in vars(module).items() if callable(value) and name not in others)


def _reassembles(meaning: Any) -> bool:
    """Whether a function may be given the rows that a loop has appended (see `autograph.runtime.tracing.stacked_rows`)."""
    numpy = sys.modules.get("jax.numpy")
    return numpy is not None and any(meaning is item for item in (numpy.stack, numpy.array, numpy.asarray))


def _takes_known_numbers(meaning: Any, call: gast.Call) -> bool:
    """Whether a function may be given two numbers of a loop that are as far apart in each iteration: `jnp.arange(i, i + 3)`."""
    numpy = sys.modules.get("jax.numpy")
    is_between = len(call.args) > 1 and type(call.args[0]) is not gast.Constant
    return is_between and numpy is not None and meaning is numpy.arange


def stays_native(meaning: Any, call: gast.Call, meaning_of: Callable[[Any], Any]) -> bool:
    """Whether a call of `meaning` stays native; `meaning_of` tells what its arguments mean."""
    kind = type(meaning)
    if kind is BuiltinFunctionType or kind is type:
        if meaning is type:
            return len(call.args) != 1 or getattr(call.args[0], "id", "") in ("self", "cls")  # which are no numbers
        if meaning is getattr:
            # A default is the answer to an exception, and a name that is none may be one of several strings.
            return len(call.args) == 2 and type(call.args[1]) is gast.Constant
        if meaning is isinstance:
            return not any(may_tell_numbers(node, meaning_of) for node in call.args[1:])
        if any(meaning is item for item in STATIC):
            return True
        if kind is type and issubclass(meaning, BaseException):
            return meaning.__module__ == "builtins"
    if call.args and _reassembles(meaning):
        may_be_list = gast.Name, gast.Attribute, gast.Subscript, gast.Call
        if isinstance(call.args[0], may_be_list) or hasattr(call.args[0], "comprehension"):  # a list comprehension
            return False
    if _takes_known_numbers(meaning, call):
        return False
    modules = (sys.modules.get(name) for name in NUMERIC_MODULES)
    is_numeric = any(module is not None and id(meaning) in _numeric(module) for module in modules)
    return is_numeric and not _is_given_string(meaning, call)


def is_of_arrays(meaning: Any) -> bool:
    """Whether a function is one of jax.numpy: there is another one for arrays of unknown length."""
    return any(id(meaning) in _numeric(sys.modules[name]) for name in NUMERIC_MODULES[:2] if name in sys.modules)


def _is_given_string(meaning: Any, call: gast.Call) -> bool:
    """Whether an argument may be one of several strings, which the program chooses: `jnp.pad(x, 1, mode=mode)`."""
    arguments = [*enumerate(call.args), *((keyword.arg, keyword.value) for keyword in call.keywords)]
    named = [place for place, value in arguments if isinstance(value, gast.Name | gast.Attribute | gast.Subscript | gast.IfExp)]
    return bool(named) and not _string_parameters(meaning).isdisjoint(named)


@cache
def _string_parameters(meaning: Any) -> frozenset[Any]:
    """Returns the positions and the names of the parameters of a function that take strings."""
    try:
        parameters = inspect.signature(meaning).parameters.values()
    except (TypeError, ValueError):
        return frozenset()
    strings = re.compile(r"(?!.*(dtype|ArrayLike)).*\bstr\b", re.IGNORECASE | re.DOTALL)  # no dtype is chosen: results have one
    taking = [(n, p) for n, p in enumerate(parameters) if strings.match(f"{p.name}: {p.annotation}")]
    return frozenset([x for n, p in taking for x in ((p.name,) if p.kind is p.KEYWORD_ONLY else (n, p.name))])


_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType)
"""A program may choose between functions of several classes."""


def may_tell_numbers(kinds: Any, meaning_of: Callable[[Any], Any]) -> bool:
    """Whether the second argument of `isinstance` may tell numbers from arrays, or functions from other functions."""
    match kinds:
        case gast.Tuple():
            return any(may_tell_numbers(node, meaning_of) for node in kinds.elts)
        case gast.BinOp():
            return any(may_tell_numbers(node, meaning_of) for node in (kinds.left, kinds.right))
        case gast.Constant():
            return False
    meaning = meaning_of(kinds)
    if not isinstance(meaning, type):
        return True  # unknown, or a tuple or union with a name
    if type(meaning) is type:
        numpy = sys.modules.get("numpy")
        return meaning in (int, float, complex, *_FUNCTIONS) or numpy is not None and issubclass(meaning, numpy.generic)
    return not meaning.__module__.startswith("jax")  # `Iterable`, `numbers.Real`, a protocol: an array may be one, or a number


def has_counterpart(meaning: Any, call: Any) -> bool:
    """Whether a call matters although called functions are not converted: of C code, of NumPy, of a method of containers."""
    return (
        isinstance(meaning, BuiltinFunctionType)
        or (isinstance(meaning, type) and meaning.__module__ == "builtins")
        or type(meaning).__module__ == "numpy"
        or (isinstance(call.func, gast.Attribute) and call.func.attr in METHODS)
        or any(keyword.arg == "out" for keyword in call.keywords)
    )
