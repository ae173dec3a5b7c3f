"""Dicts read and written at a traced number, or at a tuple with some: the program compares it with the keys that it may be.

>>> import jax
>>> prices = {2: 0.5, 3: 1.25, "none": 0.0}
>>> [float(jax.jit(lambda key: get_value(prices, key, 9.0))(key)) for key in (2, 3, 4)]
[0.5, 1.25, 9.0]

A key that the dict does not have is Python's `KeyError` when the program runs. Which values can be picked, `selection` says.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.errors import message
from autograph.runtime.checks import runtime_checks
from autograph.runtime.sequences.selection import choose, select_item
from autograph.runtime.tracing import context, host, integer_ranges
from autograph.runtime.tracing.array_types import is_integer
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values import choices
from autograph.runtime.values.optional import Maybe

_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)
_READ, _WRITTEN = "a dict read at a traced key", "a dict written at a traced key"


def may_have_key(x: Any, key: Any) -> bool:
    """Whether a key that is traced, or a tuple with such in it, may be one of those of a dict which is looked up alone."""
    traced = [part for part in _parts(key) if is_traced(part)]
    is_number = all(not jnp.shape(part) and jnp.result_type(part).kind in "biuf" for part in traced)
    return bool(traced) and is_number and type(x) in (dict, OrderedDict)


def get_value(x: dict[Any, Any], key: Any, default: Any = UNSET) -> Any:
    """`x[key]`; with a default `x.get(key, default)`."""
    keys = _comparable(x, key)
    values = [x[k] for k in keys]
    if not keys:
        if default is UNSET:
            raise KeyError(key)
        return default
    if keys == list(range(len(keys))) and is_integer(key) and integer_ranges.is_inside(key, len(keys)):
        return select_item(values, lax.convert_element_type(key, np.int32), _READ)
    hits = _hits(keys, key)
    found, position = jnp.any(hits), lax.argmax(hits, 0, np.int32)
    if default is not UNSET:
        return select_item([*values, default], jnp.where(found, position, len(values)), _READ)

    def missing() -> bool:
        raise KeyError(key)

    host.statements.if_exp(found, lambda: True, missing)
    return select_item(values, position, _READ)


def get_or_none(x: dict[Any, Any], key: Any, is_tested: bool) -> Any:
    """`x.get(key)`: a value, or `None` if the key is missing, which only the running program knows.

    Args:
        is_tested: whether the caller tests the result for `None`.
    """
    keys = _comparable(x, key)
    if not keys:
        return None
    if not is_tested:
        raise may_be_missing()
    hits = _hits(keys, key)
    value = select_item([x[k] for k in keys], lax.argmax(hits, 0, np.int32), _READ)
    return Maybe(lax.bitwise_not(jnp.any(hits)), value)


def may_be_missing(is_string: bool = False) -> Exception:
    """The refusal of a `get` without a default, whose result is not tested; `is_string`: or cannot be, for the key has a string."""
    tested = "" if is_string else ", or bind the result to a variable and test it (`v = d.get(key)`, `if v is None:`)"
    return refusal(
        "`get` of a dict at a traced key gives None where the key is missing",
        why="which of the two it is, only the running program knows, and what takes the result does not ask",
        instead=f"give a default (`d.get(key, 0)`){tested}",
        page="get-without-a-default",
    )


def put_value(x: dict[Any, Any], key: Any, value: Any) -> None:
    """`x[key] = value` of a key that the dict has: each value becomes the new one or stays.

    The program fails where the dict does not have the key: it cannot add one.
    """
    keys = _comparable(x, key)
    if not keys:
        raise refusal(
            f"a traced key is written to a dict, and none of its {len(x)} keys can be it",
            why="a compiled program adds no keys: which ones a dict has is known while it is traced",
            instead="make a dict with all keys (`dict.fromkeys(range(n), 0)`), or use an array (`jnp.zeros(n)`)",
            page="key-that-a-dict-does-not-have",
        )
    hits = _hits(keys, key)
    what = "a key is written that the dict does not have, and a compiled program adds none: make a dict with all keys"
    error = RuntimeError(message(what, page="container-at-a-traced-key"))
    runtime_checks.demand(jnp.any(hits), error)
    for n, k in enumerate(keys):
        x[k] = choose(hits[n], value, x[k], _WRITTEN)


def _parts(key: Any) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def _hits(keys: list[Any], key: Any) -> jax.Array:
    """Which of the keys it is: an array of bools."""
    columns = [
        jnp.equal(part, np.asarray([_parts(k)[n] for k in keys]).astype(jnp.result_type(part)))
        for n, part in enumerate(_parts(key))
        if is_traced(part)
    ]
    return functools.reduce(jnp.logical_and, columns)


def _comparable(x: dict[Any, Any], key: Any) -> list[Any]:
    """The keys that it may be equal to."""
    parts, is_tuple = _parts(key), type(key) is tuple
    found = [k for k in x if isinstance(k, tuple) is is_tuple and len(_parts(k)) == len(parts)]
    return [k for k in found if all(map(_may_be, _parts(k), parts))]


def _may_be(k: Any, part: Any) -> bool:
    """Whether a part of a key may be equal to one that is traced; whether it is, to one that is known."""
    if not is_traced(part):
        return bool(k is part or k == part)
    dtype = jnp.result_type(part)
    if not isinstance(k, _NUMBERS) or type(k) is float and dtype.kind == "f":
        return type(k) is float
    with np.errstate(all="ignore"):
        return bool(-(2.0**63) <= k < 2.0**63 and np.asarray(k).astype(dtype) == k)


def dict_get(f: Any, *args: Any) -> Any:
    """`x.get(key, default)`, which `f` is."""
    is_tested, context.progress.caller_tests_none = context.progress.caller_tests_none, False
    is_default = len(args) > 1 and args[1] is not None
    if args and type(args[0]) is tuple and any(type(part) is choices.Choice for part in args[0]):
        if not is_default:
            raise may_be_missing(is_string=True)
        return choices.each_apart(lambda *parts: dict_get(f, parts, *args[1:]), *args[0])
    if not args or not may_have_key(f.__self__, args[0]):
        return f(*args)
    return get_value(f.__self__, *args) if is_default else get_or_none(f.__self__, args[0], is_tested)
