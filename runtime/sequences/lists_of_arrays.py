"""Makes lists of arrays whose length is only known when the program runs: `list(y)`, `y.tolist()`, `sorted(y)`.

>>> import autograph as ag
>>> @ag.jit
... def f(x, k):
...     return list(x[:k]), sorted(x[:k], reverse=True)
>>> f(jnp.array([2, 5, 3]), 2)
(BoundedList([2, 5]), BoundedList([5, 2]))
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from autograph.jax_internals import convert_weak
from autograph.runtime.sequences.bounded_functions import CALLS
from autograph.runtime.sequences.bounded_items import read_rows
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.tracing.array_types import type_of
from autograph.runtime.values.bounded_array import BoundedArray, refused
from autograph.runtime.values.element_types import Elements
from autograph.runtime.values.rows import Rows

_BACKWARDS = slice(None, None, -1)


def list_of_array(y: BoundedArray, of_python: bool = False) -> Any:
    """Returns `list(y)`, or `y.tolist()` if its elements are to be numbers of Python.

    Raises:
        StagingError: the elements are arrays of unknown length.
    """
    if not y.is_traced():
        return y.known("making a list").tolist() if of_python else list(y)
    if any(y.rows[1:]) or (of_python and y.ndim > 1):
        raise refused("making a list of arrays of unknown length")
    array = y.compact()
    column = jnp.pad(array.data, [(0, 1), *[(0, 0)] * (y.ndim - 1)])
    column = convert_weak(column, column.dtype) if of_python else column
    rows: Rows = array.rows[0]  # type: ignore[assignment]  # a length is traced, and it is no other one
    kind = type_of(column)
    elements, _ = Elements.of(column[-1])
    elements.types = (kind._replace(shape=kind.shape[1:]),)
    return BoundedList(elements, (column,), jnp.asarray(rows.length))


def sorted_list(y: BoundedArray, reverse: Any = False) -> Any:
    """Returns `sorted(y, reverse=reverse)`; NaNs come last (first when reversed).

    Raises:
        StagingError: the elements are no numbers that have an order, or `reverse` is traced.
    """
    if y.ndim != 1 or jnp.issubdtype(y.dtype, jnp.complexfloating) or type(reverse) is not bool:
        raise refused("sorted()")
    found = CALLS["sort"](read_rows(y, _BACKWARDS) if reverse else y)
    return list_of_array(read_rows(found, _BACKWARDS) if reverse else found)
