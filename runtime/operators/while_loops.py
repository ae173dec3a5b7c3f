"""`while` loops: Python's own while the test is known, one `lax.while_loop` from the iteration on at which it is traced.

>>> import jax
>>> from autograph.runtime.operators.conditionals import if_exp
>>> def collatz(n):
...     steps = 0
...     def loop_body():
...         nonlocal n, steps
...         n = if_exp(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1)
...         steps = steps + 1
...     while_loop(lambda: n != 1, loop_body, lambda: (n, steps))
...     return steps
>>> collatz(6), int(jax.jit(collatz)(6))
(8, 8)

The body is traced with fresh tracers in its variables (see `fixed_point`), then the test; `while` is bound on the two jaxprs.
A test that writes to variables or to the heap (`while (n := f(n)) > 0`) is moved to the end of the body, and its truth
value is carried.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax

from autograph import errors, verbosity
from autograph.jax_internals import current_trace, drop_equations, equation_mark, is_tracing, new_var
from autograph.runtime.carry import list_growth, loop_results
from autograph.runtime.carry.assumptions import LoopAssumptions, assuming
from autograph.runtime.carry.fixed_point import Carry, Retry
from autograph.runtime.carry.messages import refuse
from autograph.runtime.carry.reached_loops import Reached, with_alive
from autograph.runtime.carry.scan_outputs import alone
from autograph.runtime.checks import runtime_checks
from autograph.runtime.heap import aliases, guarded_iterators, journal, path_conditions, recursion
from autograph.runtime.heap.constants import trace_region
from autograph.runtime.heap.escape import Finished
from autograph.runtime.heap.unset_reads import is_set_elsewhere
from autograph.runtime.jaxprs import reverse_mode
from autograph.runtime.jaxprs.binding import Traced, bind_scan, bind_while, predicate
from autograph.runtime.jaxprs.graph import reads
from autograph.runtime.jaxprs.loop import Loop
from autograph.runtime.jaxprs.passes import bind_loop
from autograph.runtime.operators.loop_variables import Checked, Hidden, note_checks
from autograph.runtime.operators.peeling import (
    ATTEMPTS,
    IterationRaises,
    goes_on,
    stage_first_iteration,
    stage_from_here,
    staged_until_a_check_fails,
    try_iterations,
    with_optional,
)
from autograph.runtime.tracing import sizes
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.statement_names import named_loop
from autograph.runtime.tracing.truth import truth_value
from autograph.runtime.tracing.variables import StateLike, Variable, variables_of
from autograph.runtime.values.merge import Merged, Mismatch


def while_loop(
    test: Callable[[], Any],
    body: Callable[[], Any],
    state: StateLike = None,
    *,
    options: dict[str, Any] | None = None,
    lists: StateLike = None,
    optional: Sequence[str] = (),
    asked: bool = False,
    returned: Sequence[str] = (),
) -> None:
    """Runs `body()` while `test()`; staged as `lax.while_loop` from the iteration on at which the test is traced.

    Args:
        test: the loop test; evaluated before each iteration, as in Python.
        body: one iteration.
        state: the variables that change and that the next iteration or the rest of the function reads.
        options: what `set_loop_options` said.
        lists: the lists that may grow in the body, where the options say how often it runs at most.
        optional: names in `state` of variables that may hold `None` or a value (`optional`).
        asked: whether what the user's function returns may be either as well (`optional_results`); `returned` are the names
            in `state` of the variables that keep it.
    Raises:
        StagingError: a variable cannot be carried (shape, structure or kind changes from iteration to iteration).
    """
    if not is_tracing():
        while test():
            body()
        return
    with assuming((body.__code__, "while"), options, variables_of(lists)) as assumptions:
        _run(test, body, variables_of(state, (*optional, *returned) if asked else optional), assumptions)


def _run(test: Callable[[], Any], body: Callable[[], Any], variables: list[Variable], assumptions: LoopAssumptions) -> None:
    def stage() -> None:
        stage_while(test, body, variables, FirstTest(True, surely=True), assumptions)

    first, done = True, 0
    start, before = equation_mark(), path_conditions.passed()
    truth = goes_on(test)
    while not is_traced(truth):
        if not truth:
            return
        if first:
            first = False
            if verbosity.level > 2:
                verbosity.tell_statement(3, body, "while: its test is known, so iterations run in Python while tracing")
            if assumptions.from_start and stage_from_here(stage, assumptions):
                return
            refused = None
            known_alone = alone(assumptions.lists)
            try:
                truth, done = try_iterations(body, test, variables, assumptions, (body, test))
            except errors.StagingError as error:
                if not assumptions.lists:
                    raise
                refused = error
            if refused is not None:  # a list that grows under a traced condition, say
                assumptions.alone = known_alone  # the frames of the error refer to the lists now
                if stage_from_here(stage, assumptions):
                    return
                raise refused
            if done:
                start = None  # what the test recorded stays
                continue
            if stage_from_here(stage, assumptions):
                return
        known = path_conditions.passed()
        body()
        done += 1
        start, before = equation_mark(), path_conditions.passed()
        truth = goes_on(test)
        if before is not known and before.is_of_checks() and truth is True:
            if staged_until_a_check_fails(stage, test, variables, done, assumptions):
                return
    traced = FirstTest(truth, (start, equation_mark()), path_conditions.passed())
    path_conditions.learn(before)  # the loop may drop what the test recorded
    with_optional(lambda: stage_while(test, body, variables, traced, assumptions), variables)


class FirstTest(NamedTuple):
    """What is known of the first test of a loop that is staged.

    Attributes:
        truth: what it gave, which may be traced.
        recorded: the marks between which its equations stand.
        passed: what is known of the checks up to it.
        surely: whether the loop has at least one iteration.
    """

    truth: Any
    recorded: tuple[Any, Any] = (None, None)
    passed: path_conditions.Passed | None = None
    surely: bool = False


def stage_while(
    test: Callable[[], Any],
    body: Callable[[], Any],
    variables: Sequence[Variable],
    first: FirstTest,
    assumptions: LoopAssumptions,
    where: Callable[..., Any] | None = None,
) -> None:
    """Stages a loop; `where`: the user's function that stands for it, if that is not the body."""
    reverse_mode.install()
    run = functools.partial(_stage, test, body, variables, first, assumptions, where or body)
    try:
        list_growth.stage_growing(run, assumptions, variables)
    finally:
        assumptions.carried = {}  # who refers to an object, counts


def _stage(
    test: Callable[[], Any],
    body: Callable[[], Any],
    variables: Sequence[Variable],
    first: FirstTest,
    assumptions: LoopAssumptions,
    where: Callable[..., Any],
    ready: Callable[[], bool],
) -> None:
    truth, users = first.truth, (where, test)
    try:
        carry = Carry(variables, assumptions)
        carry.test = functools.partial(_trace_test, test)
        iteration = trace_iteration(carry, body, (), users, has_test=True)
        if iteration is None:
            return
        check = _trace_test(test, carry)
        # XLA may drop the checks of a test whose iterations it can count.
        is_pure = check is not None and not (check.jaxpr.effects and (first.surely or is_traced(truth)))
        if not is_pure:
            if first.passed is not None:
                path_conditions.learn(first.passed)
            hidden = Hidden("the loop test", _bit(truth))
            carry = Carry([*variables, hidden], assumptions)

            def rotated() -> None:
                body()
                hidden.set(_bit(truth_value(test())))

            iteration = trace_iteration(carry, rotated, (), users, has_test=True)
            if iteration is None:
                return
            check = _trace_test(hidden.get, carry)
        assert check is not None
        if not ready():
            return
        if is_pure:
            drop_equations(*first.recorded)
        merged = _bind_while(carry, check, iteration, first.surely)
    except Mismatch as differ:
        raise refuse(differ, where, "loop", assumptions.options) from None
    except IterationRaises as ends:
        stage_first_iteration(ends.error, truth if is_traced(truth) else test(), body, variables)
        return
    if verbosity.level > 1:
        names = ", ".join(v.name for v in variables if v.name.isidentifier()) or "nothing by name"
        verbosity.tell_statement(2, where, f"loop: staged as lax.while_loop, which carries {names}")
    aliases.note_merged(merged, where)


def _bit(truth: Any) -> Any:
    """A truth value as an array, whatever kind of number it is."""
    return predicate(truth) if is_traced(truth) else lax.full((), bool(truth), bool)


_TRUTH = jax.typeof(np.bool_(True))


def trace_iteration(
    carry: Carry,
    run: Callable[..., None],
    extra: Sequence[Any] = (),
    functions: Sequence[Callable[..., Any]] = (),
    has_test: bool = False,
) -> Traced | None:
    """Traces the loop body until its carry is a fixed point.

    Args:
        run: one iteration; gets a tracer for each of `extra`, abstract values of what the iteration reads besides the carry.
        functions: the user's functions that `run` calls.
        has_test: whether a test ends the loop: under `vmap` lanes for which it is false run along.
    Returns:
        a region whose inputs are all leaves of the carry, then `extra`, then the truth of the test where there is one (see
        `reached_loops`); its outputs are the leaves that change, then the leaves first bound in the loop. None when the
        body of an enclosing loop will be traced again anyway: then the variables hold values of the right types and
        nothing is left to do (see `assumptions`).
    Raises:
        IterationRaises: the iteration ends in an exception of the program, on whatever path it goes.
    """
    assumptions = carry.assumptions
    carry.functions = functions
    attempt = functools.partial(_attempt, carry, run, Checked(carry), len(extra), has_test)
    for _ in range(ATTEMPTS):
        start = equation_mark()
        carry.begin()
        avals = [jax.typeof(x) for x in carry.operands]
        try:
            return Traced(*trace_region(attempt, [*avals, *extra, *[_TRUTH] * has_test], "loop_body"))
        except Retry:
            drop_equations(start, equation_mark())
            if carry.repeats_outer():
                return None
        except Exception as error:
            if not assumptions.must_repeat and not carry.raised and not is_set_elsewhere(error):
                if not isinstance(error, Mismatch):
                    runtime_checks.refuse_to_handle(error)
                    runtime_checks.say_where(error, "the body of a loop", *functions[:1])
                raise
            drop_equations(start, equation_mark())
            if not assumptions.must_repeat:  # else it may come from what was only assumed
                raise IterationRaises(error) from None
        finally:
            carry.trace = assumptions.attempt = None
    raise AssertionError("the carry of a loop did not reach a fixed point")


def _attempt(
    carry: Carry, run: Callable[..., None], checked: Checked, extra: int, has_test: bool, *tracers: Any
) -> list[Any]:
    """Runs an iteration on the tracers of a region: what it leaves. For the arguments see `trace_iteration`."""
    count = len(carry.leaves)
    finished = Finished()
    carry.trace, carry.assumptions.attempt = current_trace(), carry
    path = (tracers[-1], True) if has_test else None
    body = carry.functions[0] if carry.functions else None
    opened = journal.Region(carry.variables, path, is_loop=True, run=body)
    with recursion.refused(body, recursion.LOOP), opened as region:
        carry.fill(tracers[:count], region)
        region.holders = carry.holders
        carry.assume_test(tracers[:count])
        checked.begin()
        try:
            with guarded_iterators.guard_iterators(carry.variables, *carry.functions):
                run(*tracers[count : count + extra])
        except Exception as error:
            carry.raised = error is region.raised or runtime_checks.is_event_of_branch(error)
            raise
        if checked.end():
            raise Retry
        return carry.collect(region, finished)


def _trace_test(test: Callable[[], Any], carry: Carry) -> Traced | None:
    """The loop test as a region over all leaves of the carry; None when it writes to variables or to the heap."""
    pure = True

    def region_of_test(*tracers: Any) -> list[Any]:
        nonlocal pure
        with journal.Region(carry.variables, is_loop=True) as region:
            filled = carry.fill_apart(tracers, region)
            with guarded_iterators.guard_iterators(carry.variables, test):
                truth = truth_value(test())
            carry.note_shown(tracers, truth)
            values, written = region.collect()
        pure = all(a is b for a, b in zip(values, filled)) and carry.untouched(written, filled)
        return [_bit(truth)]

    traced = Traced(*trace_region(region_of_test, [jax.typeof(x) for x in carry.operands], _name(carry)))
    return traced if pure else None


def _name(carry: Carry) -> str:
    """The name of the test, by which reverse mode knows our loops, and how many states a gradient may keep."""
    return reverse_mode.tag(carry.assumptions.options.get("checkpoints"))


def _closed(region: Traced, carry: Carry, extra: int = 0, alive: Any = None) -> Traced:
    """A region that closes over the leaves which never change.

    Args:
        extra: how many inputs it has besides the carry.
        alive: the constant for one more input, the last one.
    """
    carried, used = set(carry.carried()), reads(region.jaxpr.eqns, region.jaxpr.outvars)
    constvars, consts = list(region.jaxpr.constvars), list(region.consts)
    invars: list[Any] = []
    for i, (var, operand) in enumerate(zip(region.jaxpr.invars, carry.operands)):
        if i in carried:
            invars.append(var)
        elif var in used:
            constvars.append(var)
            consts.append(operand)
    invars += [new_var(jax.typeof(x)) for x in carry.placeholders]
    if extra:
        invars += region.jaxpr.invars[-extra:]
    if alive is not None:
        constvars.append(region.jaxpr.invars[-1])
        consts.append(alive)
    return region.with_consts(constvars, consts, invars, list(region.jaxpr.outvars))


def _bind_while(carry: Carry, check: Traced, iteration: Traced, surely: bool) -> list[Merged]:
    loop_results.make_placeholders(carry, iteration)
    carry.arrays.check(carry, (check, iteration))
    here = Reached.here()
    closed = _closed(check, carry)
    alive = here.alive_in(iteration.jaxpr, iteration.jaxpr.invars[-1])
    iteration = _closed(iteration, carry, alive=alive)
    init = [*(carry.operands[i] for i in carry.carried()), *carry.placeholders]

    def bind(test: Traced, body: Traced, init: Sequence[Any]) -> list[Any]:
        reached = here.test(test)
        return bind_while(reached, body if alive is None else with_alive(body, alive, reached), init)

    with named_loop(carry.functions):
        results = bind_loop(Loop(closed, iteration, init, _name(carry), carry.dead, alive=alive), bind)
    merged = loop_results.write_results(carry, results, surely, [*init, *closed.consts, *iteration.consts])
    note_checks(carry, results)
    return merged


def bind_scan_iteration(carry: Carry, iteration: Traced, xs: Sequence[Any], length: Any, reverse: bool) -> list[Merged]:
    """Binds `scan` on a traced iteration whose extra inputs are the slices of `xs`, and writes the results.

    `length`: a number, or a size that is not known (`sizes`).
    """
    loop_results.make_placeholders(carry, iteration)
    carry.arrays.check(carry, (iteration,), () if reverse else xs, xs if reverse else ())
    region = _closed(iteration, carry, len(xs))
    init = [*(carry.operands[i] for i in carry.carried()), *carry.placeholders]
    unroll = carry.assumptions.options.get("unroll") or 1
    with named_loop(carry.functions):
        unrolled = length if unroll is True and not sizes.is_size(length) else int(unroll)
        results = bind_scan(region, init, xs, length, reverse, unrolled)
    lists, carry.lists = carry.lists, ()
    rows, built = carry.grown.write(results[len(init) :], length, reverse, carry.aliases, lists)
    surely = sizes.is_known(length, ">", 0)
    merged = rows + loop_results.write_results(carry, results[: len(init)], surely, [*init, *region.consts, *xs], built)
    note_checks(carry, results)
    return merged
