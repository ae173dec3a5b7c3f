"""Augmented assignment to a name: `x += v` and its family.

>>> xs = ys = [1]
>>> xs = iop('+=', xs, [2]); ys
[1, 2]
>>> iop('//=', 7, 2)
3
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.runtime import (
    array_versions,
    bool_arithmetic,
    calls,
    constants,
    journal,
    key_orders,
    order_reads,
    powers,
    walked,
)
from autograph.runtime.lookups import python_method
from autograph.runtime.refusals import refusal
from autograph.runtime.staging import is_traced, is_tracer

# symbol: the in-place operator, its special method, the operator without assignment
_OPERATORS: dict[str, tuple[Callable[[Any, Any], Any], str, Callable[[Any, Any], Any]]] = {
    "+=": (operator.iadd, "__iadd__", operator.add),
    "-=": (operator.isub, "__isub__", operator.sub),
    "*=": (operator.imul, "__imul__", operator.mul),
    "/=": (operator.itruediv, "__itruediv__", operator.truediv),
    "//=": (operator.ifloordiv, "__ifloordiv__", operator.floordiv),
    "%=": (operator.imod, "__imod__", operator.mod),
    "**=": (powers.inplace, "__ipow__", powers.power),
    "@=": (operator.imatmul, "__imatmul__", operator.matmul),
    "<<=": (operator.ilshift, "__ilshift__", operator.lshift),
    ">>=": (operator.irshift, "__irshift__", operator.rshift),
    "&=": (operator.iand, "__iand__", operator.and_),
    "^=": (operator.ixor, "__ixor__", operator.xor),
    "|=": (operator.ior, "__ior__", operator.or_),
}


def iop(symbol: str, x: Any, value: Any, unshared: int = 0) -> Any:
    """The new value of `x` after `x <symbol> value`.

    Containers change in place and are announced to the journal; a Python `__iadd__` is converted; arrays of JAX and
    numbers give a new value.

    Args:
        unshared: the number of axes up to which a NumPy array `x` is known to nothing but the variable that is bound anew.

    Raises:
        StagingError: a NumPy array would have to hold a traced value.
    """
    if type(x) is np.ndarray:
        x = traceable(x, unshared) if is_traced(value) or journal.active() else constants.apart(x, unshared)
    new = combined(symbol, x, value)
    if new is not x and is_tracer(x):
        array_versions.record(x, new, array_versions.UPDATE, unshared=x.ndim <= unshared)
    return new


def traceable(x: np.ndarray[Any, Any], unshared: int) -> Any:
    """A NumPy array that a traced value or a staged statement will change, as an array of JAX.

    It stays what it is where another name, row or view could see that it is another object now.
    """
    is_own = x.ndim <= unshared and x.base is None and x.dtype.kind in "biufc"
    return jnp.asarray(x) if is_own else x


def combined(symbol: str, x: Any, value: Any) -> Any:
    """As `iop`, where `x` is an element that is written back."""
    native, method, plain = _OPERATORS[symbol]
    kind = type(x)
    user = python_method(kind, method)
    if user is not None:
        journal.touch_container(x)
        result = calls.staged(user)(x, value)
        return plain(x, value) if result is NotImplemented else result
    if kind is np.ndarray and is_traced(value):
        raise refusal(
            f"a NumPy array cannot be changed in place by a traced value (`{symbol}`)",
            why="it holds numbers, and a traced value is not known yet",
            instead="start from a JAX array: `x = jnp.asarray(x)`",
        )
    if bool_arithmetic.are_of_python(x, value):
        return bool_arithmetic.bool_op(symbol[:-1], x, value)
    walked.check(x, method)
    journal.touch_container(x)
    if key_orders.any_unknown():
        order_reads.added(x, value)
    return native(x, value)
