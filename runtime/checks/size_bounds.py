"""Checks the bounds that the user states for integers: `ag.at_most(n, 100)`, and `bounds=` of `ag.jit`.

A number above its bound fails, in plain Python and when the compiled program runs. So behind the check the bound is a fact, and
`np.zeros(n)` has room.

>>> import autograph as ag
>>> ag.at_most(3, 100)
3
>>> ag.jit(lambda n: jnp.zeros(n, int), bounds={"n": 100})(3)
BoundedArray([0, 0, 0], dtype=int32)
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any

import jax.numpy as jnp

from autograph.code.linking import parameters
from autograph.runtime.checks import runtime_checks
from autograph.runtime.checks.failures import Place
from autograph.runtime.tracing.array_types import type_of
from autograph.runtime.tracing.known.number import value_of
from autograph.runtime.tracing.staging import is_traced


def at_most(n: Any, most: int) -> Any:
    """Returns an integer that is at most so large; fails where it is larger, by the name of the line.

    A compiled program makes room for an array before it runs: `np.zeros(n)` needs to know how large `n` is at most. Where
    nothing in the program says so, this does.

    >>> import numpy as np
    >>> import autograph as ag
    >>> @ag.jit
    ... def ramp(n):
    ...     return np.arange(ag.at_most(n, 4)) * 10
    >>> ramp(3)
    BoundedArray([ 0, 10, 20], dtype=int32)

    Args:
        n: an integer, which may be traced.
        most: the greatest value that it may have.
    Raises:
        ValueError: it is larger. A compiled program raises it when it runs.
        TypeError: it is no integer.
    """
    most = operator.index(most)
    return _checked(n, most, ValueError(f"a number is more than {most}, the bound that ag.at_most was given"))


def _checked(n: Any, most: int, error: Exception, place: Place | None = None) -> Any:
    if not is_traced(n):
        if operator.index(n) > most:
            raise error
        return n
    if n.shape or n.dtype.kind not in "iu":
        raise TypeError(f"a bound is that of an integer, and this is {type_of(n)}")
    n, limits = value_of(n), jnp.iinfo(n.dtype)
    bound = max(min(most, int(limits.max)), int(limits.min))
    if bound < limits.max:
        runtime_checks.demand((n <= bound) & (bound <= most), error, place)
    return jnp.minimum(n, bound)  # this says to later code that it is no more, also in a lane of `vmap`


def checked_arguments(bounds: Sequence[tuple[str, int]], code: CodeType, arguments: Sequence[Any]) -> list[Any]:
    """Returns the arguments of a call, of which none is above its bound; the order is that of the parameters."""
    checked, place = list(arguments), Place(code.co_filename, code.co_firstlineno, code.co_name)
    for key, most in bounds:
        name, *path = key.split(".")
        at = parameters(code).index(name)
        value = checked[at]
        for part in path:
            value = _part(value, part)
        error = ValueError(f"{key} is more than {most}, the bound that `bounds=` gives it")
        value = _checked(value, most, error, place)
        if not path:
            checked[at] = value
    return checked


def _part(value: Any, name: str) -> Any:
    """Returns an attribute of an object, an item of a dict, or an element of a list."""
    if isinstance(value, Mapping):
        return value[name]
    return value[int(name)] if name.isdecimal() else getattr(value, name)
