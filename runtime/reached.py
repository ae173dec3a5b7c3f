"""Where the code that is traced now is reached at all: what checks (`checks`) ask before they fail.

It is reached where the conditions of all open arms and loops hold, and where no check before has failed: of several that fail
the first is reported. A compiled program runs its parts in any order, so a check asks whether those before it hold
(`Passed.holds`); what is not known where it stands, as of the turns of a loop, it waits for, by reading a value that is there
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
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from autograph.jax_internals import note, notes_of, open_traces, records_piece
from autograph.runtime import journal


class _State(threading.local):
    def __init__(self) -> None:
        self.asking = False
        self.checks = 0


_state = _State()


def is_conditional() -> bool:
    """Whether the code that is traced now is reached only where some condition holds."""
    return any(piece.path is not None for piece in journal.open_pieces())


def checks_seen() -> int:
    """How many checks this thread has staged so far."""
    return _state.checks


class Passed(NamedTuple):
    """What a program knows, at one place, of the checks before it.

    Attributes:
        holds: a traced bool, true where none of them has failed; None where there was none.
        ended: values that are there only once checks were made: what reads one of them cannot overtake those.
    """

    holds: Any = None
    ended: tuple[Any, ...] = ()


def survived(test: Any, expected: bool = True) -> None:
    """Where `test` is not as expected, the program has failed: later checks ask no more."""
    if _outlives(test):
        holds = test if expected else lax.bitwise_not(test)
        before = passed()
        learn(before._replace(holds=holds if before.holds is None else lax.bitwise_and(before.holds, holds)))


def ended(value: Any) -> None:
    """`value`, an integer or a bool, is there once the checks so far were made: later ones wait for it."""
    if _outlives(value):
        before = passed()
        waited = (*before.ended, value)
        learn(before._replace(ended=waited if len(waited) <= _MOST else (_of_all(waited),)))


def ended_with(results: Sequence[Any], seen: int) -> None:
    """The same of one of a statement's results, where there were checks in it: `checks_seen` was `seen` before."""
    if _state.checks > seen:
        numbers = (x for x in results if jax.typeof(x).shape == () and _is_integral(x) and _outlives(x))
        for number in itertools.islice(numbers, 1):
            ended(number)


def _is_integral(x: Any) -> bool:
    dtype = jax.typeof(x).dtype
    return any(jnp.issubdtype(dtype, kind) for kind in (jnp.bool_, jnp.integer))


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
    if after.holds is not None and after.holds is not before.holds:
        skipped = lax.bitwise_not(test) if expected else test
        survived(lax.bitwise_or(skipped, after.holds))
    for value in after.ended:
        if not any(value is x for x in before.ended):
            ended(value)


def learn(known: Passed) -> None:
    """What the program knows from here on; what was known before, where later checks shall not build on more than that."""
    trace = next((trace for trace in open_traces() if notes_of(trace) is not None), None)
    if trace is not None:
        note(trace, known)


def _outlives(value: Any) -> bool:
    """Whether a value is of the trace that records now or of one around it, and not of a `vmap`, say, that ends before."""
    traces = itertools.dropwhile(lambda trace: notes_of(trace) is None, open_traces())
    return any(getattr(value, "_trace", None) is trace for trace in traces)


def _programs() -> Iterator[list[tuple[int, Passed]]]:
    """What is noted of the program that is recorded now, and of those that it is an arm or a turn of; innermost first.

    Not of the arm beside, in whose trace an arm is traced, and not of a program that calls a jitted function, which is
    kept for other calls.
    """
    beside = [arm() for piece in journal.open_pieces() for arm in piece.arms[1:]]
    for trace in open_traces():
        notes = notes_of(trace)
        if notes is not None and not any(trace is arm for arm in beside):
            yield notes
            if not records_piece(trace):
                return


def waits_for() -> list[Any]:
    """The values, other than `conditions`, that tell that the checks so far were made."""
    found = [notes[-1][1] for notes in _programs() if notes]
    return [value for known in found for value in known.ended if not any(value is other.holds for other in found)]


class Left(NamedTuple):
    """What the arms of a conditional tell of the checks in them, so that later ones know: as a further result of it.

    Attributes:
        seen: `checks_seen` before the conditional.
        tells: whether there is such a result, since checks of an arm are known to hold or not.
    """

    seen: int
    tells: bool = False

    def with_this_arm(self) -> Left:
        """With what the arm that is being traced has to tell."""
        return Left(self.seen, self.tells or passed().holds is not None)

    def results(self) -> list[Any]:
        """What the arm that is being traced tells."""
        holds = passed().holds
        return [lax.full((), True, bool) if holds is None else holds] * self.tells

    def take(self, results: list[Any]) -> None:
        """Takes what was chosen off the results of the conditional."""
        if self.tells:
            survived(results.pop())
        ended_with(results, self.seen)


def conditions() -> list[Any] | None:
    """The truth values that must all hold where the code that is traced now is reached.

    None while one of them is computed: a loop test that is evaluated for that purpose was checked where it stands.
    """
    _state.checks += 1
    if _state.asking:
        return None
    _state.asking = True
    try:
        found = []
        for path in [piece.path for piece in journal.open_pieces() if piece.path is not None]:
            test, expected = path() if callable(path) else path
            found.append(test if expected else lax.bitwise_not(test))
        return found + [notes[-1][1].holds for notes in _programs() if notes and notes[-1][1].holds is not None]
    finally:
        _state.asking = False
