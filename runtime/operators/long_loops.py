"""Long loops over Python numbers (`for i in range(len(x))`): one loop of the program instead of a copy of the body for each number.

A loop of at least 32 iterations is tried as a `scan` whose index is known in each iteration (see `tracing.known`); around a loop
8 suffice, and around loops in one another 2. A body that needs the number itself ends the attempt: a key of a dict that is
written, a shape, a string that is kept, `print`, `next`. Nothing is left of the attempt then, and the loop is unrolled, as a
shorter one is.

>>> import jax, jax.numpy as jnp, autograph as ag
>>> def total(x):
...     s = 0.0
...     for i in range(len(x)):
...         s += x[i] * (i / len(x))
...     return s
>>> [e.primitive.name for e in jax.make_jaxpr(ag.convert(total))(jnp.ones(100)).eqns]
['scan']
"""

from __future__ import annotations

import functools
from contextlib import suppress
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from autograph import errors, switches, verbosity
from autograph.code.library import is_library
from autograph.jax_internals import is_tracing, list_of, open_traces
from autograph.runtime.carry.assumptions import assuming
from autograph.runtime.operators.known_tests import Undecided, iterations_of, lengths_of
from autograph.runtime.operators.loop_reports import place_of_loop, tell_loop, word_of
from autograph.runtime.operators.loop_variables import TestedBody
from autograph.runtime.operators.peeling import failure_from_here, settles
from autograph.runtime.operators.staged_for import LoopInfo, stage_for
from autograph.runtime.operators.unrolled_loops import warn_of_copies
from autograph.runtime.sequences import iterables
from autograph.runtime.sequences.iteration_space import items_of
from autograph.runtime.sequences.loop_items import Items, range_items
from autograph.runtime.tracing.context import progress, setting
from autograph.runtime.tracing.families import LEAVES
from autograph.runtime.tracing.known.evaluation import MOST_CELLS, NotKnown, TooMany
from autograph.runtime.tracing.known.limits import by_array, needs_number, too_many
from autograph.runtime.tracing.known.number import made
from autograph.runtime.tracing.refusals import a

_FROM = switches.level("AUTOGRAPH_UNROLL_BELOW")
LEAST, LEAST_AROUND_A_LOOP, LEAST_AROUND_LOOPS = (_FROM, _FROM, _FROM) if _FROM else (32, 8, 2)
"""From how many iterations on a loop is tried: alone, around a loop, around loops in one another, whose copies multiply.

Measured on CPUs: shorter loops compile and run as fast as copies of the body.
"""
WARN_FROM = 1000
"""From how many iterations on it is said that a loop is unrolled."""


class ByPython(Exception):
    """Ends the attempt to stage a loop that leaves no copies: what it computes are Python's numbers."""


def is_long(iterable: Any, element: Any) -> bool:
    """Whether a comprehension over an array or Python's numbers, which makes its elements by a function, is tried as a loop."""
    items = _items(iterable, _least(element.__code__))
    return items is not None and _unrolled() is not None and (bool(items.arrays) or _may_trace(element, 3))


def could_be_one_loop(iterable: Any, body: Any) -> bool:
    """Whether a loop over Python's numbers may be long enough for `stage_if_long`."""
    if iterables.may_be_long(iterable):
        return True
    return type(iterable) is range and is_tracing() and len(iterable) >= LEAST_AROUND_LOOPS == _least(body.__code__)


def stage_if_long(iterable: Any, info: LoopInfo) -> bool:
    """Stages a loop over Python numbers, if it is long and its body does not need the numbers; whether it did.

    Raises:
        Exception: the loop cannot be staged, and `set_loop_options(unroll=False)` says that it must be.
    """
    unroll = info.options.get("unroll")
    is_tried = unroll is not True and info.test is None
    items = _items(iterable, 1 if unroll is False else _least(info.body.__code__)) if is_tried else None
    failed = None if items is None and unroll is not False else _unrolled()
    if unroll is False and items is None and failed is not None and type(iterable) is not range and _has_items(iterable):
        raise _not_staged(info.body, f"it runs over {a(type(iterable).__name__.lower())}")
    if items is None or failed is None or _key(info.body) in failed:
        return False
    if unroll is not False and not items.arrays and not _may_trace(info.body, 3):
        return False

    if not _stage(items, info, failed, must=unroll is False):
        return False
    if type(iterable) in iterables.STAGED:
        iterable.exhaust()
    return True


class KnownEnd:
    """The end of a loop that has a test, where Python's numbers decide it.

    Attributes:
        is_forced: whether `set_loop_options(unroll=False)` says that it must be staged.
        reason: why they are not counted.
        iterations: how many are staged, once they are counted.
        last_alone: whether one more follows by itself: it sets the flag of a jump, which no other iteration does.
    """

    def __init__(self, info: LoopInfo, numbers: range | None = None) -> None:
        """`numbers`: those over which a `for` loop runs; None for a `while`, of which `info` has a `TestedBody`."""
        self.info, self.numbers = info, numbers
        self.iterations, self.last_alone = 0, False
        self.is_forced = info.options.get("unroll") is False
        self.reason: NotKnown | None = None

    def is_far(self, done: int) -> bool:
        """Whether a loop that has done so many iterations is long, and may be staged: then the iterations are counted.

        Raises:
            StagingError: they are too many to be counted.
        """
        info, code = self.info, self.info.body.__code__
        failed = None if info.options.get("unroll") is True else _unrolled()
        body = info.body.body if isinstance(info.body, TestedBody) else info.body
        if failed is None or code in failed or not (self.is_forced or _may_trace(body, 3)):
            return False
        left = None if self.numbers is None else self.numbers[done:]
        try:
            items = None if left is None else range_items(left.start, left.stop, left.step)
            count, self.last_alone = iterations_of(info, items, items is not None and items.length > MOST_CELLS)
        except NotKnown as why:
            self.reason = why
            if type(why) is TooMany:
                instead = by_array(int) if left is None else _TEST_ARRAY
                raise too_many(f"how often this loop iterates is not known: {why}", instead) from None
            if self.is_forced:
                return False
            failed.append(code)
            if verbosity.level > 1:
                tell_loop(info.body, f"{word_of(info.body)}: Python iterates while tracing: {why}")
            return False
        self.iterations = done + count - self.last_alone
        return self.iterations >= (1 if self.is_forced else _least(code))

    def stage_if_forced(self) -> bool:
        """Stages the loop before its first iteration where the options say so; whether it did."""
        return self.is_forced and self.is_far(0) and self.stage()

    def check_option(self, done: int, truth: Any) -> None:
        """Refuses iterations in Python where the options say that there are none; `done`: so many, `truth`: of the test behind."""
        if self.is_forced and self.reason is not None and (done > 1 or truth):
            raise _not_staged(self.info.body, str(self.reason))

    def stage_inside(self, first: Any) -> bool:
        """Stages the loop inside of loops whose iterations are numbered, if known numbers decide how often it iterates.

        Args:
            first: the truth of the first test, True or known.
        """
        if progress.level is None:
            return False
        numbers = self.numbers
        items = None if numbers is None else range_items(numbers.start, numbers.stop, numbers.step)
        try:
            count = made(lengths_of(self.info, items, first), progress.level)
        except Undecided:
            return False
        except NotKnown as why:
            if progress.is_tried:
                raise needs_number(f"how often a loop inside iterates is not known: {why}") from None
            return False
        if type(count) is int and count == 0:
            return True
        items = Items(count, (), lambda k, slices: None, False) if items is None else items._replace(count=count, walk=None)
        return _failure(items, self.info._replace(test=None)) is None

    def stage(self) -> bool:
        """Stages the loop; False where its body needs its numbers."""
        info, numbers, staged = self.info, self.numbers, self.iterations
        failed = _unrolled()
        assert failed is not None
        if numbers is None:
            items = Items(staged, (), lambda k, slices: None, False)
        else:
            items = range_items(numbers.start, numbers[staged - 1] + numbers.step, numbers.step)
        if not _stage(items, info._replace(test=None), failed, self.is_forced):
            return False
        if self.last_alone:
            info.body(None if numbers is None else numbers[staged])
        return True


_TEST_ARRAY = "test the array `jnp.int32(i)`, in the program and in 32 bits"


def _has_items(iterable: Any) -> bool:
    return not hasattr(iterable, "__len__") or len(iterable) > 0


def _not_staged(body: Any, why: str) -> Exception:
    """Makes the error of a loop that Python would iterate, though its options say that it is staged."""
    return errors.StagingError(
        f"`ag.set_loop_options(unroll=False)`, but this loop cannot be staged: {why}",
        at=body,
        instead="`ag.set_loop_options(unroll=True)` for copies of the body",
        page="unrolled-loop",
    )


def _stage(items: Items, info: LoopInfo, failed: list[Any], must: bool = False) -> bool:
    """Stages a loop, if its body does not need the numbers; whether it did. If it `must`, it raises the reason why not."""
    failure = _failure(items, info)
    if failure is None:
        return True
    if must:
        raise failure
    if items.length > 1 and settles(failure, info.body, ()):  # the first iteration gives a variable its kind
        info.body(items.make(0, items.slices(0)))
        rest = items.after_first()
        failure = _failure(rest, info)
        if failure is not None:
            _note_copies(info, items.length, failed, failure)
            for k in range(rest.length):
                info.body(rest.make(k, rest.slices(k)))
        return True
    _note_copies(info, items.length, failed, failure)
    return False


def _failure(items: Items, info: LoopInfo) -> Exception | None:
    """Tries a loop as a `scan`; returns why not, None where it is staged."""

    def stage() -> None:
        with setting(is_tried=True):
            stage_for(items, info)

    with assuming((info.body.__code__, "long"), info.options, info.lists) as assumptions:
        return failure_from_here(stage, assumptions)


def _note_copies(info: LoopInfo, length: int, failed: list[Any], failure: Exception) -> None:
    """Remembers that a loop is unrolled in the program around, and says so."""
    failed.append(_key(info.body))
    reason = str(failure).strip().partition("\n")[0]
    if verbosity.level > 1:
        tell_loop(info.body, f"{word_of(info.body)}: unrolled, {length:,} copies of the body: {reason}")
    if length >= WARN_FROM and type(failure) is not ByPython:
        warn_of_copies(place_of_loop(info.body), failure, length)


def _key(body: Any) -> Any:
    """Returns what tells a loop from others: its code; of a loop of ours, as in `max`, also that of the generator it runs over."""
    code = body.__code__
    if not errors.is_ours(code.co_filename):
        return code
    found = [code]
    for cell in body.__closure__ or ():
        with suppress(ValueError):  # the cell of a variable that is unbound
            held = cell.cell_contents
            found.append(getattr(getattr(held, "make", held), "__code__", None))
    return tuple(found)


def _least(code: CodeType) -> int:
    """Returns from how many iterations on a loop with this body is tried."""
    return (LEAST, LEAST_AROUND_A_LOOP, LEAST_AROUND_LOOPS)[min(_loops_inside(code), 2)]


def _items(iterable: Any, least: int) -> Items | None:
    """Returns the items of an array, or of what gives Python numbers, if there are at least so many."""
    items = items_of(iterable, of_numbers=True)
    return items if items is not None and items.is_static and items.length >= max(least, 1) else None


_LOOPS = frozenset(("for_loop", "while_loop", "collected", "comp_each", "fold"))
"""The operators of loops. A comprehension inside is one, whether it is long or not."""


@functools.cache
def _loops_inside(code: CodeType) -> int:
    """Returns how many loops in one another a loop body has, as the operators say that generated code calls."""
    deepest = max((_loops_inside(c) for c in code.co_consts if isinstance(c, CodeType)), default=0)
    return deepest + (not _LOOPS.isdisjoint(code.co_names))


@functools.cache
def _global_names(code: CodeType) -> frozenset[str]:
    """Returns the names of globals, and of attributes, in a function and those inside it."""
    inside = (c for c in code.co_consts if isinstance(c, CodeType))
    return frozenset(code.co_names).union(*map(_global_names, inside))


def _unrolled() -> list[Any] | None:
    """Returns the bodies of the loops that the program around unrolls, as long as it is traced; None where none is recorded."""
    outermost = next((t for t in reversed(open_traces()) if hasattr(getattr(t, "frame", None), "tracing_eqns")), None)
    return list_of(getattr(outermost, "frame", None), "unrolled")


def _may_trace(f: Any, depth: int) -> bool:
    """Whether a loop body may come to values of the program, by its variables and the functions that it calls."""
    code = getattr(f, "__code__", None)
    if code is None or depth == 0 or not hasattr(f, "__globals__"):
        return True
    for name in _global_names(code):
        found = f.__globals__.get(name)
        if getattr(found, "__name__", "").partition(".")[0] == "jax" or _may_lead(found, depth):
            return True
    for cell in f.__closure__ or ():
        with suppress(ValueError):  # the cell of a variable that is unbound
            if _may_lead(cell.cell_contents, depth):
                return True
    return any(_may_lead(x, depth) for x in f.__defaults__ or ())


def _may_lead(x: Any, depth: int) -> bool:
    kind = type(x)
    if kind in LEAVES or kind is ModuleType or issubclass(kind, (np.ndarray, np.generic, type)):
        return False
    if kind in (list, tuple, set, frozenset):
        return any(_may_lead(item, depth - 1) for item in list(x)[:200]) if depth else bool(x)
    if kind is dict:
        return any(_may_lead(item, depth - 1) for item in list(x.values())[:200]) if depth else bool(x)
    if kind is FunctionType:
        return not errors.is_ours(x.__code__.co_filename) and not is_library(x) and _may_trace(x, depth - 1)
    return kind is not BuiltinFunctionType
