"""What the equations of a region make, read and need.

>>> import jax, jax.numpy as jnp
>>> jaxpr = jax.make_jaxpr(lambda x, y: (x + 1, jnp.sin(y)))(1, 2.0).jaxpr
>>> total, sine = jaxpr.outvars
>>> [eqn.primitive.name for eqn in needed(jaxpr.eqns, [total])], producers(jaxpr.eqns)[sine].primitive.name
(['add'], 'sin')
>>> reads(jaxpr.eqns, []) == set(jaxpr.invars)
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jax.lax import cond_p

from autograph.jax_internals import Literal


def is_literal(atom: Any) -> bool:
    """Whether an operand of an equation is a number, not a variable."""
    return type(atom) is Literal


def has_at_most(v: Any, count: int) -> bool:
    """Whether a value of a jaxpr is known to have so many elements at most: one of a symbolic size is not."""
    return isinstance(v.aval.size, int) and v.aval.size <= count


def producers(eqns: Iterable[Any]) -> dict[Any, Any]:
    """The equation that makes each variable."""
    return {v: eqn for eqn in eqns for v in eqn.outvars}


def reads(eqns: Iterable[Any], outs: Iterable[Any]) -> set[Any]:
    """The variables that equations and results read."""
    found = {v for eqn in eqns for v in eqn.invars if type(v) is not Literal}
    found.update(v for v in outs if type(v) is not Literal)
    return found


def needed(eqns: Sequence[Any], outs: Iterable[Any], keep_effects: bool = False) -> list[Any]:
    """The equations that some values depend on, in order; and all with effects, where these are kept."""
    live, found = reads((), outs), []
    for eqn in reversed(eqns):
        if not live.isdisjoint(eqn.outvars) or (keep_effects and eqn.effects):
            found.append(eqn)
            live.update([v for v in eqn.invars if type(v) is not Literal])
    return found[::-1]


def only_weakens(eqn: Any) -> bool:
    """Whether an equation gives a value a weak type of the same dtype, or takes it away: that is nothing to compute."""
    return eqn.primitive.name == "convert_element_type" and eqn.invars[0].aval.dtype == eqn.outvars[0].aval.dtype


def predicate_of(eqn: Any, made_by: dict[Any, Any]) -> Any:
    """The boolean variable by which a `cond` or a `select` chooses one of two.

    None for any other equation, and where an integer or a literal chooses. `made_by`: the equation that makes each variable.
    """
    if eqn.primitive is cond_p and len(eqn.params["branches"]) == 2:
        index = eqn.invars[0]
        eqn = None if is_literal(index) else made_by.get(index)
        if eqn is None or eqn.primitive.name != "convert_element_type":
            return None
    elif eqn.primitive.name != "select_n":
        return None
    predicate = eqn.invars[0]
    return predicate if not is_literal(predicate) and predicate.aval.dtype == bool else None


def with_equations(region: Any, eqns: list[Any], outs: list[Any], more: Sequence[Any] = ()) -> Any:
    """A region (`binding.Traced`) with other equations and results: it keeps the constants that these read, and its inputs,
    to which `more` are added."""
    read = reads(eqns, outs)
    consts = {v: x for v, x in zip(region.jaxpr.constvars, region.consts, strict=True) if v in read}
    return region.with_consts(list(consts), list(consts.values()), [*region.jaxpr.invars, *more], outs, eqns)
