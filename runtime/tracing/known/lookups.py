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

import functools
import operator
from typing import Any

import numpy as np

from autograph.runtime.tracing.families import SCALARS
from autograph.runtime.tracing.known import evaluation
from autograph.runtime.tracing.known.evaluation import NotKnown, Row
from autograph.runtime.tracing.known.number import KnownTracer, lifted, made

_NUMBERS = frozenset((int, float, bool))


def number_at(x: Any, i: Any) -> Any:
    """Returns the number `x[i]`; `NotImplemented` where it is not known in each iteration."""
    parts = i if type(i) is tuple else (i,)
    level = max(
        (part.level for part in parts if type(part) is KnownTracer), key=lambda level: level.depth, default=None
    )
    if level is None or any(type(part) is KnownTracer and (part.row is None or part.kind is float) for part in parts):
        return NotImplemented
    kind = type(x)
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


def _of_array(x: Any, parts: tuple[Any, ...]) -> Row | None:
    index = [part.row.values if type(part) is KnownTracer and part.row is not None else part for part in parts]
    if x.dtype.kind not in "biuf" or len(index) != x.ndim or not all(type(k) in (int, np.ndarray) for k in index):
        return None
    return _taken(x, index, x.dtype.type)


def _of_sequence(xs: Any, index: Row) -> Row | None:
    kinds = set(map(type, xs))
    if len(kinds) != 1 or not kinds <= _NUMBERS:
        return None
    try:
        numbers = evaluation.row_of(xs)
    except NotKnown:
        return None
    return _taken(numbers.values, [index.values], numbers.kind)


def _taken(values: Any, index: list[Any], kind: type) -> Row | None:
    try:
        return Row(values[tuple(index)], kind)
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
