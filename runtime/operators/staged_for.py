"""One loop over a traced array or a range as `lax.scan`, or as `lax.while_loop` where its length is traced or a jump can end it.

>>> import jax, jax.numpy as jnp
>>> from autograph.runtime.sequences.iteration_space import items_of
>>> from autograph.runtime.tracing.variables import State
>>> def total(xs):
...     s = jnp.float32(0)
...     def body(x):
...         nonlocal s
...         s = s + x
...     def set_state(values):
...         nonlocal s
...         (s,) = values
...     state = State(["s"], lambda: (s,), set_state)
...     stage_for(items_of(xs), LoopInfo.of(body, None, state))
...     return s
>>> float(jax.jit(total)(jnp.array([1.0, 2.0])))
3.0
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec

from autograph import errors, verbosity
from autograph.jax_internals import drop_equations, equation_mark
from autograph.runtime.carry import list_growth, loop_results
from autograph.runtime.carry.assumptions import LoopAssumptions, assuming
from autograph.runtime.carry.conditional_appends import outputs_of, with_rows
from autograph.runtime.carry.fixed_point import Carry
from autograph.runtime.carry.messages import refuse
from autograph.runtime.carry.scan_outputs import alone
from autograph.runtime.heap import aliases
from autograph.runtime.jaxprs.binding import Traced, bind_scan, predicate
from autograph.runtime.operators.loop_reports import noting_item, tell_loop, word_of
from autograph.runtime.operators.loop_variables import Hidden, note_checks
from autograph.runtime.operators.peeling import IterationRaises, stage_first_iteration
from autograph.runtime.operators.staged_while import FirstTest, closed, stage_while, trace_iteration
from autograph.runtime.sequences import array_items
from autograph.runtime.sequences.loop_items import Items
from autograph.runtime.tracing import integer_ranges, sizes
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.statement_names import named_loop
from autograph.runtime.tracing.variables import StateLike, Variable, variables_of
from autograph.runtime.values.merge import Merged, Mismatch


class LoopInfo(NamedTuple):
    """What is known of a `for` loop before it runs.

    Attributes:
        body, test, options: see `for_loop`.
        variables: those that the loop changes.
        lists, appends: those that hold lists which may grow in the body, and to which it does nothing but append.
        item: whether the body reads its item.
        dead: names of variables that nobody reads after the loop.
    """

    body: Callable[[Any], Any]
    test: Callable[[], Any] | None
    variables: list[Variable]
    options: dict[str, Any]
    lists: Sequence[Variable]
    appends: Sequence[Variable]
    item: bool = True
    dead: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        body: Callable[[Any], Any],
        test: Callable[[], Any] | None,
        state: StateLike,
        options: dict[str, Any] | None = None,
        lists: StateLike = None,
        appends: StateLike = None,
    ) -> LoopInfo:
        """Of what `for_loop` was handed."""
        return cls(body, test, variables_of(state), options or {}, variables_of(lists), variables_of(appends))


def stage_for(items: Items, info: LoopInfo, begins: bool = True) -> None:
    """One `scan`, or one `while` when the length is traced or a jump can end the loop; `begins`: none can have ended it yet."""
    if info.test is None and items.is_counted:
        may_grow = bool(info.lists) and "maximum_iterations" in info.options
        start = equation_mark()
        try:
            with assuming((info.body.__code__, "for"), info.options) as assumptions:
                assumptions.iterations = items.count  # it is no function: the loop is counted
                run = functools.partial(_stage_scan, items, info, assumptions)
                list_growth.stage_roomy(run, assumptions, info.variables, (info.body,))
            return
        except errors.StagingError:  # a list that grows in some iterations only, say
            if not may_grow:
                raise
        drop_equations(start, equation_mark())
    with assuming((info.body.__code__, "while"), info.options, info.lists) as assumptions:
        stage_counted_while(items, info, assumptions, begins)


def _stage_scan(items: Items, info: LoopInfo, assumptions: LoopAssumptions, ready: Callable[[], bool]) -> None:
    body, variables = info.body, info.variables
    counter = Hidden("the loop counter", 0)
    reads = items.counts and info.item
    run = noting_item(body) if verbosity.level > 1 and items.is_static else body

    def iteration(*slices: Any) -> None:
        carry.arrays.rows = list(zip(slices, items.arrays, strict=True))
        if not (reads or carry.assumptions.counts):
            run(items.make(0, slices))
            return
        k = integer_ranges.declare_range(counter.value, 0, items.last)
        index = carry.arrays.at = items.number(k, 0, 1)
        run(items.make(index, slices))
        counter.value = k + 1

    avals = [_row(array) for array in items.arrays]
    length: Any = items.count
    assumptions.is_lenient = items.is_lenient
    assumptions.is_rest = items.is_rest
    carry = Carry([*variables, counter] if reads or assumptions.counts else variables, assumptions)
    assumptions.is_counted, carry.counter = type(length) is int, counter
    carry.lists, carry.growing = info.appends, alone(info.appends)
    try:
        traced = trace_iteration(carry, iteration, avals, functions=(body,))
    except Mismatch as differ:
        raise refuse(differ, body, "loop", info.options if assumptions.gives_room else None) from None
    except IterationRaises as ends:
        first = length - 1 if items.backwards else 0
        rows = [array_items.read_item(array, jnp.asarray(first)) for array in items.arrays]
        is_one = sizes.compare_sizes(length, ">", 0)
        stage_first_iteration(ends.error, is_one, lambda: body(items.make(0, rows)), variables)
        return
    if traced is None or not ready():
        return
    merged = _bind_scan(carry, traced, items.arrays, length, items.backwards)
    if verbosity.level > 1:
        many = f"{items.length:,}" if items.is_static else items.length
        tell_loop(body, f"{word_of(body)}: staged as lax.scan of {many} iterations", carry.level)
    aliases.note_merged(merged, body)


def _bind_scan(carry: Carry, iteration: Traced, xs: Sequence[Any], length: Any, reverse: bool) -> list[Merged]:
    """Binds `scan` on a traced iteration whose extra inputs are the slices of `xs`, and writes the results.

    `length`: a number, or a size that is not known (`sizes`).
    """
    loop_results.make_placeholders(carry, iteration)
    carry.arrays.check(carry, (iteration,), () if reverse else xs, xs if reverse else ())
    region = closed(iteration, carry, len(xs))
    init = [*(carry.operands[i] for i in carry.carried()), *carry.placeholders]
    unroll = carry.assumptions.options.get("unroll") or 1
    begin, inputs, masks = init, list(xs), carry.grown.masks
    if masks:
        region, begin, inputs = with_rows(region, init, xs, masks, reverse)
    with named_loop(carry.functions):
        unrolled = length if unroll is True and not sizes.is_size(length) else int(unroll)
        results = bind_scan(region, begin, inputs, length, reverse, unrolled)
    lists, carry.lists = carry.lists, ()
    stacked = outputs_of(results[len(init) :], masks) if masks else results[len(init) :]
    rows, built = carry.grown.write(stacked, length, reverse, carry.aliases, lists)
    surely = sizes.is_known(length, ">", 0)
    merged = rows + loop_results.write_results(carry, results[: len(init)], surely, [*init, *region.consts, *xs], built)
    note_checks(carry, results)
    return merged


def _row(array: Any) -> Any:
    aval = jax.typeof(array)
    changes: dict[str, Any] = {"shape": aval.shape[1:], "weak_type": getattr(aval, "weak_type", False)}
    sharding = getattr(aval, "sharding", None)
    spec = tuple(getattr(sharding, "spec", ()))
    if sharding is not None and spec:
        if spec[0] is not None:
            raise errors.StagingError(
                f"a loop runs over the axis of an array that is sharded over {spec[0]!r}",
                why="every device holds the items of some iterations only",
                instead="jax.sharding.reshard(x, jax.P(None, ...)) before the loop",
                page="loop-over-a-sharded-axis",
            )
        changes["sharding"] = sharding.update(spec=PartitionSpec(*spec[1:]))
    return aval.update(**changes)


def stage_counted_while(items: Items, info: LoopInfo, assumptions: LoopAssumptions, begins: bool) -> None:
    """One `while` that counts; `begins`: no jump can have ended the loop yet."""
    body, test = info.body, info.test
    is_known = items.is_static or items.lengths is not None
    assumptions.iterations = items.length if items.is_static else None
    assumptions.bound = items.most
    was_counted = assumptions.is_counted
    assumptions.is_lenient, assumptions.is_counted = items.is_lenient, test is None and items.lengths is not None
    if assumptions.is_counted and not was_counted:
        assumptions.forget_types()
    if items.lengths is not None:
        assumptions.lengths = items.lengths.values
        assumptions.iterations = int(assumptions.lengths.max())
    run = noting_item(body) if verbosity.level > 1 and is_known else body
    if items.walk is not None:
        start, step, test_of_items, known, of_iteration = items.walk
        counter, is_inside = Hidden("the loop counter", start), test_of_items()
    else:
        length = sizes.traced(items.length)
        counter, step = Hidden("the loop counter", 0), 1

        def is_inside(k: Any) -> Any:
            return k < length

        def known(k: Any) -> Any:
            return integer_ranges.declare_range(k, 0, items.last)

    def going_on() -> Any:
        inside = is_inside(counter.value)
        if test is None:
            return inside
        truth = test()
        if is_traced(truth):
            return lax.bitwise_and(inside, predicate(truth))
        return inside if truth else False

    def iteration() -> None:
        k = known(counter.value)
        if items.walk is not None:
            run(items.number(k, start, step) if of_iteration is None else of_iteration(k))
        else:
            at = length - 1 - k if items.backwards else k
            run(items.make(items.number(k, 0, 1), [array_items.read_item(array, at) for array in items.arrays]))
        counter.value = k + step

    first = FirstTest(True, surely=begins and items.is_static)
    stage_while(going_on, iteration, [*info.variables, counter], first, assumptions, body)
