"""Loops over plain `range`, as users of Numba write them, with the arrays that they run on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Loop:
    """A program of loops, and its arguments.

    Attributes:
        program: plain Python over NumPy arrays, with `range` alone.
        arguments: the arguments for a size.
        size: the size to time, of 10^6 iterations and more; nests take sides of it.
        small: the size to compare with plain Python.
    """

    program: Callable[..., Any]
    arguments: Callable[[int], tuple[Any, ...]]
    size: int = 1_000_000
    small: int = 200

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.program.__name__


def noise(n: int) -> np.ndarray:
    """Returns n numbers of the normal distribution, float32[n]."""
    return np.random.default_rng(0).standard_normal(n).astype(np.float32)


def digits(n: int) -> np.ndarray:
    """Returns n integers below 100, int32[n]."""
    return np.random.default_rng(1).integers(0, 100, n).astype(np.int32)


def square(n: int) -> np.ndarray:
    """Returns a matrix of the numbers of `noise`, float32[n, n]."""
    return noise(n * n).reshape(n, n)
