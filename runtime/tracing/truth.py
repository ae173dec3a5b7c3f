"""What decides a test: the value itself, or what the user's `__bool__` or `__len__` says of it.

`if obj:` calls `type(obj).__bool__` natively, which must return a bool. In staged code that may be a traced one, so the
method is called by name, converted, and its result takes the place of the object.

>>> class Basket:
...     def __init__(self, items): self.items = items
...     def __len__(self): return len(self.items)
>>> truth_value(Basket([1])), truth_value(Basket([])), truth_value([]), truth_value(3)
(1, 0, [], 3)
"""

from __future__ import annotations

import operator
from typing import Any

import jax
from jax.core import Tracer

from autograph.runtime.tracing import host, sizes
from autograph.runtime.tracing.class_lookup import python_method, static_lookup
from autograph.runtime.tracing.families import ARRAYS, BUILTIN_VALUES
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.staging import is_traced


def truth_value(x: Any) -> Any:
    """The value whose truth is that of `x`; `x` itself where no method of the user's is called."""
    kind = type(x)
    if kind is KnownTracer:
        return x.truth()
    if kind in BUILTIN_VALUES or issubclass(kind, ARRAYS):
        return x
    if sizes.is_size(x):
        return sizes.compare_sizes(x, "!=", 0)
    method = python_method(kind, "__bool__")
    if method is not None:
        result = host.calls.staged(method)(x)
        if not is_traced(result) and type(result) is not bool:
            raise TypeError(f"__bool__ should return bool, returned {type(result).__name__}")
        return result
    if static_lookup(kind, "__bool__") is None and python_method(kind, "__len__") is not None:
        return length(x)
    return x


def length(x: Any) -> Any:
    """`len(x)`; traced where the user's `__len__` returns a traced value."""
    method = python_method(type(x), "__len__")
    if method is None or issubclass(type(x), Tracer):
        rows = x.shape[0] if is_traced(x) and jax.typeof(x).shape else None
        return rows if sizes.is_size(rows) else len(x)
    result = host.calls.staged(method)(x)
    if is_traced(result):
        return result
    number = operator.index(result)
    if number < 0:
        raise ValueError("__len__() should return >= 0")
    return number
