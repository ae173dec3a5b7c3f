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

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.jax_internals import drop_equations, equation_mark
from autograph.runtime.carry.assumptions import assuming
from autograph.runtime.carry.fixed_point import Carry
from autograph.runtime.carry.scan_outputs import alone
from autograph.runtime.operators.loop_variables import Hidden, TestedBody
from autograph.runtime.operators.staged_for import LoopInfo
from autograph.runtime.operators.staged_while import trace_iteration
from autograph.runtime.sequences.loop_items import Items, length_of
from autograph.runtime.tracing import context, integer_ranges
from autograph.runtime.tracing.known.evaluation import NotKnown, Row, TooMany, may_be_known
from autograph.runtime.tracing.known.limits import is_too_many
from autograph.runtime.tracing.known.number import KnownTracer, is_open_number, kind_of, open_variables, opened, runs_in
from autograph.runtime.tracing.known.recurrences import growth
from autograph.runtime.tracing.known.step_functions import MOST_STEPS, iterations_until, lengths_until
from autograph.runtime.tracing.truth import truth_value
from autograph.runtime.values.merge import Mismatch


class _Counted(BaseException):
    """Ends the trace of an iteration that has shown how often the loop iterates, or why that is not known.

    No `except` of the user's code sees it.
    """

    def __init__(self, iterations: Any) -> None:
        super().__init__()
        self.iterations = iterations


class Undecided(NotKnown):
    """Known numbers alone do not decide a test, as far as this attempt to trace the loops around shows."""


def iterations_of(info: LoopInfo, items: Items | None, is_endless: bool = False) -> tuple[int, bool]:
    """Counts the iterations of a loop that a test may end.

    Args:
        info: of a `for` loop; or of a `while`, whose body is a `TestedBody`. Its test has just been true.
        items: those of the `for` loop; None of a `while`.
        is_endless: whether a jump has to end the `for` loop: its items are too many to be known one by one.
    Returns:
        how many there are, and whether the last one sets a flag that ends the loop.
    Raises:
        NotKnown: Python's numbers do not decide it, or too many.
    """
    return _counted(info, items, _count, is_endless)


def lengths_of(info: LoopInfo, items: Items | None, first: Any) -> Row:
    """Counts the iterations of such a loop in each iteration of the loops around, which are numbered.

    Args:
        info, items: see `iterations_of`. first: the truth of the first test, if that is known and not the same everywhere.
    Raises:
        NotKnown: known numbers do not decide it, or too many.
    """
    return _counted(info, items, functools.partial(_count_inside, first))


def _counted(info: LoopInfo, items: Items | None, count_of: Callable[..., Any], is_endless: bool = False) -> Any:
    """Traces an iteration, and counts; for the arguments see `iterations_of`."""
    body, test = info.body, info.test
    assert test is not None
    counter, truths, index = Hidden("the loop counter", 0), list[Any](), list[Any]()

    def iteration() -> None:
        if isinstance(body, TestedBody):
            body(None)
            truths[:] = [body.truth]
        else:
            assert items is not None
            k = integer_ranges.declare_range(counter.value, 0, items.last)
            index[:] = [opened(0, k, carry.level) if is_endless else items.number(k, 0, 1)]
            body(items.make(index[0], ()))
            counter.value = k + 1
            truths[:] = [truth_value(test())]

    def count() -> None:
        try:
            if carry.level is not None and carry.level.impossible:  # a zero stands for it, also where the test reads it
                raise NotKnown("the program has no form of a number that an iteration computes")
            found = count_of(carry, truths.pop(), index.pop() if is_endless else None)
        except NotKnown as why:
            found = why.with_traceback(None)
        raise _Counted(found)

    start = equation_mark()
    with assuming((body.__code__, "count"), info.options) as assumptions, context.setting(is_tried=True):
        assumptions.iterations = MOST_STEPS if items is None else items.length
        carry = Carry(info.variables if items is None else [*info.variables, counter], assumptions)
        assumptions.is_counted, carry.counter, carry.on_settled = True, counter, count
        carry.lists, carry.growing = info.appends, alone(info.appends)
        try:
            trace_iteration(carry, iteration, (), (body, test))
            raise Undecided("a loop around is traced again")
        except _Counted as counted:
            if not isinstance(counted.iterations, NotKnown):
                return counted.iterations
            raise counted.iterations from None
        except Undecided:
            raise
        except Exception as error:
            if is_too_many(error) and (items is None or is_endless):
                raise
            said = str(error).strip() or type(error).__name__  # the body needs its numbers, say
            reason = None if is_too_many(error) else said.partition("\n")[0]
            if isinstance(error, Mismatch):
                reason = f"{reason} cannot be carried by the loop"
        finally:
            carry.on_settled = None  # it refers to the carry, and who refers to a list is counted
            drop_equations(start, equation_mark())
            assumptions.clear()
    if reason is None:
        return _counted(info, items, count_of, is_endless=True)
    raise NotKnown(reason)


def _count(carry: Carry, truth: Any, index: Any) -> tuple[int, bool]:
    """Counts the iterations, of a loop an iteration of which has just been traced, as long as its test is true.

    Args:
        index: the number of the iteration, if it is open as the variables are.
    """
    variables, inits, nexts = _needed(carry, truth, index)
    if any(type(init) is Row for init in inits):
        raise Undecided("Python's numbers alone do not decide its test")
    assert carry.level is not None
    try:
        found, ends = iterations_until(carry.level, variables, inits, nexts, truth)
    except TooMany:
        even = _in_even_steps(variables, inits, nexts, truth)
        if even is None:
            raise
        found, ends = even, True
    return found, ends and any(type(init) is bool for init in inits)  # a flag, which an iteration sets


def _count_inside(first: Any, carry: Carry, truth: Any, index: Any) -> Row:
    """Counts the iterations in each one of the loops around; see `lengths_of`."""
    level = carry.level
    assert level is not None
    nothing: list[Any] = []  # decides, where every iteration ends the loop or none does
    variables, inits, nexts = (nothing,) * 3 if type(truth) is bool else _needed(carry, truth, index)
    lengths = lengths_until(level, variables, inits, nexts, truth, runs_in)
    if type(first) is KnownTracer:
        if first.row is None:
            raise Undecided("its first test is not known")
        lengths = np.where(first.row.values, lengths, 0)
    return Row(lengths, int)


def _needed(carry: Carry, truth: Any, index: Any) -> Iterator[list[Any]]:
    """Collects the variables that decide a test: their numbers, what they hold before the loop, and after an iteration.

    Raises:
        NotKnown: not all of that is known.
    """
    if type(truth) is not KnownTracer:
        raise Undecided("Python's numbers do not decide its test")
    opens = [leaf for leaf in carry.leaves if is_open_number(leaf.known)]
    starts = {id(leaf.known): leaf.init for leaf in opens}
    left = {id(leaf.known): leaf.known if leaf.invariant else leaf.out for leaf in opens}
    left |= {id(p.leaf.known): p.out for p in carry.pending}
    if index is not None:
        starts[id(index)], left[id(index)] = 0, index + 1
    needed: dict[int, tuple[KnownTracer, Any, Any]] = {}
    pending = open_variables(truth)
    while pending:
        key, variable = pending.popitem()
        after, init = left.get(key), starts.get(key)
        init = init.row if type(init) is KnownTracer else init
        if not (type(init) is Row or may_be_known(type(init))) or not may_be_known(kind_of(after)):
            raise Undecided("Python's numbers alone do not decide its test")
        needed[key] = variable, init, after
        pending |= {k: v for k, v in open_variables(after).items() if k not in needed}
    return ([one[k] for one in needed.values()] for k in range(3))


def _in_even_steps(variables: Sequence[Any], inits: Sequence[Any], nexts: Sequence[Any], truth: Any) -> int | None:
    """Counts the iterations of `while i < n: i += step`, however many there are; None of other loops."""
    step = growth(variables[0], nexts[0]) if len(variables) == 1 else None
    stop = truth.args[1] if len(truth.args) == 2 and truth.args[0] is nexts[0] else None
    if not step or type(stop) is not int or (truth.fn, step > 0) not in _UNTIL:
        return None
    return length_of(range(inits[0], stop + _UNTIL[truth.fn, step > 0], step))


_UNTIL = {(operator.lt, True): 0, (operator.le, True): 1, (operator.gt, False): 0, (operator.ge, False): -1}
"""The operators of tests that the numbers of a range meet, with what is added to the number behind the operator for its end."""
