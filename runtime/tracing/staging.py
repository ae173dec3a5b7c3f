"""The one rule of staging: a construct is staged when the value that decides it is *not concrete*.

A tracer is not yet a reason: under eager `jax.grad` a value is a tracer and known, and Python's own control flow is right.

>>> import jax
>>> is_traced(3.0)
False
>>> seen = []
>>> _ = jax.grad(lambda x: (seen.append(is_traced(x)), x)[1])(1.0)
>>> _ = jax.jit(lambda x: (seen.append(is_traced(x)), x)[1])(1.0)
>>> seen
[False, True]
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from autograph.jax_internals import SIZE, is_concrete
from autograph.runtime.tracing.families import JAX_ARRAYS, NUMBERS


def is_traced(x: Any) -> bool:
    """Whether `x` is a JAX value that is not known while the program is traced."""
    # Not isinstance: where the type says no, it reads the object's `__class__`, which a proxy may count or refuse.
    return issubclass(type(x), Tracer) and not is_concrete(x)


def is_tracer(x: Any) -> bool:
    """Whether `x` is a tracer, known or not: what reads numbers out of it natively would lose its derivative."""
    return issubclass(type(x), Tracer)


def is_array_like(x: Any) -> bool:
    """Whether `x` can be an operand of a JAX primitive: a number, an array or a tracer; never a user's object.

    Types are tested by identity or by JAX's and NumPy's own classes, so that proxies and mocks are not probed.
    """
    kind = type(x)
    if kind in NUMBERS:
        return True
    if issubclass(kind, Tracer):
        return isinstance(x.aval, jax.core.ShapedArray)  # not a reference, nor an object that a library traces
    if issubclass(kind, jax.Array):
        return True
    if issubclass(kind, (np.ndarray, np.generic)):
        return x.dtype.kind in "biufcV" and (x.dtype.kind != "V" or x.dtype.isbuiltin == 2)
    return kind is SIZE


def is_jax_array(x: Any) -> bool:
    """Whether `x` is an array of JAX, known or traced (not a reference or a traced object: their items are written in place)."""
    return is_array_like(x) and issubclass(type(x), JAX_ARRAYS)


def holds_traced(x: Any) -> bool:
    """Whether `x`, or a list or tuple within `x`, holds a tracer, or a size that is not known.

    A tracer that is known has a derivative (eager `grad`).
    """
    kind = type(x)
    if kind is list or kind is tuple:
        return any(map(holds_traced, x))
    return kind is SIZE or is_tracer(x)


def takes_traced(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call gets a tracer, or a list or tuple that holds one."""
    return any(map(holds_traced, args)) or any(map(holds_traced, kwargs.values()))
