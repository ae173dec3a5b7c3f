"""Prints and other calls of the host, which a program with an error code makes as long as no check has failed: Python had raised.

>>> program = jax.make_jaxpr(lambda x: jax.debug.print("{}", x))(1.0)
>>> tells_the_host(program.eqns[0]), tells_the_host(jax.make_jaxpr(jnp.sin)(1.0).eqns[0])
(True, False)
>>> operands, guarded = only_if_fine(program.jaxpr, program.eqns[0], program.jaxpr.invars)
>>> print(jax.make_jaxpr(guarded)(True, 1.0).eqns[-1].primitive)
cond
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp  # noqa: F401  # of the example
from jax import lax

from autograph.jax_internals import new_var, zeros_of
from autograph.runtime.jaxprs import graph, linear_loop
from autograph.runtime.tracing.statement_names import FINALLY

_OF_IO = ("IOEffect", "OrderedIOEffect")  # those of `io_callback`, which have no public name


def tells_the_host(eqn: Any) -> bool:
    """Whether an equation prints, or calls Python in another way that its caller can tell: not by a `pure_callback`.

    One that reads or writes a reference is none, which no branch could take; nor is one in a `finally`, which runs in any case.
    """
    if any(hasattr(effect, "input") for effect in eqn.effects) or FINALLY in str(eqn.source_info.name_stack).split("/"):
        return False
    return any(linear_loop.reports(effect) or type(effect).__name__ in _OF_IO for effect in eqn.effects)


def only_if_fine(jaxpr: Any, eqn: Any, operands: Sequence[Any]) -> tuple[list[Any], Callable[..., list[Any]]]:
    """What an equation of a jaxpr reads, and a function of a bool and these that computes it where the bool holds, else zeros.

    Args:
        operands: those of the equation, or others in their place.
    """
    reads = list(dict.fromkeys(x for x in operands if not graph.is_literal(x)))
    results = [new_var(v.aval) for v in eqn.outvars]
    info = jaxpr.debug_info
    if info is not None:
        info = info._replace(arg_names=("",) * len(reads), result_paths=("",) * len(results))
    parts = {"constvars": [], "invars": reads, "outvars": results, "effects": eqn.effects, "debug_info": info}
    alone = jaxpr.replace(eqns=[eqn.replace(invars=list(operands), outvars=results)], **parts)

    def guarded(fine: Any, *values: Any) -> list[Any]:
        def skipped(*_: Any) -> list[Any]:
            return [zeros_of(v.aval) for v in results]

        return list(lax.cond(fine, lambda *values: jax.core.eval_jaxpr(alone, (), *values), skipped, *values))

    return reads, guarded
