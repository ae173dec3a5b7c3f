"""Whether both arms of an `if` may simply be computed: `select` instead of `cond`, inside loops.

A `cond` in a loop body costs more than a few scalar operations: a branch, a copy of each array result, and 15 ms of compile
time. Computing both arms is right only when each is

* pure: no loop, callback, random draw;
* cheap: a handful of elementwise operations;
* total, with total derivatives: the arm not taken must not turn a gradient into NaN. `select` sends a zero cotangent
  into it, and zero times an infinite derivative is NaN. So no float division, root, logarithm or power, and no product of two
  variables (zero times an infinite factor); products with a finite constant, sums, minima, and everything on integers are fine.

Outside loops an `if` stays a `cond`, whose arm not taken costs nothing.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

_LIMIT = 12  # equations per arm

_ELEMENTWISE = frozenset({
    "add", "sub", "neg", "max", "min", "abs", "sign", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "xor",
    "select_n", "convert_element_type", "copy", "floor", "ceil", "round", "is_finite", "clamp", "squeeze",
    "reshape", "broadcast_in_dim",
})
_TOTAL_ON_INTEGERS = frozenset({
    "mul", "div", "rem", "shift_left", "shift_right_logical", "shift_right_arithmetic", "population_count", "integer_pow",
})


def is_cheap(jaxpr: Any) -> bool:
    """Whether the equations of an arm satisfy all of the above."""
    return _cost(jaxpr) <= _LIMIT


def _cost(jaxpr: Any) -> int:
    total = 0
    for eqn in jaxpr.eqns:
        name = eqn.primitive.name
        if name in ("pjit", "jit"):
            inner = eqn.params["jaxpr"]
            total += _cost(getattr(inner, "jaxpr", inner))
        elif not eqn.effects and (name in _ELEMENTWISE or _is_total(eqn, name)):
            total += 1
        else:
            return _LIMIT + 1
        if total > _LIMIT:
            return total
    if all(isinstance(v.aval.dtype, np.dtype) for v in jaxpr.outvars):
        return total
    return _LIMIT + 1


def _is_total(eqn: Any, name: str) -> bool:
    if all(_is_integer(v) for v in eqn.invars):
        return name in _TOTAL_ON_INTEGERS
    return name == "mul" and any(hasattr(v, "val") and bool(np.all(np.isfinite(v.val))) for v in eqn.invars)


def _is_integer(v: Any) -> bool:
    return bool(jnp.issubdtype(v.aval.dtype, jnp.integer) or v.aval.dtype == bool)
