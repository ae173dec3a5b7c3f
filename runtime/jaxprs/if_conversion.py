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

from jax import lax

from autograph.runtime.jaxprs.cost import is_pure
from autograph.runtime.jaxprs.exit_folding import flags
from autograph.runtime.jaxprs.graph import Graph, has_at_most, is_literal, predicate_of, producers
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
            if eqn.primitive is not lax.cond_p:
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
    body, graph = loop.body.jaxpr, Graph(loop.body.jaxpr.invars)
    graph.close_over(loop.body)
    for at, eqn in enumerate(body.eqns):
        if at == guard.at:
            graph.define(eqn.outvars, _chosen(graph, guard, [graph.read(v) for v in eqn.invars[1:]]))
        else:
            graph.add_equation(eqn)
    graph.outs = [graph.read(v) for v in body.outvars]
    return loop._replace(body=graph.region(loop.body), dead=[None] * len(loop.dead))


def _chosen(graph: Graph, guard: _Guard, given: list[Any]) -> list[Any]:
    """Adds the guarded branch; each result is chosen as soon as it is there, and the branch goes on with what was chosen.

    So the result that a loop carries is the one that the rest of the iteration reads, computed once, as an expert writes it
    (`x = where(done, x, new)`, then `f(x)`); what is computed of it in the iteration that leaves is not read.
    """
    branch, others = guard.branch.jaxpr, graph.add(guard.other.jaxpr, given)

    def choose(run: Any, left: Any) -> Any:
        if run is left:
            return run
        return graph.op(lax.select, guard.flag, *((run, left) if guard.going else (left, run)))

    graph.define(branch.invars, given)
    early = {v: x for v, x in zip(branch.outvars, others, strict=True) if not is_literal(v) and v not in branch.invars}
    early = {v: x for v, x in early.items() if branch.outvars.count(v) == 1}
    for eqn in branch.eqns:
        graph.add_equation(eqn, fresh=True)
        for v in early.keys() & set(eqn.outvars):
            graph.define([v], [choose(graph.read(v), early[v])])
    ends = zip(branch.outvars, others, strict=True)
    return [choose(graph.read(v), x) if is_literal(v) or v not in early else graph.read(v) for v, x in ends]
