"""Whether NumPy copies an array to reshape it, which depends on how its elements lie in memory.

A slice or a transposition is a view with other strides. Axes become one without a copy where each lies right behind the next one:
`m.ravel()` is a view of a matrix in C order, `m.T.ravel()` a copy. The strides are read off the program that is being traced; an
argument counts as one in C order (`docs/limits.md`).

>>> import jax, jax.numpy as jnp
>>> from autograph.runtime.heap.array_views import bases
>>> def f(m):
...     print([any(base is m for base in bases(x)) for x in (m.ravel(), m.T.ravel(), m.T[:1].ravel())])
>>> _ = jax.eval_shape(f, jnp.zeros((2, 3)))
[True, False, True]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from autograph.jax_internals import closed_over, maps_lanes, open_traces, origin, outermost_trace, trace_of
from autograph.runtime.tracing.staging import is_tracer


def is_copied(x: Any, params: Any) -> bool:
    """Whether NumPy copies to reshape an array: it joins axes that do not lie one behind the other in memory.

    Not where lanes of `vmap` are among the axes, which each program sees without them.
    """
    if not all(type(n) is int and n for n in (*x.shape, *params["new_sizes"])):  # of open size, or empty
        return False
    strides = _strides(x)
    if strides is None or any(map(maps_lanes, open_traces())):
        return False
    order = params["dimensions"] or range(x.ndim)
    axes = [(x.shape[k], strides[k]) for k in order if x.shape[k] != 1]
    sizes = [n for n in params["new_sizes"] if n != 1]
    while axes:
        joined, have, wanted = list[tuple[int, int]](), 1, 1
        while not joined or have != wanted:
            if have <= wanted and axes:
                joined.append(axes.pop(0))
                have *= joined[-1][0]
            else:
                wanted *= sizes.pop(0)
        if any(one != n * another for (_, one), (n, another) in itertools.pairwise(joined)):
            return True
    return False


def _strides(x: Any) -> list[int] | None:
    """How many elements lie between neighbours along each axis of an array in NumPy; None where that is not known."""
    made = origin(x)
    if made is None:
        outer = closed_over(x)
        if outer is not None:
            if is_tracer(outer):
                return _strides(outer)
            if isinstance(outer, jax.Array):
                return _in_order(x.shape)
            return [n // outer.dtype.itemsize for n in np.asarray(outer).strides]
        is_argument = trace_of(x) is outermost_trace()()  # a variable of a loop may have been transposed
        return _in_order(x.shape) if is_argument else None
    name, operands, params = made
    if name == "iota" or (name == "broadcast_in_dim" and not operands[0].ndim):
        return _in_order(x.shape)
    found = _strides(operands[0]) if name in _STRIDED else None
    return None if found is None else _STRIDED[name](found, params)


_STRIDED: dict[str, Callable[[list[int], Any], list[int]]] = {
    **dict.fromkeys(("dynamic_slice", "dynamic_update_slice", "scatter"), lambda found, _: found),
    "rev": lambda found, params: [-n if k in params["dimensions"] else n for k, n in enumerate(found)],
    "slice": lambda found, params: [n * step for n, step in zip(found, params["strides"] or [1] * len(found), strict=True)],
    "squeeze": lambda found, params: [n for k, n in enumerate(found) if k not in params["dimensions"]],
    "transpose": lambda found, params: [found[k] for k in params["permutation"]],
}
"""Operations whose result lies in memory as their first operand, and its strides: views, and the array after a write."""


def _in_order(shape: tuple[int, ...]) -> list[int]:
    """The strides of an array whose last axis runs fastest."""
    return [math.prod(shape[k + 1 :]) for k in range(len(shape))]
