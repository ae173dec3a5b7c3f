"""The values that a message shows, as 32-bit words: how a program packs them, and how the host reads them.

Numbers of 32 bits are words as they are; those of 64 bits are two, of complex numbers each part is by itself. Smaller ones are
widened, which changes no value. Arrays of unknown size, and random keys, have no words: messages show their type.

>>> import jax
>>> avals = [jax.typeof(jnp.bfloat16(1.5)), jax.typeof(2j), jax.typeof(jnp.array([True, False]))]
>>> words = jnp.concatenate(packed([jnp.bfloat16(1.5), jnp.complex64(2j), jnp.array([True, False])]))
>>> words
Array([1069547520,          0, 1073741824,          1,          0], dtype=int32)
>>> values_of(avals, np.asarray(words)), [count_words(aval) for aval in avals]
([Array(1.5, dtype=bfloat16), 2j, Array([ True, False], dtype=bool)], [1, 2, 2])
>>> [x.tolist() for x in unpacked(avals, words)]
[1.5, 2j, [True, False]]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.jaxprs.binding import replicated


class OfType:
    """What stands in an exception for a value of which a program gives no words: it shows its type."""

    def __init__(self, aval: Any) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return str(self.aval.str_short())

    def __format__(self, spec: str) -> str:
        return repr(self)


def has_words(aval: Any) -> bool:
    """Whether a value of this type can be words: numbers, and bools, of a known count."""
    return isinstance(aval.dtype, np.dtype) and all(isinstance(n, int) for n in aval.shape)


def count_words(aval: Any) -> int:
    """Counts the words of a value."""
    return int(aval.size) * (_packed_type(aval.dtype).itemsize // 4) if has_words(aval) else 0


def _packed_type(dtype: Any) -> Any:
    """Returns the type of at least 32 bits to which a smaller one is widened."""
    if jnp.issubdtype(dtype, jnp.inexact):
        return dtype if dtype.itemsize >= 4 else np.dtype(np.float32)
    return dtype if dtype.itemsize >= 4 else np.dtype(np.int32)


def packed(values: Sequence[Any]) -> list[Any]:
    """Returns the words of some values: int32 vectors, to be put in a row."""
    return [words for value in values if has_words(value.aval) for words in _words(value)]


def _words(value: Any) -> list[Any]:
    if jnp.issubdtype(value.dtype, jnp.complexfloating):
        return packed([lax.real(value), lax.imag(value)])
    wide = _packed_type(value.dtype)
    if value.dtype != wide:
        value = lax.convert_element_type(value, wide)
    value = replicated(value)
    bits = value if wide == jnp.int32 else lax.bitcast_convert_type(value, jnp.int32)
    return [lax.reshape(bits, (bits.size,))]


def unpacked(avals: Sequence[Any], words: Any) -> list[Any]:
    """Returns the values, in a program, from words that begin with theirs; 0 for one that has none."""
    values = []
    for aval in avals:
        end = count_words(aval)
        values.append(_unpacked(aval.dtype, aval.shape, words[:end]) if has_words(aval) else lax.full((), 0, jnp.int32))
        words = words[end:]
    return values


def _unpacked(dtype: Any, shape: Sequence[int], words: Any) -> Any:
    if jnp.issubdtype(dtype, jnp.complexfloating):
        half, part = words.size // 2, np.finfo(dtype).dtype
        return lax.complex(_unpacked(part, shape, words[:half]), _unpacked(part, shape, words[half:]))
    wide = _packed_type(dtype)
    halves = (2,) if wide.itemsize == 8 else ()
    bits = lax.reshape(words, (*shape, *halves))
    value = bits if wide == jnp.int32 else lax.bitcast_convert_type(bits, wide)
    return value.astype(dtype)


def values_of(avals: Sequence[Any], words: np.ndarray[Any, Any]) -> list[Any]:
    """Returns the values, from words that begin with theirs: Python's numbers where a type is weak, arrays of JAX elsewhere."""
    values: list[Any] = []
    for aval in avals:
        if not has_words(aval):
            values.append(OfType(aval))
            continue
        end = count_words(aval)
        array = _array(aval, np.ascontiguousarray(words[:end]))
        is_of_python = getattr(aval, "weak_type", False) or aval.dtype == bool and not aval.shape
        values.append(array.item() if is_of_python and not aval.shape else jnp.asarray(array))
        words = words[end:]
    return values


def _array(aval: Any, words: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if jnp.issubdtype(aval.dtype, jnp.complexfloating):
        real, imag = (half.view(np.finfo(aval.dtype).dtype) for half in np.split(words, 2))
        array = np.empty(real.shape, aval.dtype)
        array.real, array.imag = real, imag
        return array.reshape(aval.shape)
    return words.view(_packed_type(aval.dtype)).astype(aval.dtype).reshape(aval.shape)
