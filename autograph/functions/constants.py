"""The array that a traced value is at every call, where operations made it of nothing but numbers and arrays.

>>> import jax.numpy as jnp
>>> jax.make_jaxpr(lambda x: constant(jnp.zeros(2) + 1) * x)(3.0).consts
[Array([1., 1.], dtype=float32)]
"""

from __future__ import annotations

from typing import Any

import jax

from autograph.jax_internals import STAYS, closed_over, equation_of, literal_value, variable_of


def constant(x: Any) -> Any:
    """Returns the array of such a value; returns any other one, and what is not traced, unchanged."""
    if not isinstance(x, jax.core.Tracer):
        return x
    made = equation_of(x)
    if made is None:
        known = (value for value in (literal_value(x), closed_over(x)) if value is not None)
        outer = next(known, None)
        return x if outer is None else constant(outer)
    values = [constant(operand) for operand in made.in_tracers]
    if made.primitive in STAYS or made.effects or any(isinstance(value, jax.core.Tracer) for value in values):
        return x
    with jax.ensure_compile_time_eval():
        results = made.primitive.bind(*values, **made.params)
    return results[made.outvars.index(variable_of(x))] if made.primitive.multiple_results else results
