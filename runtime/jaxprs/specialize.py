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

from autograph.jax_internals import Literal
from autograph.runtime.jaxprs.graph import Graph, is_literal, needed

_BOOL = jnp.dtype(bool)


class Equations(Graph):
    """Equations that are copied from jaxprs, simplified by the bools that are known."""

    def __init__(self, known: dict[Any, bool], invars: Iterable[Any] = ()) -> None:
        super().__init__(invars)
        self._truths: dict[Any, bool] = {}
        for v, truth in known.items():
            self._know(v, truth)

    def _know(self, v: Any, truth: bool) -> None:
        if v.aval.dtype == _BOOL and not v.aval.shape:
            self._atoms[v] = Literal(np.bool_(truth), v.aval)
        self._truths[v] = truth

    def truth(self, atom: Any) -> bool | None:
        """The value of a boolean (or of the index of a `cond` that it was converted to), if it is known."""
        if not is_literal(atom):
            return self._truths.get(atom)
        return bool(atom.val) if atom.aval.dtype == _BOOL and not atom.aval.shape else None

    def add_equation(self, eqn: Any, fresh: bool = False) -> None:
        """Adds an equation, or none where the bools that are known tell its result."""
        name, operands = eqn.primitive.name, self._operands(eqn)
        truth = self.truth(operands[0]) if name in _DECIDED else None
        if name == "select_n" and truth is not None and len(operands) == 3:
            self._atoms[eqn.outvars[0]] = operands[1 + truth]
        elif eqn.primitive is lax.cond_p and truth is not None and _can_inline(eqn.params["branches"], truth):
            self.define(eqn.outvars, self.add(eqn.params["branches"][truth].jaxpr, operands[1:], fresh=True))
        elif name in _PASSES_ON and (same := self._unchanged(eqn, operands)) is not None:
            self._atoms[eqn.outvars[0]] = same
        else:
            self._keep(eqn, operands, fresh)
            if truth is not None and (name in _OF_SAME_TRUTH or (name == "not" and eqn.outvars[0].aval.dtype == _BOOL)):
                out = self.read(eqn.outvars[0])
                if not is_literal(out):  # else it was known before
                    self._know(out, truth != (name == "not"))
                    self.define(eqn.outvars, [self.read(out)])

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

    @functools.cached_property
    def live(self) -> list[Any]:
        """The equations that the results depend on, in order."""
        return needed(self.eqns, self.outs)


def under(jaxpr: Any, known: dict[Any, bool]) -> Equations:
    """The equations and the results of a jaxpr, some of whose booleans are known."""
    equations = Equations(known)
    equations.outs = equations.add(jaxpr, jaxpr.invars)
    return equations


_OF_SAME_TRUTH = frozenset({"convert_element_type", "broadcast_in_dim"})
_DECIDED = _OF_SAME_TRUTH | {"select_n", "cond", "not"}
_PASSES_ON = frozenset({"and", "or", "dynamic_update_slice"})


def _can_inline(branches: Sequence[Any], truth: bool) -> bool:
    return len(branches) == 2 and not branches[truth].consts


def _same(atoms: Sequence[Any], others: Sequence[Any]) -> bool:
    return len(atoms) == len(others) and all(
        a is b or (is_literal(a) and is_literal(b) and a.val == b.val) for a, b in zip(atoms, others, strict=True)
    )
