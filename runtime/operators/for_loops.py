"""`for` loops: Python's own over Python iterables; `lax.scan` or `lax.while_loop` over traced arrays and staged ranges.

>>> import jax, jax.numpy as jnp
>>> def total(xs):
...     s = 0.0
...     def loop_body(x):
...         nonlocal s
...         s = s + x
...     for_loop(xs, loop_body, lambda: (s,))
...     return s
>>> total([1.0, 2.0]), float(jax.jit(total)(jnp.array([1.0, 2.0])))
(3.0, 3.0)
>>> [str(e.primitive) for e in jax.make_jaxpr(total)(jnp.ones(5)).eqns]
['scan']

| iterable | no jump flags | with jump flags (`test`) |
| --- | --- | --- |
| Python's | Python iterates | Python iterates until a flag is traced; then a `while` (over a `range`) or one `cond` per item |
| traced array, range of known length | `scan` (differentiable in reverse) | `while` with an index: it stops when the flag is set |
| range of traced length | `while` | `while` |

Where the first iteration gives a variable its kind (`best = None` before the loop, an array that becomes a tuple), that iteration
runs alone and the others are staged; a jump in the first one ends the loop before the second. A variable that takes it from
another one (`before, seen = seen, f(s)`) has it from the second iteration on: then that one runs alone as well.
A loop over a traced array whose body cannot be a scan (the carry changes shape, a list grows) is unrolled, which is always
faithful, with one warning that says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jax import lax

from autograph import verbosity
from autograph.jax_internals import drop_equations, equation_mark, is_tracing
from autograph.runtime.carry import list_growth
from autograph.runtime.carry.given_room import is_for_outer
from autograph.runtime.heap import iterated_containers, iterators, outliving
from autograph.runtime.jaxprs.binding import predicate
from autograph.runtime.operators import conditionals
from autograph.runtime.operators.long_loops import could_be_one_loop, stage_if_long
from autograph.runtime.operators.peeling import settles, stage_if_left, with_optional
from autograph.runtime.operators.python_iteration import iterate, run_alone
from autograph.runtime.operators.staged_for import LoopInfo, stage_for
from autograph.runtime.operators.unrolled_loops import warn_of_copies
from autograph.runtime.sequences import iterables
from autograph.runtime.sequences.iteration_space import items_of
from autograph.runtime.sequences.loop_items import Items
from autograph.runtime.tracing import sharing
from autograph.runtime.tracing.known.limits import is_too_many
from autograph.runtime.tracing.refusals import CANNOT_STAGE, a
from autograph.runtime.tracing.variables import StateLike, variables_of
from autograph.runtime.values import key_orders


def for_loop(
    iterable: Any,
    body: Callable[[Any], Any],
    state: StateLike = None,
    *,
    test: Callable[[], Any] | None = None,
    appends: StateLike = None,
    last: bool = False,
    item: bool = True,
    dead: Sequence[str] = (),
    options: dict[str, Any] | None = None,
    lists: StateLike = None,
    optional: Sequence[str] = (),
    asked: bool = False,
    returned: Sequence[str] = (),
) -> None:
    """Runs `body(item)` for the items of `iterable`; raises `StagingError` where a variable cannot be carried.

    Args:
        iterable: anything that Python iterates; a traced array or a range of traced numbers is staged.
        body: one iteration; assigns the loop target itself when that lives on.
        state: the variables that change and that the next iteration or the rest of the function reads.
        test: whether the loop goes on (jump flags); evaluated after each iteration, before the next item is taken.
        appends: lists with which the body does nothing but append: stacked outputs of the `scan` where nobody else knows them.
        last, item: whether no variable of `iterable` is read again; whether the body reads its item. The others: see `while_loop`.
    """
    if (optional or asked) and is_tracing():
        state = variables_of(state, (*optional, *returned) if asked else optional)
    if type(iterable) is iterables.Filter and not iterable.is_started:
        for_loop(iterable.iterable, _Filtered(iterable.fn, body, state), state, test=test, dead=dead, options=options, lists=lists)
        iterable.exhaust()
        return
    if type(iterable) in (list, range) and lists is not None and options and "maximum_iterations" in options and is_tracing():
        others = sharing.other_references(iterable) - outliving.references(iterable)  # before the list is handed on
        iterable = list_growth.as_it_grows(iterable, variables_of(lists), others)
    items = items_of(iterable)
    if items is not None:
        if type(items.count) is not int or items.count:
            _stage_or_unroll(items, LoopInfo.of(body, test, state, options, lists, appends)._replace(item=item, dead=dead))
        if isinstance(iterable, Iterator) and hasattr(iterable, "exhaust"):
            iterable.exhaust()
        return
    if options or test is None and (could_be_one_loop(iterable, body) or type(iterable) in iterables.STAGED):
        if stage_if_long(iterable, LoopInfo.of(body, test, state, options, lists, appends)._replace(item=item, dead=dead)):
            return
    key_orders.check_order(iterable)
    if verbosity.level > 2:
        verbosity.tell_statement(3, body, f"for: runs in Python while tracing, over {a(type(iterable).__name__)}")
    walks = iterated_containers.begin_iteration(iterable) if is_tracing() else 0
    try:
        if test is None:
            for item in iterable:
                body(item)
        else:
            shared = iterators.is_native(iterable) and (
                sharing.other_references(iterable) > last or iterators.takes_from_shared(iterable)
            )
            iterate(iterable, LoopInfo.of(body, test, state, options, lists)._replace(dead=dead), shared)
    finally:
        iterated_containers.end_iteration(walks)


def _stage_or_unroll(
    items: Items, info: LoopInfo, before: Exception | None = None, truth: Any = True, alone: Sequence[str] = ()
) -> None:
    """A staged loop; or iterations by themselves and the others staged; or, where there are arrays, no staged loop.

    Args:
        before: why the whole loop cannot be staged, where these are the iterations after the first.
        truth: whether the loop goes on, which is traced where a jump may have ended it.
        alone: the variables for which an iteration ran by itself (see `settles`).
    """
    start = equation_mark()
    runs_alone = before is None and items.is_static
    try:
        stage_carrying = stage_if_left if runs_alone else with_optional
        stage_carrying(lambda: stage_for(items, info, begins=truth is True), info.variables)
        return
    except CANNOT_STAGE as error:
        if is_too_many(error) or is_for_outer(error):
            raise
        if not runs_alone and (items.is_static or items.is_fixed and not items.arrays):
            runs_alone = settles(error, info.body, alone, None if items.is_static and truth is True else info.dead)
        if not runs_alone and not (items.is_static and items.arrays and info.options.get("unroll") is not False):
            raise before or error from None
        alone = *alone, getattr(error, "variable", "")
        reason = before or error.with_traceback(None)  # its frames hold values
        reason.__context__ = None
    drop_equations(start, equation_mark())
    if not runs_alone:
        unrolled = (items.make(k, items.slices(k)) for k in range(items.length))
        iterate(unrolled, info, truth=truth)
        warn_of_copies(info.body, reason)
        return

    def iteration() -> None:
        info.body(items.make(0, items.slices(0)))

    def others(goes_on: Any) -> None:
        if goes_on is not False:
            _stage_or_unroll(items.after_first(), info, reason, goes_on, alone)

    if not items.is_static:  # all of them in a branch: there may be none
        begins = lax.bitwise_and(predicate(items.length > 0), predicate(truth))
        run_alone(begins, lambda: others(run_alone(True, iteration, info)), info)
    elif items.length > 1:
        others(run_alone(truth, iteration, info))
    else:
        run_alone(truth, iteration, info)


class _Filtered:
    """A loop body for the items that `filter(fn, items)` lets through."""

    def __init__(self, fn: Callable[[Any], Any] | None, body: Callable[[Any], Any], state: StateLike) -> None:
        self.fn = fn
        self.body = body
        self.state = state
        self.__wrapped__, self.__code__ = body, body.__code__  # the place of the loop, for messages

    def __call__(self, item: Any) -> None:
        passes = item if self.fn is None else self.fn(item)
        iteration = conditionals.in_place_of(self.body, lambda: self.body(item))
        conditionals.if_stmt(passes, iteration, conditionals.nothing, self.state)
