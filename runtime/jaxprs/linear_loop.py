"""A differentiated `while` taken apart: its values, its tangents, one iteration of either.

The loop that JAX's forward rule makes carries values and, beside them, tangents, which depend linearly on the tangents
at the start. `Loop` names the parts. A *point* is `[alive, *values]`: the values at the head of an iteration and whether that
iteration is taken. Values stop at the last head whose iteration *was* taken: what is evaluated there once more, because a block
has a fixed number of iterations or because other lanes of a `vmap` go on, has been evaluated before and is as finite as
then. The values after the loop may be outside of the body's domain, and a cotangent of zero times infinity is nan.

>>> from jax.interpreters.ad import UndefinedPrimal
>>> def squared_up(x): return lax.while_loop(lambda x: x < 100.0, lambda x: x * x, x)
>>> [eqn] = jax.make_jaxpr(lambda x, dx: jax.jvp(squared_up, (x,), (dx,)))(3.0, 1.0).eqns
>>> loop = Loop([jnp.float32(3.0), UndefinedPrimal(eqn.invars[1].aval)], **eqn.params)
>>> point = loop.first_point()
>>> for _ in range(3):
...     point = loop.next_point(point)
...     print(*point)
True 9.0
True 81.0
False 81.0
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph import jax_internals
from autograph.runtime.jaxprs import rules

Values = list[Any]


class Loop:
    """The parts of a `while` that is linear in some of its operands.

    Args:
        operands: constants of the test, constants of the body, first carry; linear ones are JAX's placeholders.
        params: the parameters of `while`.
    """

    def __init__(self, operands: Sequence[Any], **params: Any) -> None:
        self.test_consts, consts, carry = rules.while_operands(params, operands)
        self.linear_const = [jax_internals.is_linear(x) for x in consts]
        self.consts = [x for x, linear in zip(consts, self.linear_const, strict=True) if not linear]
        self.test, self.body = silent(params["cond_jaxpr"]), silent(params["body_jaxpr"])
        self.linear_carry, value_part = self._split([jax_internals.is_linear(x) for x in carry])
        self.start = [jnp.asarray(x) for x, linear in zip(carry, self.linear_carry, strict=True) if not linear]
        self._value_part, self._value_inputs = value_part

        in_avals = self.body.in_avals
        self.const_zeros = _zeros(in_avals[: len(consts)], self.linear_const)
        self.carry_zeros = _zeros(in_avals[len(consts) :], self.linear_carry)

    def _split(self, linear: list[bool]) -> tuple[list[bool], tuple[Any, list[bool]]]:
        """Which carries are tangents, and the part of the body that makes the values, with the inputs that it reads."""
        while True:  # a tangent that starts at a known zero is found when the body makes it depend on another
            known, linear_out = jax_internals.split_jaxpr(self.body, self.linear_const + linear, linear)
            if linear_out == linear:
                break
            linear = list(map(operator.or_, linear, linear_out))
        values = len(linear) - sum(linear)
        wanted = [k < values for k in range(len(known.jaxpr.outvars))]
        jaxpr, read = jax_internals.prune_jaxpr(known.jaxpr, wanted)
        return linear, (jax_internals.ClosedJaxpr(jaxpr, known.consts), read)

    def alive(self, values: Values) -> Any:
        """Whether an iteration follows on `values`: a boolean, or one per lane (leading axes) of a `vmap` around the loop."""
        carry = _merge(self.linear_carry, self.carry_zeros, values)
        return _run(self.test, *self.test_consts, *carry)[0]

    def first_point(self) -> Values:
        """The point at the start; lanes that take no iteration get values of one that does: theirs may be out of domain."""
        alive = self.alive(self.start)
        if not alive.shape:
            return [alive, *self.start]
        lanes = alive.reshape(-1)
        lane = jnp.argmax(lanes)
        spares = [x.reshape(lanes.shape + x.shape[alive.ndim :])[lane] for x in self.start]
        return [alive, *(_where(alive, x, spare) for x, spare in zip(self.start, spares, strict=True))]

    def next_point(self, point: Values) -> Values:
        """One iteration of the values."""
        alive, *values = point
        inputs = [*self.consts, *values]
        new = _run(self._value_part, *(x for x, read in zip(inputs, self._value_inputs, strict=True) if read))
        return self._next(alive, values, new)

    def iteration(self, point: Values, const_tangents: Values, tangents: Values) -> tuple[Values, Values]:
        """One iteration of values and tangents; the tangents of lanes that are not alive stay."""
        alive, *values = point
        used = tangents
        if alive.shape:  # the transpose of this choice drops the cotangents that dead lanes make (perhaps nan)
            used = [_where(alive, x, jnp.zeros_like(x)) for x in tangents]
        consts = _merge(self.linear_const, const_tangents, self.consts)
        out = _run(self.body, *consts, *_merge(self.linear_carry, used, values))
        new = [x for x, linear in zip(out, self.linear_carry, strict=True) if not linear]
        new_tangents = [x for x, linear in zip(out, self.linear_carry, strict=True) if linear]
        tangents = [_where(alive, a, b) for a, b in zip(new_tangents, tangents, strict=True)]
        return self._next(alive, values, new), tangents

    def _next(self, alive: Any, values: Values, new: Values) -> Values:
        goes_on = alive & self.alive(new)
        return [goes_on, *(_where(goes_on, a, b) for a, b in zip(new, values, strict=True))]

    def cotangents_of(self, operands: Sequence[Any], consts: Values, carry: Values) -> list[Any]:
        """One cotangent per operand of the `while`; None for the operands that are not linear."""
        of_consts, of_carry = iter(consts), iter(carry)
        out: list[Any] = [None] * len(self.test_consts)
        out += [next(of_consts) if linear else None for linear in self.linear_const]
        for x, linear in zip(operands[len(out) :], self.linear_carry, strict=True):
            cotangent = next(of_carry) if linear else None
            out.append(cotangent if jax_internals.is_linear(x) else None)  # known zeros became tangents: no operand
        return out


def silent(region: Any) -> Any:
    """Returns the region without its prints (equations that only report: no result, nothing but debugging effects)."""
    jaxpr = rules.jaxpr_of(region)
    if not jaxpr.effects:
        return region
    kept = [eqn for eqn in jaxpr.eqns if not eqn.effects or eqn.outvars or not all(map(rules.reports, eqn.effects))]
    eqns = [rules.rebuilt(eqn, lambda name, inner: silent(inner)) if eqn.effects else eqn for eqn in kept]
    made = jaxpr.replace(eqns=eqns, effects=rules.other_effects(jaxpr.effects))
    return rules.in_form_of(region, made, getattr(region, "consts", ()))


def _run(closed: Any, *args: Any) -> list[Any]:
    return list(jax.core.eval_jaxpr(closed.jaxpr, closed.consts, *args))


def _zeros(avals: Sequence[Any], linear: Sequence[bool]) -> Values:
    return [jax_internals.zeros_of(aval) for aval, is_tangent in zip(avals, linear, strict=True) if is_tangent]


def _merge(linear: Sequence[bool], tangents: Sequence[Any], values: Sequence[Any]) -> Values:
    first: Iterator[Any] = iter(tangents)
    second: Iterator[Any] = iter(values)
    return [next(first) if is_tangent else next(second) for is_tangent in linear]


def _where(mask: Any, a: Any, b: Any) -> Any:
    """`a` where the mask is true, else `b`; the axes of the mask are the leading ones of `a`."""
    if not mask.shape:
        return lax.select(mask, a, b)
    return jnp.where(mask.reshape(mask.shape + (1,) * (a.ndim - mask.ndim)), a, b)
