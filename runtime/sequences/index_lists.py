"""Lists as indices of arrays, which NumPy reads as arrays: `a[[i, j]]`, `a[:, [0, k]] = v`.

JAX refuses a list, and of two indices that are equal it writes any.

| the index | read | write |
| --- | --- | --- |
| lists of integers beside slices | as arrays of integers | item by item: of two that are equal the last one stays |
| the same, all of them known and different | as arrays of integers | as arrays of integers |
| anything else with a list | as arrays | as arrays |

>>> import jax, jax.numpy as jnp
>>> jax.jit(lambda x, i: x[as_arrays(x, [i, 0])])(jnp.arange(3) * 5, 2)
Array([10,  0], dtype=int32)
>>> put_by_lists(jnp.array([7, 8]), jnp.zeros(3), [1, 1], lambda v, x, i: x.at[i].set(v))
Array([0., 8., 0.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.tracing.staging import is_array_like, is_traced


def has_list(i: Any) -> bool:
    """Whether an index is a list, or a tuple with a list."""
    return type(i) is list or (type(i) is tuple and any(type(part) is list for part in i))


def has_traced_item(i: Any) -> bool:
    """Whether an index is a list of which an item is traced, or a tuple with such a list."""
    parts = i if type(i) is tuple else (i,)
    return any(type(part) is list and any(map(is_traced, jax.tree.leaves(part))) for part in parts)


def copies(i: Any) -> bool:
    """Whether NumPy copies what it reads at the index `i` of an array: one with an array or list of indices, or a bool."""
    return any(map(_copies, i)) if type(i) is tuple else _copies(i)


def _copies(part: Any) -> bool:
    is_bool = type(part) is bool or getattr(getattr(part, "dtype", None), "kind", "") == "b"
    return is_bool or type(part) in (list, tuple) or bool(getattr(part, "ndim", 0))


def as_arrays(x: Any, i: Any) -> Any:
    """The index `i` of the array `x` with arrays instead of its lists.

    Raises:
        IndexError: a known integer is out of range, in NumPy's words.
    """
    parts = i if type(i) is tuple else (i,)
    has_axes = all(type(part) in (list, slice, int) for part in parts)
    arrays = tuple(
        _array(x, part, axis if has_axes else None) if type(part) is list else part for axis, part in enumerate(parts)
    )
    return arrays if type(i) is tuple else arrays[0]


def put_by_lists(value: Any, x: Any, i: Any, put_one: Callable[[Any, Any, Any], Any]) -> Any:
    """The array `x` with `value` at the index `i`, which has lists, by `put_one(value, x, index)`."""
    arrays = as_arrays(x, i)
    value = value if is_array_like(value) else jnp.asarray(value)
    parts = i if type(i) is tuple else (i,)
    axis = next(k for k, part in enumerate(parts) if type(part) is list)
    lists = [part for part in parts if type(part) is list]
    if not _are_in_place(parts, axis, lists) or _are_different(x, axis, lists):
        return put_one(value, x, arrays)
    if jnp.ndim(value):
        like = np.broadcast_to(np.int8(0), x.shape)  # takes no memory
        like = like[tuple([0] * len(part) if type(part) is list else part for part in parts)]
        value = jnp.broadcast_to(value, like.shape)
    for k, items in enumerate(zip(*lists, strict=True)):
        one = lax.index_in_dim(value, k, axis, keepdims=False) if jnp.ndim(value) else value
        x = put_one(one, x, (*parts[:axis], *items, *parts[axis + len(lists) :]))
    return x


def _are_in_place(parts: tuple[Any, ...], axis: int, lists: list[list[Any]]) -> bool:
    """Whether what is selected has one axis for the lists, in their place, and the others for slices with known bounds."""
    slices = (*parts[:axis], *parts[axis + len(lists) :])
    return (
        all(type(p) is slice and not any(map(is_traced, (p.start, p.stop, p.step))) for p in slices)
        and all(len(items) == len(lists[0]) for items in lists)
        and all(is_integer_index(item) for items in lists for item in items)
    )


def is_integer_index(item: Any) -> bool:
    """Whether an index is one integer, known or traced; a bool is a mask."""
    if is_traced(item):
        return not item.shape and jnp.issubdtype(item.dtype, jnp.integer)
    return type(item) is int or isinstance(item, np.integer)


def _are_different(x: Any, axis: int, lists: list[list[Any]]) -> bool:
    """Whether the indices are known, and no two of them lead to one place."""
    if any(is_traced(item) for items in lists for item in items):
        return False
    places = {tuple(item % x.shape[axis + k] for k, item in enumerate(items)) for items in zip(*lists, strict=True)}
    return len(places) == len(lists[0])


def _array(x: Any, items: list[Any], axis: int | None) -> Any:
    if not items:
        return np.zeros(0, int)
    size = x.shape[axis] if axis is not None and axis < len(x.shape) else None
    for item in items:
        if type(item) is int and isinstance(size, int) and not -size <= item < size:
            raise IndexError(f"index {item} is out of bounds for axis {axis} with size {size}")
    return jnp.asarray(items) if any(map(is_traced, jax.tree.leaves(items))) else np.asarray(items)
