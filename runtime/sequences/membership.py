"""`x in container` where something is traced.

| container | test |
| --- | --- |
| array | `any(container == x)` |
| list, tuple | the same object, or an equal element |
| set, frozenset, dict | an equal element or key (a traced value has no hash; a plain one would be found by it) |
| range, `ag.range` | arithmetic |
| iterators | their elements, all of them |
| user's class | its `__contains__`, converted |

>>> f = jax.jit(lambda x: contains(x, range(0, 10, 3)))
>>> bool(f(6)), bool(f(7)), contains(2, [1, 2])
(True, False, True)
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.jax_internals import is_tracing
from autograph.runtime.checks import traced_strings
from autograph.runtime.jaxprs.binding import predicate
from autograph.runtime.sequences import counted_range, short_circuit
from autograph.runtime.sequences.comparison import check_search, matches, may_be_traced
from autograph.runtime.tracing import host, sizes
from autograph.runtime.tracing.array_types import python_type, type_of
from autograph.runtime.tracing.class_lookup import python_method, static_lookup
from autograph.runtime.tracing.families import CONTAINERS
from autograph.runtime.tracing.known import lookups
from autograph.runtime.tracing.known.number import KnownTracer, is_open_number
from autograph.runtime.tracing.staging import holds_traced, is_array_like, is_traced
from autograph.runtime.values import choices, key_orders
from autograph.runtime.values.bounded_array import BoundedArray


def _holds(container: Any, x: Any) -> Any:
    return contains(x, container)


def contains(x: Any, container: Any) -> Any:
    """`x in container`."""
    traced_strings.check_shows_no_traced((x,))
    if type(x) is KnownTracer and (known := lookups.is_element(x, container)) is not NotImplemented:
        if is_open_number(known):
            known.compute = functools.partial(_holds, container)
        return known
    if type(x) is choices.Choice:
        return choices.for_each_option(x, functools.partial(_holds, container))
    if key_orders.any_unknown():  # else the variable would hold the container once more, which `sharing` counts
        container = key_orders.plain_view(container)
    kind = type(container)
    if issubclass(kind, CONTAINERS):
        check_search(x, container)
    if kind in (list, tuple):
        if may_be_traced(x) or any(map(may_be_traced, container)):
            return _any_equal(x, container)
        return x in container
    if is_array_like(container):
        return _in_array(x, container) if is_traced(x) or is_traced(container) else x in container
    if kind is BoundedArray:
        return (container == (jnp.asarray(x) if type(x) in (list, tuple) else x)).any()
    if kind is counted_range.range and any(map(sizes.is_unknown, (x, container.start, container.stop, container.step))):
        return _in_range(x, container)
    method = python_method(kind, "__contains__")
    if method is not None:
        found = host.calls.staged(method)(container, x)
        return predicate(found) if is_traced(found) else bool(found)
    has_items_alone = static_lookup(kind, "__contains__") is None and static_lookup(kind, "__iter__") is not None
    if not sizes.is_unknown(x) and not (issubclass(type(x), tuple) and holds_traced(x)):
        if not (has_items_alone and is_tracing()):  # what an iterator gives may be traced
            return x in container
    if kind is range:
        return _in_range(x, container)
    if has_items_alone or issubclass(kind, (dict, set, frozenset)):
        return _any_equal(x, container)
    return x in container


def _any_equal(x: Any, container: Iterable[Any]) -> Any:
    if is_traced(x) and (type(container) is list or type(container) is tuple) and len(container) > 4:
        kinds = set(map(type, container))
        if len(kinds) == 1 and kinds <= {int, float} and not jax.typeof(x).shape:
            return jnp.any(jnp.asarray(np.asarray(container), jnp.result_type(next(iter(kinds)))) == x)
    return short_circuit.any_passes(container, lambda element: matches(element, x), "`in`", callers=3)


def _in_array(x: Any, array: Any) -> Any:
    """`any(array == x)`, as in NumPy: of any shapes that fit together."""
    if not np.ndim(array):
        found = type_of(array)
        kind = python_type(found.dtype) if found.weak or found.dtype == bool else None
        raise TypeError(f"argument of type '{kind.__name__ if kind else f'numpy.{found.dtype}'}' is not iterable")
    return jnp.any(jnp.asarray(array) == (jnp.asarray(x) if type(x) in (list, tuple) else x))


def _in_range(x: Any, numbers: Any) -> Any:
    """`x in range(start, stop, step)`; each of the numbers may be traced."""
    x, start, stop, step = map(sizes.traced, (x, numbers.start, numbers.stop, numbers.step))
    if not is_array_like(x) or jax.typeof(x).shape or jnp.issubdtype(jax.typeof(x).dtype, jnp.complexfloating):
        return _any_equal(x, numbers)
    up, down = (x >= start) & (x < stop), (x <= start) & (x > stop)
    known = type(step) is int
    within = jnp.where(step > 0, up, down) if not known else up if step > 0 else down
    if known and step in (1, -1) and not jnp.issubdtype(jax.typeof(x).dtype, jnp.inexact):
        return within
    return within & ((x - start) % step == 0)
