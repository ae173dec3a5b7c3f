"""What follows an exit in an iteration, computed without testing whether the exit was taken: it is in the last iteration only.

    done, y = search(x)                        done, y = search(x)
    x = cond(done, x, f(x, y))     becomes     x = select(done, x, f(x, y))

A `cond` in the body of a loop costs a branch and a copy of what it passes on, in every iteration. The branch which it
guards is run in each iteration but the last; computed in that one too, a few numbers are all that it costs. So that holds
for branches without loops and without calls of the host, of which no result is large.

In the iteration that leaves, the branch computes what the program does not, and its derivative there may be infinite: what is
differentiated is the loop as it was written (`rotation`).

>>> import jax, jax.numpy as jnp
>>> from autograph import convert
>>> def descend(x, n):
...     while n > 0:
...         step = 1.0
...         while jnp.cos(x - step) > jnp.cos(x):
...             step = step / 2
...             if step < 1e-6:
...                 return x
...         x = jnp.tan(jnp.exp(jnp.sin(x - step)))
...         n -= 1
...     return x
>>> loop = next(e for e in jax.make_jaxpr(convert(descend))(1.0, 5).eqns if e.primitive.name == "custom_jvp_call")
>>> str(loop.params["call_jaxpr"]).count("tan"), "cond[" in str(loop.params["call_jaxpr"]).split("tan")[0].split("sin")[-1]
(1, False)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
from jax import lax
from jax.lax import cond_p

from autograph.runtime.heap.constants import trace_region
from autograph.runtime.jaxprs.cost import is_pure
from autograph.runtime.jaxprs.exit_folding import flags
from autograph.runtime.jaxprs.graph import has_at_most, is_literal, predicate_of, producers, reads, with_equations
from autograph.runtime.jaxprs.loop import Form, Loop
from autograph.runtime.jaxprs.rules import every, is_straight

_LARGE = 64  # elements of a result
_MOST = 200  # equations of a branch


class _Guard(NamedTuple):
    """A `cond` of the body whose branch is run in every iteration but the last.

    Args:
        at: its number among the equations.
        flag: a boolean, a variable of the body; `going`: its value in an iteration that goes on.
        branch: the branch that is run then; `other`: the other one, which computes nothing.
    """

    at: int
    flag: Any
    going: bool
    branch: Any
    other: Any


def unguarded(loop: Loop) -> Form | None:
    """The loop without such guards; None where it has none."""
    written, found = loop, None
    while (guard := next(_guards(loop), None)) is not None:
        found = loop = _without(loop, guard)
    return None if found is None else Form(lambda bind: bind(loop.test, loop.body, loop.init), written.body)


def _guards(loop: Loop) -> Iterator[_Guard]:
    jaxpr = loop.body.jaxpr
    made_by = producers(jaxpr.eqns)
    for flag, going in flags(loop):
        for at, eqn in enumerate(jaxpr.eqns):
            if eqn.primitive is not cond_p:
                continue
            guard, when = _predicate(eqn, made_by)
            if guard is None or guard is not jaxpr.outvars[flag]:
                continue
            branches = eqn.params["branches"]
            branch, other = branches[going is when], branches[going is not when]
            if not other.jaxpr.eqns and _is_light(branch) and not (branch.consts or other.consts):
                yield _Guard(at, guard, going, branch, other)


def _predicate(eqn: Any, made_by: dict[Any, Any]) -> tuple[Any, bool]:
    """The boolean that a `cond` tests, and its value for the second branch."""
    boolean, when = predicate_of(eqn, made_by), True
    while boolean in made_by and made_by[boolean].primitive.name == "not":
        boolean, when = made_by[boolean].invars[0], not when
    return boolean, when


def _is_light(branch: Any) -> bool:
    eqns = branch.jaxpr.eqns
    return (
        len(eqns) <= _MOST
        and is_pure(eqns)
        and all(map(is_straight, every(eqns)))
        and all(has_at_most(v, _LARGE) for e in eqns for v in e.outvars)
    )


def _without(loop: Loop, guard: _Guard) -> Loop:
    body, jaxpr = loop.body, loop.body.jaxpr
    eqn = jaxpr.eqns[guard.at]
    before, after = jaxpr.eqns[: guard.at], jaxpr.eqns[guard.at + 1 :]
    needed = reads(after, jaxpr.outvars)
    passed = [v for e in before for v in e.outvars if v in needed]
    head = with_equations(body, before, [*passed, *eqn.invars[1:], guard.flag])
    tail = with_equations(body, after, list(jaxpr.outvars), [*passed, *eqn.outvars])

    def iteration(*state: Any) -> list[Any]:
        *values, flag = head.call(*state)
        kept, given = values[: len(passed)], values[len(passed) :]
        return list(tail.call(*state, *kept, *_chosen(type(body), guard, flag, given)))

    made_body = type(body)(*trace_region(iteration, [v.aval for v in jaxpr.invars], "loop_body"))
    return loop._replace(body=made_body, dead=[None] * len(loop.dead))


def _chosen(kind: Any, guard: _Guard, flag: Any, given: list[Any]) -> list[Any]:
    """What the guarded `cond` leaves: each result is chosen as soon as it is there, and the branch goes on with what was chosen.

    So the result that a loop carries is the one that the rest of the iteration reads, computed once, as an expert writes it
    (`x = where(done, x, new)`, then `f(x)`); what is computed of it in the iteration that leaves is not read.
    """
    branch, others = guard.branch.jaxpr, jax.core.eval_jaxpr(guard.other.jaxpr, (), *given)
    values = dict(zip(branch.invars, given, strict=True))
    early = {v: x for v, x in zip(branch.outvars, others, strict=True) if not is_literal(v) and v not in values}
    early = {v: x for v, x in early.items() if branch.outvars.count(v) == 1}

    def choose(run: Any, left: Any) -> Any:
        if run is left:
            return run
        return lax.select(flag, run, left) if guard.going else lax.select(flag, left, run)

    start = 0
    for end, eqn in enumerate(branch.eqns, 1):
        if end == len(branch.eqns) or any(v in early for v in eqn.outvars):
            needed = reads(branch.eqns[end:], branch.outvars)
            made = [v for e in branch.eqns[start:end] for v in e.outvars if v in needed]
            region = with_equations(kind(branch, ()), branch.eqns[start:end], made, list(values)[len(given) :])
            found = zip(made, region.call(*values.values()), strict=True)
            values.update((v, choose(x, early[v]) if v in early else x) for v, x in found)
            start = end
    ends = zip(branch.outvars, others, strict=True)
    return [choose(v.val, x) if is_literal(v) else values[v] if v in early else choose(values[v], x) for v, x in ends]
