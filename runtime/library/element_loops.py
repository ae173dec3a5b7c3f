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
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph import errors
from autograph.jax_internals import drop_equations, equation_mark, is_tracing
from autograph.runtime.heap import journal
from autograph.runtime.operators import long_loops
from autograph.runtime.operators.comprehensions import FILTERED, comp_iter, comp_where as comp_where
from autograph.runtime.operators.conditionals import if_stmt, nothing
from autograph.runtime.operators.for_loops import for_loop
from autograph.runtime.operators.staged_for import LoopInfo
from autograph.runtime.sequences import iterables, iteration_space
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
        if iteration_space.is_open_iterable(iterable) or iteration_space.has_bound(iterable):
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
    """Makes a list comprehension, `make(iterable)`; a loop of the program of a long one, and of one whose length is traced.

    `to`: takes the elements, where it is a clause of another one; then the list is empty.
    """
    if to is not None:
        return list(to.each(make, iterable))
    if not is_tracing():
        return make(comp_iter(iterable))
    is_short = type(iterable) in (list, tuple) and len(iterable) < long_loops.LEAST_AROUND_A_LOOP
    if is_short and not make.__defaults__:
        return make(iterable)
    found: list[Any] = []

    def append(item: Any) -> None:
        journal.touch_container(found)
        found.append(item)

    taker = Taker(append, lambda: (), lambda: (found,), may_filter=True)
    if not is_short and long_loops.is_long(iterable, make) and taker.run(make, iterable):
        return found
    if iteration_space.has_bound(iterable):
        taker.each(make, iterable)
        return found
    made = _as_python(make, iterable) if make.__defaults__ else make(comp_iter(iterable))
    if made is None:  # a filter is traced
        taker.each(make, iterable)
    return found if made is None else made


def _as_python(make: Callable[..., list[Any]], iterable: Any) -> list[Any] | None:
    """Makes a comprehension as Python does; None, with nothing left of it, where a filter is traced."""
    items, given = comp_iter(iterable), type(iterable) in iterables.STAGED
    if given:
        known = iteration_space.items_of(iterable)
        items = known and (known.make(k, known.slices(k)) for k in range(known.length))
    elif isinstance(items, Iterator):
        return None  # its items can be taken once
    if items is None:
        return None
    start = equation_mark()
    with journal.Region([]) as region:
        region.is_trial = True
        try:
            made = make(items)
        except errors.StagingError as error:
            if region.is_final or error.page not in _OF_LENGTHS:
                region.keep()
                raise
        else:
            region.keep()
            if given:
                iterable.exhaust()
            return made
    drop_equations(start, equation_mark())
    return None


_OF_LENGTHS = (FILTERED, "list-of-unknown-length", "comprehension-range")
"""Pages of the errors that say that the number of elements is traced: of a filter, or of a second clause."""

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
