"""Lists whose length is only known when the program runs: what a list is to which a traced test decides what is appended.

An XLA program has no arrays of unknown length, so such a list is an array with room for the longest it can get, and the
number of elements. `given_room` and `list_growth` make them.

>>> import autograph as ag
>>> @ag.jit
... def halves(x):
...     out = []
...     while x > 1:
...         ag.set_loop_options(maximum_iterations=20)
...         out.append(x)
...         x = x // 2
...     return out
>>> halves(20), halves(20) == [20, 10, 5, 2], len(halves(5))
(BoundedList([20, 10, 5, 2]), True, 2)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.checks.guards import guard_index
from autograph.runtime.heap import journal
from autograph.runtime.sequences import array_items, bounded_list_search as search, selection
from autograph.runtime.sequences.bounded_list_operators import ListOperators
from autograph.runtime.tracing import context, integer_ranges, sizes
from autograph.runtime.tracing.array_types import ArrayType, TypesDiffer, check_fits, convert_to, of_type
from autograph.runtime.tracing.class_lookup import python_method
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_array_like, is_traced
from autograph.runtime.values.element_types import Elements
from autograph.runtime.values.merge import Slot


class BoundedList(ListOperators):
    """A list of at most `capacity` elements, whose length is known when the program runs.

    An `if` or a loop makes it of a list that is longer on one path than on another (see `given_room`). In converted code it does
    what the list does that it stands for: `append`, `insert`, `extend`, `pop`,
    `clear`, `copy`, `len`, truth, items read and written (an index may be traced, and is checked), slices, `+`, `==`, `for`,
    `sum`, and, of numbers or tuples of numbers, `in`, `index`, `count`, `remove`, `sort`, `reverse`. As a result of a compiled
    function it can be read like a list: `list(xs)` is one.

    Its elements are numbers, arrays of one shape, or tuples of these; numbers promote as JAX promotes. It is a pytree of
    the number of elements (an int32 scalar, or a batch of them under `vmap`) and one array of shape `(capacity + 1, ...)` for
    each number or array of an element. What stands behind the last element has no meaning; in the spare row ends what is
    appended where there is no room, so that no iteration of a loop has to check.

    Attributes:
        size: *traced* or concrete; the number of elements. (`count` is a method of lists.)
        columns: the arrays.
    Raises:
        StagingError: an operation whose result would have to have a known length.
        IndexError, JaxRuntimeError: the index is out of range, or an empty list is popped; the latter when the compiled
            program runs.
    """

    __slots__ = ("__weakref__", "columns", "elements", "growth", "size")
    __hash__ = None  # type: ignore[assignment]  # as of a list, which changes; `object` declares a method here

    columns: tuple[Any, ...]
    size: Any
    elements: Elements | None
    growth: Any

    def __init__(self, elements: Elements | None, columns: Sequence[Any], size: Any) -> None:
        self.elements = elements
        self.columns = tuple(columns)
        self.size = size
        self.growth = None  # the loop in which it grows (see `list_growth`)
        context.progress.has_bounded = True

    @classmethod
    def of(cls, values: Iterable[Any]) -> BoundedList:
        """The list of known elements, which has room for them."""
        made = cls(None, (), jnp.asarray(0))
        rows = []
        for value in values:
            found, leaves = Elements.of(value)
            made.elements = made.together_with(found, leaves)
            rows.append(leaves)
        if made.elements is not None:
            made.size = jnp.asarray(len(rows))
            made.columns = tuple(map(_column, zip(*rows, strict=True), made.elements.types))
        return made

    @property
    def capacity(self) -> int:
        """How many elements there is room for."""
        return self._rows - 1

    @property
    def _rows(self) -> int:
        return self.columns[0].shape[-1 - len(self._type(0).shape)] if self.columns else 1

    def _type(self, index: int) -> ArrayType:
        assert self.elements is not None
        return self.elements.types[index]

    # -- how a list grows and shrinks --------------------------------------------------------------------------------

    def append(self, value: Any, /) -> None:
        """`list.append`."""
        found, leaves = Elements.of(value)
        if self._admits(found, leaves, 1):
            self._write(leaves, self._row(self.size))
            self._set("size", self.size + 1)

    def extend(self, values: Iterable[Any], /) -> None:
        """`list.extend`, of another such list or of an iterable with a known number of elements."""
        if type(values) is BoundedList and (values.is_traced() or self.is_traced()):
            return search.append_all(self, values)
        for value in values:
            self.append(value)

    def pop(self, *index: Any) -> Any:
        """`list.pop`; where it is not the last element, those behind it move up, as in Python."""
        if not self.is_traced():
            return self.done_by_list("pop", *index)
        some = guard_index(self.size, self.size > 0, IndexError("pop from empty list"))
        if not index or (not is_traced(index[0]) and index[0] == -1):
            self._set("size", some - 1)
            return self._read(self.size)
        at = self._position(index[0], "pop")
        value = self._read(at)
        self.drop(at, some)
        return value

    def drop(self, at: Any, size: Any = None) -> None:
        """Takes an element out; those behind it move up."""
        rows = jnp.arange(self._rows)
        self._take(lax.min(rows + (rows >= at), self._rows - 1))
        self._set("size", (self.size if size is None else size) - 1)

    def clear(self) -> None:
        """`list.clear`."""
        self._set("size", self.size * 0)

    def copy(self) -> BoundedList:
        """`list.copy`."""
        return BoundedList(self.elements, self.columns, self.checked_size())

    def become(self, other: BoundedList) -> None:
        """Takes on what another list holds; outside of loops."""
        self.growth = None
        for name in ("elements", "columns", "size"):
            self._set(name, getattr(other, name))

    def _admits(self, found: Elements, leaves: Sequence[Any], new: int) -> bool:
        """Makes room for values; False where the loop around is going to be traced again with more room."""
        return self.makes_room(self.together_with(found, leaves), new)

    def makes_room(self, joined: Elements, new: int) -> bool:
        """Makes room for `new` elements more, all of these types; False where the loop around is going to be traced again."""
        if self.growth is not None:
            return bool(self.growth.admits(joined, new))
        if new or self.elements is None or joined.types != self.elements.types:
            self.widen(joined, self.capacity + new)
        return True

    def replace(self, columns: Sequence[Any], size: Any) -> None:
        """Takes on other elements, for which there is room."""
        self._set("columns", tuple(columns))
        self._set("size", size)

    def together_with(self, found: Elements, leaves: Sequence[Any]) -> Elements:
        """What the elements have in common together with one more."""
        try:
            for leaf, kind in zip(leaves, found.types, strict=False):  # there are none of another list
                check_fits(leaf, kind)
            return found if self.elements is None else self.elements.joined(found)
        except TypesDiffer as differ:
            raise refusal(
                "the elements of a list of unknown length differ",
                why=f"it holds {self._kind}, and {found} is put into it: {differ}",
                instead="give all elements one structure and one shape",
                page="list-of-two-shapes",
            ) from None

    def widen(self, elements: Elements, capacity: int) -> None:
        """Room for more elements, of wider types."""
        columns = []
        for index, kind in enumerate(elements.types):
            if self.elements is None:
                columns.append(_zeros(kind, capacity + 1))
                continue
            column = convert_to(self.columns[index], _stacked(kind, self._rows))
            more = capacity - self.capacity
            columns.append(lax.concatenate([column, _zeros(kind, more)], 0) if more else column)
        self._set("elements", elements)
        self._set("columns", tuple(columns))

    def checked_size(self) -> Any:
        """The number of elements; the program fails where there was no room for all.

        An element that was lost is missed where it is read, and where the loop ends: nothing else depends on it.
        """
        if self.growth is None or not self.growth.is_promised:
            return self.size
        return guard_index(self.size, self.size <= self.capacity, RuntimeError(self.growth.too_long))

    def _take(self, rows: Any) -> None:
        self._set("columns", tuple(jnp.take(column, rows, axis=0, mode="clip") for column in self.columns))

    def _set(self, name: str, value: Any) -> None:
        journal.touch_attribute(self, name)
        object.__setattr__(self, name, value)

    # -- elements ----------------------------------------------------------------------------------------------------

    def _read(self, at: Any) -> Any:
        """The element at an index from 0 on."""
        if self.growth is not None and not self.growth.is_settled:
            return self.growth.any_element()
        if self.elements is None:
            raise search.not_of_list("reading an element before one was put in", instead="begin with a list of one element")
        if self.growth is not None and self.growth.is_promised:
            at = guard_index(at, at < self.capacity, RuntimeError(self.growth.too_long))
        at = self._row(at)
        return self.elements.make([array_items.read_item(column, at) for column in self.columns])

    def _row(self, at: Any) -> Any:
        """Where an element stands: in the spare row where there is no room for it."""
        return integer_ranges.declare_range(lax.min(at, jnp.asarray(self.capacity, at.dtype)), 0, self.capacity)

    def _write(self, leaves: Sequence[Any], at: Any) -> None:
        assert self.elements is not None
        values = [convert_to(leaf, kind) for leaf, kind in zip(leaves, self.elements.types, strict=True)]
        columns = [array_items.put_item(value, column, at) for value, column in zip(values, self.columns, strict=True)]
        self._set("columns", tuple(columns))

    def _position(self, index: Any, what: str) -> Any:
        if not is_traced(index):
            index = operator.index(index)
            at = index if index >= 0 else self.size + index
            if sizes.is_known(index if index >= 0 else -1 - index, "<", self.least_length()):
                return jnp.asarray(at, jnp.result_type(int))
        else:
            at = lax.convert_element_type(index, jnp.result_type(int))
            at = lax.select(at < 0, at + self.size, at)
        at = jnp.asarray(at, jnp.result_type(int))
        if what == "list assignment" and self.growth is not None and self.growth.is_promised:
            at = guard_index(at, at < self.capacity, RuntimeError(self.growth.too_long))
        return guard_index(at, (at >= 0) & (at < self.size), IndexError(f"{what} index out of range"))

    def __getitem__(self, index: Any) -> Any:
        if not self.is_traced():
            return list(self)[index]
        if isinstance(index, slice):
            return search.slice_of(self, index)
        return self._read(self._position(index, "list"))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            return search.put_slice(self, index, value)
        at = self._position(index, "list assignment")
        found, leaves = Elements.of(value)
        if self._admits(found, leaves, 0):
            self._write(leaves, at)

    def element(self, at: Any) -> Any:
        """The element of an iteration of a loop over the list."""
        return self._read(at)

    # -- the whole ---------------------------------------------------------------------------------------------------

    def known_elements(self, what: str) -> list[Any]:
        """The elements, for an operation that needs their number."""
        if self.is_traced():
            raise search.not_of_list(
                what, instead="rewrite it as a loop over the list, or return the list and do it with the result"
            )
        return list(self)

    def is_traced(self) -> bool:
        """Whether the length is not known yet; a list is empty as long as nothing is known of its elements.

        In a loop in which the list grows no length is known, also where the first one is (outside of `jit`, under `vmap`).
        """
        return self.elements is not None and (self.growth is not None or is_traced(self.size))

    def __len__(self) -> int:
        if self.elements is None:
            return 0
        count = self.size
        if is_traced(count):
            return convert_weak(count, jnp.result_type(int))  # converted code reads it by name
        if np.ndim(count):
            raise TypeError(f"this is a batch of {np.shape(count)} lists, made by vmap: take one with jax.tree.map")
        return int(count)

    def __bool__(self) -> bool:
        test: bool = self.elements is not None and self.size > 0
        return test if is_traced(test) else bool(test)

    def __iter__(self) -> Iterator[Any]:
        if self.is_traced():
            raise search.not_of_list("taking the elements one by one", instead="write a `for` statement, or return the list")
        size = len(self)
        rows = [list(column[:size]) for column in self.columns]
        for k in range(size):
            assert self.elements is not None
            yield self.elements.make([row[k] for row in rows])

    def __contains__(self, value: Any) -> Any:
        if not self.is_traced():
            return value in list(self)
        assert self.elements is not None
        if type(self.elements.template) is Slot and not is_array_like(value) and python_method(type(value), "__eq__") is None:
            return False  # no number is equal to it
        return jnp.any(search.rows_equal_to(self, value, "`in`"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, list | BoundedList):
            return NotImplemented
        if self.is_traced():
            return search.have_equal_elements(self, other)
        return other == self if isinstance(other, BoundedList) and other.is_traced() else list(self) == list(other)

    def __repr__(self) -> str:
        if self.is_traced() or np.ndim(self.size):
            return f"BoundedList(at most {self.capacity} of {self._kind})"
        shown = [jax.tree.map(lambda x: x if np.ndim(x) else np.asarray(x).item(), element) for element in self]
        return f"BoundedList({shown!r})"

    def __jax_array__(self) -> NoReturn:
        raise search.not_of_list(
            "making an array",
            instead="make it an array by name (`y = np.array(xs)`), reduce it (`sum`, `max`), or return the list",
        )

    def reduced(self, name: str) -> Any:
        """`sum`, `any`, `all`, `min` or `max` of the elements."""
        if name in ("any", "all"):
            neutral = name == "all"
            return self._reduced(jnp.all if neutral else jnp.any, neutral, name, lambda column: column != 0)
        if name == "sum":
            return self._reduced(lambda x: jnp.sum(x, axis=0, promote_integers=False), 0, name, lambda column: column)
        some = guard_index(self.checked_size(), self.size > 0, ValueError(f"{name}() arg is an empty sequence"))
        return self._reduced(partial(selection.extreme_of_vector, name), None, name, lambda column: column, some)

    def _reduced(
        self, reduce: Callable[[Any], Any], neutral: Any, what: str, of: Callable[[Any], Any], count: Any = None
    ) -> Any:
        """A reduction of `of(column)`, with `neutral`, or the first element, in the rows that hold none."""
        if self.growth is not None and not self.growth.is_settled:
            return reduce(of(self.growth.any_column()))
        assert self.elements is not None
        if type(self.elements.template) is not Slot or (self._type(0).shape and what != "sum"):
            raise search.refused_elements(what)
        column = of(self.columns[0])
        other = column[0] if neutral is None else jnp.asarray(neutral, column.dtype)
        used = jnp.arange(self._rows) < (self.checked_size() if count is None else count)
        used = used.reshape(-1, *(1,) * (column.ndim - 1))
        result = reduce(jnp.where(used, column, other))
        return convert_weak(result, result.dtype) if self._type(0).weak and result.dtype != bool else result

    @property
    def _kind(self) -> str:
        return "no element" if self.elements is None else str(self.elements)


def _stacked(kind: ArrayType, count: int) -> ArrayType:
    return kind._replace(shape=(count, *kind.shape), sharding=None)


def _column(leaves: Iterable[Any], kind: ArrayType) -> Any:
    """The array of known leaves, with the spare row."""
    column = jnp.stack([*(convert_to(leaf, kind) for leaf in leaves), jnp.zeros(kind.shape, kind.dtype)])
    return convert_weak(column, kind.dtype) if kind.weak else column


def _zeros(kind: ArrayType, count: int) -> Any:
    return of_type(_stacked(kind, count))


jax.tree_util.register_pytree_node(
    BoundedList,
    lambda xs: ((xs.size, *xs.columns), xs.elements),
    lambda elements, children: BoundedList(elements, children[1:], children[0]),
)
