"""Loops with a costly exit condition first, rotated as an expert does: it is evaluated before the loop and after each iteration.

    while k < n:                          new = f(x); done = C(new)
        new = f(x)                        while k < n and not done:
        if C(new): return x      is           x = new
        x = new                staged as      k += 1
        k += 1                                new = f(x); done = C(new)

The condition is part of the test then, and what follows it in an iteration is guarded by nothing: no `cond`, which copies
arrays, and no flag. What the iteration needs of its computation is carried (here `new`). `exit_folding` evaluates cheap conditions
twice instead.

The condition is evaluated once more than in the program, where the rest of the test is false: it ends, and cannot fail. Yet its
derivative may be infinite there, and zero times infinity is nan: what is differentiated is the loop as it was written.

>>> import jax, jax.numpy as jnp
>>> from autograph import convert
>>> def descend(x, n):
...     for k in range(n):
...         slope = jax.grad(lambda x: jnp.sum(jnp.cosh(x) * x))(x)
...         if slope @ slope < 1e-6:
...             return x, k
...         x = x - 0.1 * slope
...     return x, n
>>> loop = next(e for e in jax.make_jaxpr(convert(descend))(jnp.ones(9), 50).eqns if e.primitive.name == 'custom_jvp_call')
>>> str(loop.params['call_jaxpr']).count('cond['), str(loop.params['call_jaxpr']).count('cosh')
(0, 2)
"""

from __future__ import annotations

from typing import Any, NamedTuple

from jax.lax import cond_p, scan_p

from autograph.jax_internals import new_var
from autograph.runtime.jaxprs.exit_folding import Carried, Exit, changing, exits, left
from autograph.runtime.jaxprs.graph import has_at_most, needed, predicate_of, reads, with_equations
from autograph.runtime.jaxprs.loop import Bind, Form, Loop
from autograph.runtime.jaxprs.rules import every, regions

_MOST = 200  # equations of a condition that the program may hold twice
_LARGE = 1  # elements: to select from arrays is an operation of its own, to carry another one none
_VIEWS = frozenset({"squeeze", "reshape", "broadcast_in_dim", "convert_element_type", "not", "neg"})


class _Rotated(NamedTuple):
    """A loop whose exit condition is evaluated at the end of an iteration.

    Args:
        kept: the numbers of what the loop carries of its whole state.
        condition_values: what the exit condition computes that is read later; of a state.
        condition: whether the loop is left; of a state and those values.
        iteration, leave: an iteration that goes on and one that leaves, without the condition; of the same.
        rest: the loop test without the condition.
    """

    kept: list[int]
    condition_values: Any
    condition: Any
    leaves_when: bool
    iteration: Any
    leave: Any
    rest: Any


def rotated(loop: Loop) -> Form | None:
    """The loop with its exit condition at the end of an iteration, where that saves a guard."""
    found = next((_rotate(loop, exit_) for exit_ in exits(loop) if _is_worth_it(exit_)), None)
    return None if found is None else Form(lambda bind: _bind(loop, found, bind), found.condition_values)


def _is_worth_it(exit_: Exit) -> bool:
    """Whether the condition is short enough to be held twice, and guards more than a few numbers."""
    head = exit_.decision.live
    inside = list(every(head))
    if len(inside) > _MOST or any(eqn.primitive in (cond_p, scan_p) for eqn in inside):
        return False
    if not any(_guards(eqn, exit_.condition, exit_.decision.made_by) for eqn in exit_.decision.eqns):
        return False
    anyway = {v for eqn in (*head, *exit_.leave.live) for v in eqn.outvars}
    behind = [eqn for eqn in exit_.stay.live if eqn.outvars[0] not in anyway]
    if any(eqn.primitive.name not in _VIEWS and (not has_at_most(eqn.outvars[0], 1) or regions(eqn)) for eqn in behind):
        return True
    return any(a is not b and not has_at_most(a, _LARGE) for a, b in zip(exit_.stay.outs, exit_.leave.outs, strict=True))


def _guards(eqn: Any, condition: Any, made_by: dict[Any, Any]) -> bool:
    return predicate_of(eqn, made_by) is condition and (eqn.primitive is cond_p or not has_at_most(eqn.outvars[0], _LARGE))


def _rotate(loop: Loop, exit_: Exit) -> _Rotated:
    head = exit_.decision.live
    of_head = {v for eqn in head for v in eqn.outvars}
    iterations = [
        ([eqn for eqn in side.live if eqn.outvars[0] not in of_head], side.outs) for side in (exit_.stay, exit_.leave)
    ]
    read = set().union(*(reads(eqns, outs) for eqns, outs in iterations))
    again, carried = [], []
    for eqn in reversed(head):
        if any(v in read for v in eqn.outvars):
            if eqn.primitive.name in _VIEWS:  # computed again, of what is carried
                again.append(eqn)
                read |= reads([eqn], [])
            else:
                carried += [v for v in eqn.outvars if v in read]
    again.reverse()
    iteration, leave = (with_equations(loop.body, [*again, *eqns], outs, carried) for eqns, outs in iterations)
    # The end of it, which only the condition itself needs, is evaluated in the test; else the condition is carried.
    before = needed(exit_.decision.eqns, carried)
    known = {*carried, *loop.body.jaxpr.invars, *loop.body.jaxpr.constvars}
    end = [eqn for eqn in head if eqn not in before]
    if not reads(end, [exit_.condition]) <= known | {v for eqn in end for v in eqn.outvars}:
        carried, before, end = [*carried, exit_.condition], head, []
        iteration, leave = (with_equations(loop.body, [*again, *eqns], outs, carried) for eqns, outs in iterations)
    values = with_equations(loop.body, before, carried)
    condition = with_equations(loop.body, end, [exit_.condition], carried)
    return _Rotated(
        changing(loop, exit_.stay.outs, exit_.flag), values, condition, exit_.leaves_when, iteration, leave, exit_.rest
    )


def _bind(loop: Loop, rotated: _Rotated, bind_while: Bind) -> list[Any]:
    kept, values = rotated.kept, rotated.condition_values
    carried = [new_var(v.aval) for v in values.jaxpr.outvars]
    test, body = Carried(loop, kept, carried), Carried(loop, kept, carried)
    test.outs = [test.goes_on(rotated.rest, rotated.condition, rotated.leaves_when)]
    new = body.add_region(rotated.iteration, [*body.carry, *carried])
    state = [new[k] if k in kept else x for k, x in enumerate(body.carry)]
    body.outs = [*(state[k] for k in kept), *body.add_region(values, state)]
    init = [*(loop.init[k] for k in kept), *values.call(*loop.init)]
    results = bind_while(test.region(loop.test), body.region(loop.body), init)
    return left(loop, loop.whole(kept, results), rotated.rest, rotated.leave, results[len(kept) :])
