"""Checks in a row as the branches of one conditional, whose index is the number of the first that fails.

By itself each check is a conditional, with kernels before it for its test and its conditions. Of more than eight such steps XLA's
CPU backend makes tasks for its threads, which takes longer than most steps do. Of checks in a row all tests are one kernel.

In a row are checks with nothing between them but equations that end and that nobody sees: the conditional of the checks before
is then taken back, and bound anew, with one more branch. Where JAX does not record what runs, but transforms it (`grad` or `vmap`
within a compiled function), each check is bound alone.

>>> from autograph.runtime.checks.runtime_checks import assert_
>>> def f(x):
...     assert_(x > 0)
...     y = x + 1
...     assert_(y < 9)
...     return y
>>> [cond] = [eqn for eqn in jax.make_jaxpr(f)(1).eqns if eqn.primitive.name == "cond"]
>>> len(cond.params["branches"]), len(cond.invars)  # two checks, and none that fails; the number of the branch, for each too
(3, 2)
"""

from __future__ import annotations

import copy
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.jax_internals import may_be_taken_back, trace_region
from autograph.runtime.checks.failures import FailedCheck
from autograph.runtime.jaxprs import cost, graph
from autograph.runtime.jaxprs.binding import Traced, bind_switch, no_sooner_than
from autograph.runtime.tracing.recorded import last_equation, take_back

_MOST = 16
"""How many checks are one conditional: each is bound anew with every check that is added."""


class Group(NamedTuple):
    """Checks that are one conditional.

    Attributes:
        equation: the conditional, as the trace records it.
        number: that of the first check that fails, counted from 0; `_NONE` where none does.
        branches: one for each check: what they take is the number.
    """

    equation: Any
    number: Any
    branches: list[Traced]


def added_to_a_group(pred: Any, false_branch: Traced, true_branch: Traced) -> bool:
    """Whether a conditional without results is a check and nothing else: then it has been added to those before it."""
    empty, fails = (true_branch, false_branch) if false_branch.jaxpr.eqns else (false_branch, true_branch)
    *before, call = fails.jaxpr.eqns or [None]
    check = None if call is None else call.params.get("callback")
    if type(check) is not FailedCheck or empty.jaxpr.eqns or not cost.is_pure(before) or (last := may_be_taken_back()) is None:
        return False
    if not last or len(last[0].branches) >= _MOST or not take_back(last[0].equation, lambda eqn: cost.is_pure([eqn])):
        last[:] = [Group(None, None, [])]
    [(_, earlier, branches)] = last

    def values(atoms: Any) -> list[Any]:
        return fails.with_consts(
            list(fails.jaxpr.constvars), fails.consts, [], list(atoms), graph.needed(before, atoms)
        ).call()

    failed = functools.reduce(lax.bitwise_and, values(call.invars[: check.conditions]))
    shown = call.invars[check.conditions :]
    one = copy.copy(check)
    one.conditions, own = 1, np.int32(len(branches))

    def fail(number: Any) -> list[Any]:
        call.primitive.bind(lax.eq(number, own), *values(shown), **{**call.params, "callback": one})
        return []

    branches = [*branches, Traced(*trace_region(fail, [_NUMBER], f"check_{own}"))]
    failed = no_sooner_than(failed, branches[-1].consts)
    number = lax.select_n(failed, _NONE, own)
    if earlier is not None:
        number = lax.min(earlier, number)  # read once: of a value that is read twice XLA computes all before it twice
    index = lax.min(number, np.int32(len(branches)))
    bind_switch(index, [*branches, _nothing()], index)
    last[:] = [Group(last_equation(), number, branches)]
    return True


_NONE = np.int32(_MOST)
_NUMBER = jax.core.ShapedArray((), jnp.dtype(jnp.int32))


@functools.cache
def _nothing() -> Traced:
    """The branch where no check fails."""
    return Traced(*trace_region(lambda number: [], [_NUMBER], "no_check_fails"))
