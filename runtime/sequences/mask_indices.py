"""Traced masks as indices that are written: `x[mask] = v`, `x[mask, 0] = v`, `x[:, mask] *= v`.

The number of elements that the mask selects is not needed: the part of the array that has `:` instead of the mask is
read, changed where the mask holds, and written back. A value has one element for the whole axis of those that the mask selects.

>>> import jax, jax.numpy as jnp
>>> @jax.jit
... def f(x, mask):
...     place = find_place(x, (mask, 0))
...     return place.changed(x[place.whole], 5.0)
>>> f(jnp.zeros((3, 2)), jnp.array([True, False, True]))
Array([5., 0., 5.], dtype=float32)

NumPy puts the axis of the selected elements first where the mask and integers do not stand side by side (`x[0, :, mask]`). The
axes of the value are in that order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from autograph.runtime.sequences.index_lists import is_integer_index
from autograph.runtime.sequences.inplace_operators import combined
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced

_ALL = slice(None)
_NOT_EVERYWHERE = frozenset({"/=", "//=", "%=", "**="})
"""Operators that some numbers have no value or no derivative for."""


def is_traced_mask(i: Any) -> bool:
    """Whether an index is an array of bools that is not known while the program is traced."""
    return is_traced(i) and bool(jax.typeof(i).shape) and jax.typeof(i).dtype == jnp.bool_


class Place(NamedTuple):
    """Where an index with a mask leads.

    Attributes:
        whole: the same index with `:` instead of the mask.
        mask: as many axes as `x[whole]` has, of one element for those that it says nothing of.
        first, length: its axes in `x[whole]`.
        selected: the axis that NumPy has for the selected elements.
        array: the shape of the array.
    """

    whole: tuple[Any, ...]
    mask: Any
    first: int
    length: int
    selected: int
    array: tuple[int, ...]

    @property
    def is_everywhere(self) -> bool:
        """Whether `x[whole]` is all of `x`."""
        return all(type(part) is slice and part == _ALL for part in self.whole)

    def changed(self, part: Any, value: Any) -> Any:
        """`x[whole]`, which is `part`, with `value` where the mask holds."""
        return self.choose(self._aligned(part, value), part)

    def updated(self, part: Any, symbol: str, operand: Any) -> Any:
        """`part <symbol> operand` for the elements where the mask holds; what the others are is left open.

        Raises:
            ValueError: the operand has more axes than there are.
        """
        if jnp.ndim(operand) > part.ndim - self.length + 1:
            raise ValueError(f"non-broadcastable output operand for an operand of shape {jnp.shape(operand)}")
        operand = self._aligned(part, operand)
        if symbol in _NOT_EVERYWHERE:  # a derivative that is infinite elsewhere would not vanish
            part = self.choose(part, jnp.ones((), part.dtype))
            operand = self.choose(operand, jnp.ones((), operand.dtype)) if jnp.ndim(operand) else operand
        return combined(symbol, part, operand)

    def choose(self, new: Any, old: Any) -> Any:
        """`new` where the mask holds, else `old`."""
        return jnp.where(self.mask, new, old)

    def _masks(self) -> tuple[int, ...]:
        return self.mask.shape[self.first : self.first + self.length]

    def _aligned(self, part: Any, value: Any) -> Any:
        """A value for the selected elements, in NumPy's order of axes, with the axes of `part`."""
        shape = jnp.shape(value)
        if not shape:
            return value
        most = part.ndim - self.length + 1
        value = jnp.reshape(value, (1,) * (most - len(shape)) + shape[_extra(shape, most) :])
        if len(value.shape) > most or value.shape[self.selected] != 1:
            raise refusal(
                f"a masked assignment puts {shape} into an array of shape {self.array} by a mask of shape {self._masks()}",
                why="how many elements a traced mask selects is only known when the program runs, so it takes one value only",
                instead="select with the mask: `x = jnp.where(mask, values, x)`",
                page="masked-assignment",
            )
        value = jnp.moveaxis(value, self.selected, self.first)
        shape = value.shape[: self.first] + (1,) * self.length + value.shape[self.first + 1 :]
        wanted = (*part.shape[: self.first], *shape[self.first : self.first + self.length], *part.shape[self.first + self.length :])
        return jnp.broadcast_to(jnp.reshape(value, shape), wanted)


def _extra(shape: tuple[Any, ...], axes: int) -> int:
    """Counts the leading axes of a value that are too many, and of one element."""
    count = 0
    while len(shape) - count > axes and shape[count] == 1:
        count += 1
    return count


def find_place(x: Any, i: Any) -> Place | None:
    """Where the index leads, if it has one traced mask and beside it only integers, slices, `None` and `...`.

    Raises:
        IndexError: the mask has another shape than these axes of the array.
    """
    parts = i if type(i) is tuple else (i,)
    at = [k for k, part in enumerate(parts) if is_traced_mask(part)]
    if len(at) != 1 or not all(k in at or _is_basic(part) for k, part in enumerate(parts)):
        return None
    mask = parts[at[0]]
    missing = x.ndim - mask.ndim - sum(part is not None and part is not ... for part in parts) + 1
    dots = [k for k, part in enumerate(parts) if part is ...]
    if missing < 0 or len(dots) > 1:
        return None
    fancy = [k for k, part in enumerate(parts) if k in at or not (part is None or part is ... or type(part) is slice)]
    index: list[Any] = []
    axis = first = 0
    for k, part in enumerate(parts if dots else (*parts, ...)):
        if k == at[0]:
            axis, first = _axes(index)
        index += [_ALL] * (mask.ndim if k == at[0] else missing) if k == at[0] or part is ... else [part]
    for offset, (size, own) in enumerate(zip(x.shape[axis : axis + mask.ndim], mask.shape, strict=True)):
        if size != own:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis + offset}; size of axis is {size} "
                f"but size of corresponding boolean axis is {own}"
            )
    rest = _axes(index)[1] - first - mask.ndim
    aligned = jnp.reshape(mask, (1,) * first + mask.shape + (1,) * rest)
    are_together = fancy[-1] - fancy[0] == len(fancy) - 1
    return Place(tuple(index), aligned, first, mask.ndim, first if are_together else 0, x.shape)


def _axes(index: list[Any]) -> tuple[int, int]:
    """Counts the axes of the array that an index uses, and the axes that the result has for them."""
    return sum(part is not None for part in index), sum(part is None or type(part) is slice for part in index)


def _is_basic(part: Any) -> bool:
    return part is None or part is ... or type(part) is slice or is_integer_index(part)
