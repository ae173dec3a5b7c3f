"""Elements, slices and selections of which the number is known when the program runs: `x[:k]`, `a[i, j:]`, `x[mask]`, and writes.

Most indices are split into two: one that JAX takes, with all of an axis where the index is open, and which rows of these axes are
elements. A read is then `BoundedArray(x[whole], rows)`, and a write puts the new elements into `x[whole]` where the rows say.

| index of an axis | rows of the result |
| --- | --- |
| a slice with traced bounds, or of an axis of unknown length | a span; with a step, those that a mask chose |
| a traced mask, also of several axes | those that it chose |
| an array of integers of unknown length | as many as there are indices |
| an integer | none: the axis is gone; the program fails where it is out of range |

A slice is a view of the array, as in NumPy: its buffer is the array, so `heap.array_versions` refuses to read either after
the other was written. A selection by a mask is a copy.

>>> import autograph as ag, jax.numpy as jnp
>>> @ag.jit
... def f(a, i, j):
...     a[i, :j] = a[i, :j] / a[i, j]
...     return a
>>> f(jnp.array([[2.0, 4.0, 2.0]]), 0, 2)
Array([[1., 2., 2.]], dtype=float32)
"""

from __future__ import annotations

import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.checks.guards import guard_index
from autograph.runtime.heap import array_views
from autograph.runtime.sequences import array_items, mask_indices
from autograph.runtime.sequences.bounded_operands import of_same_length, together
from autograph.runtime.sequences.bounded_places import with_one_index
from autograph.runtime.sequences.index_lists import is_integer_index
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.tracing.staging import holds_traced, is_array_like, is_traced
from autograph.runtime.values.bounded_array import BoundedArray, of_array, refused, simplified
from autograph.runtime.values.rows import Chosen, Rows, Span, all_rows, integer, minus, moved, plus, span_of, tell_cost

_ALL = slice(None)


def is_open_index(i: Any) -> bool:
    """Whether an index takes a number of elements that is known when the program runs."""
    return any(map(_is_open, i)) if type(i) is tuple else _is_open(i)


def _is_open(part: Any) -> bool:
    kind = type(part)
    if kind is slice:
        return is_traced(part.start) or is_traced(part.stop) or is_traced(part.step)
    return kind is BoundedArray or mask_indices.is_traced_mask(part)


def needs_rows(value: Any, x: Any, i: Any) -> bool:
    """Whether `put_rows` has to write a value at an index of an array: a part of it, or of several, is of unknown length."""
    if type(value) is BoundedArray or type(i) is BoundedArray:
        return True
    if type(i) is tuple:
        return any(type(part) is BoundedArray or (type(part) is slice and _is_open(part)) for part in i)
    if not (is_array_like(value) and np.ndim(value)) or not mask_indices.is_traced_mask(i):
        return False
    return bool(np.ndim(value) > x.ndim - i.ndim and np.shape(value)[0] != 1)  # a value for each element that the mask selects


def read_rows(x: Any, i: Any) -> Any:
    """`x[i]`, where the index is open or `x` is a bounded array.

    Raises:
        StagingError: the index is of a kind that is not written for arrays of unknown length.
        IndexError: a known index is out of range.
    """
    array = of_array(x)
    parts = _parts(array, i)
    at = next((n for n, part in enumerate(parts) if _is_array(part)), None)
    if at is not None:
        if sum(map(_is_array, parts)) > 1:
            array, parts = with_one_index(array, parts, _places(parts))
            at = next(n for n, part in enumerate(parts) if _is_array(part))
        return _selected(array, parts, at)
    array = _sliceable(array, parts)
    whole, rows = _split(array, parts)
    data = array.data if all(part is _ALL for part in whole) else _read_whole(array.data, whole)
    return simplified(_tied(data, whole, parts), rows)


def _tied(data: Any, whole: list[Any], parts: list[Any], old: Any = None) -> Any:
    """Returns what was read, or written, with a use of each index that is checked: XLA may know the element, whatever the index."""
    for at, part in zip(whole, parts, strict=True):
        if at is not part and is_traced(at) and not at.shape and not jnp.issubdtype(data.dtype, jax.dtypes.extended):
            other = jnp.where(data == 0, 1, 0).astype(data.dtype) if old is None else old
            read, data = data, jnp.where(at >= 0, data, other)
            array_views.note_choice(data, [read])
    return data


def _read_whole(data: Any, whole: list[Any]) -> Any:
    index = tuple(whole)
    if any(part is None or (type(part) is slice and part is not _ALL) for part in whole):
        slices = tuple(part if part is None or type(part) is slice else _ALL for part in whole)
        data = data[slices]  # basic: a view, as in NumPy
        index = tuple(_ALL if part is None or type(part) is slice else part for part in whole)
    return data if all(part is _ALL for part in index) else array_items.read_item(data, index)


def _is_array(part: Any) -> bool:
    return type(part) is BoundedArray or (is_array_like(part) and bool(np.ndim(part))) or type(part) is list


def _parts(array: BoundedArray, i: Any) -> list[Any]:
    """Returns the index of each axis, and `None` for a new one."""
    parts = list(i) if type(i) is tuple else [i]
    dots = [n for n, part in enumerate(parts) if part is ...]
    used = sum((part.ndim if _is_mask(part) else 1) for part in parts if part is not None and part is not ...)
    if used > array.ndim or len(dots) > 1:
        raise IndexError(f"too many indices for array: array is {array.ndim}-dimensional, but {used} were indexed")
    at = dots[0] if dots else len(parts)
    parts[at : at + 1] = [_ALL] * (array.ndim - used)
    for part in parts:
        if not (part is None or type(part) is slice or _is_array(part) or is_integer_index(part)):
            raise refused(f"an index of class {type(part).__name__}")
    return parts


def _places(parts: list[Any]) -> list[bool]:
    """Tells which parts of an index are integers, or arrays of integers."""
    return [(_is_array(part) and not _is_mask(part)) or is_integer_index(part) for part in parts]


def _is_mask(part: Any) -> bool:
    return _is_array(part) and type(part) is not list and part.dtype == bool


def _sliceable(array: BoundedArray, parts: list[Any]) -> BoundedArray:
    """Returns the same, with those elements at the front of an axis that a mask chose and that is sliced, or read at an integer."""
    axes = [part for part in parts if part is not None]
    if not any(type(rows) is Chosen and part != _ALL for rows, part in zip(array.rows, axes, strict=True)):
        return array
    compact = array.compact()
    array_views.note_choice(compact.data, [array.data])
    return compact


def _split(array: BoundedArray, parts: list[Any]) -> tuple[list[Any], list[Rows | None]]:
    """Returns an index that JAX takes, and which rows of the axes that it leaves are elements; no part is an array with axes."""
    whole: list[Any] = []
    rows: list[Rows | None] = []
    axis = 0
    for part in parts:
        if part is None:
            whole.append(None)
            rows.append(None)
            continue
        here, size = array.rows[axis], array.data.shape[axis]
        axis += 1
        if type(part) is not slice:
            whole.append(_place(part, here, size))
            continue
        if part == _ALL or (here is None and not _is_open(part)):
            whole.append(_ALL if part == _ALL else part)
            rows.append(here)
            continue
        if not isinstance(size, int):
            raise refused("a slice with a traced bound, of an axis of unknown size,")
        turn, taken = _taken(part, here or all_rows(size), size)
        whole.append(turn)
        rows.append(taken)
    return whole, rows


def _place(i: Any, rows: Rows | None, size: int) -> Any:
    """Finds where an element stands."""
    if rows is None:
        if not is_traced(i) and not -size <= i < size:
            raise IndexError(f"index {i} is out of bounds for axis 0 with size {size}")
        return i
    assert type(rows) is Span
    i, length = integer(i), rows.length
    at = i if integer_ranges.is_natural(i) else jnp.where(i < 0, i + length, i) if is_traced(i) else length + i
    known = integer_ranges.range_of(length)
    if is_traced(i) or known is None or not (0 <= i < known[0] or 0 < -i <= known[0]):
        tell_cost("a check that the index is one of an element, when the program runs")
        at = jnp.asarray(at)
        at = guard_index(at, (at >= 0) & (at < length), IndexError("index is out of bounds for an array of unknown length"))
    return integer_ranges.declare_range(plus(rows.start, at), 0, size - 1)


def _taken(part: slice, here: Rows, size: int) -> tuple[slice, Rows]:
    """Finds how to turn an axis, whose elements are a span, and which of its rows a slice then takes."""
    step = 1 if part.step is None else part.step
    if is_traced(step):
        raise refused("a slice with a traced step")
    step = operator.index(step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    turn, start, stop = _ALL, part.start, part.stop
    assert type(here) is Span
    if step < 0:
        turn, here, step = slice(None, None, -1), here.backwards(), -step
        start, stop = (None if k is None else _turned(k, here.length) for k in (start, stop))
    inside = span_of(slice(start, stop), here.length, size)
    taken = Span(plus(here.start, inside.start), inside.length, size)
    if step == 1:
        return turn, taken
    mask = taken.mask() & (minus(jnp.arange(size), taken.start) % step == 0)
    return turn, Chosen(mask, (taken.length + (step - 1)) // step)


def _turned(k: Any, length: Any) -> Any:
    """Returns a bound of a slice that goes backwards, counted from the last element on."""
    k = integer(k)
    k = jnp.where(k < 0, k + length, k) if is_traced(k) else k + length if k < 0 else k
    found = minus(length, 1) - k
    return max(found, 0) if type(found) is int else jnp.maximum(found, 0)


def _selected(array: BoundedArray, parts: list[Any], at: int) -> Any:
    """`x[mask]`, `x[places]`: a copy."""
    chosen = parts[at]
    before = parts[:at]
    if not all(type(part) is slice and part == _ALL for n, part in enumerate(parts) if n != at):
        if any(map(_is_array, (*before, *parts[at + 1 :]))) or any(part is None for part in parts):
            raise refused("an index of several arrays")
        width = chosen.ndim if _is_mask(chosen) else 1
        if not _are_beside(parts, at):
            raise refused("an index of an array and integers with a slice between them")
        rest = [*before, *[_ALL] * width, *parts[at + 1 :]]
        array = of_array(read_rows(array, tuple(rest)))
        before = [part for part in before if type(part) is slice]
    axis = len(before)
    chosen = _as_index(chosen)
    return _masked(array, axis, chosen) if chosen.dtype == bool else _gathered(array, axis, chosen)


def _as_index(chosen: Any) -> BoundedArray:
    """Returns a mask or indices.

    Raises:
        IndexError: it is an array of other numbers.
    """
    found = of_array(np.asarray(chosen, None if chosen else int) if type(chosen) is list and not holds_traced(chosen) else chosen)
    if found.dtype.kind not in "iub":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return found


def _are_beside(parts: list[Any], at: int) -> bool:
    """Whether the integers of an index stand beside its array: else NumPy puts the axis of the elements first."""
    fancy = [n for n, part in enumerate(parts) if n == at or not (part is None or type(part) is slice)]
    return fancy[-1] - fancy[0] == len(fancy) - 1


def _masked(array: BoundedArray, axis: int, mask: BoundedArray) -> Any:
    """Returns the elements that a mask of one or more axes chooses, of which one axis is left."""
    data, rows, chosen = array.data, list(array.rows), mask.data
    behind = axis + mask.ndim
    for k, (own, there) in enumerate(zip(rows[axis:behind], mask.rows, strict=True)):
        if own is None and there is None:
            _check_mask(data.shape[axis + k], chosen.shape[k], axis + k)
            continue
        here, there = own or all_rows(data.shape[axis + k]), there or all_rows(chosen.shape[k])
        here = of_same_length(here, there, _OTHER_MASK)
        chosen = chosen if there.is_like(here) else moved(chosen, k, there, here)
        chosen = chosen & here.mask().reshape((-1,) + (1,) * (mask.ndim - 1 - k))
    data = data.reshape((*data.shape[:axis], -1, *data.shape[behind:]))
    rows[axis:behind] = [Chosen(chosen.reshape(-1))]
    return BoundedArray(array_views.copied(data, [array.data]), tuple(rows))


_OTHER_MASK = IndexError("boolean index did not match indexed array: their lengths, known when the program runs, differ")


def _check_mask(size: int, own: int, axis: int) -> None:
    if size != own:
        raise IndexError(
            f"boolean index did not match indexed array along axis {axis}; size of axis is {size} "
            f"but size of corresponding boolean axis is {own}"
        )


def _gathered(array: BoundedArray, axis: int, places: BoundedArray) -> Any:
    """Returns the elements at the indices of an array, which are checked."""
    if places.ndim != 1:
        raise refused("an index of an array of several axes")
    rows, size = list(array.rows), array.data.shape[axis]
    if type(rows[axis]) is Chosen:
        array = array.compact()
        rows = list(array.rows)
    here = rows[axis]
    length, start = (size, 0) if here is None else (here.length, here.start)  # type: ignore[union-attr]  # a span, after `compact`
    at = integer_array(places.data)
    at = jnp.where(at < 0, at + length, at)
    is_inside = (at >= 0) & (at < length)
    inside = jnp.all(is_inside | ~places.mask()) if any(places.rows) else jnp.all(is_inside)
    taken = places.rows[0] or all_rows(places.data.shape[0])
    error = IndexError("an index of an array of indices is out of bounds")
    taken = taken.of_length(guard_index(jnp.asarray(taken.length), inside, error))
    rows[axis] = taken if places.rows[0] is not None or here is not None else None
    return simplified(jnp.take(array.data, plus(start, at), axis=axis, mode="clip"), rows)


def integer_array(x: Any) -> Any:
    """Returns an array of indices in a type that holds every size."""
    return x if x.dtype == jnp.result_type(int) else lax.convert_element_type(x, jnp.result_type(int))


def put_rows(value: Any, x: Any, i: Any) -> Any:
    """`x[i] = value`, where the index is open, or `x` or the value is a bounded array; returns the new array.

    Raises:
        StagingError: as `read`; or several values are written at indices of unknown number.
    """
    array = of_array(x)
    parts = _parts(array, i)
    at = next((n for n, part in enumerate(parts) if _is_array(part)), None)
    if at is not None and sum(places := _places(parts)) > 1 and type(x) is not BoundedArray:
        one, parts = with_one_index(array, parts, places)
        return put_rows(value, one.data, tuple(parts)).reshape(x.shape)
    if at is not None:
        return _put_selected(value, array, parts, at)
    array = _sliceable(array, parts)
    whole, rows = _split(array, parts)
    if any(type(part) is slice and part.step is not None and part.step < 0 for part in whole if part is not _ALL):
        raise refused("a write to a slice that goes backwards")
    old = array.data if all(part is _ALL for part in whole) else _read_whole(array.data, whole)
    new = _written(old, rows, value)
    data = new if all(part is _ALL for part in whole) else array_items.put_item(new, array.data, tuple(whole))
    data = _tied(data, whole, parts, array.data)
    return BoundedArray(data, array.rows) if type(x) is BoundedArray else data


def _written(old: Any, rows: list[Rows | None], value: Any) -> Any:
    """Returns a buffer with new elements in the rows that are elements."""
    given, spans = of_array(value), list(rows)
    if given.ndim > len(rows):
        raise ValueError("could not broadcast the values into the slice, which has fewer axes")
    data = given.data
    for axis, there in enumerate(given.rows):
        place, size = axis + len(rows) - given.ndim, data.shape[axis]
        here = spans[place]
        if (here is None and there is None) or (there is None and size == 1):
            continue
        here, there = here or all_rows(old.shape[place]), there or all_rows(size)
        spans[place] = here = of_same_length(here, there)
        if not there.is_like(here):
            data = moved(data, axis, there, here)
    cast = array_items.in_dtype_of(old, data if np.ndim(data) else value)
    return jnp.where(BoundedArray(old, tuple(spans)).mask(), jnp.broadcast_to(cast, old.shape), old)


def _put_selected(value: Any, array: BoundedArray, parts: list[Any], at: int) -> Any:
    """`x[mask] = values`, and `x[places] = values` of an array whose lengths are known."""
    chosen = _as_index(parts[at])
    if not all(type(part) is slice and part == _ALL for n, part in enumerate(parts) if n != at):
        raise refused("a write at an array and other indices")
    if chosen.dtype == bool:
        there = _masked(array, at, chosen)
        new = _written(there.data, list(there.rows), value)
        new = new.reshape(array.data.shape)
        return BoundedArray(new, array.rows) if any(array.rows) else new
    if any(array.rows) or array.ndim != 1 or chosen.ndim != 1:
        raise refused("a write at an array of indices")
    size = array.data.shape[0]
    (places, values), (rows,) = together([chosen, of_array(value)])
    places = integer_array(places)
    places = jnp.where(places < 0, places + size, places)
    mask = rows.mask() if rows is not None else True
    inside = jnp.all(((places >= 0) & (places < size)) | ~jnp.asarray(mask))
    dropped = guard_index(jnp.asarray(size), inside, IndexError("an index of an array of indices is out of bounds"))
    values = jnp.broadcast_to(array_items.in_dtype_of(array.data, values), places.shape)
    return array.data.at[jnp.where(mask, places, dropped)].set(values, mode="drop")
