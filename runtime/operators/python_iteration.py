"""Python's own loop over a Python iterable that a traced jump can end: from there on what remains is staged.

The rest of a `range` becomes one `while`; of anything else, one `cond` per item, since the items live in Python. What a generator
computes between two items stays in its frame, which no journal sees: from then on each `cond` stands in the one before, so
that the frame never holds a value of a region that has ended.

A range may have more numbers than Python's `len` counts, or numbers that no integer of the compiled program can hold:
`for c in range(1, 10**30)` ends by a jump. The program counts as far as its integers reach, and fails if the loop wants to go on.

>>> import jax
>>> from autograph.runtime.operators.for_loops import for_loop
>>> def first_above(limit):
...     found, going = 0, True
...     def body(item):
...         nonlocal found, going
...         found, going = item, item <= limit
...     for_loop(range(100), body, lambda: (found, going), test=lambda: going)
...     return found
>>> first_above(7), int(jax.jit(first_above)(7))
(8, 8)
>>> _held(range(1, 10**30)), _held(range(7, 0, -1))
(range(1, 2147483647), range(7, 0, -1))
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from autograph import errors
from autograph.jax_internals import is_tracing
from autograph.runtime.carry.assumptions import LoopAssumptions, assuming
from autograph.runtime.heap import iterators
from autograph.runtime.operators import conditionals
from autograph.runtime.operators.long_loops import KnownEnd
from autograph.runtime.operators.peeling import failure_from_here, goes_on, settles, stage_from_here, try_iterations
from autograph.runtime.operators.staged_for import LoopInfo, stage_counted_while
from autograph.runtime.sequences.loop_items import length_of, range_items
from autograph.runtime.tracing.context import receive
from autograph.runtime.tracing.integer_ranges import exact_integers
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.variables import Variable


def iterate(iterable: Any, info: LoopInfo, shared: bool = False, truth: Any = True) -> None:
    """Python's loop; once a jump flag is traced, what remains is staged.

    Args:
        shared: whether somebody else may take what the loop leaves in the iterator.
        truth: whether the loop goes on, which is traced where a jump may have ended it.
    """
    body, test = info.body, info.test
    if test is None:
        for item in iterable:
            body(receive(item))
        return
    if type(iterable) is range and is_tracing() and length_of(iterable) > 1:
        with assuming((body.__code__, "for"), info.options, info.lists) as assumptions:
            numbers = _first_numbers(iterable, info, assumptions)
        if numbers is None:
            return
        iterable = numbers
    iterator = iter(iterable)
    if is_traced(truth):
        _stage_rest(iterable, iterator, 0, info, truth)
        return
    done = 0
    for item in iterator:
        body(receive(item))
        done += 1
        truth = test()
        if is_traced(truth):
            if shared:
                raise _refuse_shared(body)
            _stage_rest(iterable, iterator, done, info, truth)
            return
        if not truth:
            return


def _first_numbers(numbers: range, info: LoopInfo, assumptions: LoopAssumptions) -> range | None:
    """Runs the first iterations, or the whole loop staged; returns what is left to do, None if nothing is."""
    assert info.test is not None

    def stage() -> None:
        _stage_range(numbers, info, assumptions, begins=True)

    if assumptions.from_start and stage_from_here(stage, assumptions):
        return None
    items, end = iter(numbers), KnownEnd(info, numbers)
    if end.stage_if_forced():
        return None
    truth, done = try_iterations(
        lambda: info.body(next(items)),
        info.test,
        info.variables,
        assumptions,
        (info.body, info.test),
        length_of(numbers),
        end.is_far,
    )
    if not done:
        if is_traced(truth):
            inside = type(truth) is KnownTracer and end.stage_inside(True)
            return None if inside or stage_from_here(stage, assumptions) else numbers
        return None if end.stage() else numbers
    rest = numbers[done:]
    if is_traced(truth):
        _stage_rest(rest, iter(rest), 0, info, truth)
        return None
    end.check_option(done, truth)
    return rest if truth else None


def _stage_numbers(numbers: range, info: LoopInfo) -> None:
    """Stages a loop from its first number on, whatever was tried with it before."""
    with assuming((info.body.__code__, "while"), info.options, info.lists) as assumptions:
        _stage_range(numbers, info, assumptions)


def _stage_range(numbers: range, info: LoopInfo, assumptions: LoopAssumptions, begins: bool = False) -> None:
    held = _held(numbers)
    # Where it is not staged it is unrolled, and there the numbers are Python's.
    with exact_integers():
        stage_counted_while(range_items(held.start, held.stop, held.step), info, assumptions, begins)
        if held is not numbers and info.test is not None:
            fail_beyond(numbers, info.body, info.variables, info.test)


def run_alone(truth: Any, iteration: Callable[[], None], info: LoopInfo) -> Any:
    """Runs one iteration by itself, if the loop goes on (`truth`, which may be traced); returns whether it goes on after it."""
    if is_traced(truth):
        conditionals.stage_iteration(truth, iteration, info.variables, info.body, info.dead)
    elif truth:
        iteration()
    return info.test is None or goes_on(info.test)


def _stage_rest(iterable: Any, iterator: Any, done: int, info: LoopInfo, truth: Any, alone: Sequence[str] = ()) -> None:
    body, test, variables = info.body, info.test, info.variables
    assert test is not None
    if type(iterable) is range:
        rest = iterable[done:]
        if type(truth) is KnownTracer and rest and KnownEnd(info, rest).stage_inside(truth):
            return
        stage = functools.partial(_stage_numbers, rest, info)
        error = failure_from_here(stage, LoopAssumptions()) if rest else None
        if error is None:
            return
        if settles(error, body, alone, info.dead if is_traced(truth) else None):
            truth = run_alone(truth, lambda: body(rest[0]), info)
            if is_traced(truth):
                _stage_rest(rest, iter(rest[1:]), 1, info, truth, (*alone, getattr(error, "variable", "")))
            elif truth:
                iterate(rest[1:], info)
            return
        if length_of(rest) > _MOST_UNROLLED:
            stage()  # says why not
    if iterators.is_endless(iterator):
        raise errors.StagingError(
            "this loop over an endless iterator ends on a traced condition",
            at=body,
            why="the iterator lives in Python and cannot be advanced by the compiled program",
            instead="count in a variable of your own with `while True:`", page="endless-iterator",
        )
    items = _Items(iterator)
    item = None

    def iteration() -> None:
        nonlocal item
        item = items.take()
        kept = iterators.keeps_traced(items.iterator)
        if item is not _END:
            body(item)
            if kept:
                _go_on_inside(items, info)
                item = _END

    iterations = 0
    while item is not _END:
        iterations += 1
        if iterations > _MOST and not 0 <= _left(iterator) <= _MOST_UNROLLED:
            raise errors.StagingError(
                f"this loop ends on a traced condition, and its iterator has no end, or more than {_MOST:,} items",
                at=body,
                why="the iterator lives in Python, so the program would have to hold all iterations",
                instead="count in a variable of your own with `while True:`", page="generator-without-end",
            )
        items.check_left(body)
        items.go_on()
        conditionals.stage_iteration(truth, iteration, variables, body, info.dead, items.are_kept)
        truth = test()
        if not is_traced(truth):
            if truth:
                iterate(iterator, info)
            return


_DEEPEST = 50
_MOST_UNROLLED = 100_000  # items that may be left of a loop that is unrolled: the program holds each
_MOST = 2_000  # iterations over an iterator that does not say how many items it has


class _Items:
    """An iterator that the loop alone may advance in its iterations: what an iteration closes over as a variable is guarded.

    Attributes:
        are_kept: whether an iteration that is traced again gets the same item: no code of the user's makes them.
    """

    __slots__ = ("_item", "are_kept", "iterator")

    def __init__(self, iterator: Any) -> None:
        self.iterator = iterator
        self.are_kept = type(iterator) in _OF_CONTAINERS
        self._item: Any = _NOT_TAKEN

    def take(self) -> Any:
        """The next item, or `_END`."""
        if not self.are_kept:
            return next(self.iterator, _END)
        if self._item is _NOT_TAKEN:
            self._item = next(self.iterator, _END)
        return self._item

    def go_on(self) -> None:
        """Begins another iteration."""
        self._item = _NOT_TAKEN

    def check_left(self, body: Callable[..., Any]) -> None:
        """Refuses to leave a generator, on a condition that is traced, where that runs code in it."""
        if iterators.runs_when_left(self.iterator):
            raise errors.StagingError(
                "this loop leaves a generator inside its `finally` or `with` on a traced condition",
                at=body,
                why="what stands there would run then, and the generator cannot both be left and go on",
                instead="make the items first (`items = list(...)`) and loop over them, or write their loop here",
                page="generator-left-inside-finally",
            )


def _go_on_inside(items: _Items, info: LoopInfo, depth: int = 1) -> None:
    """The iterations that are left, each inside the one before, so that what the iterator keeps stays a value of an open region."""
    body, test, variables = info.body, info.test, info.variables
    assert test is not None
    truth = test()
    while not is_traced(truth):
        if not truth or (item := items.take()) is _END:
            return
        body(item)
        truth = test()
    items.check_left(body)
    if depth > _DEEPEST:
        raise errors.StagingError(
            "this loop ends on a traced condition, and the code that makes its items is Python's own",
            at=body,
            why=f"the program would hold an iteration inside an iteration, more than {_DEEPEST} times",
            instead="make the items first (`items = list(...)`) and loop over them, or write their loop here",
            page="generator-that-goes-on",
        )

    def iteration() -> None:
        item = items.take()
        if item is not _END:
            body(item)
            _go_on_inside(items, info, depth + 1)

    conditionals.stage_iteration(truth, iteration, variables, body, info.dead, is_repeated=False)


def _refuse_shared(body: Callable[..., Any]) -> errors.StagingError:
    return errors.StagingError(
        "this loop leaves an iterator that is used elsewhere on a traced condition",
        at=body,
        why="how many items the loop takes is only known when the program runs, and the iterator lives in Python",
        instead="loop over a list of the items (`items = list(iterator)`) and index it afterwards",
        page="shared-iterator",
    )


_END: Any = object()
_NOT_TAKEN: Any = object()
_OF_CONTAINERS = tuple(map(type, (iter([]), iter(()), iter(range(0)), iter({}), iter({}.items()), iter({}.values()))))


# --- ranges that outgrow the integers of the program ---


def _left(iterator: Any) -> int:
    """How many items an iterator says that it has left; -1 where it does not say."""
    try:
        return operator.length_hint(iterator, -1)
    except OverflowError:
        return sys.maxsize


def _held(numbers: range) -> range:
    """The first numbers of a range, as far as integers of the program hold them: most often all."""
    limits = jnp.iinfo(jnp.result_type(int))
    low, high = int(limits.min), int(limits.max)
    if not low <= numbers.start <= high:
        return range(0)
    if low <= numbers.stop <= high:
        return numbers
    return range(numbers.start, high if numbers.step > 0 else low, numbers.step)


def fail_beyond(numbers: range, body: Callable[[Any], Any], variables: list[Variable], test: Callable[[], Any]) -> None:
    """Makes the program fail where a loop wants to go on behind the numbers of a range that it holds."""
    what = f"no integer of the compiled program holds the next number of {numbers}"

    def fail() -> None:
        raise OverflowError(what)

    truth = test()
    if is_traced(truth):
        conditionals.stage_iteration(truth, fail, variables, body)
    elif truth:
        raise errors.StagingError(
            what,
            at=body,
            why="the loop ends on a traced condition, so the program counts, with 32 bits, or 64 where `jax_enable_x64` is set",
            instead="jax.config.update('jax_enable_x64', True), or count in floats with `while`",
        )
