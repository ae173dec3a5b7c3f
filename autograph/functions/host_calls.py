"""Prints, which a program with an error code makes as long as no check has failed: Python would have raised.

>>> program = jax.make_jaxpr(lambda x: jax.debug.print("{}", x))(1.0)
>>> is_print(program.eqns[0]), is_print(jax.make_jaxpr(jax.numpy.sin)(1.0).eqns[0])
(True, False)
>>> guarded, *reads = only_if_fine(program.jaxpr, program.eqns[0], program.jaxpr.invars, "fine")
>>> print(jax.make_jaxpr(guarded)(True, 1.0).eqns[-1].primitive, reads == ["fine", *program.jaxpr.invars])
cond True
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import lax

from autograph.runtime.jaxprs import graph
from autograph.runtime.tracing.statement_names import FINALLY


def is_print(eqn: Any) -> bool:
    """Whether an equation prints, or calls Python otherwise and takes nothing from it (`jax.debug.callback`).

    One in a `finally` is none, which runs in any case.
    """
    return eqn.primitive.name in ("debug_callback", "debug_print") and not eqn.outvars and not is_in_finally(eqn)


def is_in_finally(eqn: Any) -> bool:
    """Whether an equation stands in a `finally`, or in the end of a `with`."""
    return FINALLY in str(eqn.source_info.name_stack).split("/")


def with_condition(eqn: Any, operands: Sequence[Any], fine: Any) -> Any:
    """Returns the equation of a `jax.debug.callback` with one more operand, that says whether to call; None for another print.

    A `cond` around each would be compiled in a time that grows faster than their number.
    """
    callback = eqn.params.get("callback")
    if eqn.primitive.name != "debug_callback" or callback is None:
        return None
    return eqn.replace(invars=[fine, *operands], params={**eqn.params, "callback": functools.partial(_call, callback)})


def _call(callback: Callable[..., Any], fine: Any, *args: Any) -> Any:
    return callback(*args) if fine else ()


def only_if_fine(jaxpr: Any, eqn: Any, operands: Sequence[Any], fine: Any) -> tuple[Any, ...]:
    """Returns a function that prints where its first argument holds, and its arguments: `fine`, and what the print reads.

    Args:
        operands: those of the equation of the jaxpr, or others in their place.
    """
    reads = list(dict.fromkeys(x for x in operands if not graph.is_literal(x)))
    info = jaxpr.debug_info
    if info is not None:
        info = info._replace(arg_names=("",) * len(reads), result_paths=())
    parts = {"constvars": [], "invars": reads, "outvars": [], "effects": eqn.effects, "debug_info": info}
    alone = jaxpr.replace(eqns=[eqn.replace(invars=list(operands))], **parts)

    def guarded(fine: Any, *values: Any) -> list[Any]:
        lax.cond(fine, lambda *values: jax.core.eval_jaxpr(alone, (), *values), lambda *_: [], *values)
        return []

    return guarded, fine, *reads
