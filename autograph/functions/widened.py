"""Equations with one more operand and one more result: what their parameters say of each.

>>> [eqn] = jax.make_jaxpr(jax.jit(lambda x: x + 1))(1.0).eqns
>>> len(eqn.params["in_shardings"]), len(of_one_more(eqn.params)["in_shardings"])
(1, 2)
"""

from __future__ import annotations

import functools
from typing import Any

import jax

from autograph.jax_internals import ClosedJaxpr, Jaxpr


def closed_regions(eqn: Any) -> list[Any]:
    """Returns the regions of an equation as it holds them, with their constants."""
    found = [x for param in eqn.params.values() for x in (param if type(param) is tuple else (param,))]
    return [x for x in found if isinstance(x, (ClosedJaxpr, Jaxpr))]


@functools.cache
def _of_a_call() -> dict[str, Any]:
    """Returns the parameters of `jit` in this version of JAX, of one argument and one result."""
    jaxpr = jax.make_jaxpr(jax.jit(lambda x: x))(jax.ShapeDtypeStruct((2,), "int32"))
    return dict(jaxpr.jaxpr.eqns[0].params)


def of_one_more(params: dict[str, Any]) -> dict[str, Any]:
    """Returns the parameters of a call that have an entry for each argument or result, with one more of both."""
    names = ("in_shardings", "out_shardings", "in_layouts", "out_layouts", "donated_invars")
    more = {name: (*params[name], *_of_a_call()[name]) for name in names if name in params}
    if type(params.get("prevent_cse")) is tuple:
        more["prevent_cse"] = (*params["prevent_cse"], True)
    return more


def layout(params: dict[str, Any], operands: int, results: int) -> tuple[int, int, int, int]:
    """Counts the constants, carried values, scanned arrays and stacked results of a `scan`."""
    if "num_carry" in params:
        consts, carry = params["num_consts"], params["num_carry"]
    else:
        consts, carry = (len(list(part)) for part in params["ft_in"].unpack()[:2])
    return consts, carry, operands - consts - carry, results - carry
