"""Operators beside a Python integer that no integer of the program holds: exact where the result does not need that integer.

JAX makes an array of its default type of a Python integer before it looks at the other operand, and fails for a large one. Python
computes `x * 10**10` of a float as `x * 1e10`, compares any two numbers, and NumPy takes an integer that the array's type holds.

| the other operand | arithmetic | comparisons |
| --- | --- | --- |
| float, complex | with `float(n)` | with `float(n)`; decided by the infinity of the type where `n` is beyond its numbers |
| integer whose type holds `n` (`uint32` and `0xFFFFFFFF`) | in that type | in that type |
| any other integer | `/` with `float(n)`; the rest is refused | decided: all of its numbers are on one side of `n` |

>>> import jax, jax.numpy as jnp
>>> f = jax.jit(lambda x: large_op("*", x, 10**10))
>>> float(f(0.5)), [bool(b) for b in jax.jit(lambda n: (large_op("<", n, 2**40), large_op("==", 2**40, n)))(3)]
(5000000000.0, [True, False])
>>> hex(jax.jit(lambda h: large_op("&", h, 0xAAAAAAAA))(jnp.uint32(0xFFFF0000)))
'0xaaaa0000'
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.runtime.sequences import powers
from autograph.runtime.tracing.families import JAX_ARRAYS
from autograph.runtime.tracing.known.number import is_open_number

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    **COMPARISONS, "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": powers.power, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


def large_op(sign: str, left: Any, right: Any) -> Any:
    """`left <sign> right`, where one operand may be such an integer."""
    try:
        found = _OPERATORS[sign](left, right)
        if is_open_number(found):
            found.compute = functools.partial(large_op, sign)
        return found
    except OverflowError:
        if (result := again(sign, left, right)) is None:
            raise
        return result


def again(sign: str, left: Any, right: Any) -> Any:
    """Computes what an operator has just raised an `OverflowError` for; None where the error is the answer."""
    x, n = (right, left) if type(left) is int else (left, right)
    if type(n) is not int or not isinstance(x, JAX_ARRAYS) or not jnp.issubdtype(x.dtype, jnp.number):
        return None
    is_float, is_within = jnp.issubdtype(x.dtype, jnp.inexact), _is_within(x.dtype, n)
    if sign in COMPARISONS and not is_within:
        return decided_comparison(MIRRORED.get(sign, sign) if n is left else sign, x, n > 0, is_float)
    if not (is_float or is_within or sign == "/"):
        return None
    number = float(n) if is_float or sign == "/" else np.asarray(n, x.dtype)
    return _OPERATORS[sign](*((number, x) if n is left else (x, number)))


def _is_within(dtype: Any, n: int) -> bool:
    """Whether `n` lies between the least and the largest number of a type."""
    limits = jnp.finfo(dtype) if jnp.issubdtype(dtype, jnp.inexact) else jnp.iinfo(dtype)
    return int(limits.min) <= n <= int(limits.max)


def decided_comparison(sign: str, x: Any, is_above: bool, is_float: bool = False) -> Any:
    """Decides `x <sign> n` for an integer `n` above, or below, all finite numbers of the type of `x`."""
    if is_float and sign in MIRRORED:
        beyond = {True: (operator.lt, operator.ge), False: (operator.le, operator.gt)}[is_above][sign[0] == ">"]
        return beyond(x, float("inf") if is_above else float("-inf"))
    holds = (sign[0] == "<") is is_above if sign in MIRRORED else sign == "!="
    if x.shape:
        return jnp.full(x.shape, holds)
    return holds if x.weak_type else np.bool_(holds)
