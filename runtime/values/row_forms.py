"""Brings arrays of different lengths to one form, in which an `if` joins them and a loop carries them.

A form is, for each axis, its known length, or how its elements are told from spare rows and how many rows the buffer has. No
element is moved: a buffer gets more spare rows, and a span is written as a mask.

| one | other | both |
| --- | --- | --- |
| an axis of known length, or a slice | the same, or another length | `Span`, as many rows as the longer one has |
| a selection by a mask | any | `Chosen`, likewise |

>>> whole, part = jnp.arange(3), BoundedArray.of(jnp.arange(4), 2)
>>> form = common_form(form_of(whole), form_of(part))
>>> form == ((Span, 4),), in_form(whole, form)
(True, BoundedArray([0, 1, 2], dtype=int32))
"""

from __future__ import annotations

import operator
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.runtime.tracing.staging import is_array_like
from autograph.runtime.values.bounded_array import BoundedArray
from autograph.runtime.values.rows import Chosen, Rows, Span

Form = tuple[int | tuple[type[Rows], int], ...]


def form_of(x: Any) -> Form:
    """Returns the form of an array or a bounded array."""
    if type(x) is not BoundedArray:
        return tuple(np.shape(x))
    return tuple(n if rows is None else (type(rows), n) for n, rows in zip(x.data.shape, x.rows, strict=True))


def common_form(one: Form, other: Form) -> Form | None:
    """Returns the form that takes arrays of both forms; None where they have different numbers of axes."""
    return tuple(map(_common_axis, one, other)) if len(one) == len(other) else None


def _common_axis(one: Any, other: Any) -> Any:
    if one == other:
        return one
    (kind, n), (another, m) = (axis if type(axis) is tuple else (Span, axis) for axis in (one, other))
    return (Chosen if Chosen in (kind, another) else Span), max(n, m)


def form_of_both(left: Any, right: Any) -> Form | None:
    """Returns the form that takes two arrays of different forms; None where they are of one form, or anything else."""
    if not all(type(x) is BoundedArray or is_array_like(x) for x in (left, right)):
        return None
    one, other = form_of(left), form_of(right)
    return common_form(one, other) if one != other else None


def form_of_less(shape: tuple[int, ...], x: Any) -> Form | None:
    """Returns the form of arrays of a shape and of one that is shorter along some axes; None if it is not."""
    less = np.shape(x)
    is_less = len(less) == len(shape) and less != shape and all(map(operator.le, less, shape))
    return common_form(shape, less) if is_less else None


def in_form(x: Any, form: Form) -> BoundedArray:
    """Returns an array in a form that takes it; its buffer gets no spare rows, so that writes to it are still known as such."""
    data, rows = _parts_of(x)
    if form_of(x) == form:
        return BoundedArray(data, rows)
    return BoundedArray(data, tuple(_rows_in(*axis) for axis in zip(data.shape, rows, form, strict=True)))


def _parts_of(x: Any) -> tuple[Any, tuple[Rows | None, ...]]:
    return (x.data, x.rows) if type(x) is BoundedArray else (x, (None,) * np.ndim(x))


def shape_in(form: Form) -> tuple[int, ...]:
    return tuple(axis if isinstance(axis, int) else axis[1] for axis in form)


def _rows_in(n: int, rows: Rows | None, axis: Any) -> Rows | None:
    if type(axis) is int:
        return None
    kind, size = axis
    if kind is Chosen:
        return Chosen(_mask_in(n, rows, size), n if rows is None else rows.length)
    return Span(*_span_of(n, rows), size)


def _span_of(n: int, rows: Rows | None) -> tuple[Any, Any]:
    """Returns the first row and the length of an axis without a mask."""
    return (rows.start, rows.length) if type(rows) is Span else (0, n)


def _mask_in(n: int, rows: Rows | None, size: int) -> Any:
    mask = np.ones(n, bool) if rows is None else rows.mask()
    return mask if n == size else (np if rows is None else jnp).pad(mask, (0, size - n))


def parts_in_form(x: Any, form: Form) -> list[Any]:
    """Returns the numbers and arrays of an array for `array_of_parts`; nothing is computed, for it may be of another branch."""
    data, rows = _parts_of(x)
    parts = [data]
    for n, one, axis in zip(data.shape, rows, form, strict=True):
        if type(axis) is tuple:
            start, length = _span_of(n, one)
            parts += [start, one.length if type(one) is Chosen else length]
            if axis[0] is Chosen:
                parts += [one.mask() if type(one) is Chosen else np.ones(n, bool), length]
    return parts


def array_of_parts(made: list[Any], form: Form) -> BoundedArray:
    """Returns the array of one form whose parts are those of one of two branches."""
    data, *parts = made
    rows: list[Rows | None] = []
    for axis in form:
        if type(axis) is not tuple:
            rows.append(None)
            continue
        kind, size = axis
        start, length = parts.pop(0), parts.pop(0)
        span = Span(start, parts.pop(1) if kind is Chosen else length, size)
        rows.append(Chosen(parts.pop(0) & span.mask(), length) if kind is Chosen else span)
    return BoundedArray(data, tuple(rows))
