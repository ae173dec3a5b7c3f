"""Augmented assignment to a name: `x += v` and its family.

>>> xs = ys = [1]
>>> xs = iop('+=', xs, [2]); ys
[1, 2]
>>> iop('//=', 7, 2)
3
"""

from __future__ import annotations

import gc
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.runtime.heap import array_versions, constants, journal
from autograph.runtime.sequences.inplace_operators import combined
from autograph.runtime.tracing import array_types, context, sharing
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced, is_tracer
from autograph.runtime.values.bounded_array import BoundedArray


def iop(symbol: str, x: Any, value: Any, unshared: int | None = None) -> Any:
    """The new value of `x` after `x <symbol> value`.

    Containers change in place and are announced to the journal; a Python `__iadd__` is converted; arrays of JAX and
    numbers give a new value.

    Args:
        unshared: the number of axes up to which a NumPy array `x` is known to nothing but the variable that is bound anew, as
            the source shows; None where no variable is.

    Raises:
        StagingError: a NumPy array would have to hold a traced value.
    """
    is_numpys = type(x) is np.ndarray
    if is_numpys:
        x = traceable(x, unshared, 2) if is_traced(value) or context.active() else constants.apart(x, unshared)
    new = combined(symbol, x, value)
    if is_numpys and np.shape(new) != x.shape:
        raise ValueError(f"non-broadcastable output operand of shape {x.shape}: the result has the shape {np.shape(new)}")
    if new is not x and is_tracer(x):
        if (have := x.aval).shape and getattr(getattr(new, "aval", have), "dtype", None) is not have.dtype:
            _check_kind(symbol, have.dtype, new)
        array_versions.record(x, new, array_versions.UPDATE, unshared=constants.is_unshared(x, unshared))
    elif type(x) is BoundedArray:
        _check_kind(symbol, x.dtype, new)
        _check_axes(x, new)
        array_versions.record(x.data, new.data, array_versions.UPDATE)
    return new


def _check_axes(x: BoundedArray, new: Any) -> None:
    """Raises what NumPy raises where the result of an operation in place has more elements than the array."""
    is_apart = type(new) is not BoundedArray or new.ndim != x.ndim
    if is_apart or any(r is None and n == 1 != m for r, n, m in zip(x.rows, x.data.shape, new.data.shape, strict=True)):
        raise ValueError("non-broadcastable output operand: the result has other axes than the array that is written")


def _check_kind(symbol: str, dtype: Any, new: Any) -> None:
    """Refuses to make floats of an array of integers in place, or signed numbers of unsigned ones: NumPy raises, JAX does not."""
    are_whole = new.dtype.kind in "iu" and dtype.kind in "iu"
    if array_types.is_of_higher_kind(new.dtype, dtype) or (are_whole and not np.can_cast(new.dtype, dtype, "same_kind")):
        raise refusal(
            f"`{symbol}` would make an array of dtype {new.dtype.name} of one of dtype {dtype.name}",
            why="NumPy changes the array, which keeps its dtype, and raises; JAX makes another array",
            instead=f"write it as an assignment, `x = x {symbol[:-1]} v`, or cast the operand (`v.astype(x.dtype)`)",
            page="value-of-another-dtype",
        )


def traceable(x: np.ndarray[Any, Any], unshared: int | None, calls: int) -> Any:
    """A NumPy array that a traced value or a staged statement will change, as an array of JAX.

    It stays what it is where another name, row or view could see that it is another object now: where neither the source shows
    that there is none, nor the count of references, which is exact where the array is no variable of a staged statement.
    An array without axes would be a number afterwards, which names do not share: of it the count says too little.

    Args:
        calls: how many functions of ours hold it, from the operator to this one.
    """
    if x.base is not None or x.dtype.kind not in "biufc":
        return x
    is_own = constants.is_unshared(x, unshared) or (unshared is not None and x.ndim > 0 and sharing.other_references(x, calls) == 1)
    if not is_own:
        return x
    if constants.is_unshared(x, unshared) and context.active():
        constants.note_alone(x)  # the other branch leaves it in the same variable
    with np.errstate(over="ignore", invalid="ignore"):  # what `np.empty` holds may be beyond the floats of the program
        return jnp.asarray(x)


def make_traceable(found: list[Any], by_traced: bool) -> None:
    """Makes a JAX array of a NumPy array that is about to be written, if only one attribute or container refers to it.

    Args:
        found: holds the array last; nothing else of ours refers to it but what is noted of writes.
        by_traced: whether a traced value is written, or at a traced index.
    """
    if by_traced or context.active():
        key = id(found[-1])
        holders = [*journal.held_by_regions(), *constants.holders_of_constants()]
        noted = sum(id(one) == key for holder in holders for one in gc.get_referents(holder))
        if sharing.references_outside(found, -1) == 1 + noted:
            constants.note_alone(found[-1])
            found[-1] = traceable(found[-1], found[-1].ndim, 1)


def lent(x: Any, others: tuple[Any, ...], unshared: int) -> Any:
    """Returns an array that the caller made, as it is handed to a function which writes its elements.

    Of a NumPy array to which one variable refers: an array of JAX, where the statement is staged or hands over a traced value.

    Args:
        others: the other arguments that are variables.
        unshared: see `iop`.
    """
    if type(x) is not np.ndarray or not (any(map(is_traced, others)) or context.active()):
        return x
    return traceable(x, unshared, 2)
