"""What is known about the size of traced integers: items of ranges, places of extremes, and sums and products of these.

An index that is known to lie in an array needs no test of its sign and no test of its range, a step that is known to be
positive no guard against zero. That is most of the work in the innermost loop of many a program.

>>> import jax
>>> def f(i):
...     i = declare(i, 1, 9)
...     return print(of(i), of(i * 2 - 1), of(i // 2), of(7)) or i
>>> _ = jax.make_jaxpr(f)(3)
(1, 9) (1, 17) (0, 4) (7, 7)
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.jax_internals import closed_over, literal, origin
from autograph.runtime.staging import is_traced

Bounds = tuple[int, int]
_DEEPEST = 12  # operations that are followed back


class _Known(threading.local):
    def __init__(self) -> None:
        self.of: dict[int, tuple[Any, Bounds]] = {}


_known = _Known()


def declare(x: Any, low: int, high: int) -> Any:
    """`x`, which is known to lie between two numbers, both included."""
    if is_traced(x):
        key = id(x)
        table = _known.of
        table[key] = (weakref.ref(x, lambda _: table.pop(key, None)), (low, high))
    return x


def of(x: Any, depth: int = _DEEPEST) -> Bounds | None:
    """The least and the greatest value of an integer scalar, or None where they are not known."""
    if not is_traced(x):
        return (int(x), int(x)) if isinstance(x, int | np.integer) else None
    found = _known.of.get(id(x))
    if found is not None and found[0]() is x:
        return found[1]
    if depth == 0 or x.shape or not jnp.issubdtype(x.dtype, jnp.integer):
        return None
    if (number := literal(x)) is not None:
        return int(number), int(number)
    made = origin(x)
    if made is None:
        outer = closed_over(x)
        return None if outer is None else of(outer, depth - 1)
    bounds = _result(*made, depth - 1)
    if bounds is None:
        return None
    limits = jnp.iinfo(x.dtype)
    return bounds if limits.min <= bounds[0] and bounds[1] <= limits.max else None


def is_inside(x: Any, size: int) -> bool:
    """Whether an index is known to lie in `range(size)`."""
    bounds = of(x)
    return bounds is not None and 0 <= bounds[0] and bounds[1] < size


def is_natural(x: Any) -> bool:
    """Whether an integer is known not to be negative."""
    bounds = of(x)
    return bounds is not None and bounds[0] >= 0


def _result(name: str, operands: Any, params: Any, depth: int) -> Bounds | None:
    """The bounds of the result of an operation."""
    if name in ("argmax", "argmin"):
        [axis] = params["axes"]
        size = operands[0].shape[axis]
        return (0, size - 1) if isinstance(size, int) else None
    if name == "select_n":
        operands = operands[1:]
    elif name in ("jit", "pjit") and params.get("name") in ("floor_divide", "remainder"):
        name = params["name"]
    elif name not in _OPERATIONS:
        return None
    every = [known for x in operands if (known := of(x, depth)) is not None]
    if not every or len(every) < len(operands):
        return None
    (low, high), *others = every
    if name in ("convert_element_type", "copy"):
        return low, high
    if name == "select_n":
        return min(b[0] for b in every), max(b[1] for b in every)
    if name == "clamp":
        (x_low, x_high), (top_low, top_high) = others
        return min(max(low, x_low), top_low), min(max(high, x_high), top_high)
    a, b = others[0]
    if name == "add":
        return low + a, high + b
    if name == "sub":
        return low - b, high - a
    if name == "mul":
        products = (low * a, low * b, high * a, high * b)
        return min(products), max(products)
    if name in ("max", "min"):
        pick = max if name == "max" else min
        return pick(low, a), pick(high, b)
    if a != b or a <= 0:
        return None
    if name == "floor_divide" or (name == "div" and low >= 0):
        return low // a, high // a
    if name == "remainder" or (name == "rem" and low >= 0):
        return 0, a - 1
    return None


_OPERATIONS = frozenset({"add", "sub", "mul", "max", "min", "div", "rem", "clamp", "convert_element_type", "copy"})
