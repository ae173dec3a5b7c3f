"""Whether any item passes a test, item by item until one does (`any`, `all`, `in`), where the tests may be traced.

Behind a traced test all items must be taken to compute the answer. What taking a later one does to the heap is undone
and refused, since Python might not have taken it.

>>> any_passes(iter([0, 1, 1 / 2]), lambda x: x, "any()")
True
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Iterable
from types import CellType, FunctionType, GeneratorType
from typing import Any

from jax import lax

from autograph.runtime.heap import iterators, journal, path_conditions
from autograph.runtime.jaxprs.binding import predicate
from autograph.runtime.tracing import python_bools, sharing
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.truth import truth_value
from autograph.runtime.tracing.variables import cell_contents

_STOPS = "Python stops at the item that decides, which is traced"
_MOST = 10_000
_END: Any = object()


def any_passes(iterable: Iterable[Any], test: Callable[[Any], Any], what: str, callers: int = 1) -> Any:
    """Whether `test(item)` is true of any item: a bool, traced where a test is.

    Args:
        what: the construct, for the message.
        callers: how many functions of ours hold `iterable` on the way here.
    Raises:
        StagingError: taking an item that Python might not take wrote something, or somebody else takes the items as well, or
            there is no end of them.
    """
    is_shared = iterators.is_native(iterable) and (
        sharing.other_references(iterable, callers + 1) > 0 or iterators.takes_from_shared(iterable)
    )
    is_endless = iterators.is_endless(iterable)
    iterator = iter(iterable)
    found: Any = False
    behind = 0  # items that Python might not take
    cells = _BINDING.get(iterable, ()) if type(iterable) is GeneratorType else ()

    def next_passes() -> Any:
        item = next(iterator, _END)
        return item if item is _END else truth_value(test(item))

    while True:
        before = [*map(cell_contents, cells)]
        passes = next_passes() if found is False else evaluated(next_passes, found, False, what)
        if passes is _END:
            return python_bools.of_python(found)
        if found is not False:
            behind += 1
            if any(map(operator.is_not, map(cell_contents, cells), before)):
                raise refusal(
                    f"{what} takes items whose evaluation binds a variable by `:=`",
                    why=f"{_STOPS}, so which item binds it last is only known when the program runs",
                    instead="write a `for` loop that binds it and ends by `break`",
                    page="walrus-in-any",
                )
            if is_shared:
                raise refusal(
                    f"{what} takes items from an iterator that is used elsewhere",
                    why=f"{_STOPS}, so how many are taken is only known when the program runs",
                    instead=f"make a list of the items first (`items = list(...)`), then ask {what}",
                    page="iterator-in-any",
                )
            if is_endless or behind > _MOST:
                raise refusal(
                    f"{what} takes items that have no end, or more than {_MOST:,} of them",
                    why=f"{_STOPS}, and the program would have to hold them all",
                    instead="count in a variable of your own with `while`",
                    page="endless-items-in-any",
                )
        if is_traced(passes):
            passes = predicate(passes)
            if found is False:
                found = passes
            else:
                python_bools.note_bool(found := lax.bitwise_or(found, passes))
        elif passes:
            return True


_BINDING: weakref.WeakKeyDictionary[Any, tuple[CellType, ...]] = weakref.WeakKeyDictionary()


def binding(items: Any, variables: Callable[[], Any]) -> Any:
    """A generator, of which is noted that it binds these variables by `:=` while it makes items: `binding(g, lambda: (y,))`."""
    assert isinstance(variables, FunctionType)
    _BINDING[items] = variables.__closure__ or ()
    return items


def evaluated(run: Callable[[], Any], test: Any, expected: bool, what: str) -> Any:
    """`run()`, whose value Python only needs where the traced `test` is as expected.

    Raises:
        StagingError: it writes something.
    """
    before = path_conditions.passed()
    with journal.Region([], (test, expected)) as region:
        value = run()
        _, written = region.collect()
    path_conditions.only_where(test, expected, before)
    if written:
        raise refusal(
            f"{what} takes items whose evaluation changes {written[0].location.name}",
            why=f"{_STOPS}, so the later ones may not be evaluated",
            instead=f"evaluate them first: build a list, then ask {what}",
            page="lazy-items-that-write",
        )
    return value
