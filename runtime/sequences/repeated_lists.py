"""Makes the list `[0] * n` of a traced number `n`, of which the program shows how large it is at most.

>>> import autograph as ag
>>> @ag.jit
... def squares(n):
...     xs = [0] * min(n, 10)
...     for i in range(len(xs)):
...         xs[i] = i * i
...     return xs
>>> squares(4)
BoundedList([0, 1, 4, 9])
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.sequences.bounded_makers import rows_of_size
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.rows import greater, integer


def repeat(left: Any, right: Any) -> Any:
    """Returns `left * right`, of which one is a list display.

    Raises:
        StagingError: the number of times is traced, and nothing says how large it is at most.
    """
    xs, times = (left, right) if type(left) is list else (right, left)
    if not is_traced(times) or type(times) is KnownTracer or times.shape or times.dtype.kind not in "iub" or type(xs) is not list:
        return left * right
    once = BoundedList.of(xs)
    if once.elements is None:
        return []
    rows = rows_of_size(greater(integer(times), 0), what="a list")
    count = len(xs)
    columns = []
    for column, kind in zip(once.columns, once.elements.types, strict=True):
        whole = jnp.tile(column[:count], (rows.size, *(1,) * len(kind.shape)))
        whole = lax.concatenate([whole, column[count:]], 0)
        columns.append(convert_weak(whole, kind.dtype) if kind.weak else whole)
    return BoundedList(once.elements, columns, jnp.asarray(rows.length * count))
