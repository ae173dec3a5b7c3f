"""The operators of augmented assignment, by their symbols: what a name and what an element gets by `+=`.

>>> combined('//=', 7, 2), combined('+=', [1], [2])
(3, [1, 2])
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.heap import iterated_containers, journal
from autograph.runtime.sequences import powers
from autograph.runtime.tracing import host, python_bools
from autograph.runtime.tracing.class_lookup import python_method
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values import key_orders, order_reads

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

FUNCTIONS = {getattr(operator, method): symbol for symbol, (_, method, _) in _OPERATORS.items()}
"""The functions of `operator` for these, with their symbols."""


def combined(symbol: str, x: Any, value: Any) -> Any:
    """The new value of `x` after `x <symbol> value`; containers change in place and are announced to the journal.

    Raises:
        StagingError: a NumPy array would have to hold a traced value.
    """
    native, method, plain = _OPERATORS[symbol]
    kind = type(x)
    user = python_method(kind, method)
    if user is not None:
        journal.touch_container(x)
        result = host.calls.staged(user)(x, value)
        return plain(x, value) if result is NotImplemented else result
    if kind is np.ndarray and is_traced(value):
        raise refusal(
            f"a NumPy array cannot be changed in place by a traced value (`{symbol}`)",
            why="it holds numbers, and a traced value is not known yet",
            instead="start from a JAX array: `x = jnp.asarray(x)`",
            page="numpy-array-in-place",
        )
    if python_bools.are_of_python(x, value):
        return python_bools.bool_op(symbol[:-1], x, value)
    iterated_containers.check_iterated(x, method)
    journal.touch_container(x)
    if key_orders.any_unknown():
        order_reads.added(x, value)
    return native(x, value)
