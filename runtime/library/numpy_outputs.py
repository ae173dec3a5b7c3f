"""Runs functions of NumPy that write their result into an array: `np.add(a, b, out=x)`, `m.sum(0, out=x)`.

The result takes the place of the array, as after `x[...] = result`, and is what the call returns. The converter gives it to the
variable (`converters/argument_writes.py`); reading the array under another name is refused.

>>> import autograph as ag, jax.numpy as jnp, numpy as np
>>> @ag.jit
... def f(a, b):
...     total = np.zeros(2)
...     found = np.add(a, b, out=total, where=a > 0)
...     return found, total
>>> f(jnp.array([1.0, -1.0]), 2.0)
(Array([3., 0.], dtype=float32), Array([3., 0.], dtype=float32))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.heap import array_versions, array_views
from autograph.runtime.library.numpy_trials import cannot_write
from autograph.runtime.operators import items
from autograph.runtime.sequences import array_writes
from autograph.runtime.tracing.staging import is_tracer
from autograph.runtime.values.bounded_array import BoundedArray


def has_outputs(args: tuple[Any, ...], kwargs: dict[str, Any], places: slice) -> bool:
    """Whether a call names arrays for its results; `places`: where they stand among the positional arguments."""
    return kwargs.get("out") is not None or (len(args) > places.start and any(x is not None for x in args[places]))


def call_with_outputs(
    name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], places: slice, *, is_ufunc: bool = False
) -> Any:
    """Returns `call(*args, **kwargs)`, whose results take the place of the arrays that it names for them.

    Args:
        name: the function's, as the user writes it.
        call: what computes it without these arrays.
        places: where they stand among the positional arguments.

    Raises:
        StagingError: one of them is a NumPy array, which holds known numbers.
    """
    outputs, args, kwargs = _apart(args, dict(kwargs), places)
    outputs = [array_versions.latest(x) for x in outputs]
    for x in outputs:
        if x is not None and not is_tracer(x) and type(x) is not BoundedArray:
            raise cannot_write(name)
        if is_tracer(x) and not array_views.has_names(x):
            raise TypeError("return arrays must be of ArrayType")
    own = name.rpartition(".")[2]
    where = kwargs.pop("where", True) if is_ufunc else True
    if len(outputs) == 1:
        kwargs = array_writes.in_wide_dtype(own, outputs[0], args, kwargs, 1 if name.startswith("ndarray.") else 2)
    value = call(*array_writes.operands_where(args, where), **kwargs)
    values = [value] if len(outputs) == 1 else list(value)
    for n, x in enumerate(outputs):
        if x is not None:
            new = array_writes.left_in_output(own, x, values[n], args, where=where, is_ufunc=is_ufunc)
            values[n] = items.set_item(new, x, ...)
    return values[0] if len(outputs) == 1 else tuple(values)


def write_first(name: str, x: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Calls a function of NumPy that writes its first argument, an array of JAX; returns the array that takes its place."""
    return items.set_item(array_writes.left_by(name, x, args, kwargs), x, ...)


def _apart(
    args: tuple[Any, ...], kwargs: dict[str, Any], places: slice
) -> tuple[list[Any], tuple[Any, ...], dict[str, Any]]:
    """Returns the arrays for the results, and the other arguments."""
    out = kwargs.pop("out", None)
    if out is not None:
        return list(out) if isinstance(out, tuple) else [out], args, kwargs
    after = args[places.stop :] if places.stop is not None else ()
    return list(args[places]), (*args[: places.start], *((None,) if after else ()), *after), kwargs
