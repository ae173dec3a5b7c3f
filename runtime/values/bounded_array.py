"""Arrays whose length is only known when the program runs: what a slice with traced bounds is, and a selection by a mask.

An XLA program has no arrays of unknown length. A bounded array is a *buffer* of known shape, and for each axis which of its rows
are elements (`rows`). The elements stay where they were, so a slice and a mask move nothing, and operands with the same rows are
combined in place, as an expert writes it (`jnp.where(jnp.arange(n) < k, x, 0)`).

>>> import autograph as ag, jax.numpy as jnp
>>> @ag.jit
... def f(x, k):
...     return x[:k].sum(), x[x > 2].mean(), x[k:] * 10
>>> total, mean, rest = f(jnp.array([1.0, 2.0, 3.0, 4.0]), 3)
>>> float(total), float(mean), rest
(6.0, 3.5, BoundedArray([40.], dtype=float32))

What stands in the other rows never shows, in values or in derivatives: reductions put their neutral element there, and what is no
sum puts a number there first, for which every derivative is finite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.jax_internals import convert_weak
from autograph.runtime.tracing import context, integer_ranges
from autograph.runtime.tracing.refusals import message_of_failure, refusal
from autograph.runtime.tracing.staging import is_array_like, is_traced
from autograph.runtime.values import rows as row_sets
from autograph.runtime.values.rows import Rows, Span

_HARMLESS = 2.0
"""A number for which derivatives by the other operand are finite: of `s / y`, `y**s`, and `s**y`, also where `s` is 0 or less."""


class BoundedArray:
    """An array of at most as many elements as its buffer has, whose length is known when the program runs.

    Slices with traced bounds make it (`x[:k]`, `a[i, j:]`), traced masks (`x[mask]`), and `np.flatnonzero`, `np.unique` and their
    like. In converted code it does what NumPy's arrays do: arithmetic, reductions, products, sorting, slices, masks, elements read
    and written, `len`, `.shape`, `for`. It is a value: what writes it gives the name another one. As a result of a compiled
    function, `np.asarray(y)`, `len(y)` and a loop over it show the elements alone.

    It is a pytree of the buffer and, for each axis of unknown length, the first row and the number of elements, or a mask.

    Attributes:
        data: the buffer, of known shape; what stands in rows that are no elements has no meaning.
        rows: for each axis None, if all of its rows are elements, or a `Span` or `Chosen`.
        shape: the lengths; an int, or a traced integer, for each axis.
    Raises:
        StagingError: an operation that is not written for arrays of unknown length.
        JaxRuntimeError: operands have different lengths, or an index is out of range, when the compiled program runs.
    """

    __slots__ = ("__weakref__", "data", "rows")
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]  # `==` compares elements, as that of every array does

    data: Any
    rows: tuple[Rows | None, ...]

    def __init__(self, data: Any, rows: tuple[Rows | None, ...]) -> None:
        self.data, self.rows = data, rows
        context.progress.has_bounded = True

    @classmethod
    def of(cls, buffer: Any, length: Any) -> BoundedArray:
        """Returns the array of the first `length` rows of an array, of which `length` may be traced.

        >>> BoundedArray.of(jnp.arange(4), 3)
        BoundedArray([0, 1, 2], dtype=int32)
        """
        buffer = jnp.asarray(buffer)
        return cls(buffer, (row_sets.span_of(slice(length), buffer.shape[0], buffer.shape[0]), *(None,) * (buffer.ndim - 1)))

    def padded(self, value: Any) -> Any:
        """Returns the elements at the front of an array of known shape, and `value` behind them.

        >>> BoundedArray.of(jnp.arange(4), 3).padded(-1)
        Array([ 0,  1,  2, -1], dtype=int32)
        """
        return self.compact().filled(value)

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.data.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.rows)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The length of each axis: an int, or a traced integer that promotes as Python's do."""
        return tuple(n if rows is None else number(rows.length) for n, rows in zip(self.data.shape, self.rows, strict=True))

    @property
    def size(self) -> Any:
        """The number of elements."""
        total: Any = 1
        for n in self.shape:
            total = n if type(total) is int and total == 1 else total * n
        return total

    @property
    def T(self) -> BoundedArray:
        """The same with its axes in reverse order."""
        return BoundedArray(self.data.T, self.rows[::-1])

    def mask(self) -> Any:
        """Tells which entries of the buffer are elements; broadcasts against it."""
        found: Any = True
        for axis, rows in enumerate(self.rows):
            if rows is not None:
                one = rows.mask().reshape((-1,) + (1,) * (self.ndim - 1 - axis))
                found = one if found is True else found & one
        return found

    def filled(self, value: Any) -> Any:
        """Returns the buffer with one value in the entries that are no elements."""
        return jnp.where(self.mask(), self.data, jnp.asarray(value, self.dtype))

    def harmless(self) -> BoundedArray:
        """Returns the same with a number in the spare rows for which derivatives are finite: others would add `0 * inf`."""
        return BoundedArray(self.filled(_HARMLESS), self.rows) if jnp.issubdtype(self.dtype, jnp.inexact) else self

    def compact(self) -> BoundedArray:
        """Returns the same with its elements at the front of the buffer."""
        data, rows = self.data, list(self.rows)
        for axis, there in enumerate(self.rows):
            if there is not None and not row_sets.are_at_front(there):
                rows[axis] = here = Span(0, there.length, there.size)
                data = row_sets.moved(data, axis, there, here)
        return BoundedArray(data, tuple(rows))

    def is_traced(self) -> bool:
        """Whether its lengths are not known yet."""
        return any(is_traced(rows.length) for rows in self.rows if rows is not None)

    def known(self, what: str) -> np.ndarray[Any, Any]:
        """Returns the elements, for what needs to know how many there are.

        Raises:
            StagingError: their number is not known yet.
            TypeError: these are many arrays, made by `vmap`.
        """
        if self.is_traced() or is_traced(self.data):
            raise refused(what)
        if any(np.ndim(rows.length) for rows in self.rows if rows is not None):
            raise TypeError("this is a batch of arrays, made by vmap: take one with jax.tree.map")
        data = np.asarray(self.data)
        for axis, rows in enumerate(self.rows):
            if rows is not None:
                data = np.take(data, np.flatnonzero(rows.mask()), axis=axis)
        return data

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.known("making a NumPy array"), dtype)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.known("taking the elements one by one"))

    def __len__(self) -> int:
        length: int = self.shape[0]  # converted code reads a traced one by name
        return length

    def __bool__(self) -> bool:
        raise ValueError(message_of_failure(bool, np.zeros(2)))

    def __repr__(self) -> str:
        if not isinstance(self.data, jax.Array | np.ndarray):  # what JAX puts into the place of the parts of a pytree
            return f"BoundedArray({self.data!r})"
        if self.is_traced() or is_traced(self.data) or any(np.ndim(rows.length) for rows in self.rows if rows is not None):
            sizes = zip(self.data.shape[-self.ndim :], self.rows, strict=True)
            return f"{self.dtype}[{','.join(str(n) if rows is None else f'at most {n}' for n, rows in sizes)}]"
        return f"Bounded{jnp.asarray(self.known('showing it'))!r}"


def of_array(x: Any) -> BoundedArray:
    """Returns an array, or a number, as a bounded array whose lengths are all known."""
    if type(x) is BoundedArray:
        return x
    x = x if is_array_like(x) and hasattr(x, "aval") else jnp.asarray(x)
    return BoundedArray(x, (None,) * x.ndim)


def simplified(data: Any, rows: list[Rows | None]) -> Any:
    """Returns a bounded array, or the buffer where every length is known."""
    return BoundedArray(data, tuple(rows)) if any(one is not None for one in rows) else data


def number(length: Any) -> Any:
    """Returns a length as Python has it: an int, or a traced integer that promotes like one."""
    if not is_traced(length):
        return length if np.ndim(length) else int(length)
    bounds = integer_ranges.range_of(length)
    weak = convert_weak(length, jnp.result_type(int))
    return weak if bounds is None else integer_ranges.declare_range(weak, *bounds)


def refused(what: str, instead: str = "") -> Exception:
    """Returns the error for what is not written for arrays of unknown length."""
    return refusal(
        f"{what} is not possible with an array whose length is only known when the program runs",
        why="it is a buffer of known shape, and a number of elements",
        instead=instead or "reduce it, or put it into an array of known length: `z[:k] = y`",
        page="array-of-unknown-length",
    )


def _flatten(x: BoundedArray) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    parts = [() if rows is None else rows.parts for rows in x.rows]
    return (x.data, *parts), tuple(None if rows is None else (type(rows), rows.size) for rows in x.rows)


def _unflatten(kinds: tuple[Any, ...], children: tuple[Any, ...]) -> BoundedArray:
    data, *parts = children
    rows = [None if kind is None else kind[0](*part, size=kind[1]) for kind, part in zip(kinds, parts, strict=True)]
    return BoundedArray(data, tuple(rows))


jax.tree_util.register_pytree_node(BoundedArray, _flatten, _unflatten)
