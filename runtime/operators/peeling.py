"""Iterations of a loop that run in Python first and may be undone, and attempts to stage the loop that may be given up.

A loop whose test is known when it begins may be better staged from its first iteration on, or only after it: which way it goes
is known once an iteration has run. Whatever is given up leaves no equation behind, and no write (`journal.Region.is_trial`).

>>> import jax
>>> from autograph import convert
>>> def f(x):
...     going = True
...     while going:
...         x *= 2
...         going = x < 100
...     return x
>>> [eqn.primitive.name for eqn in jax.make_jaxpr(convert(f))(1).eqns]
['while']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

import jax

from autograph import errors
from autograph.jax_internals import drop_equations, equation_mark
from autograph.runtime.carry.assumptions import LoopAssumptions
from autograph.runtime.carry.given_room import is_for_outer
from autograph.runtime.checks import runtime_checks
from autograph.runtime.heap import guarded_iterators, journal
from autograph.runtime.operators import conditionals
from autograph.runtime.sequences.iterables import FEW
from autograph.runtime.tracing.families import SCALARS
from autograph.runtime.tracing.known.limits import is_too_many
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.refusals import CANNOT_STAGE
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.truth import truth_value
from autograph.runtime.tracing.variables import CarriesNone, Variable

MOST_ITERATIONS = 1 << 16
"""How often a loop runs while it is traced whose iterations make checks, until it must be staged."""
ATTEMPTS = 1000  # types and locations only grow, so the search ends; the bound makes a mistake of ours into an error


def with_optional(stage: Callable[[], None], variables: Sequence[Variable]) -> None:
    """Stages a loop with variables that may be `None` or a value from iteration to iteration."""
    start = equation_mark()
    try:
        stage_if_left(stage, variables)
    except CANNOT_STAGE:
        if not carry_none(variables, CarriesNone.ALWAYS):
            raise
        drop_equations(start, equation_mark())
        stage()


def stage_if_left(stage: Callable[[], None], variables: Sequence[Variable]) -> None:
    """Stages a loop unless its first iteration surely replaces a `None` by a value.

    What a variable that may be `None` holds after the loop can only be used where it is tested. So such a first iteration is
    better run alone.
    """
    carry_none(variables, CarriesNone.IF_LEFT)
    stage()


def settles(
    error: Exception, body: Callable[..., Any], alone: Collection[str], dead: Sequence[str] | None = None
) -> bool:
    """Whether a loop that cannot be staged may be after one iteration more: another variable than before changes its kind.

    Args:
        alone: the variables for which an iteration ran by itself already. A list that grows changes in every iteration.
        dead: names of the variables that nobody reads after the loop, where it may make no iteration: it must be one of these.
    """
    if not isinstance(error, errors.StagingError) or error.location != errors.Location.of(body):
        return False
    is_unread = dead is None or re.split(r"[.\[]", error.variable)[0] in dead
    return is_unread and error.variable not in ("", *alone)


def unsettled(
    stage: Callable[[], None],
    variables: Sequence[Variable],
    body: Callable[..., Any],
    dead: Sequence[str],
    alone: Collection[str],
) -> errors.StagingError | None:
    """Stages a loop whose first test is traced.

    >>> import jax, jax.numpy as jnp
    >>> from autograph import convert
    >>> def f(x):
    ...     last, total = x, 0.0
    ...     while total < x[0]:
    ...         total += last.sum()
    ...         last = jnp.concatenate([x, x])
    ...     return total
    >>> [eqn.primitive.name for eqn in jax.make_jaxpr(convert(f))(jnp.ones(2)).eqns][-1:]
    ['cond']

    Returns:
        None if it is staged; or why not, where a variable changes its kind in the first iteration and that one may run by itself,
        in a branch, with the others behind it. The loop may make no iteration, so the variable has to be `dead` after it.
    """
    start = equation_mark()
    try:
        with_optional(stage, variables)
        return None
    except errors.StagingError as error:
        if is_for_outer(error) or not settles(error, body, alone, dead):
            raise
        drop_equations(start, equation_mark())
        reason = error.with_traceback(None)  # its frames hold values
        reason.__context__ = None
        return reason


def carry_none(variables: Sequence[Variable], carries: CarriesNone) -> bool:
    """Allows a loop to carry its optional variables as `None` or a value; returns whether it has any."""
    optional = [variable for variable in variables if variable.is_optional]
    for variable in optional:
        variable.carries_none = carries
    return bool(optional)


def try_iterations(
    iteration: Callable[[], None],
    test: Callable[[], Any],
    variables: list[Variable],
    assumptions: LoopAssumptions,
    functions: Sequence[Callable[..., Any]],
    most: int = ATTEMPTS,
    is_long: Callable[[int], bool] | None = None,
) -> tuple[Any, int]:
    """Runs the first iteration in Python, and further ones (up to `most`) while more of the variables come to hold traced values.

    They are taken back when the next test is traced and nothing stands against it; or when `FEW` have run, the test is known still,
    and the loop `is_long` (see `long_loops`).

    Returns:
        the truth of the next test, and how many iterations stand.

    A loop whose test is known at first and traced after an iteration (`while True` with a flag, an accumulator that starts
    as a Python number) is better staged from its beginning: the program then holds its body once. A counter that
    decides the test may itself be traced after one iteration only, and the test after two.
    """
    assumptions.position = 0
    start = equation_mark()
    with journal.Region(variables) as region:
        region.is_trial = True
        done, traced, settled = 0, _traced(variables, assumptions.lists), False
        try:
            with guarded_iterators.guard_iterators([], *functions):
                while True:
                    iteration()
                    done += 1
                    truth = goes_on(test)
                    before, traced = traced, _traced(variables, assumptions.lists)
                    if region.is_final or is_traced(truth) or not truth or done == most:
                        break
                    settled = settled or traced == before
                    if settled and (is_long is None or done >= FEW):
                        break
        except BaseException as error:
            if not assumptions.lists or region.is_final or not isinstance(error, errors.StagingError):
                region.keep()
                assumptions.lists = ()  # what ran cannot be staged any more
            raise
        if region.is_final:
            stays = True
        elif is_traced(truth):
            stays = settled
        else:
            stays = not truth or done != FEW or is_long is None or not is_long(done)
        if stays:
            region.keep()
            return truth, done
    drop_equations(start, equation_mark())
    assumptions.forget()
    assumptions.from_start = is_traced(truth) and type(truth) is not KnownTracer  # another attempt may know the number
    return truth, 0


def goes_on(test: Callable[[], Any]) -> Any:
    """Whether a loop goes on: a bool, or a traced value. (Not the list whose truth it is: references to that are counted.)"""
    truth = truth_value(test())
    return truth if is_traced(truth) else bool(truth)


def staged_until_a_check_fails(
    stage: Callable[[], None],
    test: Callable[[], Any],
    variables: Sequence[Variable],
    iterations: int,
    assumptions: LoopAssumptions,
) -> bool:
    """Stages a loop that only a failed check ends, from the iteration on that comes next; False where it runs on in Python.

    `while True: queue.pop()` makes checks whose outcome only the compiled program knows, and would be traced without an
    end. It is tried once more whenever the number of `iterations` has doubled. A loop with a test has another end, but not one
    that comes near: nothing has changed since the last time but what is traced.
    """
    if iterations < 8 or iterations & (iterations - 1):
        return False
    has_test = bool(test.__code__.co_names or test.__code__.co_freevars)
    before, assumptions.known = assumptions.known, [_untraced(variable.get()) for variable in variables]
    if iterations >= MOST_ITERATIONS:
        stage()  # or its reasons
    elif has_test and before != assumptions.known:
        return False
    elif not stage_from_here(stage, assumptions):
        return False
    # Also where nothing reads what the loop leaves, the program must not end as if the loop had ended.
    if not has_test:
        runtime_checks.stage_failure(RuntimeError("a loop has ended that only an exception ends"))
    return True


def _untraced(value: Any) -> Any:
    """What tells a value from others, without a reference to it, for those are counted; None for what is traced."""
    if is_traced(value):
        return None
    return type(value), value if type(value) in SCALARS else id(value)


def _traced(variables: Sequence[Variable], lists: Sequence[Variable]) -> int:
    """How many variables hold a traced number or array, and how many a list that may grow and has one in it."""
    holding = (any(map(is_traced, jax.tree.leaves(variable.get()))) for variable in lists)
    return sum(is_traced(variable.get()) for variable in variables) + sum(holding)


def stage_from_here(stage: Callable[[], None], assumptions: LoopAssumptions) -> bool:
    """Tries to stage a loop from its first iteration; False when its carry only settles after that iteration."""
    return failure_from_here(stage, assumptions) is None


def failure_from_here(stage: Callable[[], None], assumptions: LoopAssumptions) -> Exception | None:
    """Tries to stage a loop from its first iteration; returns why not, None where it is staged."""
    start = equation_mark()
    try:
        stage()
        return None
    except (
        Exception
    ) as error:  # of any kind: what a body does with a Python number, a key or a shape, may not take a traced one
        if is_too_many(error) or is_for_outer(error):
            raise
        drop_equations(start, equation_mark())
        assumptions.forget()
        assumptions.appended.clear()
        assumptions.from_start = False
        failure = error.with_traceback(None)  # its frames hold values
        failure.__context__ = None
        return failure


# --- loops whose every iteration raises ---


class IterationRaises(Exception):
    """Each iteration of a loop raises: of such a loop there is at most one iteration, and no carry."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


def stage_first_iteration(
    error: BaseException, truth: Any, iteration: Callable[[], None], variables: Sequence[Variable]
) -> None:
    """A loop whose every iteration raises: there is one at most, and no state that an iteration passes on.

    >>> import jax
    >>> from autograph import convert
    >>> @jax.jit
    ... @convert
    ... def only_none(n):
    ...     for k in range(n):
    ...         raise ValueError("one too many")
    ...     return n
    >>> int(only_none(0)), "while" in str(only_none.trace(0).jaxpr)
    (0, False)

    Args:
        error: what an iteration raised; it holds values of a trace that is over.
        truth: whether there is an iteration.
    """

    def only() -> None:
        iteration()
        raise error

    truth = truth_value(truth)
    if not is_traced(truth):
        if truth:
            only()
        return
    conditionals.stage_iteration(truth, only, list(variables), iteration)
