"""A variable that may hold `None` or a value, which is known only when the program runs: `best = None` before a search.

Where the branches of a traced `if` leave `None` and a value, or a loop begins with the one and ends with the other, a
variable holds a
`Maybe`: a traced bool that says whether it is `None`, and the value. `is None` is the bool. The value is handed out only
where a test on the way there has shown that there is one; any other use is refused, for Python would compute with `None`.

>>> import jax
>>> from autograph import convert
>>> def largest_even(xs):
...     best = None
...     for x in xs:
...         if x % 2 == 0 and (best is None or x > best):
...             best = x
...     return -1 if best is None else best
>>> f = jax.jit(convert(largest_even))
>>> int(f(jax.numpy.array([3, 4, 8, 5]))), int(f(jax.numpy.array([3, 5, 7])))
(8, -1)

What a truth value shows of others is noted when `and`, `or` and `not` make it: where `a and b` holds, both do. After a branch that
raises, the other one was taken.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from autograph.jax_internals import open_traces, trace_reference
from autograph.runtime.tracing import context
from autograph.runtime.tracing.facts import Facts
from autograph.runtime.tracing.refusals import quoted, refusal

Fact = tuple[Any, bool]
Shown = tuple[list[Fact], list[Fact]]


class Maybe(NamedTuple):
    """`value`, or `None` where `absent` holds. No name but the variable's own refers to one."""

    absent: Any
    value: Any


class _Sure(NamedTuple):
    """What is known of a flag in a region (or outside of any), while a trace is open."""

    region: weakref.ref[Any] | None
    trace: Callable[[], Any]
    absent: bool

    def is_here(self, region: Any) -> bool:
        trace = self.trace()
        in_region = region is None if self.region is None else self.region() is region
        return in_region and trace is not None and any(trace is x for x in open_traces())


TESTED: set[str] = set()
"""The names of attributes that code which tests them for `None` has read: these may hold a `Maybe`."""
_flags: Facts[bool] = Facts()
"""The tests for `None` that the program has made; the fact itself says nothing more."""
_shown_by: Facts[Shown] = Facts()
_sure: Facts[list[_Sure]] = Facts()


def note_joined(result: Any, pred: Any, yes: Any, no: Any) -> Any:
    """Notes what `result`, a bool that is `yes if pred else no`, shows; returns it."""
    note_truth(result, facts_of(pred, yes, no))
    return result


def facts_of(pred: Any, yes: Any, no: Any) -> Shown:
    """What the truth of `yes if pred else no` shows of variables that may be `None`: where it is true, and where it is not."""
    return (_shown(pred, yes, no, True), _shown(pred, yes, no, False)) if _flags else ([], [])


def note_truth(result: Any, facts: Shown) -> None:
    """Takes note of what the truth of `result` shows."""
    if any(facts):
        _shown_by.note(result, facts)


def _shown(pred: Any, yes: Any, no: Any, truth: bool) -> list[Fact]:
    """What is known where `yes if pred else no` has that value: what holds in each way to it."""
    ways = [
        [*shown_by(pred, taken), *shown_by(value, truth)]
        for value, taken in ((yes, True), (no, False))
        if not (type(value) is bool and value is not truth) and not (value is pred and taken is not truth)
    ]
    found = ways.pop() if ways else []
    return [(flag, is_none) for flag, is_none in found if all(_holds(flag, is_none, way) for way in ways)]


def _holds(flag: Any, is_none: bool, facts: list[Fact]) -> bool:
    return any(flag is other and is_none is known for other, known in facts)


def shown_by(test: Any, truth: bool) -> list[Fact]:
    """What is known of variables that may be `None` where `test` has that value."""
    shown: list[Fact] = [(test, truth)] if _flags.of(test) else []
    facts = _shown_by.of(test)
    return shown if facts is None else shown + facts[0 if truth else 1]


def hold_facts(facts: Iterable[Fact]) -> None:
    """From here on these flags have these values, in the region that is being staged."""
    region = context.innermost()
    known_in = None if region is None else weakref.ref(region)
    trace = trace_reference()  # a function may be traced beside any region, and may then not run: under `lax.cond`
    for flag, absent in facts:
        _sure.note(flag, [_Sure(known_in, trace, absent), *(_sure.of(flag) or ())])


def is_none(x: Any) -> Any:
    """`x is None`; a traced bool where that is known only when the program runs."""
    if type(x) is not Maybe:
        return x is None
    known = _known(x)
    if known is not None:
        return known
    return _flags.note(x.absent, True)


def some(x: Any, name: str, asked: bool = False) -> Any:
    """The value of the variable `name`; with `asked`, also one that may be `None`: the function's caller tests for it.

    Raises:
        StagingError: it may be `None` when the program runs, and no test on the way here says that it is not.
    """
    if type(x) is not Maybe:
        return x
    known = _known(x)
    if known is None and asked:
        return x
    if known is None:
        raise refusal(
            f"variable {quoted(name)} is used where it may be None",
            why="whether it is None is only known when the program runs, and a compiled program computes with numbers",
            instead=f"use it where a test says that it is not (`if {name} is not None:`), or start with a number and a bool of "
            "your own",
            page="none-before-a-loop",
        )
    return None if known else x.value


def settled(x: Any) -> Any:
    """`None` or the value, where it is known which of the two a variable holds."""
    if type(x) is Maybe:
        known = _known(x)
        if known is not None:
            return None if known else x.value
    return x


def split_optional(x: Any) -> tuple[Any, Any]:
    """Whether a value is `None`, as a bool that may be traced, and the value where it is not."""
    if type(x) is not Maybe:
        return x is None, x
    return x.absent, None if x.absent is True else x.value


def _known(x: Maybe) -> bool | None:
    """Whether `x` is `None`, where the tests around the running code tell."""
    if type(x.absent) is bool:
        return x.absent
    for region in (None, *context.open_regions()):
        for sure in _sure.of(x.absent) or ():
            if sure.is_here(region):
                return sure.absent
        if region is not None and region.path is not None:
            for flag, absent in shown_by(*region.path):
                if flag is x.absent:
                    return absent
    return None
