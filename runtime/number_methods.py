"""Methods that Python's numbers have and arrays have not, on traced numbers: `n.bit_length()`, `x.is_integer()`.

>>> import jax
>>> f = jax.jit(lambda n, x: (method(n, "bit_length")(), method(n, "bit_count")(), method(x, "is_integer")()))
>>> [int(part) for part in f(-5, 2.0)], method(5, "bit_length")()
([3, 2, 1], 3)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph.runtime import bool_arithmetic, calls
from autograph.runtime.refusals import refusal
from autograph.runtime.staging import is_traced
from autograph.runtime.types import scalar


def method(x: Any, name: str) -> Callable[..., Any]:
    """`x.name`, converted; of a traced number what does the same."""
    if not is_traced(x) or jax.typeof(x).shape:
        return calls.converted(getattr(x, name))
    dtype = jax.typeof(x).dtype
    kind = "int" if any(jnp.issubdtype(dtype, known) for known in (jnp.bool_, jnp.integer)) else "float"
    if not hasattr(int if kind == "int" else float, name):
        raise AttributeError(f"'{kind}' object has no attribute '{name}'")
    staged = _METHODS.get(name)
    if staged is None:
        raise refusal(
            f"{name}() of a number needs its digits",
            why="they are known only when the program runs, and a compiled program computes with numbers",
            instead="compute it outside of the compiled program, or from a Python value (a static argument)",
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


def _bit_count(n: Any) -> Any:
    return scalar(lax.population_count(_size(n)), int)


def _is_integer(x: Any) -> Any:
    if not jnp.issubdtype(jax.typeof(x).dtype, jnp.floating):
        return True
    whole = jnp.isfinite(x) & (jnp.floor(x) == x)
    bool_arithmetic.note(whole)
    return whole


_METHODS: dict[str, Callable[..., Any]] = {
    "bit_length": _bit_length,
    "bit_count": _bit_count,
    "is_integer": _is_integer,
}
