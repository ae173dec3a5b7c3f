"""Values of several lanes of a `vmap`, along their first axes: which lane is the first, and what it has.

>>> failed = jnp.array([False, True, True])
>>> int(first_lane(failed)), float(in_lane(jnp.array([1.0, 2.0, 3.0]), 1, first_lane(failed)))
(1, 2.0)
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax


def type_in_lane(aval: Any, lanes: int) -> Any:
    """Returns the type of a value in one lane."""
    return aval.update(shape=aval.shape[lanes:]) if lanes else aval


def first_lane(failed: Any) -> Any:
    """Returns the number of the first lane that failed; a large one where none did."""
    numbers = lax.iota(jnp.int32, failed.size)
    return lax.reduce_min(lax.select_n(failed, lax.full_like(numbers, np.iinfo(np.int32).max), numbers), (0,))


def in_lane(x: Any, lanes: int, lane: Any) -> Any:
    """Returns a value in one lane, by its number."""
    flat = lax.reshape(x, (math.prod(x.shape[:lanes]), *x.shape[lanes:]))
    return lax.dynamic_index_in_dim(flat, lane, 0, keepdims=False)


def chosen(mask: Any, x: Any, y: Any) -> list[Any]:
    """`x` where the mask is true, else `y`; the axes of the mask are the leading ones."""
    return [lax.select_n(lax.broadcast_in_dim(mask, x.shape, tuple(range(mask.ndim))), y, x)]


def any_lane(x: Any) -> Any:
    """Whether any of some bools holds."""
    return lax.reduce_or(x, tuple(range(x.ndim))) if x.ndim else x


def all_lanes(x: Any) -> Any:
    """Whether all of some bools hold."""
    return lax.reduce_and(x, tuple(range(x.ndim))) if x.ndim else x
