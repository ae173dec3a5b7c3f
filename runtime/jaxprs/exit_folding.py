"""The exits of a `while` loop, as an expert writes them: in the loop's test, not as flags of its carry.

    for k in range(n):          k, flag, x = 0, False, ...         k, x = 0, ...
        if C: break             while k < n and not flag:          while k < n and not C:
        rest             is         flag, x = cond(C,       and        x = rest(x)
                       staged as        (True, x),        becomes      k += 1
                                        (flag, rest(x)))
                                    k += 1

A flag that the loop test reads, and that one condition `C` of the body sets, tells that `C` held in the last iteration. Where `C`
can as well be evaluated before that iteration, it is; then the iteration that leaves is never run, and what it would have done is
done after the loop, where the rest of the test holds and so `C` must be what ended it.

>>> import jax, jax.numpy as jnp
>>> from autograph.runtime.operators.for_loops import for_loop
>>> from autograph.runtime.operators.conditionals import if_stmt
>>> def first(n, x):
...     found, break_ = n, False
...     def loop_body(k):
...         nonlocal found, break_
...         def if_body():
...             nonlocal found, break_
...             found, break_ = k, True
...         if_stmt(k * k > x, if_body, lambda: None, lambda: (break_, found))
...     for_loop(range(100), loop_body, lambda: (break_, found), test=lambda: not break_ if break_ is False else ~break_)
...     return found
>>> loop = next(e for e in jax.make_jaxpr(first)(9, 50).eqns if e.primitive.name == 'while')
>>> len(loop.outvars), [e.primitive.name for e in loop.params['cond_jaxpr'].eqns]
(1, ['lt', 'mul', 'gt', 'not', 'and'])

`C` is evaluated once more than in the program: at the state at which the rest of the test is false. So it must be pure, must end
and must not fail; the iteration needs what it computes no more, or it is cheap. Nothing of it has a derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from jax import lax

from autograph.runtime.heap.constants import trace_region
from autograph.runtime.jaxprs.cost import calls_host, is_free_again, is_pure, is_small
from autograph.runtime.jaxprs.graph import Graph, is_literal, predicate_of, producers, with_equations
from autograph.runtime.jaxprs.loop import Conditional, Loop
from autograph.runtime.jaxprs.specialize import Equations, under
from autograph.runtime.tracing.staging import is_traced


def folded(loop: Loop) -> Loop:
    """The loop with those exits in its test that can be evaluated before an iteration."""
    while (exit_ := _find(loop)) is not None:
        loop = _without(loop, exit_)
    return loop


class Exit(NamedTuple):
    """A way out of a loop: one condition of the body that sets a flag of the test.

    Args:
        flag: the number of the flag in the carry if no other exit needs it.
        condition: the boolean, a variable of the body.
        leaves_when: its value in the iteration that leaves.
        decision: the equations of the body in an iteration that is made; the condition is their result.
        stay, leave: equations and results of an iteration that goes on, and of one that leaves.
        rest: the loop test, without such a flag.
    """

    flag: int | None
    condition: Any
    leaves_when: bool
    decision: Equations
    stay: Equations
    leave: Equations
    rest: Any


def exits(loop: Loop) -> Iterator[Exit]:
    """The exits of a loop whose condition may be evaluated where the program does not evaluate it: that ends, and calls nobody."""
    jaxpr = loop.body.jaxpr
    for flag, going in flags(loop):
        condition = condition_of(jaxpr, jaxpr.outvars[flag])
        for leaves_when in () if condition is None else (True, False):
            known = {jaxpr.invars[flag]: going}
            leave = _iteration(loop, known, condition, leaves_when)
            if leave.truth(leave.outs[flag]) is not (not going):
                continue
            stay = _iteration(loop, known, condition, not leaves_when)
            goes_on = stay.truth(stay.outs[flag])
            if goes_on is (not going):
                continue
            decision = under(jaxpr, known)
            decision.outs = [condition]
            if is_pure(decision.live):
                is_last = goes_on is going
                test = loop.test.jaxpr
                rest = narrowed(loop.test, under(test, {test.invars[flag]: going} if is_last else {}))
                yield Exit(flag if is_last else None, condition, leaves_when, decision, stay, leave, rest)


def _iteration(loop: Loop, known: dict[Any, bool], condition: Any, value: bool) -> Equations:
    """An iteration in which the condition has that value; a result that nobody reads then stays as it was."""
    equations = under(loop.body.jaxpr, {**known, condition: value})
    for k, note in enumerate(loop.dead):
        if note == (condition, value):
            equations.outs[k] = loop.body.jaxpr.invars[k]
    return equations


def _find(loop: Loop) -> Exit | None:
    """The first exit whose condition may be computed before an iteration: what it costs twice is small."""
    jaxpr = loop.body.jaxpr
    for exit_ in exits(loop):
        if any(out is not v and not is_small(out) for v, out in zip(jaxpr.invars, exit_.leave.outs, strict=True)):
            continue
        again = {v for eqn in exit_.stay.live for v in eqn.outvars}
        shared = [eqn for eqn in exit_.decision.live if eqn.outvars[0] in again]
        is_light = all(is_small(v) for eqn in shared for v in eqn.outvars)
        if is_light and is_free_again(jaxpr.replace(eqns=shared, outvars=[exit_.condition])):
            return exit_
    return None


def narrowed(region: Any, equations: Equations) -> Any:
    """A region with other equations and outputs, and the constants that they read."""
    return with_equations(region, equations.live, equations.outs)


def flags(loop: Loop) -> Iterator[tuple[int, bool]]:
    """The booleans of the carry that end the loop by themselves: number, and value at which it begins and goes on."""
    found = list(_flags(loop))
    # Under `vmap` a lane that has left runs along, beyond its exit, and must not fail a run-time check there.
    if found and not calls_host(loop.test.jaxpr.eqns) and not calls_host(loop.body.jaxpr.eqns):
        yield from found


def _flags(loop: Loop) -> Iterator[tuple[int, bool]]:
    jaxpr = loop.test.jaxpr
    made_by = producers(jaxpr.eqns)
    pending = [(jaxpr.outvars[0], True)]
    while pending:
        atom, wanted = pending.pop()
        eqn = None if is_literal(atom) else made_by.get(atom)
        if eqn is not None:
            pending += _parts(eqn, atom, wanted, made_by)
        elif not is_literal(atom) and atom in jaxpr.invars:
            index = jaxpr.invars.index(atom)
            if isinstance(loop.init[index], bool | np.bool_) and bool(loop.init[index]) is wanted:
                yield index, wanted


def _parts(eqn: Any, made: Any, wanted: bool, made_by: dict[Any, Any]) -> list[tuple[Any, bool]]:
    """Booleans that have the given values whenever `made`, a boolean that an equation makes of them, is `wanted`."""
    name = eqn.primitive.name
    if name == "not":
        return [(eqn.invars[0], not wanted)]
    if name == ("and" if wanted else "or"):
        return [(operand, wanted) for operand in eqn.invars[::-1]]
    if name == "select_n" and len(eqn.invars) == 3:
        predicate, no, yes = eqn.invars
        return [
            (a, w)
            for x, *parts in ((no, (yes, wanted), (predicate, True)), (yes, (no, wanted), (predicate, False)))
            if is_literal(x) and bool(x.val) is not wanted
            for a, w in parts
        ]
    if eqn.primitive is lax.cond_p and wanted:
        return [(operand, True) for operand in conjuncts_of(eqn, made, made_by)]
    return []


def conjuncts_of(eqn: Any, made: Any, made_by: dict[Any, Any]) -> list[Any]:
    """The predicate of a `cond` whose result `made` is false where it is: `p and condition()`, the condition being costly."""
    predicate, otherwise = predicate_of(eqn, made_by), eqn.params["branches"][0].jaxpr
    if predicate is None:
        return []
    out = otherwise.outvars[eqn.outvars.index(made)]
    if is_literal(out):
        return [] if bool(out.val) else [predicate]
    return [predicate] if out in otherwise.invars and eqn.invars[1 + otherwise.invars.index(out)] is predicate else []


def condition_of(jaxpr: Any, out: Any) -> Any:
    """The boolean that decides about an output: the predicate of the `cond` or `select` that makes it."""
    made_by = producers(jaxpr.eqns)
    eqn = None if is_literal(out) else made_by.get(out)
    condition: Any = None if eqn is None else predicate_of(eqn, made_by)
    return condition if condition in made_by and not condition.aval.shape else None


def _without(loop: Loop, exit_: Exit) -> Loop:
    """The loop with that exit in its test; what never changes any more is closed over."""
    decision, stay, leave = (narrowed(loop.body, equations) for equations in (exit_.decision, exit_.stay, exit_.leave))
    kept = changing(loop, exit_.stay.outs, exit_.flag)

    def stays(*values: Any) -> Any:
        [truth] = decision.call(*values)
        return lax.bitwise_not(truth) if exit_.leaves_when else truth

    def finish(results: list[Any]) -> list[Any]:
        return loop.finish(left(loop, loop.whole(kept, results), exit_.rest, leave, stays=stays))

    test, body = Carried(loop, kept), Carried(loop, kept)
    test.outs, outs = [test.goes_on(exit_.rest, decision, exit_.leaves_when)], body.add_region(stay, body.carry, fresh=False)
    body.outs = [outs[k] for k in kept]
    init, dead = ([of[k] for k in kept] for of in (loop.init, loop.dead))
    return loop._replace(test=test.region(loop.test), body=body.region(stay), init=init, dead=dead, finish=finish)


class Carried(Graph):
    """A region of a loop that carries less than the whole carry.

    Args:
        kept: the numbers of what it carries; the rest is what it was before the loop.
        more: what it carries besides, as variables.

    Attributes:
        carry: the whole carry, as atoms.
    """

    def __init__(self, loop: Loop, kept: Sequence[int], more: Sequence[Any] = ()) -> None:
        self.carry, self.more = list(loop.body.jaxpr.invars), more
        super().__init__([*(self.carry[k] for k in kept), *more])
        for k, x in enumerate(loop.init):
            if k not in kept:
                self.carry[k] = self.add_value(x)

    def goes_on(self, rest: Any, condition: Any, leaves_when: bool) -> Any:
        """Adds the test of the loop: the rest of it, and the condition of an exit, which reads all that is carried."""
        [inside] = self.add_region(rest, self.carry)
        [truth] = self.add_region(condition, [*self.carry, *self.more])
        stays = self.op(lax.bitwise_not, truth) if leaves_when else truth
        return stays if is_literal(inside) and bool(inside.val) else self.op(lax.bitwise_and, inside, stays)


def changing(loop: Loop, outs: Sequence[Any], flag: int | None) -> list[int]:
    """The numbers of what a loop must carry, when its iterations leave `outs`: what they change, but an exit's flag."""
    invars = loop.body.jaxpr.invars
    return [
        k
        for k, (v, out, start) in enumerate(zip(invars, outs, loop.init, strict=True))
        if k != flag and out is not v and not stays_number(out, start)
    ]


def stays_number(out: Any, start: Any) -> bool:
    """Whether a loop begins with a number that each iteration leaves again."""
    return is_literal(out) and not is_traced(start) and bool(np.all(out.val == start))


def is_true(truth: Any) -> bool:
    """Whether a test holds in every iteration (`while True`)."""
    return isinstance(truth, bool | np.bool_) and bool(truth)


def left(loop: Loop, state: list[Any], rest: Any, leave: Any, more: Sequence[Any] = (), stays: Any = None) -> list[Any]:
    """The state after a loop: where the rest of the test holds, the exit was taken, and its iteration is still to be run.

    Args:
        more: what the iteration reads besides the state.
        stays: whether the exit's condition would let the iteration go on: then a costly test need not be evaluated again.
    """
    moved = [k for k, (v, out) in enumerate(zip(leave.jaxpr.invars, leave.jaxpr.outvars, strict=False)) if out is not v]
    kind = type(leave)

    def kept() -> list[Any]:
        return [state[k] for k in moved]

    def leaves(truth: Any) -> list[Any]:
        made = leave
        if any(x is loop.alive for x in leave.consts):  # the iteration is made where the rest of the test holds
            made = where_alive(leave, loop.alive, loop.alive if is_true(truth) else lax.bitwise_and(loop.alive, truth))
        results = made.call(*state, *more)
        return [results[k] for k in moved]

    def chosen(test: Any, run: Callable[[], list[Any]]) -> list[Any]:
        if is_true(test):
            return run()
        no, yes = (kind(*trace_region(side, (), "exit")) for side in (kept, run))
        return loop.choose(Conditional(test, no, yes, may_select=True))

    def left_where(test: Any) -> list[Any]:
        return chosen(test, lambda: leaves(test))

    if stays is None or is_free_again(rest.jaxpr):
        results = left_where(rest.call(*state)[0])
    else:
        results = chosen(lax.bitwise_not(stays(*state)), lambda: left_where(rest.call(*state)[0]))
    for k, value in zip(moved, results, strict=True):
        state[k] = value
    return state


def where_alive(region: Any, alive: Any, truth: Any) -> Any:
    """A region in which `truth` stands for `alive`, one of its constants."""
    jaxpr = region.jaxpr
    consts = [truth if x is alive else x for x in region.consts]
    return region.with_consts(list(jaxpr.constvars), consts, list(jaxpr.invars), list(jaxpr.outvars))
