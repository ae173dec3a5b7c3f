"""Whether any item passes a test, item by item until one does (`any`, `all`, `in`), where the tests may be traced.

Behind a traced test all items must be taken to compute the answer. What taking a later one does to the heap is undone
and refused, since Python might not have taken it.

>>> any_passes(iter([0, 1, 1 / 2]), lambda x: x, "any()")
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jax import lax

from autograph.runtime import journal, reached
from autograph.runtime.primitives import predicate
from autograph.runtime.refusals import refusal
from autograph.runtime.staging import is_traced
from autograph.runtime.truth import decider

_END: Any = object()


def any_passes(iterable: Iterable[Any], test: Callable[[Any], Any], what: str) -> Any:
    """Whether `test(item)` is true of any item: a bool, traced where a test is.

    Args:
        what: the construct, for the message.
    Raises:
        StagingError: taking an item that Python might not take wrote something.
    """
    iterator = iter(iterable)
    found: Any = False

    def next_passes() -> Any:
        item = next(iterator, _END)
        return item if item is _END else decider(test(item))

    while True:
        passes = next_passes() if found is False else evaluated(next_passes, found, False, what)
        if passes is _END:
            return found
        if is_traced(passes):
            passes = predicate(passes)
            found = passes if found is False else lax.bitwise_or(found, passes)
        elif passes:
            return True


def evaluated(run: Callable[[], Any], test: Any, expected: bool, what: str) -> Any:
    """`run()`, whose value Python only asks for where the traced `test` is as expected.

    Raises:
        StagingError: it writes something.
    """
    before = reached.passed()
    with journal.Piece([], (test, expected)) as piece:
        value = run()
        _, written = piece.collect()
    reached.only_where(test, expected, before)
    if written:
        raise refusal(
            f"{what} takes items whose evaluation changes {written[0].location.name}",
            why="Python stops at the item that decides, which is traced, so the later ones may not be evaluated",
            instead=f"evaluate them first: build a list, then ask {what}",
        )
    return value
