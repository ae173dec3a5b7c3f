"""Loops that end by a test which Python's numbers decide: `while i < n`, `if i * i > n: break`. How often they iterate.

An iteration is traced with its variables open (`carry.known_variables`), which shows how the test is computed from them. Then
Python counts the iterations. The trace is dropped, and the loop is staged like one over so many items.

>>> import jax, jax.numpy as jnp, autograph as ag
>>> def total(x):
...     s, i = 0.0, 0
...     while i < len(x):
...         s += x[i]
...         i += 2
...     return s, i
>>> total = ag.convert(total)
>>> [e.primitive.name for e in jax.make_jaxpr(total)(jnp.ones(101)).eqns if e.primitive.name == "scan"]
['scan']
>>> [float(n) for n in jax.jit(total)(jnp.ones(101))]
[51.0, 102.0]
"""

from __future__ import annotations

from typing import Any

from autograph.jax_internals import drop_equations, equation_mark
from autograph.runtime.carry.assumptions import assuming
from autograph.runtime.carry.fixed_point import Carry
from autograph.runtime.carry.scan_outputs import alone
from autograph.runtime.operators.loop_variables import Hidden, TestedBody
from autograph.runtime.operators.staged_for import LoopInfo
from autograph.runtime.operators.staged_while import trace_iteration
from autograph.runtime.sequences.loop_items import Items
from autograph.runtime.tracing import context, integer_ranges
from autograph.runtime.tracing.known.evaluation import NotKnown
from autograph.runtime.tracing.known.number import KnownTracer, is_open_number, open_variables
from autograph.runtime.tracing.known.step_functions import MOST_STEPS, iterations_until
from autograph.runtime.tracing.truth import truth_value
from autograph.runtime.values.merge import Slot

_NUMBERS = (int, float, bool)


class _Counted(BaseException):
    """Ends the trace of an iteration that has shown how often the loop iterates; no `except` of the user's code sees it."""

    def __init__(self, iterations: tuple[int, bool] | None) -> None:
        super().__init__()
        self.iterations = iterations


def iterations_of(info: LoopInfo, items: Items | None) -> tuple[int, bool] | None:
    """Counts the iterations of a loop that a test may end.

    Args:
        info: of a `for` loop; or of a `while`, whose body is a `TestedBody`. Its test has just been true.
        items: those of the `for` loop; None of a `while`.
    Returns:
        how many there are, and whether the last one sets a flag that ends the loop; None where Python's numbers do not decide it.
    """
    body, test = info.body, info.test
    assert test is not None
    counter, truths = Hidden("the loop counter", 0), list[Any]()

    def iteration() -> None:
        if isinstance(body, TestedBody):
            body(None)
            truths[:] = [body.truth]
        else:
            assert items is not None
            k = integer_ranges.declare_range(counter.value, 0, items.last)
            body(items.make(items.number(k, 0, 1), ()))
            counter.value = k + 1
            truths[:] = [truth_value(test())]

    def count(finished: Any) -> None:
        raise _Counted(_count(carry, finished, truths.pop()))

    start = equation_mark()
    with assuming((body.__code__, "count"), info.options) as assumptions, context.setting(is_tried=True):
        assumptions.iterations = MOST_STEPS if items is None else items.length
        carry = Carry(info.variables if items is None else [*info.variables, counter], assumptions)
        assumptions.is_counted, carry.counter, carry.on_settled = True, counter, count
        carry.lists, carry.growing = info.appends, alone(info.appends)
        try:
            trace_iteration(carry, iteration, (), (body, test))
            return None  # a loop around is traced again anyway
        except _Counted as found:
            return found.iterations
        except Exception:
            return None  # the body needs its numbers, say
        finally:
            carry.on_settled = None  # it refers to the carry, and who refers to a list is counted
            drop_equations(start, equation_mark())
            assumptions.clear()


def _count(carry: Carry, finished: Any, truth: Any) -> tuple[int, bool] | None:
    """Counts the iterations, of a loop an iteration of which has just been traced, as long as its test is true.

    Args:
        finished: what the iteration left; all locations that it writes are carried.
    """
    if type(truth) is not KnownTracer:
        return None
    written = {w.location.key: w.after for w in finished.written}
    outs = [*finished.values, *(written.get(slot.key[0]) for slot in carry.slots[len(finished.values) :])]
    leaves = {id(leaf.known): leaf for leaf in carry.leaves if is_open_number(leaf.known)}
    left = {
        id(carry.leaves[slot.template.index].known): out
        for slot, out in zip(carry.slots, outs, strict=True)
        if type(slot.template) is Slot
    }
    needed: dict[int, tuple[KnownTracer, Any, Any]] = {}
    pending = open_variables(truth)
    while pending:
        key, variable = pending.popitem()
        after = left.get(key)
        if key not in leaves or type(leaves[key].init) not in _NUMBERS or not _is_known(after):
            return None
        needed[key] = variable, leaves[key].init, after
        pending |= {k: v for k, v in open_variables(after).items() if k not in needed}
    variables, inits, nexts = zip(*needed.values(), strict=True) if needed else ((), (), ())
    assert carry.level is not None
    try:
        found, ends = iterations_until(carry.level, variables, inits, nexts, truth)
        return found, ends and any(type(init) is bool for init in inits)  # a flag, which an iteration sets
    except NotKnown:
        return None


def _is_known(x: Any) -> bool:
    return type(x) is KnownTracer or type(x) in _NUMBERS
