"""`a ** b` of integers, of which Python makes a float when `b` is negative; a compiled program has one type for both.

| `b` | the result |
| --- | --- |
| known, negative | a float, as in Python |
| traced, known not to be negative (the number of an iteration, say) | an integer |
| traced, any other | an integer; the program fails when it runs with a negative `b` |

This is about Python's numbers, which are weakly typed when they are traced. Arrays follow NumPy's rules.

>>> import jax
>>> f = jax.jit(power)
>>> int(f(2, 5)), float(jax.jit(lambda n: power(n, -2))(4))
(32, 0.0625)
>>> try:
...     f(2, -1).block_until_ready()
... except (jax.errors.JaxRuntimeError, ValueError) as error:
...     "an integer is raised to a negative power" in str(error)
True
"""

from __future__ import annotations

import math
import operator
from typing import Any

import jax.numpy as jnp

from autograph import errors
from autograph.runtime.checks import guards
from autograph.runtime.tracing.array_types import is_integer, scalar, type_of
from autograph.runtime.tracing.integer_ranges import check_exact, range_of
from autograph.runtime.tracing.known.number import KnownTracer, lifted
from autograph.runtime.tracing.staging import is_traced


def power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`.

    Raises:
        StagingError: inside a loop that would better be unrolled (see `exact_integers`).
    """
    if type(base) is KnownTracer or type(exponent) is KnownTracer:
        found = lifted(operator.pow, base, exponent)
        if found is not NotImplemented:
            return found
    if not (is_traced(base) or is_traced(exponent)) or not (_is_number(base) and _is_number(exponent)):
        return base**exponent
    if not is_traced(exponent):
        return base**exponent if exponent >= 0 else scalar(base, float) ** exponent
    known = range_of(exponent)
    if known is None or known[0] < 0:
        check_exact("an integer raised to a power that may be negative is a float then")
        exponent = guards.guard_index(
            exponent,
            exponent >= 0,
            errors.StagingError(
                "an integer is raised to a negative power",
                why="Python makes a float of it, and the program was compiled for an integer",
                instead="start from a float, as in `2.0 ** n`",
            ),
        )
    elif (
        not is_traced(base)
        and abs(base) > 1
        and known[1] * math.log2(abs(base)) >= jnp.iinfo(jnp.result_type(int)).bits - 1
    ):
        check_exact(f"{base} to the power {known[1]} outgrows the integers of an array")
    return scalar(base**exponent, int)


def inplace(base: Any, exponent: Any) -> Any:
    """`base **= exponent`."""
    return power(base, exponent) if _is_number(base) else operator.ipow(base, exponent)


def _is_number(x: Any) -> bool:
    """Whether `x` is a Python integer, known or traced."""
    if not is_traced(x):
        return type(x) in (int, bool)
    return is_integer(x) and type_of(x).weak and not type_of(x).shape
