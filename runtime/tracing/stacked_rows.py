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

import itertools
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from autograph.jax_internals import ClosedJaxpr, current_trace, equation_of, new_var, trace_of, trace_region
from autograph.runtime.tracing.facts import keep
from autograph.runtime.tracing.staging import is_traced

_MANY = 8  # rows: below, tracing them is as fast as not to
_LEAST_ROWS = 2  # per part on average: below, there is nothing to win


@dataclass(slots=True, weakref_slot=True, eq=False)
class _Cut:
    """An array and weak references to all the rows that it was cut into. It lives as long as their trace.

    There may be thousands of rows, so nothing here calls a function for each of them.
    """

    array: Any
    rows: list[weakref.ref[Any]]

    def last(self, first: int, values: Sequence[Any], k: int) -> int:
        """Returns the number of the last row that `values` go on with, forwards or backwards, where `values[k]` is row `first`."""
        rows, count, most = self.rows, len(self.rows), len(values)
        for step in (1, -1):
            row, k_ = first + step, k + 1
            while k_ < most and 0 <= row < count and rows[row]() is values[k_]:
                row, k_ = row + step, k_ + 1
            if k_ > k + 1:
                return row - step
        return first


_place_of: dict[int, tuple[weakref.ref[_Cut], int]] = {}
"""By the id of a row, the array that it was cut from, and its number."""


def rows(array: Any) -> list[Any]:
    """All rows of an array, cut out by one equation; `stack` knows them again."""
    made = _cut_many(array) if array.shape[0] > _MANY else _cut(array)
    if made and is_traced(made[0]):
        try:
            cut = _Cut(array, list(map(weakref.ref, made)))
        except TypeError:  # tracers of a kind that nobody can watch
            return made
        keys = list(map(id, made))
        of_cut = weakref.ref(cut, partial(_forget, keys))
        _place_of.update(zip(keys, zip(itertools.repeat(of_cut), range(len(made)))))
        keep(cut)
    return made


def _forget(keys: list[int], of_cut: Any) -> None:
    """Drops the rows of an array when their trace is over; rows of another array may have the addresses of some by now."""
    for key, place in zip(keys, map(_place_of.get, keys), strict=True):
        if place is not None and place[0] is of_cut:
            del _place_of[key]


def _found(value: Any) -> tuple[_Cut | None, int]:
    """Returns the array from which a value was cut, and the number of the row; None of any other value."""
    of_cut, index = _place_of.get(id(value), (None, 0))
    cut = None if of_cut is None else of_cut()
    return (None, 0) if cut is None or cut.rows[index]() is not value else (cut, index)


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
    two = getattr(closed, "jaxpr", closed)
    key = aval, two.eqns[0].ctx
    if key not in _many:
        if len(_many) == _MOST_KEPT:
            _many.clear()
        _many[key] = _of_many(two, aval, count)
    of_results = {name: x[:1] * count for name, x in eqn.params.items() if type(x) is tuple and len(x) == 2}
    params = {**eqn.params, **of_results, "jaxpr": ClosedJaxpr(_many[key], ())}
    if not hasattr(current_trace(), "frame"):
        return eqn.primitive.bind(array, **params)
    first_two = _many[key].replace(outvars=_many[key].outvars[:2])
    return _of_more_results(eqn.primitive.bind(array, **{**eqn.params, "jaxpr": ClosedJaxpr(first_two, ())}), params, count)


def _of_more_results(made: list[Any], params: dict[str, Any], count: int) -> list[Any]:
    """Gives the equation that made some tracers, which are alike, these parameters and `count` results; returns the tracers.

    JAX calls nine functions for each result of an equation, and this calls five.
    """
    like, missing = made[0], count - len(made)
    eqn = equation_of(like)
    more = list(map(new_var, itertools.repeat(like.aval, missing)))
    eqn.params, eqn.outvars = params, [*eqn.outvars, *more]
    alike = map(itertools.repeat, (trace_of(like), like.aval))
    return [*made, *map(type(like), *alike, more, itertools.repeat(eqn.source_info), itertools.repeat(eqn))]


_MOST_KEPT = 16
_many: dict[Any, Any] = {}
"""The jaxprs that cut arrays into many rows, by the type of the array and the context of the equations."""


def _of_many(two: Any, aval: Any, count: int) -> Any:
    """Returns the jaxpr that cuts an array into `count` rows, made of that for two."""
    split, squeeze, _ = two.eqns
    whole = new_var(aval)
    parts, made = ([new_var(v.aval) for _ in range(count)] for v in (*squeeze.invars, *squeeze.outvars))
    split = split.replace(invars=[whole], outvars=parts, params={**split.params, "sizes": (1,) * count})
    squeezed = [squeeze.replace(invars=[part], outvars=[row]) for part, row in zip(parts, made, strict=True)]
    return two.replace(invars=[whole], outvars=made, eqns=[split, *squeezed])


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


class _Run(NamedTuple):
    """Values that follow one another in an array, forwards or backwards; or one value of another origin (`array` None)."""

    array: Any
    first: int
    last: int
    value: Any  # the first one; all rows of an array are of its type

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
    cut, index = _found(value)
    return 0 if cut is None or index else len(cut.rows)


def cut_from(values: Sequence[Any]) -> Any:
    """Finds the array of which `values` are all the rows, in their order; None where they are not."""
    cut, index = _found(values[0]) if values else (None, 0)
    if cut is None or index or len(cut.rows) != len(values):
        return None
    return cut.array if cut.last(0, values, 0) == len(values) - 1 else None


def _runs(values: Sequence[Any]) -> list[_Run]:
    runs: list[_Run] = []
    k, most = 0, len(values)
    while k < most:
        cut, first = _found(values[k])
        last = first if cut is None else cut.last(first, values, k)
        runs.append(_Run(None if cut is None else cut.array, first, last, values[k]))
        k += abs(last - first) + 1
    return runs


def _kind(x: Any) -> Any:
    """The type of a traced value, None of any other and of weakly typed ones: an array of those has another type."""
    if not is_traced(x) or x.weak_type:
        return None
    return x.shape, x.dtype


COUNTERPARTS: dict[Any, Any] = {jnp.stack: stack, **{make: partial(_made, make) for make in (jnp.array, jnp.asarray)}}
