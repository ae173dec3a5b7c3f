"""Notes which arrays from outside a branch or a loop has written, and what took their place (see `array_versions`).

What a region superseded is valid again when the region ends. The statement then says of each such array from outside what took
its place: a result of the statement, or nothing that the program can name. A result that may be an array from outside, or share
elements with one, is noted as a view of it.

>>> import jax, jax.numpy as jnp
>>> def f(x, y):
...     note_outcomes([Outcome(x, 0, array_versions.ELEMENT)], [y])
...     return array_versions.latest(x) is y
>>> jax.eval_shape(lambda x, y: print(f(x, y)), jnp.zeros(3), jnp.ones(3))
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import Tracer

from autograph.runtime.heap import array_versions, array_views, constants
from autograph.runtime.heap.array_versions import ELEMENT, LOST, UPDATE, VIEW, Write


class Outcome(NamedTuple):
    """Records what a statement does to one array.

    Attributes:
        old: an array from outside; None for a result of the statement, which is stale itself.
        result: the number of the result that takes its place, or is stale; None where nothing takes its place.
        how, index, unshared: see `array_versions.Write`.
        is_in: the one branch in which alone it was written, by the truth of its test.
    """

    old: Any
    result: int | None
    how: str
    index: Any = None
    unshared: bool = False
    is_in: bool | None = None


class End(NamedTuple):
    """Holds what took the place of an array at last (None where nothing did), how, and at which indices it was written."""

    new: Any
    how: str
    indices: list[Any]
    unshared: bool

    def index(self, *others: Any) -> Any:
        """Returns the one index at which it was written, or None."""
        first = next(iter(self.indices), None)
        return first if all(i is first for i in (*self.indices, *others)) else None


class Writes:
    """Holds the writes of a region that is over, by array."""

    def __init__(self, writes: Sequence[Write]) -> None:
        self._olds = [old for old in (write.old() for write in writes) if old is not None]
        self._of = {id(old): w for w in writes if (old := w.old()) is not None}

    def of(self, x: Any) -> Write | None:
        """Returns the record of an array that the region superseded."""
        return self._of.get(id(x))

    def end(self, x: Any) -> End:
        """Finds what took the place of an array at last."""
        ways, indices, unshared = list[str](), [], True
        while x is not None and (write := self.of(x)) is not None:
            ways.append(write.how)
            indices.append(write.index)
            unshared = unshared and write.unshared
            x = write.new
        others = [way for way in ways if way != UPDATE or ELEMENT not in ways]  # an update of what has elements writes these
        return End(x, next((way for way in reversed(others) if way != ELEMENT), ELEMENT), indices, unshared)

    def outer(self) -> list[tuple[Any, str]]:
        """Returns the arrays from outside of the region, and how they were superseded."""
        writes = [(old, self._of[id(old)]) for old in self._olds]
        return [(old, write.how) for old, write in writes if not write.is_inner]


class JoinedArrays:
    """Finds which arrays around them two branches write, while both are traced; `left` and `right` are what they leave."""

    def __init__(self, first: Sequence[Write], second: Sequence[Write], left: Sequence[Any], right: Sequence[Any]) -> None:
        pairs = list(zip(left, right, strict=True))
        self._outcomes = _joined(Writes(first), Writes(second), pairs) if first or second else []
        self._shared: list[tuple[int, Any]] = []
        for k, pair in enumerate(pairs):
            for x in pair:
                if issubclass(type(x), Tracer) and jax.numpy.ndim(x):
                    bases = array_views.bases(x)
                    self._shared += [(k, base) for base in bases if array_views.is_outer(base, 2)]
                    self._shared += [(k, array) for base in bases for array in array_views.views_in_numpy(base)]
                elif type(x) is np.ndarray and not (constants.was_alone(x) and _is_once(x, pairs)):
                    self._shared.append((k, x))

    def land(self, results: Sequence[Any], test: Any) -> None:
        """Notes it, once the statement has results; `test` chose between the branches."""
        note_outcomes(self._outcomes, results, self._shared, test)


def _is_once(x: Any, pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Whether a branch leaves an array in one place only."""
    return sum(one is x for pair in pairs for one in pair) == 1


def _joined(first: Writes, second: Writes, pairs: Sequence[tuple[Any, Any]]) -> list[Outcome]:
    """Collects what two branches do to each array; each pair of what they leave is joined to one result."""
    outcomes: list[Outcome] = []
    for k, (yes, no) in enumerate(pairs):
        found = first.of(yes) or second.of(no)
        if found is not None:
            outcomes.append(Outcome(None, k, found.how))
    for old in {id(old): old for writes in (first, second) for old, _ in writes.outer()}.values():
        one, other = first.end(old), second.end(old)
        carried = (k for k, (a, b) in enumerate(pairs) if a is one.new and b is other.new)
        index = one.index(*other.indices) if one.indices else other.index()
        how = one.how if one.how != ELEMENT else other.how
        result = None if one.new is None else next(carried, None)
        is_in = bool(one.indices) if one.indices == [] or other.indices == [] else None
        outcomes.append(Outcome(old, result, how, index, one.unshared and other.unshared, is_in))
    return outcomes


def note_outcomes(
    outcomes: Sequence[Outcome], results: Sequence[Any], shared: Sequence[tuple[int, Any]] = (), test: Any = None
) -> None:
    """Notes what a statement has done to the arrays around it, once it has results.

    Args:
        shared: the numbers of results, with arrays that they may be or share elements with.
        test: chose between the branches, if it is a conditional.
    """
    for old, k, how, index, unshared, is_in in outcomes:
        path = None if is_in is None else (test, is_in)
        if old is None:
            assert k is not None
            array_versions.supersede(results[k], how if how == VIEW else LOST)
        elif k is not None:
            array_versions.record(old, results[k], how, index, unshared=unshared, path=path)
        elif how == VIEW:
            array_versions.supersede(old, VIEW)
        else:
            array_versions.record(old, None, how if how != ELEMENT else LOST, path=path)
    for place, other in shared:
        array_views.note_view(results[place], other)
        while (write := array_versions.write_of(other)) is not None and write.new is not None:
            other = write.new  # where it was not written, that is `other` itself
        if not array_versions.is_superseded(other):
            array_views.note_shared(results[place], [other])
