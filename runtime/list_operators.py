"""The operators of a list, beside equality, for one whose length may only be known when the program runs.

>>> from autograph.runtime.bounded_lists import BoundedList
>>> xs = BoundedList.of([1, 2])
>>> xs += [3]
>>> xs, xs + [4], [float(x) for x in [0] + xs], bool(xs < [1, 3])
(BoundedList([1, 2, 3]), BoundedList([1, 2, 3, 4]), [0.0, 1.0, 2.0, 3.0], True)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from autograph.runtime.bounded_lists import BoundedList


class ListOperators:
    """A base of `BoundedList`: what follows from its methods."""

    __slots__ = ()

    def __iadd__(self: BoundedList, values: Iterable[Any], /) -> BoundedList:  # type: ignore[misc]  # of the one class
        self.extend(values)
        return self

    def __add__(self: BoundedList, values: Any, /) -> BoundedList:  # type: ignore[misc]
        if not isinstance(values, list | type(self)):
            return NotImplemented
        made = self.copy()
        made.extend(values)
        return made

    def __radd__(self: BoundedList, values: Any, /) -> Any:  # type: ignore[misc]
        return values + self.known_elements("adding in front")

    def __mul__(self: BoundedList, times: Any, /) -> list[Any]:  # type: ignore[misc]
        return self.known_elements("repeating") * times

    __rmul__ = __mul__

    def __imul__(self: BoundedList, times: Any, /) -> BoundedList:  # type: ignore[misc]
        self.become(type(self).of(self * times))
        return self

    def __delitem__(self: BoundedList, index: Any, /) -> None:  # type: ignore[misc]
        values = self.known_elements("deleting an element")
        del values[index]
        self.become(type(self).of(values))

    def __lt__(self: BoundedList, other: Any, /) -> bool:  # type: ignore[misc]
        return self.known_elements("comparing") < _known(other)

    def __le__(self: BoundedList, other: Any, /) -> bool:  # type: ignore[misc]
        return self.known_elements("comparing") <= _known(other)

    def __gt__(self: BoundedList, other: Any, /) -> bool:  # type: ignore[misc]
        return self.known_elements("comparing") > _known(other)

    def __ge__(self: BoundedList, other: Any, /) -> bool:  # type: ignore[misc]
        return self.known_elements("comparing") >= _known(other)

    def __reversed__(self: BoundedList) -> Iterator[Any]:  # type: ignore[misc]
        return reversed(self.known_elements("taking the elements from the last one on"))


def _known(other: Any) -> Any:
    """What is compared with: the elements, of a list of this kind."""
    return cast(Any, other).known_elements("comparing") if isinstance(other, ListOperators) else other
