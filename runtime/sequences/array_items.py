"""Elements of JAX arrays: `x[i]` and `x[i] = v` by slices.

| index | read | write |
| --- | --- | --- |
| integers, `:` | `dynamic_slice` | `dynamic_update_slice` (of the old element where a traced index is, or may be, out of range) |
| a slice with traced bounds | see `traced_index.checked_slice` | rows: `dynamic_update_slice`; one value: a mask |
| one with a traced mask | `x[i]`, which JAX refuses | `where(mask, v, x[i])`, see `mask_indices` |
| one with a list | see `index_lists` | see `index_lists` |
| anything else | `x[i]` | `x.at[i].set(v)` |

The slice forms take a fifth of the time to trace, and a loop updates its carry in place.

>>> import jax, jax.numpy as jnp
>>> put_item(5.0, jnp.zeros(3), -1)
Array([0., 0., 5.], dtype=float32)
>>> [e.primitive.name for e in jax.make_jaxpr(lambda x, i: read_item(x, i))(jnp.zeros(3), 1).eqns][-2:]
['dynamic_slice', 'squeeze']
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.checks.guards import guard_index
from autograph.runtime.heap import array_views
from autograph.runtime.sequences import index_lists, mask_indices, narrow_integers
from autograph.runtime.sequences.inplace_operators import combined
from autograph.runtime.tracing import integer_ranges, sizes
from autograph.runtime.tracing.array_types import is_of_higher_kind, placeholder, type_of
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import holds_traced, is_array_like, is_traced, is_tracer


def read_item(x: Any, i: Any) -> Any:
    """`x[i]` with one traced index or a tuple of indices: the nearest element where they are out of range, as JAX does."""
    if index_lists.has_list(i):
        return x[index_lists.as_arrays(x, i)]
    if (
        is_traced(i)
        and index_lists.is_integer_index(i)
        and sizes.is_size(x.shape[0])
        and not sizes.is_known(x.shape[0], ">", 0)
    ):
        return _read_if_any(x, i)
    parts = _positions(x, i)
    known = [(p, n) for p, n in zip(parts or (), x.shape, strict=False) if p is not None and not is_traced(p)]
    if parts is None or any(not -n <= p < n for p, n in known):
        return x[i]
    # JAX would normalise the index once more, at three times the price of the slice.
    part = lax.dynamic_slice(x, _starts(x, parts), _block(x, parts), allow_negative_indices=False)
    return lax.squeeze(part, [axis for axis, p in enumerate(parts) if p is not None])


def _read_if_any(x: Any, i: Any) -> Any:
    """The row `x[i]` of an axis that may be empty, which JAX does not slice; one that nobody reads where it is empty."""
    size, kind = sizes.traced(x.shape[0]), type_of(x)
    padded = lax.concatenate([x, placeholder(kind._replace(shape=(1, *kind.shape[1:]), weak=False))], 0)
    i = _wide(i)
    i = jnp.clip(jnp.where(i < 0, i + size, i), 0, jnp.maximum(size - 1, 0))
    return _as_weak_as(x, padded[i])


def possible_reads(x: Any, i: Any) -> list[Any]:
    """`x[i]` as JAX reads it, and as it is read here, where that is a view of the array."""
    if index_lists.has_list(i) or has_traced_mask(i) or is_traced_slice(i):
        return []
    return [x[i], read_item(x, i)]


def put_item(value: Any, x: Any, i: Any) -> Any:
    """The array `x` with `value` at `i`, in the dtype of `x`; `x` itself where a traced index is out of range.

    What is weakly typed stays so, as it does for `x.at[i].set(value)`.

    NB a number is cut to fit into an array of integers, as NumPy does it; an array of floats is not.

    Raises:
        IndexError: a known index is out of range.
        StagingError: the dtype of the array cannot hold the value.
    """
    if index_lists.has_list(i):
        return index_lists.put_by_lists(value, x, i, put_item)
    check_bounds(x, i)
    return _as_weak_as(x, _put(in_dtype_of(x, value), x, i))


def _put(value: Any, x: Any, i: Any) -> Any:
    if not x.shape and is_traced(i) and i.dtype == bool and jnp.size(value) == 1:  # `e[e < 0] = 0` of an array without axes
        return jnp.where(i, jnp.reshape(value, ()), x)
    if has_traced_mask(i) and (place := mask_indices.find_place(x, i)) is not None:
        return _put_part(place, x, place.changed(_part(place, x), value))
    if is_traced_slice(i):
        return _put_rows(value, x, i)
    if x.shape and not jnp.shape(value) and _is_everything(i):
        return lax.broadcast(value, x.shape)
    if i is ... and is_tracer(value) and value.shape == x.shape:
        return array_views.copied(value, (value,))
    parts = _positions(x, i)
    kept = [] if parts is None else [axis for axis, p in enumerate(parts) if p is None]
    if parts is None or len(jnp.shape(value)) > len(kept):
        return x.at[i].set(value)
    value = jnp.broadcast_to(value, tuple(x.shape[axis] for axis in kept))
    block = lax.broadcast_in_dim(value, _block(x, parts), kept)
    starts = _starts(x, parts)
    inside = [
        _is_inside(start, n)
        for p, start, n in zip(parts, starts, x.shape, strict=True)
        if is_traced(p) and not integer_ranges.is_inside(start, n)
    ]
    if inside:
        old = lax.dynamic_slice(x, starts, block.shape, allow_negative_indices=False)
        test = functools.reduce(lax.bitwise_and, inside)
        block = lax.select(lax.broadcast(test, block.shape), block, old)
    return lax.dynamic_update_slice(x, block, starts, allow_negative_indices=False)


def _is_everything(i: Any) -> bool:
    parts = i if type(i) is tuple else (i,)
    return all(part is ... or (type(part) is slice and part == slice(None)) for part in parts)


def _positions(x: Any, i: Any) -> list[Any] | None:
    """For each axis the integer that the index has there, or None for all of it (`:`); None for any other index."""
    parts = list(i) if type(i) is tuple else [i]
    if any(p is None for p in parts):
        return None  # a new axis
    parts = [None if type(p) is slice and p == slice(None) else p for p in parts]
    if not all(p is None or index_lists.is_integer_index(p) for p in parts) or all(p is None for p in parts):
        return None
    if len(parts) > len(x.shape) or 0 in x.shape or not all(isinstance(n, int) for n in x.shape):
        return None
    return parts + [None] * (len(x.shape) - len(parts))


def _starts(x: Any, parts: list[Any]) -> list[Any]:
    zero = np.zeros((), jnp.result_type(int))
    return [zero if p is None else from_start(p, n) for p, n in zip(parts, x.shape, strict=True)]


def _block(x: Any, parts: list[Any]) -> tuple[int, ...]:
    return tuple(n if p is None else 1 for p, n in zip(parts, x.shape, strict=True))


def sort_items(x: Any, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False) -> Any:
    """The array that `x.sort()` leaves; JAX sorts in one way, whichever `kind` is asked for, and that is a stable one."""
    if axis is None:
        raise TypeError("'NoneType' object cannot be interpreted as an integer")
    return jnp.sort(x, axis, order=order, descending=descending)


def has_traced_mask(i: Any) -> bool:
    """Whether an index is, or has, an array of bools that is not known while the program is traced."""
    return any(map(mask_indices.is_traced_mask, i)) if type(i) is tuple else mask_indices.is_traced_mask(i)


def _part(place: mask_indices.Place, x: Any) -> Any:
    return x if place.is_everywhere else read_item(x, place.whole)


def _put_part(place: mask_indices.Place, x: Any, part: Any) -> Any:
    return part if place.is_everywhere else _put(part, x, place.whole)


def _where(mask: Any, value: Any, x: Any) -> Any:
    return jnp.where(mask.reshape(mask.shape + (1,) * (len(x.shape) - len(mask.shape))), value, x)


def from_start(i: Any, size: int) -> Any:
    """An index counted from the start: a negative one counts from the end. A known one is in range."""
    dtype = jnp.dtype(jnp.result_type(int))
    if not is_traced(i):
        return dtype.type(i % size)
    i = _wide(i)
    if integer_ranges.is_natural(i):
        return i
    return lax.select(lax.lt(i, i.dtype.type(0)), lax.add(i, i.dtype.type(size)), i)


def _is_inside(start: Any, size: int) -> Any:
    """Whether an index, counted from the start, is in range: a negative one is a large unsigned one."""
    unsigned = jnp.uint64 if start.dtype.itemsize == 8 else jnp.uint32
    return lax.lt(lax.convert_element_type(start, unsigned), np.dtype(unsigned).type(size))


def update(x: Any, i: Any, symbol: str, operand: Any) -> Any:
    """`x[i] <symbol> operand` where `i` has a traced mask, or is a slice with traced bounds.

    An operand that is the same for each row changes every row, and those outside are taken back. One of several rows tells how
    many there are.

    Raises:
        StagingError: the operand has rows, and `i` has a mask.
    """
    if type(i) is not slice:
        if (place := mask_indices.find_place(x, i)) is None:
            return put_item(operand, x, i)  # which says why not
        part = _part(place, x)
        new = in_dtype_of(x, place.updated(part, symbol, operand))
        return _as_weak_as(x, _put_part(place, x, place.choose(new, part)))
    shape = jnp.shape(operand)
    is_one = len(shape) < len(x.shape) or shape[0] == 1
    if not is_one and _has_step(i):
        return put_item(operand, x, i)  # which says why not
    if is_one:
        return _as_weak_as(x, _where(_rows(x, i)[2], in_dtype_of(x, combined(symbol, x, operand)), x))
    start, _, _ = _rows(x, i)
    if shape[0] <= x.shape[0]:
        operand = combined(symbol, lax.dynamic_slice_in_dim(x, start, shape[0]), operand)
    return put_item(operand, x, i)


def is_traced_slice(i: Any) -> bool:
    """Whether an index is a slice with bounds, or a step, that are not known while the program is traced."""
    return type(i) is slice and any(map(is_traced, (i.start, i.stop, i.step)))


def _has_step(rows: slice) -> bool:
    return is_traced(rows.step) or rows.step not in (None, 1)


def _rows(x: Any, rows: slice) -> tuple[Any, Any, Any]:
    """Where a slice of rows begins and ends, and which rows it has."""
    size = x.shape[0]
    start, stop = (_clipped(bound, size, last) for bound, last in ((rows.start, 0), (rows.stop, size)))
    position = jnp.arange(size)
    inside = (position >= start) & (position < stop)
    if not _has_step(rows):
        return start, stop, inside
    step = _wide(rows.step) if is_traced(rows.step) else jnp.asarray(operator.index(rows.step))
    step = guard_index(step, step != 0, ValueError("slice step cannot be zero"))
    first, last = (_clipped(bound, size, end, -1) for bound, end in ((rows.start, size - 1), (rows.stop, -1)))
    inside = jnp.where(step > 0, inside, (position <= first) & (position > last))
    return start, stop, inside & ((position - jnp.where(step > 0, start, first)) % step == 0)


def _put_rows(value: Any, x: Any, rows: slice) -> Any:
    """`x[start:stop] = value` with traced bounds."""
    size, shape = x.shape[0], jnp.shape(value)
    start, stop, inside = _rows(x, rows)
    if len(shape) < len(x.shape) or shape[0] == 1:
        return _where(inside, value, x)
    if _has_step(rows):
        raise refusal(
            "several values are assigned to a slice with a step, some of which is traced",
            why="its positions are not known while the program is traced",
            instead="assign one value, or select with a mask: `x = jnp.where(mask, values, x)`",
            page="slice-assignment-with-a-step",
        )
    count = shape[0]
    text = f"could not broadcast input array of {count} rows into the slice, which has another length"
    if count > size:
        raise ValueError(text)
    start = guard_index(start, stop - start == count, ValueError(text))
    value = jnp.broadcast_to(value, (count, *x.shape[1:]))
    if count == size:  # else XLA, which knows where all rows begin, would drop the check
        return jnp.where(start == 0, value, x)
    return lax.dynamic_update_slice_in_dim(x, value, start, 0)


def _clipped(bound: Any, size: int, default: int, least: int = 0) -> Any:
    """A bound of a slice as `slice.indices` makes it; `least`: -1 where the step is negative."""
    if bound is None:
        return jnp.asarray(default)
    bound = _wide(bound) if is_traced(bound) else jnp.asarray(operator.index(bound))
    return jnp.clip(lax.select(bound < 0, bound + size, bound), least, size + least)


def _wide(i: Any) -> Any:
    """A traced index in a type that holds every size; a short one could not hold the number of elements."""
    dtype = jnp.dtype(jnp.result_type(int))
    have = jax.typeof(i).dtype
    return i if have.kind == "i" and have.itemsize >= dtype.itemsize else lax.convert_element_type(i, dtype)


def _as_weak_as(x: Any, new: Any) -> Any:
    kind = type_of(x)
    return convert_weak(new, kind.dtype) if kind.weak and not type_of(new).weak else new


def in_dtype_of(x: Any, value: Any) -> Any:
    dtype = x.dtype
    if type(value) in _MAY_BE_BEYOND and (type(value) is not int or not 0 <= value <= 127):
        narrow_integers.check_numbers(value, dtype)
    if not is_array_like(value):
        is_known = dtype.kind in "iu" and type(value) in (list, tuple) and not holds_traced(value)
        value = jnp.asarray(value, dtype if is_known and np.asarray(value).dtype.kind in "iu" else None)
    kind = jax.typeof(value).dtype
    if kind == dtype:
        return value
    if not jnp.shape(value) and jnp.issubdtype(kind, jnp.floating) and jnp.issubdtype(dtype, jnp.integer):
        return _cut(value, dtype)
    if is_of_higher_kind(kind, dtype):
        raise another_dtype(kind, dtype)
    return lax.convert_element_type(value, dtype)


def another_dtype(kind: Any, dtype: Any) -> Exception:
    """Makes the refusal of values of a dtype that an array of another one would cut down."""
    return refusal(
        f"a value of dtype {kind} is assigned to an element of an array of dtype {dtype}",
        why="the array keeps its dtype, so the value would be cut down silently",
        instead=f"cast the value (`.astype({dtype})`) or start from an array of dtype {kind}",
        page="value-of-another-dtype",
    )


_MAY_BE_BEYOND = frozenset((int, list, tuple))


def _cut(value: Any, dtype: Any) -> Any:
    """A number without its fraction, as NumPy puts it into an array of integers."""
    info = jnp.iinfo(dtype)
    if not is_tracer(value):
        whole = int(value)
        if not info.min <= whole <= info.max:
            raise OverflowError(f"{value} does not fit into an array of {dtype}")
        return np.asarray(whole, dtype)
    fits = (value > float(info.min) - 1) & (value < float(info.max) + 1)
    if is_traced(fits):
        value = guard_index(value, fits, ValueError(f"a NaN, or a number too large, is put into an array of {dtype}"))
    elif not fits:
        raise ValueError(f"a NaN, or a number too large, is put into an array of {dtype}")
    return lax.convert_element_type(value, dtype)


def check_bounds(x: Any, i: Any) -> None:
    """Raises `IndexError` for a known integer index that is out of range, in NumPy's words."""
    shape = x.shape
    axis = 0
    for part in i if type(i) is tuple else (i,):
        kind = type(part)
        if kind is int or issubclass(kind, np.integer):
            if axis < len(shape) and isinstance(shape[axis], int) and not -shape[axis] <= part < shape[axis]:
                raise IndexError(f"index {part} is out of bounds for axis {axis} with size {shape[axis]}")
            axis += 1
        elif kind is slice or is_traced(part):
            axis += 1
        elif part is not None:
            return  # an ellipsis, a list or an array of indices: what follows has no fixed axis
