"""Looks up `x[i]` and `i in x` in containers of numbers, for an index that is known in each iteration.

>>> import jax, jax.numpy as jnp, numpy as np, autograph as ag
>>> weights, primes = np.array([0.1, 0.2, 0.7]), {2, 3}
>>> @jax.jit
... @ag.convert
... def f(x):
...     for i in ag.range(4):
...         if i in primes:
...             x = x + weights[i - 4] * 10  # 2.0 and 7.0: NumPy multiplies in 64 bits
...     return x
>>> float(f(0.0))
9.0
"""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.tracing.families import SCALARS
from autograph.runtime.tracing.known import emission, evaluation
from autograph.runtime.tracing.known.number import KnownTracer, bounds_of, is_open_number, lifted, made


def number_at(x: Any, i: Any, read: Callable[[Any, Any], Any] | None = None) -> Any:
    """Returns the number `x[i]`; `NotImplemented` where it is not known in each iteration.

    Args:
        read: reads an element of a list, a tuple, a dict or an array at a traced index; None where no index is open.
    """
    parts = i if type(i) is tuple else (i,)
    level = max(
        (part.level for part in parts if type(part) is KnownTracer), key=lambda level: level.depth, default=None
    )
    kind = type(x)
    if level is None:
        return NotImplemented
    if any(map(is_open_number, parts)):
        return _at_open_number(x, parts, read)
    if any(type(part) is KnownTracer and part.kind is float for part in parts):
        return NotImplemented
    if any(type(part) is KnownTracer and part.row is None for part in parts):
        return NotImplemented if level.is_lenient else _in_table(x, parts, level)
    if kind is range:
        return lifted(functools.partial(operator.getitem, x), i) if type(i) is KnownTracer else NotImplemented
    if kind is dict:
        return lifted(functools.partial(operator.getitem, dict(x)), i) if type(i) is KnownTracer else NotImplemented
    if kind is np.ndarray:
        row = _of_array(x, parts)
    elif kind in (list, tuple) and type(i) is KnownTracer and i.row is not None:
        row = _of_sequence(x, i.row)
    else:
        return NotImplemented
    return NotImplemented if row is None else made(row, level)


def _at_open_number(x: Any, parts: tuple[Any, ...], read: Callable[[Any, Any], Any] | None) -> Any:
    """Returns `x[i]` at an index of which the end of the iteration shows whether it is known."""
    is_dict = type(x) is dict
    numbers = None if is_dict else _numbers_in(x)
    if read is None or not (is_dict or (numbers is not None and numbers.values.ndim == len(parts))):
        return NotImplemented
    held: Any = tuple(x) if type(x) is list else copy.copy(x)  # the iteration may write to it later
    found = lifted(lambda *i: held[i if len(i) > 1 else i[0]], *parts)
    if found is not NotImplemented:
        found.compute = lambda *i: read(held, i if len(i) > 1 else i[0])
    return found


def _in_table(x: Any, parts: tuple[Any, ...], level: Any) -> Any:
    """Returns the element of a table in the program, at an index of more numbers than a row holds."""
    numbers = _numbers_in(x)
    if numbers is None or numbers.values.ndim != len(parts):
        return NotImplemented
    at: Any = 0
    for part, size in zip(parts, numbers.values.shape, strict=True):
        bounds = bounds_of(part)
        if not bounds or not -size <= bounds[0] <= bounds[1] < size:
            return NotImplemented
        at = at * size + (part % size if bounds[0] < 0 else part)
    return KnownTracer(numbers.kind, None, numbers.bounds() or (), level, emission.Table(numbers.values.reshape(-1)), (at,))


def _numbers_in(x: Any) -> evaluation.Row | None:
    if type(x) is np.ndarray:
        return evaluation.Row(x, x.dtype.type) if x.dtype.kind in "biuf" and x.size else None
    if type(x) not in (list, tuple) or set(map(type, x)) not in ({int}, {float}, {bool}):
        return None
    return evaluation.row_of(x)


def _of_array(x: Any, parts: tuple[Any, ...]) -> evaluation.Row | None:
    index = [part.row.values if type(part) is KnownTracer and part.row is not None else part for part in parts]
    if x.dtype.kind not in "biuf" or len(index) != x.ndim or not all(type(k) in (int, np.ndarray) for k in index):
        return None
    return _taken(x, index, x.dtype.type)


def _of_sequence(xs: Any, index: evaluation.Row) -> evaluation.Row | None:
    numbers = _numbers_in(xs)
    return None if numbers is None else _taken(numbers.values, [index.values], numbers.kind)


def _taken(values: Any, index: list[Any], kind: type) -> evaluation.Row | None:
    try:
        return evaluation.Row(values[tuple(index)], kind)
    except IndexError:  # in an iteration that may be reached: the program says it
        return None


def is_element(x: Any, container: Any) -> Any:
    """Returns whether `x in container`; `NotImplemented` where that is not known in each iteration."""
    kind = type(container)
    if kind is range:
        return lifted(functools.partial(operator.contains, container), x)
    if kind not in (list, tuple, set, frozenset, dict) or not set(map(type, container)) <= SCALARS:
        return NotImplemented
    return lifted(functools.partial(operator.contains, frozenset(container)), x)
