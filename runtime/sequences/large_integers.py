"""Operators beside a Python integer that no integer of the program holds: exact where the result does not need that integer.

JAX makes an array of its default type of a Python integer before it looks at the other operand, and fails for a large one. Python
computes `x * 10**10` of a float as `x * 1e10`, compares any two numbers, and NumPy takes an integer that the array's type holds.

| the other operand | arithmetic | comparisons |
| --- | --- | --- |
| float, complex | with `float(n)` | with `float(n)`; decided by the infinity of the type where `n` is beyond its numbers |
| integer whose type holds `n` (`uint32` and `0xFFFFFFFF`) | in that type | in that type |
| any other integer | `/` with `float(n)`; the rest is refused | decided: all of its numbers are on one side of `n` |

An operator is no call in converted code: the operators of tracers (`narrow_integers`) come here with JAX's `OverflowError`.

>>> import jax
>>> from autograph.api import convert
>>> f = jax.jit(convert(lambda x, n, h: (x * 10**10, n < 2**40, 2**40 == n, h & 0xAAAAAAAA)))
>>> scaled, *tests, masked = f(0.5, 3, jnp.uint32(0xFFFF0000))
>>> float(scaled), [bool(test) for test in tests], hex(masked)
(5000000000.0, [True, False], '0xaaaa0000')
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_SIGNS = {fn.__name__: sign for sign, fn in COMPARISONS.items()}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def beside_large(name: str, x: Any, n: int) -> Any:
    """Computes what a tracer's operator has just raised an `OverflowError` for; `NotImplemented` where the error is the answer.

    Args:
        name: of the method without underscores: `mul` of `x * n`, `rmul` of `n * x`.
    """
    if not jnp.issubdtype(x.dtype, jnp.number):
        return NotImplemented
    is_float, is_within = jnp.issubdtype(x.dtype, jnp.inexact), _is_within(x.dtype, n)
    sign = _SIGNS.get(name)
    if sign is not None and not is_within:
        return decided_comparison(sign, x, n > 0, is_float)
    if not (is_float or is_within or name in ("truediv", "rtruediv")):
        return NotImplemented
    return getattr(x, f"__{name}__")(np.asarray(n, x.dtype) if is_within and not is_float else float(n))


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
