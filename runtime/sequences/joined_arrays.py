"""`np.r_[a, b]` and `np.c_[a, b]` of traced values, by JAX's objects of these names.

>>> import jax
>>> jax.jit(lambda x: join_arrays(np.r_, (x, 1.0)))(jnp.zeros(2))
Array([0., 0., 1.], dtype=float32)
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.sequences import narrow_integers
from autograph.runtime.tracing.staging import holds_traced, is_jax_array


def join_arrays(joining: Any, i: Any) -> Any:
    """`np.r_[a, b]` by that of JAX, which casts a number to the dtype of the arrays and leaves numbers alone weakly typed."""
    if not holds_traced(i):
        return joining[i]
    parts = i if type(i) is tuple else (i,)
    dtypes = [part.dtype for part in parts if is_jax_array(part) and not jax.typeof(part).weak_type]
    for part in parts:
        if dtypes and type(part) is int and narrow_integers.is_refused(part, jnp.result_type(*dtypes)):
            raise narrow_integers.out_of_bounds(part, jnp.result_type(*dtypes))
    found = JOINING[type(joining)][parts]
    return lax.convert_element_type(found, found.dtype)


JOINING: dict[Any, Any] = {type(np.r_): jnp.r_, type(np.c_): jnp.c_}
"""JAX's objects for `np.r_[a, b]` and `np.c_[a, b]`."""
