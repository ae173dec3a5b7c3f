"""The transpose of a loop whose number of iterations is not known: blocks of iterations between kept states.

    record:   run the values again from the start; keep the state at the head of every block of BLOCK iterations. When all
              slots are full, drop every second one: from then on one state is kept for 2 (4, 8, ...) blocks.
    reverse:  from the last block to the first: take the last kept state; while it lies before the block's head, run
              on from it and keep states in the slots that have become free; then transpose the block.

A block is a `lax.scan` of fixed length, so its transpose is JAX's own, with everything kept and invariants hoisted. The
last block may be longer than what is left of the loop; its surplus iterations are masked. `jnp.where` on scalars is cheaper
than `lax.cond`, which would stack its operands once per iteration (measured: 6 times slower).

Why blocks and not single iterations: what a loop writes into a buffer that it carries is cheap in place, but under
`vmap(grad)` JAX wraps the whole carry of a loop with a mapped test into a select, and a `cond` on a buffer copies it.
Both happen once per block here, and block heads are what gradients of gradients have to go through.

| measured, CPU, `tanh(W @ x)`; gradient's time over that of `scan` | 5 iterations | 50 | 200 | 1000 |
| --- | --- | --- | --- | --- |
| 8 wide, one state per iteration in 64 slots | 5.5 | 6.1 | 14.5 | 20.8 |
| 8 wide, blocks | 4.6 | 3.5 | 2.7 | 1.5 |
| 256 wide, one state per iteration in 64 slots | 1.2 | 1.3 | 1.8 | 2.0 |
| 256 wide, blocks | 2.2 | 1.6 | 1.7 | 1.3 |

Inside `shard_map`, devices may take different numbers of iterations, and the transpose of an iteration may hold a collective (the
cotangent of a constant that all devices share is a sum over them). So all take as many blocks as the longest of them;
surplus blocks are masked like surplus iterations.

With as many blocks as slots or fewer, an iteration is evaluated three times (forward pass, record, block) and reversed once.
Beyond that the slots act as a stack and the price grows with the logarithm of the number of iterations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from autograph.jax_internals import cotangent_array
from autograph.runtime.jaxprs.linear_loop import Loop, Values
from autograph.runtime.jaxprs.rules import regions, runs
from autograph.runtime.tracing.array_types import type_of

LIGHT_BLOCK, HEAVY_BLOCK = 32, 8
LIGHT_WORK = 4096
"""An iteration that computes fewer scalars than this is light: the overhead of a block counts more than its surplus iterations."""

MOST_SLOTS, FEWEST_SLOTS = 64, 8
SLOT_BYTES = 1 << 26
"""What all slots together may take before there are fewer of them. More of small states were not faster (measured)."""


def transpose_while(
    cotangents: Sequence[Any], operands: Sequence[Any], *, checkpoints: int | None = None, **params: Any
) -> list[Any]:
    """The transpose rule of `while`: cotangents of the linear operands, from the cotangents of the results.

    Args:
        cotangents: one per carry, arrays or JAX's symbolic zeros.
        operands: constants of the test, constants of the body, first carry; linear ones are placeholders.
        checkpoints: the number of states that may be kept; None for a choice by their size.
        params: the parameters of `while`.
    """
    loop = Loop(operands, **params)
    plan = Plan.of(loop, checkpoints)
    recorded = record_points(loop, plan)
    carry = [cotangent_array(ct) for ct, linear in zip(cotangents, loop.linear_carry, strict=True) if linear]
    return loop.cotangents_of(operands, *reverse(loop, plan, recorded, carry))


class Plan(NamedTuple):
    """How many iterations a block has, and how many states are kept (an even number)."""

    block: int
    slots: int

    @classmethod
    def of(cls, loop: Loop, checkpoints: int | None) -> Plan:
        block = LIGHT_BLOCK if work(loop.body.jaxpr) <= LIGHT_WORK else HEAVY_BLOCK
        if checkpoints is None:
            checkpoints = slots_for(sum(_elements(x.shape) * x.dtype.itemsize for x in loop.start))
        return cls(block, max(checkpoints + checkpoints % 2, 2))


def _elements(shape: Sequence[Any]) -> float:
    """The number of elements of an array; infinite where a dimension is symbolic."""
    return math.prod(shape) if all(isinstance(size, int) for size in shape) else math.inf


def slots_for(state: float) -> int:
    """How many states of so many bytes to keep.

    >>> [slots_for(state) for state in (4, 1_000_000, 4_000_000, 100_000_000)]
    [64, 64, 16, 8]
    """
    return int(min(max(SLOT_BYTES // max(state, 1), FEWEST_SLOTS), MOST_SLOTS))


def work(jaxpr: Any) -> float:
    """About how many scalars a jaxpr computes; loops of unknown length and arrays of unknown size count as infinite.

    >>> work(jax.make_jaxpr(lambda x: x * 2 + 1)(jnp.ones(3)).jaxpr)
    6
    """
    total: float = 0
    for eqn in jaxpr.eqns:
        results = sum(_elements(v.aval.shape) for v in eqn.outvars)
        if (times := runs(eqn)) is math.inf:
            return math.inf
        if eqn.primitive.name == "dot_general":
            (contracted, _), _ = eqn.params["dimension_numbers"]
            results *= _elements([eqn.invars[0].aval.shape[axis] for axis in contracted])
        jaxprs = regions(eqn)
        total += sum(map(work, jaxprs)) * times if jaxprs else results
    return total


class Recorded(NamedTuple):
    """The states kept by `record_points`: slot `k` holds the point at the head of block `k * stride`."""

    blocks: Any
    stride: Any
    slots: Values


def record_points(loop: Loop, plan: Plan) -> Recorded:
    """Runs the loop's values; keeps points at the heads of blocks, as evenly as the slots allow."""
    unused = plan.slots  # a further slot takes the points that are not kept: a write that is always done stays in place

    def one_block(carry: Any) -> Any:
        block, stride, slots, point = carry
        full = block == plan.slots * stride
        slots = lax.cond(full, lambda: [x.at[: plan.slots // 2].set(x[: plan.slots : 2]) for x in slots], lambda: slots)
        stride = lax.select(full, stride * 2, stride)
        slot = lax.select(block % stride == 0, block // stride, jnp.int32(unused))
        return block + 1, stride, _put(slots, slot, point), advance(loop, point, jnp.int32(plan.block))

    point = loop.first_point()
    slots = [lax.broadcast(x, (plan.slots + 1,)) for x in point]
    start = (jnp.int32(0), jnp.int32(1), slots, point)
    blocks, stride, slots, _ = _while(lambda carry: jnp.any(carry[3][0]), one_block, start)
    return Recorded(blocks, stride, slots)


def advance(loop: Loop, point: Values, iterations: Any) -> Values:
    """The point that many iterations later, or at the end of the loop."""

    def one_iteration(carry: Any) -> Any:
        done, point = carry
        return done + 1, loop.next_point(point)

    return list(_while(lambda c: (c[0] < iterations) & jnp.any(c[1][0]), one_iteration, (jnp.int32(0), point))[1])


def reverse(loop: Loop, plan: Plan, recorded: Recorded, carry_cotangents: Values) -> tuple[Values, Values]:
    """Takes cotangents of the carry from the loop's end to its start; returns those of the constants and the carry.

    The slots are a stack: `place[k]` is the block whose head slot `k` holds, `top` the last slot in use.
    """

    def keep_one_more(block: Any, stack: Any) -> Any:
        top, place, slots = stack
        distance = jnp.maximum((block - place[top]) // jnp.maximum(plan.slots - 1 - top, 1), 1)
        point = advance(loop, _get(slots, top), distance * plan.block)
        top, reached = top + 1, place[top] + distance
        return top, lax.dynamic_update_index_in_dim(place, reached, top, 0), _put(slots, top, point)

    def one_block(carry: Any) -> Any:
        block, stack, const_cotangents, carry_cotangents = carry
        own = block <= last
        stack = _while(lambda s: own & (s[1][s[0]] < block), lambda s: keep_one_more(block, s), stack)
        top, place, slots = stack
        alive, *values = _get(slots, top)
        point = [alive & own, *values]
        transposed = jax.linear_transpose(
            lambda consts, carry: tangent_block(loop, plan, point, consts, carry), loop.const_zeros, loop.carry_zeros
        )
        const_cotangents, carry_cotangents = transposed((const_cotangents, carry_cotangents))
        return block - 1, (top - own, place, slots), const_cotangents, carry_cotangents

    last = recorded.blocks - 1
    place = lax.iota(jnp.int32, plan.slots + 1) * recorded.stride
    stack = (last // recorded.stride, place, recorded.slots)
    start = (_longest(last, recorded.slots[0]), stack, loop.const_zeros, carry_cotangents)
    return _while(lambda carry: carry[0] >= 0, one_block, start)[2:]


def tangent_block(
    loop: Loop, plan: Plan, point: Values, const_tangents: Values, tangents: Values
) -> tuple[Values, Values]:
    """One block of iterations as a linear function of tangents; those of the constants come out as they went in.

    They travel in the carry, times one so that `scan` does not take them out of it again: transposed, the cotangents of
    the constants are summed up in place and in the order of the iterations, from what later blocks have left.
    """

    def one_iteration(carry: Any, _: None) -> Any:
        point, const_tangents, tangents = carry
        point, tangents = loop.iteration(point, const_tangents, tangents)
        return (point, [x * 1 for x in const_tangents], tangents), None

    carry = (point, list(const_tangents), list(tangents))
    _, const_tangents, tangents = lax.scan(one_iteration, carry, None, length=plan.block)[0]
    return const_tangents, tangents


def _while(test: Callable[[Any], Any], body: Callable[[Any], Any], start: Any) -> Any:
    """A loop that is differentiable in its iteration: the test function's name is the tag of `reverse_mode`."""

    def ag_while_cond(carry: Any) -> Any:
        return test(carry)

    return lax.while_loop(ag_while_cond, body, start)


def _longest(last: Any, alive: Any) -> Any:
    """The greatest `last` of all devices on which `alive` is known to differ."""
    devices = tuple(sorted(type_of(alive).varying))
    if not devices:
        return last
    differing = lax.select(jnp.ravel(alive)[0], last, last)  # typed as what depends on `alive`, as it does
    return lax.pmax(differing, devices)


def _put(slots: Values, slot: Any, point: Values) -> Values:
    return [lax.dynamic_update_index_in_dim(kept, x, slot, 0) for kept, x in zip(slots, point, strict=True)]


def _get(slots: Values, slot: Any) -> Values:
    return [lax.dynamic_index_in_dim(kept, slot, 0, keepdims=False) for kept in slots]
