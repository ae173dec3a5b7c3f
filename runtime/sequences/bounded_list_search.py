"""Searches, sorts, slices and joins lists whose length is only known when the program runs: `xs.index(v)`, `xs.sort()`, `xs[a:b]`.

>>> import autograph as ag
>>> @ag.jit
... def digits(n):
...     found = []
...     while n > 0:
...         ag.set_loop_options(maximum_iterations=10)
...         found.append(n % 10)
...         n = n // 10
...     return found[::-1], sorted(found), found.index(5), found + found[:1]
>>> digits(752)
(BoundedList([7, 5, 2]), BoundedList([2, 5, 7]), Array(1, dtype=int32, weak_type=True), BoundedList([2, 5, 7, 2]))
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.checks.guards import guard_index
from autograph.runtime.sequences.bounded_items import read_rows
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.bounded_array import BoundedArray, number
from autograph.runtime.values.element_types import Elements
from autograph.runtime.values.merge import Slot
from autograph.runtime.values.rows import Span, span_of

if TYPE_CHECKING:
    from autograph.runtime.sequences.bounded_list import BoundedList


def not_of_list(what: str, instead: str) -> Exception:
    """Returns the error for what is not written for lists of unknown length."""
    return refusal(
        f"{what} is not possible with a list whose length is only known when the program runs",
        why="the list grew in a staged loop, and the arrays of a compiled program have known shapes",
        instead=instead,
        page="list-of-unknown-length",
    )


def refused_elements(what: str) -> Exception:
    """Returns the error for what is only written for numbers, or for tuples of numbers."""
    return not_of_list(f"{what} of elements that are no numbers", instead="write it as a loop over the list")


def rows_with_elements(xs: BoundedList) -> Span:
    """Returns which rows of the arrays are elements."""
    return Span(0, xs.checked_size(), xs.capacity + 1)


def array_of(xs: BoundedList) -> Any:
    """Returns the numbers, tuples of numbers, or arrays of a list as an array, as `np.array` does."""
    assert xs.elements is not None
    columns = [jnp.asarray(lax.convert_element_type(column, column.dtype)) for column in xs.columns]
    if type(xs.elements.template) is Slot:
        data = columns[0]
    elif _are_numbers(xs) and len(xs.elements.structures) == 1:
        data = jnp.stack(columns, axis=1)
    else:
        raise refused_elements("an array")
    return BoundedArray(data, (rows_with_elements(xs), *(None,) * (data.ndim - 1)))


def slice_of(xs: BoundedList, part: slice) -> BoundedList:
    """Returns `xs[start:stop:step]`, a new list."""
    taken: list[Any] = []
    for column in xs.columns:
        array = BoundedArray(column, (rows_with_elements(xs), *(None,) * (column.ndim - 1)))
        taken.append(read_rows(array, part).compact())
    return type(xs)(xs.elements, [x.data for x in taken], taken[0].rows[0].length)


def order_of(xs: BoundedList, reverse: bool) -> Any:
    """Returns the rows in the order of their elements, which is stable.

    NaNs come last, and first when reversed; Python leaves them in no defined order.
    """
    if not _are_numbers(xs) or any(jnp.iscomplexobj(column) for column in xs.columns):
        raise refused_elements("sort")
    rows = jnp.arange(xs.capacity + 1)
    keys = [rows >= xs.checked_size(), *xs.columns, rows]
    keys = [lax.rev(key, (0,)) for key in keys] if reverse else keys
    order = lax.sort([lax.convert_element_type(key, key.dtype) for key in keys], num_keys=len(keys) - 1)[-1]
    return jnp.take(order, xs.size - 1 - rows, mode="clip") if reverse else order


def rows_equal_to(xs: BoundedList, value: Any, what: str) -> Any:
    """Tells for each row whether it is an element that is equal to a value."""
    assert xs.elements is not None
    found, leaves = Elements.of(value)
    used = rows_with_elements(xs).mask()
    if found != xs.elements:
        return used & False  # a number is equal to no tuple
    if not _are_numbers(xs) or any(map(np.ndim, leaves)):
        raise refused_elements(what)
    for column, leaf in zip(xs.columns, leaves, strict=True):
        used = used & (column == leaf)
    return used


def place_equal_to(xs: BoundedList, value: Any, part: slice | None, error: Exception) -> Any:
    """Returns the first row, in a part of the list, of an element that is equal to a value."""
    found = rows_equal_to(xs, value, "search")
    if part is not None:
        found = found & span_of(part, xs.size, xs.capacity + 1).mask()
    return guard_index(jnp.argmax(found).astype(jnp.result_type(int)), jnp.any(found), error)


def count_equal(xs: BoundedList, value: Any) -> Any:
    """Returns how many elements are equal to a value."""
    return number(jnp.sum(rows_equal_to(xs, value, "count")))


def have_equal_elements(xs: BoundedList, other: Any) -> Any:
    """Whether two lists have as many elements, and equal ones."""
    ys = other if type(other) is type(xs) else type(xs).of(other)
    if ys.elements is None or xs.elements is None or ys.elements != xs.elements:
        return (xs.checked_size() == 0) & (ys.checked_size() == 0)
    if not _are_numbers(xs) or not _are_numbers(ys):
        raise refused_elements("a comparison")
    rows = min(xs.capacity, ys.capacity) + 1
    equal = jnp.ones(rows, bool)
    for a, b in zip(xs.columns, ys.columns, strict=True):
        equal = equal & (a[:rows] == b[:rows])
    return (xs.checked_size() == ys.checked_size()) & jnp.all(equal | (jnp.arange(rows) >= xs.size))


def append_all(xs: BoundedList, other: BoundedList) -> None:
    """Appends the elements of another list of unknown length."""
    if other.elements is None:
        return
    size, more, columns = xs.size, other.checked_size(), other.columns
    joined = xs.together_with(other.elements, ())
    if not xs.makes_room(joined, other.capacity):
        return
    assert xs.elements is not None
    pairs = zip(xs.columns, columns, xs.elements.types, strict=True)
    starts = lax.convert_element_type(size, jnp.result_type(int))
    new = [
        lax.dynamic_update_slice_in_dim(old, lax.convert_element_type(column[: other.capacity], kind.dtype), starts, 0)
        for old, column, kind in pairs
    ]
    xs.replace(new, size + more)


def put_slice(xs: BoundedList, part: slice, values: Any) -> None:
    """`xs[start:stop] = values`, of another such list or of an iterable with a known number of elements."""
    if part.step not in (None, 1):
        raise not_of_list("writing a slice with a step", instead="write the elements in a loop")
    taken = span_of(part, xs.checked_size(), xs.capacity + 1)
    made, rest = slice_of(xs, slice(0, taken.start)), slice_of(xs, slice(taken.end, None))
    made.extend(values)
    new = made.capacity - xs.capacity
    append_all(made, rest)
    assert made.elements is not None
    if xs.makes_room(made.elements, new):
        xs.replace([column[: xs.capacity + 1] for column in made.columns], made.size)


def repeated(xs: BoundedList, times: Any) -> BoundedList:
    """Returns `xs * times`."""
    if is_traced(times):
        raise not_of_list("repeating a traced number of times", instead="append in a loop")
    made = slice_of(xs, slice(0, 0)) if operator.index(times) < 1 else xs.copy()
    for _ in range(operator.index(times) - 1):
        append_all(made, xs)
    return made


def _are_numbers(xs: BoundedList) -> bool:
    """Whether the elements are numbers, or tuples of numbers."""
    return xs.elements is not None and not any(kind.shape for kind in xs.elements.types)
