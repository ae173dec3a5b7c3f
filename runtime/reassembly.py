"""`jnp.stack(rows)` of all rows of an array is that array.

A list that a counted loop appended to holds the rows of the `scan`'s stacked output, one slice each. Programs go on with
`jnp.stack(rows)` or `jnp.array(rows)`; the rows need not be cut out and put together again.

>>> import jax, jax.numpy as jnp
>>> def rows(xs, n):
...     return stack([jax.lax.index_in_dim(xs, i, 0, keepdims=False) for i in range(n)])
>>> for n in (3, 2):
...     jaxpr = jax.make_jaxpr(rows, static_argnums=1)(jnp.ones((3, 2)), n).jaxpr
...     print(jaxpr.outvars == jaxpr.invars)
True
False
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from autograph.jax_internals import rows_of


def stack(arrays: Any, *args: Any, **kwargs: Any) -> Any:
    """`jnp.stack`."""
    whole = _whole(arrays) if not args and not kwargs else None
    return jnp.stack(arrays, *args, **kwargs) if whole is None else whole


def array(values: Any, *args: Any, **kwargs: Any) -> Any:
    """`jnp.array`."""
    whole = _whole(values) if not args and not kwargs else None
    return jnp.array(values, *args, **kwargs) if whole is None else whole


def asarray(values: Any, *args: Any, **kwargs: Any) -> Any:
    """`jnp.asarray`."""
    whole = _whole(values) if not args and not kwargs else None
    return jnp.asarray(values, *args, **kwargs) if whole is None else whole


def _whole(values: Any) -> Any:
    return rows_of(values) if type(values) is list and len(values) > 1 else None


COUNTERPARTS: dict[Callable[..., Any], Callable[..., Any]] = {jnp.stack: stack, jnp.array: array, jnp.asarray: asarray}
