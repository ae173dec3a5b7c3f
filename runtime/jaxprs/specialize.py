"""A region with one of its conditions known: the branches that are not taken are left out of its equations.

>>> import jax, jax.numpy as jnp
>>> def region(x):
...     far = x > 9
...     return jax.lax.select(far, x, x + 1), ~far
>>> jaxpr = jax.make_jaxpr(region)(3).jaxpr
>>> known = under(jaxpr, {jaxpr.eqns[0].outvars[0]: True})
>>> known.live, known.outs[0] is jaxpr.invars[0], known.truth(known.outs[1])
([], True, False)
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.lax import cond_p

from autograph.jax_internals import Literal, new_var
from autograph.runtime.jaxprs.graph import is_literal, needed

_BOOL = jnp.dtype(bool)


class Equations:
    """Equations that are copied from jaxprs, simplified by the bools that are known; `outs` are their results."""

    def __init__(self, known: dict[Any, bool]) -> None:
        self.eqns: list[Any] = []
        self.outs: list[Any] = []
        self.values = dict(known)
        self.made_by: dict[Any, Any] = {}
        self._atoms: dict[Any, Any] = {}

    def truth(self, atom: Any) -> bool | None:
        """The value of a boolean (or of the index of a `cond` that it was converted to), if it is known."""
        if not is_literal(atom):
            return self.values.get(atom)
        return bool(atom.val) if atom.aval.dtype == _BOOL and not atom.aval.shape else None

    def add(self, jaxpr: Any, args: Iterable[Any], fresh: bool = False) -> list[Any]:
        """The outputs of a jaxpr on given operands; `fresh`: its variables get new names, since it may be added twice."""
        self._atoms.update((v, x) for v, x in zip(jaxpr.invars, args, strict=True) if v is not x)
        for eqn in jaxpr.eqns:
            self._add(eqn, fresh)
        return [self.read(v) for v in jaxpr.outvars]

    def read(self, atom: Any) -> Any:
        """What stands for an operand of the original; a boolean that is known is a number."""
        if is_literal(atom):
            return atom
        atom = self._atoms.get(atom, atom)
        if not is_literal(atom) and atom in self.values and atom.aval.dtype == _BOOL and not atom.aval.shape:
            return Literal(np.bool_(self.values[atom]), atom.aval)
        return atom

    def _add(self, eqn: Any, fresh: bool) -> None:
        name, operands = eqn.primitive.name, eqn.invars
        for v in operands:
            if type(v) is not Literal and (v in self._atoms or v in self.values):
                operands = [self.read(v) for v in operands]
                break
        truth = self.truth(operands[0]) if name in _DECIDED else None
        if name == "select_n" and truth is not None and len(operands) == 3:
            self._atoms[eqn.outvars[0]] = operands[1 + truth]
        elif eqn.primitive is cond_p and truth is not None and _can_inline(eqn.params["branches"], truth):
            outs = self.add(eqn.params["branches"][truth].jaxpr, operands[1:], fresh=True)
            self._atoms.update(zip(eqn.outvars, outs, strict=True))
        elif name in _PASSES_ON and (same := self._unchanged(eqn, operands)) is not None:
            self._atoms[eqn.outvars[0]] = same
        else:
            self._keep(eqn, operands, fresh)
            if truth is not None:
                out = self._atoms.get(eqn.outvars[0], eqn.outvars[0])
                if name == "not" and out.aval.dtype == _BOOL:
                    self.values[out] = not truth
                elif name in ("convert_element_type", "broadcast_in_dim"):
                    self.values[out] = truth

    def _unchanged(self, eqn: Any, operands: list[Any]) -> Any:
        """The operand that an equation passes on: `p and True`, an element written where it was read."""
        name, out = eqn.primitive.name, eqn.outvars[0].aval
        if name != "dynamic_update_slice":
            if out.dtype == _BOOL and all(x.aval.shape == out.shape for x in operands):
                for one, other in (operands, operands[::-1]):
                    if (truth := self.truth(one)) is not None:
                        return other if truth == (name == "and") else one
        elif not is_literal(operands[1]):
            read = self.made_by.get(operands[1])
            if read is not None and read.primitive is lax.dynamic_slice_p:
                return operands[0] if _same(read.invars, operands[:1] + operands[2:]) else None
        return None

    def _keep(self, eqn: Any, operands: list[Any], fresh: bool) -> None:
        if fresh:
            outvars = [new_var(v.aval) for v in eqn.outvars]
            self._atoms.update(zip(eqn.outvars, outvars, strict=True))
            eqn = eqn.replace(invars=operands, outvars=outvars)
        elif operands is not eqn.invars:
            eqn = eqn.replace(invars=operands)
        self.eqns.append(eqn)
        for v in eqn.outvars:
            self.made_by[v] = eqn

    @functools.cached_property
    def live(self) -> list[Any]:
        """The equations that the results depend on, in order."""
        return needed(self.eqns, self.outs)


def under(jaxpr: Any, known: dict[Any, bool]) -> Equations:
    """The equations and the results of a jaxpr, some of whose booleans are known."""
    equations = Equations(known)
    equations.outs = equations.add(jaxpr, jaxpr.invars)
    return equations


_DECIDED = frozenset({"select_n", "cond", "not", "convert_element_type", "broadcast_in_dim"})
_PASSES_ON = frozenset({"and", "or", "dynamic_update_slice"})


def _can_inline(branches: Sequence[Any], truth: bool) -> bool:
    return len(branches) == 2 and not branches[truth].consts


def _same(atoms: Sequence[Any], others: Sequence[Any]) -> bool:
    return len(atoms) == len(others) and all(
        a is b or (is_literal(a) and is_literal(b) and a.val == b.val) for a, b in zip(atoms, others, strict=True)
    )
