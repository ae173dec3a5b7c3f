"""Values that only the exit of a loop leaves, computed after the loop where its other results tell what they are.

    for i in range(n):                    while i < n and not found:
        x = f(x)                              x = f(x)
        if x > 9:              becomes        found = x > 9
            return x * i                      i += 1
                                          return x * (i - 1) if found ...

Nobody reads the value in an iteration that goes on (`dead_results`), so it need not be carried: an expert's loop returns its
state, and what follows the loop makes the value. Here: the value is another result, or a few operations on numbers that are.

A number that no iteration reads is recovered as well, from what the last iteration left, if a counter tells whether there was one:
the variable of a `for` over a range is the counter before its last step.

>>> import jax
>>> from autograph import convert
>>> def first_above(xs, low):
...     for i in range(len(xs)):
...         if xs[i] > low:
...             return i - 3
...     return -1
>>> loop = next(e for e in jax.make_jaxpr(convert(first_above))(jax.numpy.arange(9), 5).eqns if e.primitive.name == 'while')
>>> [str(v.aval) for v in loop.outvars]
['~int32[]']
>>> def last_index(n):
...     i = -1
...     for i in range(n):
...         pass
...     return i
>>> f = jax.jit(convert(last_index))
>>> [int(f(n)) for n in (4, 0)], 'i32[] = while' in str(f.trace(4).jaxpr)
([3, -1], True)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.heap import journal
from autograph.runtime.jaxprs.exit_folding import condition_of, flags, stays_number
from autograph.runtime.jaxprs.graph import is_literal, reads, with_equations
from autograph.runtime.jaxprs.loop import Loop
from autograph.runtime.jaxprs.specialize import Equations, under
from autograph.runtime.tracing import dead_results
from autograph.runtime.tracing.staging import is_traced

_MOST = 4  # operations on numbers, after the loop
_ON_NUMBERS = frozenset({"add", "sub", "mul", "neg", "max", "min", "convert_element_type", "copy"})


def recomputed(loop: Loop) -> Loop:
    """The loop without the results that the others tell, and without numbers that never change."""
    jaxpr = loop.body.jaxpr
    ends = zip(_dead_inputs(loop, jaxpr.outvars), jaxpr.outvars, loop.init, strict=True)
    fixed = {k for k, (is_dead, out, start) in enumerate(ends) if is_dead and stays_number(out, start)}
    recovered: dict[int, _Recovery] = {}
    found = [*((True, *of) for of in _of_exits(loop)), *((False, *of) for of in _of_iterations(loop))]
    for is_of_exit, k, last in found:
        if k in recovered or k in fixed:
            continue
        one = _Recovery(loop, last, {k, *recovered, *fixed}, is_of_exit)
        if one.tells(last.outs[k], _MOST) and (one.is_of_exit or one.iterations):
            recovered[k] = one
    if not recovered and not fixed:
        return loop
    kept = [k for k in range(len(loop.init)) if k not in recovered and k not in fixed]

    def finish(results: list[Any]) -> list[Any]:
        whole = loop.whole(kept, results)
        # A result may be recovered from one that is recovered itself, further on.
        for k, one in reversed(recovered.items()):
            whole[k] = one.result(k, whole)
        return loop.finish(whole)

    test, body = loop.test.taking(kept), loop.body.taking(kept)
    body = with_equations(body, body.jaxpr.eqns, [jaxpr.outvars[k] for k in kept])
    init, dead = ([of[k] for k in kept] for of in (loop.init, loop.dead))
    return loop._replace(test=test, body=body, init=init, dead=dead, finish=finish)


def _of_exits(loop: Loop) -> Iterator[tuple[int, Equations]]:
    """The results that are read only after an exit was taken, and the iteration that takes it."""
    is_dead = _dead_inputs(loop, [])
    return ((k, last) for k, _, _, last in _noted(loop) if is_dead[k])


def _of_iterations(loop: Loop) -> Iterator[tuple[int, Equations]]:
    """The numbers that no iteration reads: what the last one leaves may be recovered; and an iteration."""
    jaxpr = loop.body.jaxpr
    for k, is_dead in enumerate(_dead_inputs(loop, jaxpr.outvars)):
        if is_dead and not jaxpr.invars[k].aval.shape:
            yield k, under(jaxpr, {})


def _dead_inputs(loop: Loop, outs: list[Any]) -> list[bool]:
    """Which of its carry neither an iteration nor the test reads; nor what is in `outs`."""
    test, body = loop.test.jaxpr, loop.body.jaxpr
    by_test, by_iteration = reads(test.eqns, test.outvars), reads(body.eqns, outs)
    return [v not in by_test and w not in by_iteration for v, w in zip(test.invars, body.invars, strict=True)]


def _noted(loop: Loop) -> Iterator[tuple[int, int, bool, Equations]]:
    """The results that nobody reads in an iteration that goes on: number, flag and its value there, the iteration that leaves."""
    jaxpr = loop.body.jaxpr
    for flag, going in flags(loop):
        out = jaxpr.outvars[flag]
        for condition in (condition_of(jaxpr, out), out):
            for leaves_when in () if condition is None or is_literal(condition) else (True, False):
                noted = [k for k, note in enumerate(loop.dead) if note == (condition, not leaves_when)]
                if noted:
                    last = under(jaxpr, {jaxpr.invars[flag]: going, condition: leaves_when})
                    if last.truth(last.outs[flag]) is (not going):
                        yield from ((k, flag, going, last) for k in noted)


def note_dead_results(loop: Loop, results: list[Any]) -> None:
    """Nobody reads after the loop what only an exit leaves, unless that was taken: an exit of the loop around knows it by that."""
    known = [*loop.init, *loop.test.consts, *loop.body.consts, *results]
    for k, flag, going, _ in _noted(loop):
        if is_traced(results[k]) and sum(x is results[k] for x in known) > 1:
            if not journal.in_loop():
                continue  # nobody reads it
            results[k] = lax.select(results[flag], results[k], results[k])  # the note is of this name alone
        dead_results.note_dead(results[k], results[flag], going)


class _Recovery:
    """A result of the last iteration in terms of the others.

    Args:
        without: the numbers of those that are not known.
        is_of_exit: whether it is read only where the exit was taken: then there was an iteration.
    """

    def __init__(self, loop: Loop, last: Equations, without: set[int], is_of_exit: bool) -> None:
        self._loop, self._outs, self._made_by = loop, last.outs, last.made_by
        self.is_of_exit = is_of_exit
        self._consts = dict(zip(loop.body.jaxpr.constvars, loop.body.consts, strict=True))
        self._counters = dict(self._find_counters(loop.body.jaxpr.invars, without))
        self._known = {self._form(out): k for k, out in reversed(list(enumerate(last.outs))) if k not in without}

    @property
    def iterations(self) -> list[int]:
        """The numbers of the counters of iterations, which differ from what they began with where there was one."""
        return [k for v, (k, step) in self._counters.items() if abs(int(step)) == 1 and v.aval.dtype.itemsize >= 4]

    def result(self, k: int, results: list[Any]) -> Any:
        """The result `k` after the loop, whose other results are given."""
        aval, init = self._loop.body.jaxpr.invars[k].aval, self._loop.init
        x = self.value(self._outs[k], results)
        if not self.is_of_exit:
            counter = self.iterations[0]
            has_turned = lax.ne(results[counter], jnp.asarray(init[counter], jax.typeof(results[counter]).dtype))
            x = lax.select(has_turned, *(lax.convert_element_type(value, aval.dtype) for value in (x, init[k])))
        if jax.typeof(x) == aval:
            return x
        return convert_weak(x, aval.dtype) if aval.weak_type else lax.convert_element_type(x, aval.dtype)

    def _find_counters(self, invars: list[Any], without: set[int]) -> Iterator[tuple[Any, tuple[int, Any]]]:
        """The integers that the iteration adds a number to: what they were is that less than what they are."""
        for k, (v, out) in enumerate(zip(invars, self._outs, strict=True)):
            eqn = None if is_literal(out) or k in without else self._made_by.get(out)
            if eqn is not None and eqn.primitive is lax.add_p and v.aval.dtype.kind == "i" and not v.aval.shape:
                if eqn.invars[0] is v and is_literal(eqn.invars[1]):
                    yield v, (k, eqn.invars[1].val)

    def _form(self, atom: Any) -> Any:
        """Equal for what is computed alike."""
        if is_literal(atom):
            return atom.aval.dtype, str(atom.val)
        eqn = self._made_by.get(atom)
        if eqn is None or eqn.primitive.name not in _ON_NUMBERS or atom.aval.shape:
            return atom
        return eqn.primitive, str(eqn.params), *map(self._form, eqn.invars)

    def tells(self, atom: Any, most: int) -> int:
        """How many operations are left of `most` when the value is made of what is known; 0 if it cannot be."""
        if is_literal(atom) or atom in self._consts or self._form(atom) in self._known:
            return most
        if atom in self._counters:
            return most - 1
        eqn = self._made_by.get(atom)
        if eqn is None or eqn.primitive.name not in _ON_NUMBERS or atom.aval.shape:
            return 0
        most -= 1
        for operand in eqn.invars:
            most = most and self.tells(operand, most)
        return most

    def value(self, atom: Any, results: list[Any]) -> Any:
        """The value after the loop, whose results are given."""
        if is_literal(atom):
            return atom.val
        if (k := self._known.get(self._form(atom))) is not None:
            return results[k]
        if atom in self._consts:
            return self._consts[atom]
        if atom in self._counters:
            k, number = self._counters[atom]
            return results[k] - number
        eqn = self._made_by[atom]
        return eqn.primitive.bind(*(self.value(operand, results) for operand in eqn.invars), **eqn.params)
