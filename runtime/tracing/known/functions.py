"""Functions of numbers that take known numbers: operators, `math`, the builtins, NumPy's ufuncs and scalar types.

>>> import math
>>> is_function(math.sin), is_function(np.hypot), is_function(print)
(True, True, False)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.tracing.known.branch_numbers import chosen_number
from autograph.runtime.tracing.known.number import KnownTracer, is_open_number, kind_of, lifted

_FUNCTIONS: frozenset[Any] = frozenset((abs, bool, int, float, round, pow, min, max)) | frozenset(
    fn for name, fn in vars(math).items()
    if callable(fn) and name not in ("fsum", "prod", "dist", "sumprod", "modf", "frexp")
) | frozenset(getattr(operator, name) for name in (
    "add sub mul truediv floordiv mod pow lt le gt ge eq ne neg pos abs invert and_ or_ xor lshift rshift not_ truth index".split()
))  # fmt: skip


def is_function(fn: Any) -> bool:
    """Whether a function of numbers gives one number, and does nothing else."""
    if isinstance(fn, np.ufunc):
        return fn.nout == 1
    return fn in _FUNCTIONS or (isinstance(fn, type) and issubclass(fn, np.generic) and np.dtype(fn).kind in "biuf")


def total_of(items: Iterable[Any], start: Any) -> Any:
    """Returns `sum(items, start)`; of floats that are known in each iteration Python adds more exactly than `+` does.

    From Python 3.12 on, as long as the items are numbers: behind another one `sum` adds with `+`.
    """
    total, known = start, list[Any]()
    left = iter(items)
    for item in left:
        if kind_of(item) not in (int, float, bool):
            break
        known.append(item)
    else:
        return _sum(known, start)
    total = _sum(known, start) + item
    for item in left:
        total = total + item
    return total


def _sum(numbers: Sequence[Any], start: Any) -> Any:
    found = lifted(_added, start, *numbers) if float in map(kind_of, numbers) else NotImplemented
    return sum(numbers, start) if found is NotImplemented else found


def _added(start: Any, *numbers: Any) -> Any:
    return sum(numbers, start)


def or_else(fn: Any, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """Makes of a function of numbers one that takes known numbers as well; `otherwise`: what takes any others."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if fn in (max, min) and not kwargs and len(set(map(kind_of, args))) > 1:
            found = _extreme(operator.gt if fn is max else operator.lt, args)
            if found is not NotImplemented:
                return found
        found = NotImplemented if kwargs else lifted(fn, *args)
        if found is NotImplemented:
            return otherwise(*args, **kwargs)
        if is_open_number(found):
            found.compute = otherwise
        return found

    return call


def _extreme(is_better: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Returns `max(*args)` or `min(*args)` of numbers of several kinds: Python keeps one of them, of whichever kind it is."""
    found, *others = args
    for other in others:
        test = lifted(is_better, other, found)
        if test is NotImplemented:
            return NotImplemented
        if type(test) is KnownTracer:
            found = chosen_number(test, other, found)
        elif test:
            found = other
        if found is NotImplemented:
            return NotImplemented
    return found
