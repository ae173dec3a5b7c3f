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
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.code.container_effects import of_method
from autograph.runtime.sequences import bounded_list_search as search
from autograph.runtime.sequences.selection import sort
from autograph.runtime.tracing import sizes
from autograph.runtime.tracing.array_types import convert_to
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.bounded_array import number
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

    @property  # type: ignore[misc]  # `object` lets it be written
    def __class__(self: Any) -> Any:
        """The class that `isinstance` asks for: that of the list which it stands for."""
        return list

    def __reduce__(self: Any) -> Any:
        """Pickles it as the list of its elements."""
        return list, (list(self),)

    def __copy__(self: Any) -> Any:
        return self.copy()

    def __deepcopy__(self: Any, memo: Any) -> Any:
        return self.copy()  # elements cannot be changed

    def done_by_list(self: Any, name: str, *args: Any, **options: Any) -> Any:
        """What the method of a list does, for a length that is known."""
        values = list(self)
        result = getattr(values, name)(*args, **options)
        if of_method(list, name).writes:
            self.become(type(self).of(values))
        return result

    def reverse(self: Any) -> None:
        """`list.reverse`."""
        if not self.is_traced():
            return self.done_by_list("reverse")
        self._take(self.size - 1 - jnp.arange(self._rows))

    def sort(self: Any, /, *, key: Any = None, reverse: Any = False) -> None:
        """`list.sort`, of numbers or tuples of numbers; NaNs come last, or first when reversed."""
        if not self.is_traced():
            return self.become(type(self).of(sort(list(self), key=key, reverse=reverse)))
        if key is not None or is_traced(reverse):
            raise search.not_of_list("sorting by a key, or in a traced direction,", instead="sort tuples that begin with the key")
        self._take(search.order_of(self, bool(reverse)))

    def index(self: Any, value: Any, start: Any = 0, stop: Any = sys.maxsize, /) -> Any:
        """`list.index`."""
        if not self.is_traced():
            return self.done_by_list("index", value, start, stop)
        shown = "value" if is_traced(value) else repr(value)
        is_whole = type(start) is int and start == 0 and stop is sys.maxsize
        part = None if is_whole else slice(start, None if stop is sys.maxsize else stop)
        return number(search.place_equal_to(self, value, part, ValueError(f"{shown} is not in list")))

    def count(self: Any, value: Any, /) -> Any:
        """`list.count`."""
        return search.count_equal(self, value) if self.is_traced() else self.done_by_list("count", value)

    def remove(self: Any, value: Any, /) -> None:
        """`list.remove`: the elements behind it move up."""
        if not self.is_traced():
            return self.done_by_list("remove", value)
        self.drop(search.place_equal_to(self, value, None, ValueError("list.remove(x): x not in list")))

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
        joined, before = self.together_with(found, leaves), self.capacity
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
        """The elements as one array; None of a known number of them."""
        if not self.is_traced():
            return None
        length = self.least_length()
        if sizes.is_known(length, ">", 0) and type(self.elements.template) is Slot:
            return lax.slice_in_dim(self.columns[0], 0, length)
        return self.__jax_array__() if length else search.array_of(self)  # no array of an axis that may be empty

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
        if not isinstance(values, list):
            return NotImplemented
        return type(self).of(values) + self if self.is_traced() else values + list(self)

    def __mul__(self: Any, times: Any, /) -> Any:
        return search.repeated(self, times) if self.is_traced() else list(self) * times

    __rmul__ = __mul__

    def __imul__(self: Any, times: Any, /) -> BoundedList:
        made = self * times
        self.become(made if type(made) is type(self) else type(self).of(made))
        return self

    def __delitem__(self: Any, index: Any, /) -> None:
        if not self.is_traced():
            values = list(self)
            del values[index]
            self.become(type(self).of(values))
        elif isinstance(index, slice):
            self[index] = []
        else:
            self.drop(self._position(index, "list assignment"))

    __lt__, __le__, __gt__, __ge__ = map(_comparison, (operator.lt, operator.le, operator.gt, operator.ge))

    def __reversed__(self: Any) -> Iterator[Any]:
        return iter(self[::-1])
