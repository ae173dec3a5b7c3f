"""Functions of numbers that take known numbers: operators, `math`, the builtins, NumPy's ufuncs and scalar types.

>>> import math
>>> is_function(math.sin), is_function(np.hypot), is_function(print)
(True, True, False)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.tracing.known.number import is_open_number, lifted

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


def or_else(fn: Any, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """Makes of a function of numbers one that takes known numbers as well; `otherwise`: what takes any others."""

    def call(*args: Any, **kwargs: Any) -> Any:
        found = NotImplemented if kwargs else lifted(fn, *args)
        if found is NotImplemented:
            return otherwise(*args, **kwargs)
        if is_open_number(found):
            found.compute = otherwise
        return found

    return call
