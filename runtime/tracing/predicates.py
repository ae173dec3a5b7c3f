"""Keeps one record of each traced predicate: what follows where it is true, and where it is false.

`and`, `or`, `not` and conditionals make the record of their result of those of their operands: where `a and b` holds, both do.
After a branch that raises, the other one was taken.

>>> import jax
>>> def f(x):
...     p = note_predicate(x > 3, "more than three")
...     [(one, truth)] = shown_by(negation(p), True)
...     return print(one is p, truth, said_by(one)) or x
>>> _ = jax.make_jaxpr(f)(3)
True False more than three
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from jax import lax

from autograph.jax_internals import open_traces, trace_reference
from autograph.runtime.tracing import context
from autograph.runtime.tracing.facts import Facts
from autograph.runtime.tracing.python_bools import note_bool

Part = tuple[Any, bool]
Shown = tuple[Sequence[Part], Sequence[Part]]


class _Held(NamedTuple):
    """The truth of a predicate in a region (or outside of any), while a trace is open."""

    region: weakref.ref[Any] | None
    trace: Callable[[], Any]
    truth: bool

    def is_here(self) -> bool:
        """Whether the code that is traced now is in that region."""
        is_inside = self.region is None or self.region() in context.open_regions()
        return is_inside and self.trace() in open_traces()


class Predicate(NamedTuple):
    """The record of a traced bool.

    Attributes:
        says: what the bool itself says, for those who noted it (`note_predicate`); None where nobody did.
        shows: the noted bools whose truth follows: where this one is false, and where it is true.
        held: where its own truth is known, the latest first.
    """

    says: Any = None
    shows: Shown = ((), ())
    held: tuple[_Held, ...] = ()


_records: Facts[Predicate] = Facts()


def note_predicate(test: Any, says: Any = ()) -> Any:
    """Has the records of later predicates name this one, and keeps what it `says`; returns it."""
    record = _records.of(test) or Predicate()
    return _records.note(test, record._replace(says=says or record.says or ()))


def said_by(test: Any) -> Any:
    """Returns what was noted that a predicate itself says, or None."""
    record = _records.of(test)
    return record and record.says


def negation(test: Any) -> Any:
    """Returns `not test`, with its record: a Python bool, also where `test` is an array."""
    result = lax.bitwise_not(test)
    note_bool(result)
    return note_truth(result, facts_of(test, False, True))


def note_truth(result: Any, shows: Shown) -> Any:
    """Makes the record of a bool, except of one that has a record, since a branch may leave it as it was; returns it."""
    return _records.note(result, Predicate(None, shows)) if any(shows) and _records.of(result) is None else result


def facts_of(pred: Any, yes: Any, no: Any) -> Shown:
    """Returns what `yes if pred else no` shows: where it is false, and where it is true."""
    return (_ways(pred, yes, no, False), _ways(pred, yes, no, True)) if _records else ((), ())


def _ways(pred: Any, yes: Any, no: Any, truth: bool) -> list[Part]:
    """Returns what is known where `yes if pred else no` has that truth: what holds in each way to it."""
    ways = [
        [*shown_by(pred, taken), *shown_by(value, truth)]
        for value, taken in ((yes, True), (no, False))
        if not (type(value) is bool and value is not truth) and not (value is pred and taken is not truth)
    ]
    found = ways.pop() if ways else []
    for way in ways:
        found = [(one, known) for one, known in found if any(one is x and known is also for x, also in way)]
    return found


def shown_by(test: Any, truth: bool) -> Sequence[Part]:
    """Returns the noted predicates whose truth follows where `test` has that truth, each with its own truth."""
    record = _records.of(test) or Predicate()
    return record.shows[truth] if record.says is None else [(test, truth), *record.shows[truth]]


def shown_here() -> Iterator[Part]:
    """Iterates over what the tests of the open branches show."""
    for region in context.open_regions():
        if region.path is not None:
            yield from shown_by(*region.path)


def hold_facts(parts: Iterable[Part]) -> None:
    """Notes that from here on these predicates have these truths, in the region that is being staged."""
    region = context.innermost()
    trace = trace_reference()  # a function may be traced beside any region, and may then not run: under `lax.cond`
    for test, truth in parts:
        record = _records.of(test) or Predicate()
        held = _Held(None if region is None else weakref.ref(region), trace, truth)
        _records.note(test, record._replace(held=(held, *record.held)))


def truth_here(test: Any) -> bool | None:
    """Returns the truth of a bool, or of a noted predicate where the tests around the running code tell it; else None."""
    if type(test) is bool:
        return test
    record = _records.of(test) or Predicate()
    held = (one.truth for one in record.held if one.is_here())
    return next(itertools.chain(held, (truth for one, truth in shown_here() if one is test)), None)
