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
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph.jax_internals import ClosedJaxpr, new_var, trace_region
from autograph.runtime.tracing.facts import Facts
from autograph.runtime.tracing.staging import is_traced

_MANY = 8  # rows: below, tracing them is as fast as not to
_LEAST_ROWS = 2  # per part on average: below, there is nothing to win
_row_of: Facts[tuple[Any, int]] = Facts()
"""The array and the place in it from which a value was cut."""


def rows(array: Any) -> list[Any]:
    """All rows of an array, cut out by one equation; `stack` knows them again."""
    made = _cut_many(array) if array.shape[0] > _MANY else _cut(array)
    for index, row in enumerate(made):
        _row_of.note(row, (array, index))
    return made


@jax.jit
def _cut(array: Any) -> Any:
    parts = lax.split(array, (1,) * array.shape[0])
    return [lax.squeeze_p.bind(part, dimensions=(0,)) for part in parts]


def _cut_many(array: Any) -> Any:
    """`_cut`, whose equation is made of that for two rows: to trace thousands of equations that are alike takes most of a trace."""
    aval, count = jax.typeof(array), array.shape[0]
    eqn, *others = trace_region(_cut, [aval.update(shape=(2, *aval.shape[1:]))], "rows")[0].eqns
    if others:  # `jax.disable_jit`
        return _cut(array)
    closed = eqn.params["jaxpr"]
    jaxpr = getattr(closed, "jaxpr", closed)
    split, squeeze, _ = jaxpr.eqns
    whole = new_var(aval)
    parts, made = ([new_var(v.aval) for _ in range(count)] for v in (*squeeze.invars, *squeeze.outvars))
    split = split.replace(invars=[whole], outvars=parts, params={**split.params, "sizes": (1,) * count})
    squeezed = [squeeze.replace(invars=[part], outvars=[row]) for part, row in zip(parts, made, strict=True)]
    jaxpr = jaxpr.replace(invars=[whole], outvars=made, eqns=[split, *squeezed])
    of_results = {name: x[:1] * count for name, x in eqn.params.items() if type(x) is tuple and len(x) == 2}
    return eqn.primitive.bind(array, **{**eqn.params, **of_results, "jaxpr": ClosedJaxpr(jaxpr, ())})


def stack(arrays: Any, *args: Any, **kwargs: Any) -> Any:
    """`jnp.stack`."""
    axis = args[0] if len(args) == 1 and not kwargs else kwargs.get("axis", 0)
    is_plain = type(axis) is int and len(args) < 2 and kwargs.keys() <= {"axis"}
    together = _together(arrays) if is_plain else None
    if together is None or not -together.ndim <= axis < together.ndim:
        return jnp.stack(arrays, *args, **kwargs)
    return together if axis == 0 else jnp.moveaxis(together, 0, axis)


def _made(make: Callable[..., Any], values: Any, *args: Any, **kwargs: Any) -> Any:
    """`jnp.array` and `jnp.asarray`."""
    together = _together(values) if not args and not kwargs else None
    return make(values, *args, **kwargs) if together is None else together


def array_of_rows(values: Any) -> Any:
    """Makes an array of a list that holds traced values, as `jnp.asarray` does."""
    return _made(jnp.asarray, values)


@dataclass(slots=True)
class _Run:
    """Values that follow one another in an array, forwards or backwards; or one value of another origin (`array` None)."""

    array: Any
    first: int
    last: int
    value: Any  # the first one; all rows of an array are of its type

    def takes(self, array: Any, index: int) -> bool:
        """Whether the row of that array and place is the next one; then it is part of the run."""
        step = index - self.last
        is_next = array is self.array and step in (1, -1) and (self.last - self.first) * step >= 0
        self.last += step * is_next
        return is_next

    def joined(self) -> Any:
        if self.array is None:
            return lax.broadcast(self.value, (1,))
        low, high = min(self.first, self.last), max(self.first, self.last) + 1
        part = self.array if high - low == self.array.shape[0] else lax.slice_in_dim(self.array, low, high)
        return lax.rev(part, (0,)) if self.last < self.first else part


def _together(values: Any) -> Any:
    """The values as one array, made of a few parts; None where they are not mostly the rows of arrays.

    A list of the runtime's has a method for it.
    """
    if (whole := getattr(type(values), "whole_axis", None)) is not None:
        return whole(values)
    if type(values) not in (list, tuple) or len(values) < 2:
        return None
    are_lists = type(values[0]) in (list, tuple)
    if are_lists:
        if any(type(row) is not type(values[0]) or len(row) != len(values[0]) for row in values):
            return None
        values = list(map(_together, values))
        if any(row is None for row in values):
            return None
    runs = _runs(values)
    if not are_lists and len(runs) * _LEAST_ROWS > len(values):
        return None
    kinds = {_kind(run.value) for run in runs}
    if len(kinds) > 1 or None in kinds:  # JAX promotes
        return None
    parts = [run.joined() for run in runs]
    return parts[0] if len(parts) == 1 else lax.concatenate(parts, 0)


def count_of(value: Any) -> int:
    """Returns how many rows there are with the first of which `value` is; 0 where it is none."""
    array, index = _row_of.of(value) or (None, 0)
    return 0 if array is None or index else int(array.shape[0])


def cut_from(values: Sequence[Any]) -> Any:
    """Finds the array of which `values` are all the rows, in their order; None where they are not."""
    if not values or count_of(values[0]) != len(values):
        return None
    array, _ = _row_of.of(values[0]) or (None, 0)
    run = _Run(array, -1, -1, None)
    return array if all(run.takes(*(_row_of.of(value) or (None, 0))) for value in values) else None


def _runs(values: Sequence[Any]) -> list[_Run]:
    runs: list[_Run] = []
    for value in values:
        array, index = _row_of.of(value) or (None, 0)
        if array is None or not runs or not runs[-1].takes(array, index):
            runs.append(_Run(array, index, index, value))
    return runs


def _kind(x: Any) -> Any:
    """The type of a traced value, None of any other and of weakly typed ones: an array of those has another type."""
    if not is_traced(x) or x.weak_type:
        return None
    return x.shape, x.dtype


COUNTERPARTS: dict[Any, Any] = {jnp.stack: stack, **{make: partial(_made, make) for make in (jnp.array, jnp.asarray)}}
