"""One loop as `lax.while_loop`: its body is traced with fresh tracers in its variables (see `fixed_point`), then its test.

>>> import jax
>>> from autograph.runtime.carry.assumptions import LoopAssumptions
>>> from autograph.runtime.tracing.variables import variables_of
>>> def doubled(x):
...     def body():
...         nonlocal x
...         x = x * 2
...     stage_while(lambda: x < 100, body, variables_of(lambda: (x,)), FirstTest(True), LoopAssumptions())
...     return x
>>> int(jax.jit(doubled)(3))
192

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
from autograph.jax_internals import current_trace, drop_equations, equation_mark, new_var
from autograph.runtime.carry import list_growth, loop_results
from autograph.runtime.carry.assumptions import LoopAssumptions
from autograph.runtime.carry.fixed_point import Carry, Retry
from autograph.runtime.carry.messages import refuse
from autograph.runtime.carry.reached_loops import Reached, with_alive
from autograph.runtime.checks import runtime_checks
from autograph.runtime.heap import aliases, guarded_iterators, journal, path_conditions, recursion
from autograph.runtime.heap.constants import trace_region
from autograph.runtime.heap.escape import Finished
from autograph.runtime.heap.unset_reads import is_set_elsewhere
from autograph.runtime.jaxprs import checks, passes, reverse_mode
from autograph.runtime.jaxprs.binding import Traced, predicate
from autograph.runtime.jaxprs.graph import reads
from autograph.runtime.jaxprs.loop import Loop
from autograph.runtime.operators.loop_reports import tell_loop
from autograph.runtime.operators.loop_variables import Checked, Hidden, note_checks
from autograph.runtime.operators.peeling import (
    ATTEMPTS,
    IterationRaises,
    stage_first_iteration,
)
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.recorded import has_emitted
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.statement_names import named_loop
from autograph.runtime.tracing.truth import truth_value
from autograph.runtime.tracing.variables import Variable
from autograph.runtime.values.merge import Merged, Mismatch


class FirstTest(NamedTuple):
    """Says what is known of the first test of a loop that is staged.

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
        list_growth.stage_growing(run, assumptions, variables, (where or body, test))
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
        if is_pure and not has_emitted(*first.recorded):
            drop_equations(*first.recorded)
        merged = _bind_while(carry, check, iteration, first.surely)
    except Mismatch as differ:
        raise refuse(differ, where, "loop", assumptions.options) from None
    except IterationRaises as ends:
        stage_first_iteration(ends.error, truth if is_traced(truth) else test(), body, variables)
        return
    if verbosity.level > 1:
        names = ", ".join(v.name for v in variables if v.name.isidentifier()) or "nothing by name"
        tell_loop(where, f"loop: staged as lax.while_loop, which carries {names}", carry.level)
    aliases.note_merged(merged, where)


def _bit(truth: Any) -> Any:
    """The value of a test as an array, whatever kind of number it is."""
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
            if not assumptions.must_repeat:
                assumptions.undo_attempts()
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
    level = carry.level
    if level is not None:
        progress.level, level.trace = level, carry.trace
    try:
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
            try:
                return carry.collect(region, finished)
            except checks.MISTAKES as error:  # no code of the user's runs there
                if passes.STRICT and not isinstance(error, errors.AutoGraphError):
                    raise checks.Mistake(str(error)) from error
                raise
    finally:
        if level is not None:
            progress.level, level.trace = level.parent, None
            level.impossible.clear()


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


def closed(region: Traced, carry: Carry, extra: int = 0, alive: Any = None) -> Traced:
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
    of_test = closed(check, carry)
    alive = here.alive_in(iteration.jaxpr, iteration.jaxpr.invars[-1])
    iteration = closed(iteration, carry, alive=alive)
    init = [*(carry.operands[i] for i in carry.carried()), *carry.placeholders]

    def complete(test: Traced, body: Traced) -> tuple[Traced, Traced]:
        reached = here.test(test)
        return reached, body if alive is None else with_alive(body, alive, reached)

    with named_loop(carry.functions):
        results = passes.bind_loop(Loop(of_test, iteration, init, _name(carry), carry.dead, alive=alive), complete)
    merged = loop_results.write_results(carry, results, surely, [*init, *of_test.consts, *iteration.consts])
    note_checks(carry, results)
    return merged
