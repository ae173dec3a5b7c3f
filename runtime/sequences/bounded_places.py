"""Makes one array of indices of several, of unknown length: `a[rows, columns]` is `a.reshape(-1)[rows * width + columns]`.

>>> import jax, autograph as ag
>>> @ag.jit
... def f(a, i):
...     k = i[i > 0]
...     a[k, 2 - k] = 9
...     return a, a[k, k]
>>> f(jnp.zeros((3, 3), int), jnp.array([0, 2, 1]))[1]
BoundedArray([0, 9], dtype=int32)
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

from autograph.runtime.sequences.bounded_operands import together
from autograph.runtime.values.bounded_array import BoundedArray, of_array, refused


def with_one_index(array: BoundedArray, parts: list[Any], are_places: list[bool]) -> tuple[BoundedArray, list[Any]]:
    """Returns an array with those of its axes made one that several indices take, and its index.

    Args:
        parts: the index of each axis.
        are_places: which of them are integers, or arrays of integers.

    Raises:
        StagingError: a slice or a new axis stands between them, or an array has several axes.
    """
    at = [n for n, is_place in enumerate(are_places) if is_place]
    places = [of_array(jnp.asarray(parts[n]) if type(parts[n]) in (int, list) else parts[n]) for n in at]
    first, end = at[0], at[-1] + 1
    is_known = all(rows is None for rows in array.rows[first:end])
    is_simple = all(is_place or type(part) is slice for is_place, part in zip(are_places, parts, strict=True))
    if not (is_simple and all(are_places[first:end]) and is_known) or any(x.ndim > 1 for x in places):
        raise refused("an index of several arrays")
    buffers, (rows,) = together(places)
    sizes = array.data.shape[first:end]
    joined, inside = jnp.zeros((), jnp.result_type(int)), jnp.asarray(True)
    for buffer, size in zip(buffers, sizes, strict=True):
        k = lax.convert_element_type(buffer, joined.dtype)
        k = jnp.where(k < 0, k + size, k)
        joined, inside = joined * size + k, inside & (k >= 0) & (k < size)
    joined = jnp.where(inside, joined, math.prod(sizes))  # which is no index: it is checked with the others
    data = array.data.reshape(*array.data.shape[:first], -1, *array.data.shape[end:])
    one = BoundedArray(data, (*array.rows[:first], None, *array.rows[end:]))
    return one, [*parts[:first], joined if rows is None else BoundedArray(joined, (rows,)), *parts[end:]]
