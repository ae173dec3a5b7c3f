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

Where the first iteration changes the kind of a variable that nobody reads after the loop, that iteration runs by itself, in a
branch, and the others are a loop behind it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autograph import errors, verbosity
from autograph.jax_internals import equation_mark, is_tracing
from autograph.runtime.carry.assumptions import LoopAssumptions, assuming
from autograph.runtime.carry.scan_outputs import alone
from autograph.runtime.heap import path_conditions
from autograph.runtime.operators import conditionals
from autograph.runtime.operators.long_loops import KnownEnd
from autograph.runtime.operators.loop_variables import TestedBody
from autograph.runtime.operators.peeling import (
    goes_on,
    stage_from_here,
    staged_until_a_check_fails,
    try_iterations,
    unsettled,
)
from autograph.runtime.operators.staged_for import LoopInfo
from autograph.runtime.operators.staged_while import FirstTest, stage_while
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.variables import StateLike, variables_of


def while_loop(
    test: Callable[[], Any],
    body: Callable[[], Any],
    state: StateLike = None,
    *,
    appends: StateLike = None,
    dead: Sequence[str] = (),
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
        appends: lists with which the loop does nothing but append.
        dead: names of variables that nobody reads after the loop; also outside of `state`, whose objects the loop changes in place.
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
    variables = variables_of(state, (*optional, *returned) if asked else optional)
    tested = TestedBody(test, body)
    _run(tested, LoopInfo(tested, test, variables, options or {}, variables_of(lists), variables_of(appends), dead=dead))


def _run(tested: TestedBody, info: LoopInfo, alone: Sequence[str] = ()) -> None:
    """Runs a loop; `alone`: the variables for which an iteration ran by itself (see `settles`)."""
    body = tested.body
    with assuming((body.__code__, "while"), info.options, info.lists) as assumptions:
        truth, reason = _iterate(tested, info, assumptions, alone)
    if reason is None:
        return

    def iteration_alone() -> None:
        body()
        _run(tested, info, (*alone, reason.variable))

    try:
        conditionals.stage_iteration(truth, iteration_alone, info.variables, body, info.dead)
    except errors.StagingError as error:
        if error.location != reason.location:
            raise
        raise reason from None  # another name refers to what nobody reads by this one, say


def _iterate(
    tested: TestedBody, info: LoopInfo, assumptions: LoopAssumptions, alone: Sequence[str]
) -> tuple[Any, errors.StagingError | None]:
    """Iterates in Python until the test is traced, and stages the rest.

    Returns:
        the traced test, and why the rest cannot be staged before another iteration ran by itself, None where it is staged.
    """
    test, body, variables = tested.test, tested.body, info.variables

    def stage() -> None:
        stage_while(test, body, variables, FirstTest(True, surely=True), assumptions)

    first, done = True, 0
    start, before = equation_mark(), path_conditions.passed()
    truth = goes_on(test)
    while not is_traced(truth):
        if not truth:
            return truth, None
        if first:
            first = False
            truth, done = _begin(tested, info, stage, assumptions)
            if done:
                start = None  # what the test recorded stays
                continue
        known = path_conditions.passed()
        body()
        done += 1
        start, before = equation_mark(), path_conditions.passed()
        truth = goes_on(test)
        if before is not known and before.is_of_checks() and truth is True:
            if staged_until_a_check_fails(stage, test, variables, done, assumptions):
                return truth, None
    if type(truth) is KnownTracer and KnownEnd(info).stage_inside(truth):
        return truth, None
    traced = FirstTest(truth, (start, equation_mark()), path_conditions.passed())
    path_conditions.learn(before)  # the loop may drop what the test recorded

    rest = functools.partial(stage_while, test, body, variables, traced, assumptions)
    return truth, unsettled(rest, variables, body, info.dead, alone)


def _begin(
    tested: TestedBody, info: LoopInfo, stage: Callable[[], None], assumptions: LoopAssumptions
) -> tuple[Any, int]:
    """Runs the first iterations of a loop whose first test is true, or the whole loop staged.

    Returns:
        the truth of the next test, and how many iterations were made: none where Python must iterate.
    """
    test, body = tested.test, tested.body
    if verbosity.level > 2:
        verbosity.tell_statement(3, body, "while: its test is known, so iterations run in Python while tracing")
    if assumptions.from_start and stage_from_here(stage, assumptions):
        return False, 1
    known_alone = alone(assumptions.lists)
    end = KnownEnd(info)
    if end.stage_if_forced():
        return False, 1
    refused = None
    try:
        truth, done = try_iterations(body, test, info.variables, assumptions, (body, test), is_long=end.is_far)
    except errors.StagingError as error:
        if not assumptions.lists:
            raise
        refused = error
    if refused is not None:  # a list that grows under a traced condition, say
        assumptions.alone = known_alone  # the frames of the error refer to the lists now
        if stage_from_here(stage, assumptions):
            return False, 1
        raise refused
    if done:
        if not is_traced(truth):
            end.check_option(done, truth)
        return truth, done
    if is_traced(truth):
        staged = type(truth) is KnownTracer and end.stage_inside(True)
        return (False, 1) if staged or stage_from_here(stage, assumptions) else (True, 0)
    return (False, 1) if end.stage() else (True, 0)
