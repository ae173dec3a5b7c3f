"""Values that only the exit of a loop leaves, computed after the loop where its other results tell what they are.

    for i in range(n):                    while i < n and not found:
        x = f(x)                              x = f(x)
        if x > 9:              becomes        found = x > 9
            return x * i                      i += 1
                                          return x * (i - 1) if found ...

Nobody reads the value in a turn that goes on (`unread`), so it need not be carried: an expert's loop returns its state, and what
follows the loop makes the value. Here: the value is another result, or a few operations on numbers that are.

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
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.known_branches import Equations, is_literal
from autograph.runtime.loop_exits import Loop, condition_of, flags, made_of, reads, stays_number, under

_MOST = 4  # operations on numbers, after the loop
_ON_NUMBERS = frozenset({"add", "sub", "mul", "neg", "max", "min", "convert_element_type", "copy"})


def recomputed(loop: Loop) -> Loop:
    """The loop without the results that the others tell, and without numbers that never change."""
    jaxpr = loop.body.jaxpr
    read = reads(jaxpr.eqns, jaxpr.outvars) | reads(loop.test.jaxpr.eqns, loop.test.jaxpr.outvars)
    ends = zip(jaxpr.invars, jaxpr.outvars, loop.init, strict=True)
    fixed = {k for k, (v, out, start) in enumerate(ends) if v not in read and stays_number(out, start)}
    told: dict[int, _Told] = {}
    for k, equations, outs in _of_exits(loop):
        one = _Told(loop, equations, outs, {k, *told, *fixed})
        if one.tells(outs[k], _MOST):
            told[k] = one
    if not told and not fixed:
        return loop
    kept = [k for k in range(len(loop.init)) if k not in told and k not in fixed]

    def finish(results: list[Any]) -> list[Any]:
        whole = list(loop.init)
        for k, x in zip(kept, results, strict=True):
            whole[k] = x
        for k, one in reversed(told.items()):  # a result may be told by one that is told itself, further on
            whole[k] = _as(loop.body.jaxpr.invars[k].aval, one.value(one.outs[k], whole))
        return loop.finish(whole)

    test, body = (_with_inputs(piece, kept) for piece in (loop.test, loop.body))
    body = made_of(body, body.jaxpr.eqns, [loop.body.jaxpr.outvars[k] for k in kept])
    return Loop(test, body, [loop.init[k] for k in kept], [loop.unread[k] for k in kept], finish)


def _as(aval: Any, x: Any) -> Any:
    """A value in the type of the result that it stands for."""
    if jax.typeof(x) == aval:
        return x
    return convert_weak(x, aval.dtype) if aval.weak_type else lax.convert_element_type(x, aval.dtype)


def _with_inputs(piece: Any, kept: list[int]) -> Any:
    jaxpr = piece.jaxpr
    return piece.with_consts(
        list(jaxpr.constvars), list(piece.consts), [jaxpr.invars[k] for k in kept], list(jaxpr.outvars)
    )


def _of_exits(loop: Loop) -> Iterator[tuple[int, Equations, list[Any]]]:
    """The results that are read only after an exit was taken; equations and results of the turn that takes it."""
    jaxpr = loop.body.jaxpr
    read = reads(jaxpr.eqns, []) | reads(loop.test.jaxpr.eqns, loop.test.jaxpr.outvars)
    for flag, going in flags(loop):
        condition = condition_of(jaxpr, jaxpr.outvars[flag])
        for leaves_when in () if condition is None else (True, False):
            noted = [k for k, note in enumerate(loop.unread) if note == (condition, not leaves_when)]
            equations, outs = under(jaxpr, {jaxpr.invars[flag]: going, condition: leaves_when})
            if equations.truth(outs[flag]) is (not going):
                yield from ((k, equations, outs) for k in noted if jaxpr.invars[k] not in read)


class _Told:
    """A result of the last turn in terms of the others; `without`: the numbers of those that are not known."""

    def __init__(self, loop: Loop, equations: Equations, outs: list[Any], without: set[int]) -> None:
        self.outs = outs
        self._made_by = equations.made_by
        self._consts = dict(zip(loop.body.jaxpr.constvars, loop.body.consts, strict=True))
        self._counters = dict(self._find_counters(loop.body.jaxpr.invars, without))
        self._known = {self._form(out): k for k, out in reversed(list(enumerate(outs))) if k not in without}

    def _find_counters(self, invars: list[Any], without: set[int]) -> Iterator[tuple[Any, tuple[int, Any]]]:
        """The integers that the turn adds a number to: what they were is that less than what they are."""
        for k, (v, out) in enumerate(zip(invars, self.outs, strict=True)):
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
