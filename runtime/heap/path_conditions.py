"""Where the code that is traced now is reached at all: what checks (`runtime_checks`) read before they fail.

It is reached where the conditions of all open branches and loops hold, and where no check before has failed: of several that fail
the first is reported. A compiled program runs its parts in any order, so a check reads whether those before it hold
(`Passed.holds`); what is not known where it stands, as of the iterations of a loop, it waits for, by reading a value that is there
only afterwards (`Passed.ended`).

>>> import jax
>>> from autograph import convert
>>> def f(n):
...     if n > 7:
...         assert n < 9, 'first'
...         assert n < 8, 'second'
...     return n
>>> fails = jax.jit(convert(f))
>>> try: _ = fails(9).block_until_ready()
... except jax.errors.JaxRuntimeError as error: print('first' in str(error), 'second' in str(error))
True False
"""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
from jax import lax

from autograph.jax_internals import note_of_trace, notes_of, open_traces, records_region, trace_of
from autograph.runtime.heap import journal
from autograph.runtime.tracing import comparisons, context
from autograph.runtime.tracing.array_types import is_integer

_loops = context.PerThread(int)  # how many were staged so far
_afresh: context.PerThread[list[Any]] = context.PerThread(list)  # traces around functions that no cache knows


def depends_on_place() -> bool:
    """Whether a check or a loop that is traced now depends on where it is reached: a condition or a check stands before it."""
    is_conditional = any(region.path is not None for region in context.open_regions())
    return is_conditional or any(notes and notes[-1][1].is_of_checks() for notes in _programs())


def known_truth(test: Any) -> bool | None:
    """The value of the traced `test` in the branch that is being staged, where the branches around decide it; else None."""
    implied: list[comparisons.Implied] = []
    for region in context.open_regions():
        if region.path is not None:
            one, holds = region.path
            if one is test:
                return holds
            if region.implied is None:
                region.implied = comparisons.implied_by(one, holds)
            implied += region.implied
    return comparisons.decided(test, implied) if implied else None


def supposed_bounds(x: Any) -> tuple[int, int] | None:
    """Returns bounds of an integer here, by the tests of the open branches and by the checks that were passed; None if it is none.

    Where no check is left of them, in a program that is kept for other calls, or where integers wrap around, they may be wrong:
    who relies on them checks again.
    """
    tests = [region.path for region in context.open_regions() if region.path is not None]
    tests += [(holds, True) for holds in _hold()]
    return comparisons.bounds_behind(x, [one for test in tests for one in comparisons.implied_by(*test)])


@contextmanager
def traced_afresh(made: Callable[[], Any]) -> Iterator[Callable[[], bool]]:
    """Within it a function is called that no cache of JAX's knows, since it was made for this one place.

    Programs that are traced on its behalf may read the conditions and the checks of the one around them.

    Args:
        made: a weak reference to the trace that was in progress when the function was made.
    Yields:
        a function: whether a check or a loop read them so far.
    """
    traces, place = open_traces(), made()
    inside = next((k for k, trace in enumerate(traces) if trace is place), 0)
    before = context.progress.checks, _loops.value
    with context.setting(_afresh, value=[*_afresh.value, *traces[:inside]]):
        yield lambda: (context.progress.checks, _loops.value) != before


class Passed(NamedTuple):
    """What a program knows, at one place, of the checks before it.

    Attributes:
        holds: a traced bool, true where none of them has failed; None where there was none.
        ended: values that are there only once checks were made: what reads one of them cannot overtake those.
        lanes: as `holds`, of a `vmap` in progress, whose trace keeps the value; for each one.
        indices: pairs of a list index that was checked, and the same before that; likewise kept.
    """

    holds: Any = None
    ended: tuple[Any, ...] = ()
    lanes: tuple[Callable[[], Any], ...] = ()
    indices: tuple[Callable[[], Any], ...] = ()

    def is_of_checks(self) -> bool:
        """Whether a later loop has something to read."""
        return self.holds is not None or bool(self.lanes or self.indices)

    def in_lanes(self) -> list[Any]:
        """The values of `lanes`: of each `vmap` that is still in progress."""
        return [value for kept in self.lanes if (value := kept()) is not None]


def survived(test: Any, expected: bool = True) -> None:
    """Where `test` is not as expected, the program has failed: later checks do not fail again."""
    keep = _keeper(test)
    if keep is None:
        return
    holds = test if expected else lax.bitwise_not(test)
    before = passed()
    if _outlives(test):
        learn(before._replace(holds=holds if before.holds is None else lax.bitwise_and(before.holds, holds)))
        return
    same = [value for value in before.in_lanes() if value._trace is test._trace]
    others = tuple(kept for kept in before.lanes if not any(kept() is value for value in same))
    learn(before._replace(lanes=(*others, keep(functools.reduce(lax.bitwise_and, [*same, holds])))))


def checked_index(checked: Any, index: Any) -> None:
    """`checked` is the list index `index`, once it was seen to be in range: later loops wait for that."""
    keep = _keeper(checked)
    if keep is not None:
        before = passed()
        learn(before._replace(indices=(*before.indices, keep((checked, index)))))


def ended(value: Any) -> None:
    """`value`, an integer or a bool, is there once the checks so far were made: later ones wait for it."""
    if _outlives(value):
        before = passed()
        waited = (*before.ended, value)
        learn(before._replace(ended=waited if len(waited) <= _MOST else (_of_all(waited),)))


def ended_with(results: Sequence[Any], seen: int) -> None:
    """The same of one of a statement's results, where there were checks in it: `seen` of them were staged before."""
    if context.progress.checks > seen:
        numbers = (x for x in results if is_integer(x) and _outlives(x))
        for number in itertools.islice(numbers, 1):
            ended(number)


_MOST = 8
"""How many values a check waits for before they are made one: each is an operand."""


def _of_all(values: Iterable[Any]) -> Any:
    """A bool that is there only once all values are: their `xor`, which no single one decides that XLA may come to know."""
    bools = [lax.ne(x, lax.full((), 0, jax.typeof(x).dtype)) for x in values]
    return functools.reduce(lax.bitwise_xor, bools, lax.full((), False, bool))


def passed() -> Passed:
    """What the program that is recorded now knows of its checks so far."""
    notes = next(_programs(), None)
    return notes[-1][1] if notes else Passed()


def only_where(test: Any, expected: bool, before: Passed) -> None:
    """The checks since `before`, which was known then, are only made where the traced `test` is as expected."""
    after = passed()
    learn(before)
    known = [after.holds, *after.in_lanes()]
    for holds in known:
        if holds is not None and not any(holds is x for x in (before.holds, *before.in_lanes())):
            skipped = lax.bitwise_not(test) if expected else test
            survived(lax.bitwise_or(skipped, holds))
    for value in after.ended:
        if not any(value is x for x in before.ended):
            ended(value)


def learn(known: Passed) -> None:
    """What the program knows from here on; what was known before, where later checks shall not build on more than that."""
    trace = next((trace for trace in open_traces() if notes_of(trace) is not None), None)
    if trace is not None:
        note_of_trace(trace, known)


def _outlives(value: Any) -> bool:
    """Whether a value is of the trace that records now or of one around it, and not of a `vmap`, say, that ends before."""
    traces = itertools.dropwhile(lambda trace: notes_of(trace) is None, open_traces())
    return any(trace_of(value) is trace for trace in traces)


def _keeper(value: Any) -> Callable[[Any], Callable[[], Any]] | None:
    """What keeps something that is known as long as `value` is there, and gives it back; None where nothing can."""
    if _outlives(value):
        return lambda known: lambda: known
    vmaps = itertools.takewhile(lambda trace: notes_of(trace) is None, open_traces())  # they record nothing themselves
    trace = next((trace for trace in vmaps if getattr(value, "_trace", None) is trace), None)
    return None if trace is None else functools.partial(_kept_by, trace)


def _kept_by(trace: Any, known: Any) -> Callable[[], Any]:
    """Has the trace keep what holds values of it; gives what gives that back as long as the trace is in progress."""
    try:
        kept: list[Any] = vars(trace).setdefault("autograph", [])
        reference, place = weakref.ref(trace), len(kept)
        kept.append(known)
    except TypeError:
        return lambda: None

    def found() -> Any:
        alive = reference()
        return vars(alive)["autograph"][place] if any(one is alive for one in open_traces()) else None

    return found


def _programs() -> Iterator[list[tuple[int, Passed]]]:
    """What is noted of the program that is recorded now, and of those that it is a branch or an iteration of; innermost first.

    Not of the branch beside, in whose trace a branch is traced, and not of a program that calls a jitted function, unless that
    is traced for this call alone: it is kept for other calls.
    """
    beside = [branch() for region in context.open_regions() for branch in region.branches[1:]]
    for trace in _within_call():
        notes = notes_of(trace)
        if notes is not None and not any(trace is branch for branch in beside):
            yield notes


def _within_call() -> Iterator[Any]:
    """The traces in progress, innermost first, up to that of a jitted function, which is kept for other calls."""
    for trace in open_traces():
        yield trace
        is_own = notes_of(trace) is None or records_region(trace) or any(trace is other for other in _afresh.value)
        if not is_own:
            return


def waits_for() -> list[Any]:
    """The values, other than `conditions`, that tell that the checks so far were made."""
    found = [notes[-1][1] for notes in _programs() if notes]
    return [value for known in found for value in known.ended if not any(value is other.holds for other in found)]


class Left(NamedTuple):
    """What the branches of a conditional tell of the checks in them, so that later ones know: as a further result of it.

    Attributes:
        seen: how many checks were staged before the conditional.
        tells: whether there is such a result, since checks of a branch are known to hold or not.
    """

    seen: int
    tells: bool = False

    def with_this_branch(self) -> Left:
        """With what the branch that is being traced has to tell."""
        return Left(self.seen, self.tells or passed().holds is not None)

    def results(self) -> list[Any]:
        """What the branch that is being traced tells."""
        if not self.tells:
            return []
        holds = passed().holds
        return [lax.full((), True, bool) if holds is None else holds]

    def take(self, results: list[Any]) -> None:
        """Takes what was chosen off the results of the conditional."""
        if self.tells:
            survived(results.pop())
        ended_with(results, self.seen)


def conditions() -> list[Any]:
    """The bools that must all hold where the code that is traced now is reached."""
    context.progress.checks += 1
    return [_condition(region) for region in context.open_regions() if region.path is not None] + _hold()


def _condition(region: journal.Region) -> Any:
    test, expected = region.path
    return test if expected else lax.bitwise_not(test)


def _hold() -> list[Any]:
    """What is true as long as no check has failed."""
    known = [notes[-1][1] for notes in _programs() if notes]
    return [holds for one in known for holds in (one.holds, *one.in_lanes()) if holds is not None]


def checks_before_loop() -> list[Any]:
    """The bools that a loop's test reads, so that the loop ends where a check before it has failed."""
    _loops.value += 1
    pairs = [kept() for notes in _programs() if notes for kept in notes[-1][1].indices]
    return _hold() + [lax.eq(*pair) for pair in pairs if pair is not None]


def conditions_of_loop() -> list[Any]:
    """Bools that hold wherever a loop that is staged now runs; under `vmap` they tell the lanes that reach it.

    They are those of the open branches inside the innermost open iteration, and that of this one, which knows of those around.
    """
    traces = list(_within_call())
    found = []
    for region in reversed(context.open_regions()):
        if region.path is not None and any(region.trace() is trace for trace in traces):
            found.append(_condition(region))
            if region.is_loop:
                break
    return found
