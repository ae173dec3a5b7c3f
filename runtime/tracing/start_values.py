"""Floats beyond 32 bits that only ever bound what they are compared with: beside a float of 32 bits they become its infinity.

The source of a function says which (`autograph.analyses.start_values`). Each is marked by an object of its own: another float of
the same value may be returned or computed with, and does not fit.

>>> bound = start(1e300)
>>> bound == 1e300, is_start(bound), is_start(1e300), bound is start(1e300)
(True, True, False, True)
"""

from __future__ import annotations

import math
import operator
from typing import Any

import jax.numpy as jnp

from autograph.runtime.tracing.families import JAX_ARRAYS
from autograph.runtime.tracing.refusals import refusal

FOR_LARGE_FLOATS = "compute in 64 bits (`jax.config.update('jax_enable_x64', True)`), or, for a bound, write `float('inf')`"
_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_STARTS: dict[float, float] = {}


def start(x: float) -> float:
    """The object that stands for such a bound."""
    return _STARTS.setdefault(x, x * 1.0)


def is_start(x: Any) -> bool:
    """Whether an object stands for such a bound."""
    return type(x) is float and _STARTS.get(x) is x


def infinite(x: float, dtype: Any) -> float:
    """The infinity that stands for such a bound beside values of a type; the bound itself where the type holds it."""
    return math.copysign(math.inf, x) if float(jnp.finfo(dtype).max) < abs(x) else x


def bound_op(sign: str, left: Any, right: Any) -> Any:
    """`left <sign> right`, where one operand may be such a bound.

    Raises:
        StagingError: the other operand is a Python float beyond 32 bits, and which of the two is larger is not known any more.
    """
    for x, other in ((left, right), (right, left)):
        if type(x) is float and not is_start(x) and isinstance(other, JAX_ARRAYS):
            if abs(infinite(x, jnp.result_type(other, float))) == math.inf > abs(x):
                raise refusal(
                    f"a variable that began beyond 32 bits is compared with {x}",
                    why="beside floats of 32 bits both are infinite",
                    instead=FOR_LARGE_FLOATS,
                    page="two-shapes",
                )
    if is_start(right) and isinstance(left, JAX_ARRAYS):
        right = infinite(right, jnp.result_type(left, float))
    elif is_start(left) and isinstance(right, JAX_ARRAYS):
        left = infinite(left, jnp.result_type(right, float))
    return _ORDERS[sign](left, right)
