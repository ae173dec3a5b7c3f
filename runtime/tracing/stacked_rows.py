"""`jnp.stack(rows)` of rows that an array was cut into is that array.

A list that a counted loop appended to holds the rows of the `scan`'s stacked output. Programs go on with `jnp.stack(rows)` or
`jnp.array(rows)`, often with a first or last row added, or backwards; the rows need not be put together one by one. All rows are
cut out by one equation, which is dropped when nothing reads a row.

>>> import jax, jax.numpy as jnp
>>> def f(xs, change):
...     return stack(change(rows(xs)))
>>> def whole(xs): return xs
>>> def longer(xs): return [xs[0], *xs]
>>> def backwards(xs): return xs[::-1]
>>> for change in (whole, longer, backwards):
...     print([e.primitive.name for e in jax.make_jaxpr(f, static_argnums=1)(jnp.ones((9, 2)), change).jaxpr.eqns])
['jit']
['jit', 'slice', 'concatenate']
['jit', 'rev']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from autograph.runtime.tracing.facts import Facts
from autograph.runtime.tracing.staging import is_traced

_LEAST_ROWS = 2  # per part on average: below, there is nothing to win
_row_of: Facts[tuple[Any, int]] = Facts()
"""The array and the place in it from which a value was cut."""


def rows(array: Any) -> list[Any]:
    """All rows of an array, cut out by one equation; `stack` knows them again."""
    made: list[Any] = _cut(array)
    for index, row in enumerate(made):
        _row_of.note(row, (array, index))
    return made


@jax.jit
def _cut(array: Any) -> list[Any]:
    parts = lax.split(array, (1,) * array.shape[0])
    return [lax.squeeze_p.bind(part, dimensions=(0,)) for part in parts]


def stack(arrays: Any, *args: Any, **kwargs: Any) -> Any:
    """`jnp.stack`."""
    axis = args[0] if len(args) == 1 and not kwargs else kwargs.get("axis", 0)
    is_plain = type(axis) is int and len(args) < 2 and kwargs.keys() <= {"axis"}
    together = _together(arrays) if is_plain else None
    if together is None or not -together.ndim <= axis < together.ndim:
        return jnp.stack(arrays, *args, **kwargs)
    return together if axis == 0 else jnp.moveaxis(together, 0, axis)


def array(values: Any, *args: Any, **kwargs: Any) -> Any:
    """`jnp.array`."""
    together = _together(values) if not args and not kwargs else None
    return jnp.array(values, *args, **kwargs) if together is None else together


def asarray(values: Any, *args: Any, **kwargs: Any) -> Any:
    """`jnp.asarray`."""
    together = _together(values) if not args and not kwargs else None
    return jnp.asarray(values, *args, **kwargs) if together is None else together


class _Run(NamedTuple):
    """Values that follow one another in an array, forwards or backwards; or one value of another origin (`array` None)."""

    array: Any
    indices: list[int]
    value: Any  # the first one; all rows of an array are of its type

    def joined(self) -> Any:
        if self.array is None:
            return lax.broadcast(self.value, (1,))
        low, high = min(self.indices), max(self.indices) + 1
        part = self.array if high - low == self.array.shape[0] else lax.slice_in_dim(self.array, low, high)
        return lax.rev(part, (0,)) if len(self.indices) > 1 and self.indices[0] > self.indices[1] else part


def _together(values: Any) -> Any:
    """The values as one array, made of a few parts; None where they are not mostly the rows of arrays."""
    if type(values) not in (list, tuple) or len(values) < 2:
        return None
    runs = _runs(values)
    if len(runs) * _LEAST_ROWS > len(values):
        return None
    kinds = {_kind(run.value) for run in runs}
    if len(kinds) > 1 or None in kinds:  # JAX promotes
        return None
    parts = [run.joined() for run in runs]
    return parts[0] if len(parts) == 1 else lax.concatenate(parts, 0)


def _runs(values: Sequence[Any]) -> list[_Run]:
    runs: list[_Run] = []
    for value in values:
        known = _row_of.of(value)
        if known is None:
            runs.append(_Run(None, [], value))
        elif runs and runs[-1].array is known[0] and _continues(runs[-1].indices, known[1]):
            runs[-1].indices.append(known[1])
        else:
            runs.append(_Run(known[0], [known[1]], value))
    return runs


def _continues(indices: list[int], index: int) -> bool:
    step = index - indices[-1]
    return abs(step) == 1 and all(b - a == step for a, b in pairwise(indices[-2:]))


def _kind(x: Any) -> Any:
    """The type of a traced value, None of any other and of weakly typed ones: an array of those has another type."""
    if not is_traced(x) or x.weak_type:
        return None
    return x.shape, x.dtype


COUNTERPARTS: dict[Callable[..., Any], Callable[..., Any]] = {jnp.stack: stack, jnp.array: array, jnp.asarray: asarray}
