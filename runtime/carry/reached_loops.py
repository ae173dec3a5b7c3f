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

from jax import lax
from jax.interpreters import batching, mlir

from autograph.jax_internals import ClosedJaxpr, Primitive
from autograph.runtime.checks import runtime_checks
from autograph.runtime.heap import path_conditions
from autograph.runtime.jaxprs.graph import Graph, reads
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
        graph = Graph(test.jaxpr.invars)
        graph.close_over(test)
        truths, conditions = (list(map(graph.add_value, of)) for of in (self.checks, self.conditions))
        [truth] = graph.add(test.jaxpr, graph.invars)
        for one in [*truths, graph.op(reached_p.bind, *conditions)] if conditions else truths:
            truth = graph.op(lax.bitwise_and, one, truth)
        graph.outs = [truth]
        return graph.region(test)

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
    check = silent(ClosedJaxpr(test.jaxpr, test.consts)).jaxpr
    graph = Equations({}, body.jaxpr.invars)
    graph.close_over(test)
    graph.close_over(body)
    graph.define([body.jaxpr.constvars[at]], graph.add(check, graph.invars, fresh=True))
    graph.outs = graph.add(body.jaxpr, graph.invars)
    return graph.region(body)
