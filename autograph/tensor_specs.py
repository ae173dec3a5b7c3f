"""`TensorSpec`: what stands for any array of a dtype and shape, where a function is traced for arguments that are not there yet.

>>> spec = TensorSpec(["batch", 28])
>>> Scope().abstracted({"images": spec, "rate": 0.1})
{'images': ShapeDtypeStruct(shape=(batch, 28), dtype=float32), 'rate': 0.1}
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import jax
import numpy as np

from autograph.errors import boundary

_WORDS = frozenset({"_", "floordiv", "max", "min", "mod", "non_negative"})  # which mean something else to JAX


class TensorSpec:
    """The dtype and shape of an array, of which some sizes may be open.

    >>> import autograph as ag
    >>> ag.TensorSpec([None, 28], "float32")
    TensorSpec(shape=(None, 28), dtype=float32)

    Args:
        shape: *static*; an integer for a fixed size, None for any, a name for any that is the same wherever the name stands.
        dtype: *static*; by default float32.
        name: *static*; shown in signatures.
    Raises:
        ValueError: for what is no size.
    """

    __slots__ = ("dtype", "name", "shape")

    @boundary
    def __init__(self, shape: Iterable[int | str | None], dtype: Any = np.float32, name: str | None = None) -> None:
        if shape is None:
            raise ValueError("a TensorSpec has a list of sizes, and not None: a program is for arrays of one number of axes")
        self.shape = tuple(shape)
        for n in self.shape:
            is_name = isinstance(n, str) and n.isidentifier() and n not in _WORDS
            if not (n is None or is_name or isinstance(n, int | np.integer) and n >= 0):
                raise ValueError(f"{n!r} is no size of a TensorSpec: a size is a number, a name, or None for any")
        self.dtype = np.dtype(dtype)
        self.name = name

    def __repr__(self) -> str:
        named = f", name={self.name!r}" if self.name else ""
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype}{named})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def abstract(self, scope: Scope) -> jax.ShapeDtypeStruct:
        """Returns the same as JAX writes it, with symbols of a scope."""
        return jax.ShapeDtypeStruct(tuple(scope.size(n) for n in self.shape), self.dtype)


class Scope:
    """The symbolic sizes of one function: a name stands for one size, and each None for another."""

    def __init__(self) -> None:
        self._scope = jax.export.SymbolicScope()
        self._numbers = itertools.count()

    def size(self, given: int | str | None) -> Any:
        """Returns a size as JAX takes it."""
        if given is None:
            given = f"none_{next(self._numbers)}"
        return jax.export.symbolic_shape(given, scope=self._scope)[0] if isinstance(given, str) else given

    def abstracted(self, tree: Any) -> Any:
        """Returns a pytree with what JAX knows instead of each `TensorSpec`."""
        return jax.tree.map(lambda leaf: leaf.abstract(self) if isinstance(leaf, TensorSpec) else leaf, tree)
