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

from autograph.jax_internals import equation_mark
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
    while True:
        item = next(iterator, _END) if found is False else evaluated(lambda: next(iterator, _END), found, what)
        if item is _END:
            return found
        passes = decider(test(item))
        if is_traced(passes):
            passes = predicate(passes)
            found = passes if found is False else lax.bitwise_or(found, passes)
        elif passes:
            return True


def evaluated(run: Callable[[], Any], found: Any, what: str) -> Any:
    """`run()`, whose value Python only asks for where the traced `found` has not decided yet.

    Raises:
        StagingError: it writes something.
    """
    start = equation_mark()
    with journal.Piece([], (found, False)) as piece:
        value = run()
        _, written = piece.collect()
    reached.forget_since(start)  # whether they fail says nothing where Python does not ask
    if written:
        raise refusal(
            f"{what} takes items whose evaluation changes {written[0].location.name}",
            why="Python stops at the item that decides, which is traced, so the later ones may not be evaluated",
            instead=f"evaluate them first: build a list, then ask {what}",
        )
    return value
