"""Integers that a loop carries and never makes less than they begin: counters, sums of what is not negative.

    at = 0                               at = 0
    while at < len(xs):         is       while at < len(xs):
        total += xs[at]      staged         total += dynamic_slice(xs, at)      where without this knowledge stood
        at += 1                as           at += 1                             select(at < 0, at + len(xs), at)

What begins as a known number is assumed never to be less (`integer_ranges.Assumed`). At the end of the iteration that holds,
given that it held at the beginning, or the assumption is dropped, and with it what followed from it for the others. Where
something was built on it the body is traced again, with what the loop test says of the variable instead (`while at > 0`).

>>> import jax, jax.numpy as jnp
>>> from autograph.runtime.operators.while_loops import while_loop
>>> from autograph.runtime.operators.items import get_item
>>> def total(xs, n):
...     at = total = 0
...     def loop_body():
...         nonlocal at, total
...         total = total + get_item(xs, at)
...         at = at + 1
...     while_loop(lambda: at < n, loop_body, lambda: (at, total))
...     return total
>>> loop = next(e for e in jax.make_jaxpr(total)(jnp.arange(9), 5).eqns if e.primitive.name == "while")
>>> [e.primitive.name for e in loop.params["body_jaxpr"].eqns]
['dynamic_slice', 'squeeze', 'add', 'add']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax.numpy as jnp

from autograph.runtime.carry.assumptions import LoopAssumptions
from autograph.runtime.carry.slots import Leaf
from autograph.runtime.jaxprs.exit_folding import conjuncts_of
from autograph.runtime.jaxprs.graph import is_literal, producers
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.tracing.known.number import real_of


def assume_ranges(leaves: Sequence[Leaf], assumptions: LoopAssumptions) -> None:
    """Assumes of the tracers of an attempt what is not known to be wrong."""
    for leaf in leaves:
        leaf.assumed = None
        if leaf.type.shape or not jnp.issubdtype(leaf.type.dtype, jnp.integer):
            continue
        assumed = assumptions.slots[leaf.key]
        if assumed.disproved:
            if assumed.least is not None:
                integer_ranges.declare_range(real_of(leaf.tracer), assumed.least, int(jnp.iinfo(leaf.type.dtype).max))
        elif (known := integer_ranges.range_of(leaf.init)) is not None and known[0] >= 0:
            leaf.assumed = integer_ranges.assume_least(real_of(leaf.tracer), known[0])


def holds(leaves: Sequence[Leaf], assumptions: LoopAssumptions, test: Callable[[], Any] | None) -> bool:
    """After an iteration: drops what it has shown to be wrong; whether nothing was built on that.

    `test`: gives the loop test as a region (`binding.Traced`) over the leaves.
    """
    used = {leaf.key for leaf in leaves if leaf.assumed is not None and leaf.assumed.is_used}
    wrong = set()
    while found := [leaf for leaf in leaves if leaf.assumed is not None and not _stays(leaf, leaf.assumed.least)]:
        for leaf in found:
            integer_ranges.forget(real_of(leaf.tracer))
            leaf.assumed = None
            wrong.add(leaf.key)
            assumptions.slots[leaf.key].disproved = True
    if not used & wrong:
        return True
    region = test() if test is not None else None
    if region is not None:
        at = {v: leaf.key for v, leaf in zip(region.jaxpr.invars, leaves, strict=True)}
        for v, least in _least(region.jaxpr):
            if v in at:
                assumptions.slots[at[v]].least = least
    return False


def _stays(leaf: Leaf, least: int) -> bool:
    known = integer_ranges.range_of(leaf.out)
    return leaf.out is None or leaf.out is leaf.tracer or (known is not None and known[0] >= least)


def _least(jaxpr: Any) -> Iterator[tuple[Any, int]]:
    """What a test that is true says: variables, and numbers that they are no less than."""
    made_by = producers(jaxpr.eqns)
    pending = list(jaxpr.outvars)
    while pending:
        atom = pending.pop()
        eqn = None if is_literal(atom) else made_by.get(atom)
        if eqn is None:
            continue
        if eqn.primitive.name == "and":
            pending += eqn.invars
        elif eqn.primitive.name == "cond":
            pending += conjuncts_of(eqn, atom, made_by)
        elif eqn.primitive.name in _MORE:
            small, large = eqn.invars if eqn.primitive.name in ("lt", "le") else eqn.invars[::-1]
            if is_literal(small) and not is_literal(large) and jnp.issubdtype(large.aval.dtype, jnp.integer):
                yield large, int(small.val) + _MORE[eqn.primitive.name]


_MORE = {"lt": 1, "gt": 1, "le": 0, "ge": 0}
