"""Comprehensions and generators as the loops that they mean: an element is appended to a list, or added to a total.

A comprehension is a function of its items, which makes the elements of one item as well. Where clauses and filters become loops and
branches of the program, they hand their elements on (`to`) instead of giving them back.

>>> def make(items, to=None):
...     return [e for x in items for e in comp_where(x % 2 == 0, lambda: (x * x,), to)]
>>> make(range(5)), collected(make, range(5))
([0, 4, 16], [0, 4, 16])
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from autograph.jax_internals import is_tracing
from autograph.runtime.heap import journal
from autograph.runtime.operators import long_loops
from autograph.runtime.operators.comprehensions import comp_iter, comp_where as comp_where
from autograph.runtime.operators.conditionals import if_stmt, nothing
from autograph.runtime.operators.for_loops import for_loop
from autograph.runtime.operators.staged_for import LoopInfo
from autograph.runtime.sequences import iteration_space
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known.number import KnownTracer, kind_of
from autograph.runtime.tracing.staging import is_traced

Make = Callable[..., Iterable[Any]]


class Taker:
    """Takes the elements that the clauses of one comprehension make.

    Attributes:
        take: takes one. state, appends: the variables that it changes, and those of the lists to which it appends (`for_loop`).
        may_filter: whether the tests of filters may be traced.
    """

    def __init__(self, take: Callable[[Any], None], state: Any, appends: Any = None, may_filter: bool = False) -> None:
        self.take, self.state, self.appends, self.may_filter = take, state, appends, may_filter

    def run(self, make: Make, iterable: Any) -> bool:
        """Runs the loop of the first clause in the program; whether it could."""
        if iteration_space.is_open_iterable(iterable):
            self.each(make, iterable)
            return True
        return long_loops.stage_if_long(iterable, LoopInfo.of(self.body(make), None, self.state, appends=self.appends))

    def each(self, make: Make, iterable: Any) -> tuple[()]:
        """Runs the loop of a clause behind another one."""
        for_loop(iterable, self.body(make), self.state, appends=self.appends)
        return ()

    def where(self, test: Any, part: Callable[[], Iterable[Any]]) -> tuple[()]:
        """Takes the elements that a filter keeps."""
        if_stmt(test, lambda: self._take_all(part()), nothing, self.state)
        return ()

    def _take_all(self, elements: Iterable[Any]) -> None:
        for element in elements:
            self.take(element)

    def body(self, make: Make) -> Callable[[Any], None]:
        """Returns one iteration of the loop of a clause."""
        makes = (lambda items: make(items, self)) if make.__defaults__ else make

        def loop_body(item: Any) -> None:
            self._take_all(makes((item,)))

        code, at = loop_body.__code__, make.__code__  # of the user's line, and another one for each clause
        loop_body.__code__ = code.replace(
            co_filename=at.co_filename, co_firstlineno=at.co_firstlineno, co_consts=(*code.co_consts, at)
        )
        return loop_body


def collected(make: Callable[..., list[Any]], iterable: Any, to: Taker | None = None) -> list[Any]:
    """Makes a list comprehension, `make(iterable)`; of a long one a loop of the program.

    `to`: takes the elements, where it is a clause of another one; then the list is empty.
    """
    if to is not None:
        return list(to.each(make, iterable))
    if type(iterable) in (list, tuple) and len(iterable) < long_loops.LEAST_AROUND_A_LOOP:
        return make(iterable)
    if progress.has_bounded and (room := iteration_space.room_for(iterable)) is not None:
        return _collected_of_bounded(make, iterable, room)
    if is_tracing() and long_loops.is_long(iterable, make):
        found: list[Any] = []

        def append(item: Any) -> None:
            journal.touch_container(found)
            found.append(item)

        if Taker(append, lambda: (), lambda: (found,)).run(make, iterable):
            return found
    return make(comp_iter(iterable))


def _collected_of_bounded(make: Make, iterable: Any, room: int) -> Any:
    """Makes a list comprehension over an array of unknown length: a `BoundedList` that has room for an element of each row."""
    elements: Any = []
    taker = Taker(lambda item: elements.append(item), lambda: (), may_filter=True)
    for_loop(iterable, taker.body(make), lambda: (), options={"maximum_iterations": room}, lists=lambda: (elements,))
    return elements


_IS_MORE_EXACT = sys.version_info >= (3, 12)
"""Whether `sum` adds floats to a more exact sum than `+` does."""


def staged_total(make: Make, iterable: Any, start: Any) -> tuple[Any, ...]:
    """Adds the elements of a generator in a loop of the program; returns a tuple of the total, an empty one where it could not."""
    total = start

    def add(item: Any) -> None:
        nonlocal total
        is_known = kind_of(item) is float and (type(total) is KnownTracer or not is_traced(total))
        is_alone = progress.level is None or progress.level.parent is None  # Python adds, and the program has no loop
        if (_IS_MORE_EXACT or is_alone) and is_known and progress.is_tried:
            raise long_loops.ByPython("`sum` adds known floats")
        total = total + item

    return (total,) if Taker(add, lambda: (total,)).run(make, iterable) else ()
