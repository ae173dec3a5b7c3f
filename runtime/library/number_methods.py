"""Methods that make Python's numbers of traced ones, and that these have: `x.item()`, `x.tolist()`, `n.bit_length()`.

What `item` and `tolist` give is weakly typed, as Python numbers are.

>>> import jax
>>> f = jax.jit(lambda n, x: (method(n, "bit_length")(), method(n, "bit_count")(), method(x, "is_integer")()))
>>> [int(part) for part in f(-5, 2.0)], method(5, "bit_length")()
([3, 2, 1], 3)
>>> jax.jit(lambda x: method(x, "tolist")())(jax.numpy.arange(2))
[Array(0, dtype=int32, weak_type=True), Array(1, dtype=int32, weak_type=True)]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.library import array_methods
from autograph.runtime.tracing import host, python_bools
from autograph.runtime.tracing.array_types import python_type, scalar
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced, is_tracer


def method(x: Any, name: str) -> Callable[..., Any]:
    """`x.name`, converted; of a traced number or array what does the same."""
    if name in _OF_ARRAYS and is_tracer(x) and python_type(jax.typeof(x).dtype) is not None:
        return functools.partial(_OF_ARRAYS[name], x)
    if not is_traced(x) or jax.typeof(x).shape:
        return host.calls.converted(getattr(x, name))
    kind = int if python_type(jax.typeof(x).dtype) in (bool, int) else float
    is_number_of_numpy = not jax.typeof(x).weak_type and hasattr(getattr(jax.typeof(x).dtype, "type", None), name)
    if not hasattr(kind, name) and not is_number_of_numpy:
        raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
    staged = _METHODS.get(name)
    if staged is None:
        raise refusal(
            f"{name}() of a number needs its digits",
            why="they are known only when the program runs, and a compiled program computes with numbers",
            instead="compute it outside of the compiled program, or from a Python value (a static argument)",
            page="digits-of-a-number",
        )
    return functools.partial(staged, x)


def _size(n: Any) -> Any:
    """The absolute value, as an unsigned integer: the smallest integer has no other."""
    n = jnp.asarray(n)
    if n.dtype == bool:
        return n.astype(jnp.uint32)
    size = n.astype(jnp.dtype(f"uint{8 * n.dtype.itemsize}"))
    return jnp.where(n < 0, 0 - size, size)


def _bit_length(n: Any) -> Any:
    size = _size(n)
    return scalar(8 * size.dtype.itemsize - lax.clz(size).astype(int), int)


def _is_integer(x: Any) -> Any:
    if not jnp.issubdtype(jax.typeof(x).dtype, jnp.floating):
        return True
    whole = jnp.isfinite(x) & (jnp.floor(x) == x)
    python_bools.note_bool(whole)
    return whole


def _item(x: Any, *index: Any) -> Any:
    np.broadcast_to(np.False_, x.shape).item(*index)  # NumPy says what is wrong
    if index and type(index[0]) is tuple:
        (index,) = index
    return _python_number(x[index] if len(index) > 1 else jnp.reshape(x, -1)[index or 0])


def _tolist(x: Any) -> Any:
    if x.shape and x.dtype == bool:
        raise refusal(
            "tolist() of a traced array of bools",
            why="its elements would be bools of Python's, and add up as integers do; in a list they look like JAX's",
            instead="make a list of integers: `x.astype(int).tolist()`",
            page="list-of-traced-bools",
        )
    return _python_number(x) if not x.shape else [_tolist(row) for row in x]


def _python_number(x: Any) -> Any:
    kind = python_type(jax.typeof(x).dtype)
    if kind is not bool:
        return scalar(x, kind)
    python_bools.note_bool(x)
    return x


_OF_ARRAYS: dict[str, Callable[..., Any]] = {"item": _item, "tolist": _tolist, "fill": array_methods.fill_array}
_METHODS: dict[str, Callable[..., Any]] = {
    "bit_length": _bit_length,
    "bit_count": lambda n: scalar(lax.population_count(_size(n)), int),
    "is_integer": _is_integer,
}
