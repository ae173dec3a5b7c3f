"""The operators of a list, beside equality, and `insert`, for one whose length may only be known when the program runs; and what it
can do where it is as long as an axis of unknown size.

>>> from autograph.runtime.sequences.bounded_list import BoundedList
>>> xs = BoundedList.of([1, 2])
>>> xs += [3]
>>> xs, xs + [4], [float(x) for x in [0] + xs], bool(xs < [1, 3])
(BoundedList([1, 2, 3]), BoundedList([1, 2, 3, 4]), [0.0, 1.0, 2.0, 3.0], True)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.code.container_effects import of_method
from autograph.runtime.tracing import sizes
from autograph.runtime.tracing.array_types import convert_to
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.element_types import Elements
from autograph.runtime.values.merge import Slot

if TYPE_CHECKING:
    from autograph.runtime.sequences.bounded_list import BoundedList


def _comparison(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compared(self: Any, other: Any, /) -> bool:
        elements = other.known_elements("comparing") if isinstance(other, type(self)) else other
        return compare(self.known_elements("comparing"), elements)

    return compared


class ListOperators:
    """A base of `BoundedList`: what follows from its methods. `self` is `Any`, for they are not declared here."""

    __slots__ = ()

    def done_by_list(self: Any, name: str, *args: Any, **options: Any) -> Any:
        """What the method of a list does, for a length that is known."""
        values = list(self)
        result = getattr(values, name)(*args, **options)
        if of_method(list, name).writes:
            self.become(type(self).of(values))
        return result

    def insert(self: Any, index: Any, value: Any, /) -> None:
        """`list.insert`: the elements from there on move down."""
        found, leaves = Elements.of(value)
        if not self._admits(found, leaves, 1):
            return
        at = lax.convert_element_type(index if is_traced(index) else operator.index(index), self.size.dtype)
        at = lax.clamp(jnp.zeros_like(at), lax.select(at < 0, at + self.size, at), self.size)
        rows = jnp.arange(self._rows)
        self._take(rows - (rows > at))
        self._write(leaves, self._row(at))
        self._set("size", self.size + 1)

    def extend_by(self: Any, value: Any, rows: dict[int, Any], count: Any) -> None:
        """Appends as many values like one as an axis of unknown size is long; `rows` has an array for each leaf by its id."""
        found, leaves = Elements.of(value)
        joined, before = self._with(found, leaves), self.capacity
        self.widen(joined, before)
        columns = []
        for leaf, column, kind in zip(leaves, self.columns, joined.types, strict=True):
            new = rows[id(leaf)] if id(leaf) in rows else lax.broadcast(leaf, (count,))
            new = convert_to(new, kind._replace(shape=(count, *kind.shape), sharding=None))
            columns.append(lax.concatenate([column[:before], new, column[before:]], 0))
        self.columns, self.size = tuple(columns), sizes.traced(before + count)

    def least_length(self: Any) -> Any:
        """How many elements there are, where that is the size of an axis; 0 where nothing is known."""
        return sizes.size_of(self.size) or 0

    def whole_axis(self: Any) -> Any:
        """The elements as one array, where there are as many as an axis is long, and at least one; None of a known number.

        Raises:
            StagingError: how many there are is known only when the program runs.
        """
        if not self.is_traced():
            return None
        length = self.least_length()
        if sizes.is_known(length, ">", 0) and type(self.elements.template) is Slot:
            return lax.slice_in_dim(self.columns[0], 0, length)
        return self.__jax_array__()

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
        """What functions of numpy make of it; they would take what has no length for an array of one object."""
        if self.is_traced():
            return self.__jax_array__()
        return np.array(list(self), dtype)

    def __iadd__(self: Any, values: Any, /) -> BoundedList:
        self.extend(values)
        return self

    def __add__(self: Any, values: Any, /) -> BoundedList:
        if not isinstance(values, list | type(self)):
            return NotImplemented
        made = self.copy()
        made.extend(values)
        return made

    def __radd__(self: Any, values: Any, /) -> Any:
        return values + self.known_elements("adding in front")

    def __mul__(self: Any, times: Any, /) -> list[Any]:
        return self.known_elements("repeating") * times

    __rmul__ = __mul__

    def __imul__(self: Any, times: Any, /) -> BoundedList:
        self.become(type(self).of(self * times))
        return self

    def __delitem__(self: Any, index: Any, /) -> None:
        values = self.known_elements("deleting an element")
        del values[index]
        self.become(type(self).of(values))

    __lt__, __le__, __gt__, __ge__ = map(_comparison, (operator.lt, operator.le, operator.gt, operator.ge))

    def __reversed__(self: Any) -> Iterator[Any]:
        return reversed(self.known_elements("taking the elements from the last one on"))
