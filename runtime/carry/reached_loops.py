"""The test of a staged loop includes, besides the user's condition, whether the loop is reached at all.

A compiled program runs its parts in any order, and goes on where a check has failed until it is stopped: a loop that ends only
where the check holds would never let it. So the test of a loop reads the checks that stand before it (`path_conditions`).

Under `vmap` both branches of an `if` run for every lane, and an iteration for those that have ended as well. There, and only there,
a loop inside reads the conditions around it, so that a lane that does not reach it makes no iteration: it might make more than
all others, or never end. `reached_p` is what a program keeps of these conditions: it is true, whatever they are, and costs
nothing; only its rule for `vmap` gives the conditions back.

>>> import jax, jax.numpy as jnp
>>> from autograph import convert
>>> @jax.jit
... @jax.vmap
... @convert
... def steps(n):
...     count = 0
...     if n > 0:  # Collatz, from 0 on, never comes to 1
...         while n != 1:
...             n = n // 2 if n % 2 == 0 else 3 * n + 1
...             count += 1
...     return count
>>> steps(jnp.array([0, 6])).tolist()
[0, 8]
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
from jax import lax
from jax.interpreters import batching, mlir

from autograph.jax_internals import ClosedJaxpr, Primitive, new_var
from autograph.runtime.checks import runtime_checks
from autograph.runtime.heap import path_conditions
from autograph.runtime.jaxprs.graph import reads
from autograph.runtime.jaxprs.linear_loop import silent
from autograph.runtime.jaxprs.specialize import Equations

reached_p = Primitive("reached")
"""True where the program stands, which runs only where all operands are true; under `vmap`, those that differ by lane."""


def _true(*conditions: Any) -> Any:
    return lax.full((), True, bool)


def _batched(conditions: Sequence[Any], axes: Sequence[int | None]) -> tuple[Any, int]:
    lanes = [x for x, axis in zip(conditions, axes, strict=True) if axis is not None]
    others = [x for x, axis in zip(conditions, axes, strict=True) if axis is None]
    if others:  # another `vmap` around may have lanes of its own
        lanes.append(lax.broadcast(reached_p.bind(*others), lanes[0].shape))
    return functools.reduce(lax.bitwise_and, lanes), 0


reached_p.def_impl(_true)
reached_p.def_abstract_eval(lambda *conditions: conditions[0])
batching.primitive_batchers[reached_p] = _batched
mlir.register_lowering(reached_p, mlir.lower_fun(_true, multiple_results=False))


class Reached(NamedTuple):
    """What tells whether a loop is reached.

    Attributes:
        checks: bools that hold where no check before the loop has failed.
        conditions: those of the branches and iterations around it.
    """

    checks: list[Any]
    conditions: list[Any]

    @classmethod
    def here(cls) -> Reached:
        """Of a loop that is staged now."""
        return cls(
            path_conditions.checks_before_loop() if runtime_checks.are_enabled() else [], path_conditions.conditions_of_loop()
        )

    def test(self, test: Any) -> Any:
        """The test of the loop (`binding.Traced`), which is false where the loop is not reached."""
        if not self.checks and not self.conditions:
            return test
        jaxpr = test.jaxpr
        consts = [*self.checks, *self.conditions]
        constvars = [new_var(jax.typeof(x)) for x in consts]
        count, eqns, truth = len(self.checks), list(jaxpr.eqns), jaxpr.outvars[0]
        truths = constvars[:count]
        if self.conditions:
            eqns.append(_equation("reached", constvars[count:]))
            truths = [*truths, *eqns[-1].outvars]
        for one in truths:
            eqns.append(_equation("and", [one, truth]))
            [truth] = eqns[-1].outvars
        constvars, consts = [*jaxpr.constvars, *constvars], [*test.consts, *consts]
        return test.with_consts(constvars, consts, list(jaxpr.invars), [truth], eqns)

    def alive_in(self, iteration: Any, alive: Any) -> Any:
        """A value that stands for "this iteration is made" among the constants of a loop body; None where that does not read it.

        Args:
            iteration: the jaxpr of the body.
            alive: its variable that checks and loops in it read.
        """
        if alive not in reads(iteration.eqns, iteration.outvars):
            return None
        return reached_p.bind(*(self.conditions or [lax.full((), True, bool)]))


def with_alive(body: Any, alive: Any, test: Any) -> Any:
    """A loop body in which the truth of the test, computed once more, stands for the constant `alive`."""
    at = next((k for k, x in enumerate(body.consts) if x is alive), None)
    if at is None:
        return body
    jaxpr, check = body.jaxpr, test.jaxpr
    if check.effects:
        check = silent(ClosedJaxpr(check, test.consts)).jaxpr
    equations = Equations({})
    truth = equations.add(check, jaxpr.invars, fresh=True)
    whole = jaxpr.replace(invars=[*jaxpr.invars, jaxpr.constvars[at]])
    outs = equations.add(whole, [*jaxpr.invars, *truth])
    known = {v: x for k, (v, x) in enumerate(zip(jaxpr.constvars, body.consts, strict=True)) if k != at}
    known |= dict(zip(test.jaxpr.constvars, test.consts, strict=True))
    return body.with_consts(list(known), list(known.values()), list(jaxpr.invars), outs, equations.eqns)


@functools.cache
def _forms() -> dict[str, Any]:
    jaxpr = jax.make_jaxpr(lambda x: lax.bitwise_and(reached_p.bind(x), x))(True)
    return {eqn.primitive.name: eqn for eqn in jaxpr.eqns}


def _equation(name: str, operands: list[Any]) -> Any:
    """An equation of bools."""
    form = _forms()[name]
    return form.replace(invars=operands, outvars=[new_var(v.aval) for v in form.outvars])
