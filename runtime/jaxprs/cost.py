"""Whether both branches of an `if` may simply be computed: `select` instead of `cond`, inside loops.

A `cond` in a loop body costs more than a few scalar operations: a branch, a copy of each array result, and 15 ms of compile
time. Computing both branches is right only when each is

* pure: no loop, callback, random draw;
* cheap: a handful of elementwise operations;
* total, with total derivatives: the branch not taken must not turn a gradient into NaN. `select` sends a zero cotangent
  into it, and zero times an infinite derivative is NaN. So no float division, root, logarithm or power, and no product of two
  variables (zero times an infinite factor); products with a finite constant, sums, minima, elements of arrays, and everything on
  integers are fine.

Outside loops an `if` stays a `cond`, whose branch not taken costs nothing, unless its branches compute nothing at all, or one
bool of scalars.

>>> import jax
>>> def cheap(branch, *args): return is_cheap(jax.make_jaxpr(branch)(*args).jaxpr)
>>> cheap(lambda x: 2 * x + 1, 1.0), cheap(lambda x: 1 / x, 1.0), cheap(lambda i, j: i * j, 2, 3), cheap(jnp.sort, jnp.ones(9))
(True, False, True, False)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.jaxprs.graph import has_at_most, is_literal, only_weakens
from autograph.runtime.jaxprs.loop import Conditional
from autograph.runtime.jaxprs.rules import every, jaxpr_of, runs
from autograph.runtime.tracing.array_types import is_integer_type

_LIMIT = 12  # the cost of a cheap branch at most; an equation costs 1, except:
_COST_OF_INDEX = 0.25  # an equation on integer scalars: they are mostly indices, and often the same in both branches
_COST_IF_COMPLEX = 8  # an equation on complex numbers of the following primitives
_SLOW_IF_COMPLEX = frozenset({"div", "integer_pow", "pow", "sqrt", "exp", "log"})

PLAIN = frozenset(
    """add sub neg max min abs sign eq ne lt le gt ge and or not xor select_n convert_element_type clamp squeeze reshape
    broadcast_in_dim""".split()
)
"""Total operations that are elementwise, or move elements only."""
_ELEMENTWISE = PLAIN | {"copy", "floor", "ceil", "round", "is_finite"}
_TOTAL_ON_INTEGERS = frozenset(
    "mul div rem shift_left shift_right_logical shift_right_arithmetic population_count integer_pow".split()
)
_WITHOUT_GRADIENT = frozenset(
    """mul div rem integer_pow pow sqrt rsqrt square real imag exp log dynamic_slice slice dot_general transpose reduce_sum
    reduce_max reduce_min reduce_and reduce_or iota""".split()
)
"""Pure operations that are cheap on small arrays, and only where no gradient comes back: the derivatives of some are infinite."""
SMALL = 64
"""The elements of a small array at most: an operation on it costs about what one on a scalar does."""


def is_small(v: Any) -> bool:
    """Whether a variable of a jaxpr is a small array."""
    return has_at_most(v, SMALL)


def selected(conditional: Conditional) -> list[Any] | None:
    """What a conditional leaves, by computing both branches; None where that costs more than a `cond`.

    In a loop (`may_select`) both branches are computed if both are cheap; outside of loops only if neither computes anything, or
    each computes one bool from scalars.
    """
    jaxprs = [branch.jaxpr for branch in conditional.regions]
    kinds = (is_choice, is_comparison, is_cheap) if conditional.may_select else (is_choice, is_comparison)
    if not any(all(map(kind, jaxprs)) for kind in kinds):
        return None
    dead = conditional.dead or [None] * len(jaxprs[0].outvars)
    values = zip(*(branch.call() for branch in conditional.regions), dead, strict=True)
    return [_chosen(conditional.pred, no, yes, branch if np.ndim(no) else None) for no, yes, branch in values]


def _chosen(pred: Any, no: Any, yes: Any, dead: bool | None) -> Any:
    """`yes if pred else no`; of `pred` itself and another boolean, one bit operation.

    `dead`: the value of `pred` with which nobody reads the result, if there is one: the result is then that of the other branch,
    by an equation of its own, because what is noted of the result must not be noted of the branch's value.
    """
    if dead is not None:
        no = yes = no if dead else yes
    if no is pred:
        return lax.bitwise_and(pred, yes)
    return lax.bitwise_or(pred, no) if yes is pred else lax.select_n(pred, no, yes)


def is_cheap(jaxpr: Any) -> bool:
    """Whether a branch is pure, cheap and total, and its derivatives are (see the docstring of the module).

    Where all results are integers or bools no gradient comes back into the branch: there any pure operation on few elements
    counts as cheap, which makes most loop tests (`i < n and slope @ slope > eps`) a single expression.
    """
    if not all(isinstance(v.aval.dtype, np.dtype) for v in jaxpr.outvars):
        return False
    if all(_is_integer(v) for v in jaxpr.outvars):
        return _cost(jaxpr, 2 * _LIMIT, _is_small) <= 2 * _LIMIT
    return _cost(jaxpr, _LIMIT, _is_total) <= _LIMIT


def is_comparison(jaxpr: Any) -> bool:
    """Whether a branch does nothing but compute bools from scalars: as a `select` it costs nothing, inside a loop or not."""
    of_numbers = all(getattr(v.aval, "size", 0) == 1 for eqn in jaxpr.eqns for v in (*eqn.invars, *eqn.outvars))
    return of_numbers and all(v.aval.dtype == bool and not v.aval.shape for v in jaxpr.outvars) and is_cheap(jaxpr)


def is_free_again(jaxpr: Any) -> bool:
    """Whether a condition and what leads to it may be computed twice in every iteration of a loop."""
    return _cost(jaxpr, _LIMIT, _is_small) <= _LIMIT


def is_choice(jaxpr: Any) -> bool:
    """Whether a branch computes nothing, and returns few elements: inside a loop or not, a `select` costs less."""
    of_few = all(isinstance(v.aval.dtype, np.dtype) and is_small(v) for v in jaxpr.outvars)
    return of_few and all(map(only_weakens, jaxpr.eqns))


def _cost(jaxpr: Any, limit: int, also: Callable[[Any, str], bool]) -> float:
    """The number of equations, as far as `limit`; more than that when one of them is not cheap."""
    total = 0.0
    for eqn in jaxpr.eqns:
        name = eqn.primitive.name
        if name == "jit":
            total += _cost(jaxpr_of(eqn.params["jaxpr"]), limit, also)
        elif not eqn.effects and (name in _ELEMENTWISE or _is_total(eqn, name) or also(eqn, name)):
            total += _cost_of(eqn, name)
        else:
            return limit + 1
        if total > limit:
            return total
    return total


def _cost_of(eqn: Any, name: str) -> float:
    """What one equation of a cheap branch costs."""
    if all(_is_integer(v) and not v.aval.shape for v in (*eqn.invars, *eqn.outvars)):
        return _COST_OF_INDEX
    return _COST_IF_COMPLEX if name in _SLOW_IF_COMPLEX and jnp.iscomplexobj(eqn.invars[0].aval) else 1


def _is_small(eqn: Any, name: str) -> bool:
    """Whether an equation is pure and on small arrays; its derivative may be infinite. A slice may be of a large array."""
    if name not in _WITHOUT_GRADIENT or not all(map(is_small, eqn.outvars)):
        return False
    return name == "dynamic_slice" or all(map(is_small, eqn.invars))


def _is_total(eqn: Any, name: str) -> bool:
    """Whether an equation beside the elementwise ones has a result and a finite derivative for all operands."""
    if all(_is_integer(v) for v in eqn.invars):
        return name in _TOTAL_ON_INTEGERS
    if name == "dynamic_slice":
        return all(map(is_small, eqn.outvars))
    return name == "mul" and any(is_literal(v) and bool(np.all(np.isfinite(v.val))) for v in eqn.invars)


def _is_integer(v: Any) -> bool:
    return is_integer_type(v.aval.dtype)


def is_pure(eqns: Iterable[Any]) -> bool:
    """Whether equations can be evaluated where the program does not evaluate them: they end, and call nobody."""
    return not any(_calls_host(eqn) or runs(eqn) is math.inf for eqn in every(eqns))


def calls_host(eqns: Iterable[Any]) -> bool:
    """Whether equations print, or call Python, as run-time checks do."""
    return any(map(_calls_host, every(eqns)))


def _calls_host(eqn: Any) -> bool:
    return bool(eqn.effects) or "callback" in eqn.primitive.name
