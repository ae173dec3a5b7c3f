"""Operations on bounded arrays and others together: element by element, and products of vectors and matrices.

Operands whose elements stand in the same rows need one operation on whole buffers. Others are moved to the rows of the one with
the smallest buffer, and the program fails where the lengths differ. NumPy also repeats an operand that happens to have one element;
here it must be known that it has one.

>>> import autograph as ag
>>> ag.jit(lambda x, k: x[:k] @ x[1:k + 1])(jnp.arange(4), 3)
Array(8, dtype=int32)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from autograph.runtime.checks.guards import guard_index
from autograph.runtime.tracing.families import NUMBERS
from autograph.runtime.tracing.same_values import are_same_integers
from autograph.runtime.tracing.staging import is_array_like
from autograph.runtime.values.bounded_array import BoundedArray, of_array, refused, simplified
from autograph.runtime.values.rows import Rows, all_rows, moved, tell_cost

_LINEAR = frozenset("add subtract negative positive conjugate conj real imag where".split())
_WITHOUT_DERIVATIVE = frozenset(
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not bitwise_and bitwise_or "
    "bitwise_xor invert bitwise_not isnan isinf isfinite signbit sign floor ceil rint trunc".split()
)
"""Functions that have no derivative, or that of a sum: nothing but zeros flows back from rows that are no elements."""


def elementwise(name: str, fn: Callable[..., Any], *operands: Any) -> Any:
    """`fn(*operands)` of bounded arrays, arrays and numbers, element by element.

    Args:
        name: what NumPy calls the function.
    """
    operands = tuple(jnp.asarray(x) if type(x) in (list, tuple) else x for x in operands)
    other = [x for x in operands if type(x) is not BoundedArray and not is_array_like(x)]
    if other:
        if name in ("equal", "not_equal"):  # of which Python would make one bool
            raise refused(f"comparing with an object of class {type(other[0]).__name__}")
        return NotImplemented
    bounded = [of_array(x) for x in operands]
    if name not in _LINEAR and name not in _WITHOUT_DERIVATIVE:
        bounded = [x.harmless() if any(x.rows) else x for x in bounded]
    buffers, rows = together(bounded)
    given = [x if type(x) in NUMBERS else data for x, data in zip(operands, buffers, strict=True)]
    return simplified(fn(*given), rows)


def together(operands: Sequence[BoundedArray]) -> tuple[list[Any], list[Rows | None]]:
    """Returns the buffers of operands with the elements of all in the same rows, and these rows for each axis of the result."""
    buffers, result = [x.data for x in operands], list[Rows | None]()
    for behind in range(max(x.ndim for x in operands), 0, -1):
        axes = [(k, x.ndim - behind, x.rows[x.ndim - behind]) for k, x in enumerate(operands) if x.ndim >= behind]
        bounded = [rows for _, _, rows in axes if rows is not None]
        if not bounded:
            result.append(None)
            continue
        here = min(bounded, key=lambda rows: rows.size)
        for k, axis, rows in axes:
            size = buffers[k].shape[axis]
            if rows is here or (rows is None and size == 1):
                continue
            there = rows or all_rows(size)
            here = of_same_length(here, there)
            if not there.is_like(here):
                buffers[k] = moved(buffers[k], axis, there, here)
        result.append(here)
    return buffers, result


def of_same_length(here: Rows, there: Rows, error: Exception | None = None) -> Rows:
    """Returns the first rows; the program fails if the others are more or fewer, unless it is known that they are as many."""
    one, other = here.length, there.length
    if are_same_integers(one, other):
        return here
    tell_cost("a check that the lengths are equal, when the program runs")
    error = error or ValueError("operands could not be broadcast together: their lengths, known when the program runs, differ")
    return here.of_length(guard_index(jnp.asarray(one), jnp.asarray(one == other), error))


def product(a: Any, b: Any) -> Any:
    """`a @ b` of vectors and matrices."""
    left, right = of_array(a), of_array(b)
    if not 1 <= left.ndim <= 2 or not 1 <= right.ndim <= 2:
        raise refused("a product of arrays of more than two axes")
    axis = 0 if right.ndim == 1 else right.ndim - 2
    left, right = (BoundedArray(x.filled(0), x.rows) if x.ndim == 2 and any(x.rows) else x for x in (left, right))
    data = list(summed((left, left.ndim - 1), (right, axis)))
    rows = [*left.rows[:-1], *(one for k, one in enumerate(right.rows) if k != axis)]
    return simplified(jnp.matmul(*data), rows)


def einsum(subscripts: str, *operands: Any) -> Any:
    """`np.einsum` of letters, where a bounded array has each of its axes once.

    Raises:
        StagingError: the subscripts have other signs.
    """
    text = subscripts.replace(" ", "") if type(subscripts) is str else "."
    inputs, arrow, output = text.partition("->")
    names, arrays = inputs.split(","), [of_array(x) for x in operands]
    letters = inputs.replace(",", "")
    if not (letters + output).isalpha() or len(names) != len(arrays) or any(len(set(one)) < len(one) for one in names):
        raise refused("einsum() with these subscripts")
    if any(len(one) != x.ndim for one, x in zip(names, arrays, strict=True)):
        raise ValueError("einstein sum subscripts string does not fit the axes of the operands")
    output = output if arrow else "".join(sorted(one for one in set(letters) if letters.count(one) == 1))
    buffers, found = [x.data for x in arrays], dict[str, Rows | None]()
    for letter in sorted(set(letters)):
        axes = [(k, names[k].index(letter)) for k in range(len(arrays)) if letter in names[k]]
        bounded = [rows for k, axis in axes if (rows := arrays[k].rows[axis]) is not None]
        if not bounded:
            found[letter] = None
            continue
        here = min(bounded, key=lambda rows: rows.size)
        for k, axis in axes:
            there = arrays[k].rows[axis] or all_rows(buffers[k].shape[axis])
            here = here if there is here else of_same_length(here, there)
            if not there.is_like(here):
                buffers[k] = moved(buffers[k], axis, there, here)
        for k, axis in axes:
            buffers[k] = _zeroed(buffers[k], axis, here)
        found[letter] = here
    return simplified(jnp.einsum(f"{inputs}->{output}", *buffers), [found[letter] for letter in output])


def summed(one: tuple[BoundedArray, int], other: tuple[BoundedArray, int]) -> tuple[Any, Any]:
    """Returns the buffers of two operands of a product with zeros beside the elements of an axis of each, over which it sums."""
    (left, a), (right, b) = one, other
    here, there = left.rows[a], right.rows[b]
    if here is None and there is None:
        return left.data, right.data
    here, there = here or all_rows(left.data.shape[a]), there or all_rows(right.data.shape[b])
    buffers = [left.data, right.data]
    if here.size == 0 or 0 < there.size < here.size:  # where nothing is left, nothing uses a check
        there = of_same_length(there, here)
        here, buffers[0] = there, moved(buffers[0], a, here, there)
    else:
        here = of_same_length(here, there)
        if not there.is_like(here):
            buffers[1] = moved(buffers[1], b, there, here)
    return _zeroed(buffers[0], a, here), _zeroed(buffers[1], b, here)


def _zeroed(data: Any, axis: int, rows: Rows) -> Any:
    kept: list[Rows | None] = [None] * data.ndim
    kept[axis] = rows
    return BoundedArray(data, tuple(kept)).filled(0)
