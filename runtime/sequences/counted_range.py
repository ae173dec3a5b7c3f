"""`ag.range`: the range whose loop is never unrolled.

>>> [i for i in range(2, 6)]
[2, 3, 4, 5]
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import jax

from autograph.jax_internals import SIZE


class range:
    """A `range` whose loop is never unrolled: `for i in ag.range(n)` is one loop in the compiled program.

    A loop over Python's `range` is one, too, from 32 iterations on, if its body does not need the number itself. Over `ag.range` a
    body that needs it is refused, and numbers that are too many for Python are computed by the program, with 32 bits. Takes what
    `range` takes, and traced integers. Where nothing is traced it is Python's `range`.
    """

    __slots__ = ("is_builtin", "start", "step", "stop")

    def __init__(self, *bounds: Any) -> None:
        if not 1 <= len(bounds) <= 3:
            count = len(bounds)
            text = "at least 1 argument, got 0" if count == 0 else f"at most 3 arguments, got {count}"
            raise TypeError(f"range expected {text}")
        self.is_builtin = False
        self.start, self.stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        self.step = bounds[2] if len(bounds) == 3 else 1
        if not isinstance(self.step, jax.core.Tracer) and self.step == 0:
            raise ValueError("range() arg 3 must not be zero")
        if self._is_traced() or any(type(bound) is SIZE for bound in (self.start, self.stop, self.step)):
            self.start, self.stop, self.step = map(_operations().whole, (self.start, self.stop, self.step))

    @classmethod
    def of_builtin(cls, *bounds: Any) -> range:
        """Makes the range that stands for a `range` of the user's."""
        found = cls(*bounds)
        found.is_builtin = True
        return found

    def _is_traced(self) -> bool:
        return any(isinstance(bound, jax.core.Tracer) for bound in (self.start, self.stop, self.step))

    def _plain(self) -> builtins.range:
        return builtins.range(*(_index(bound) for bound in (self.start, self.stop, self.step)))

    def __iter__(self) -> Iterator[int]:
        return _operations().iterate_over(self) if self._is_traced() else iter(self._plain())

    def __len__(self) -> int:
        return len(self._plain())

    def __reversed__(self) -> Iterator[int]:
        return _operations().iterate_over(self, backwards=True) if self._is_traced() else reversed(self._plain())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """What functions of numpy make of it; they would take what has no length for an array of one object."""
        return _operations().numpy_array(self, dtype)

    def __getitem__(self, index: Any) -> Any:
        return _operations().item(self, index)

    def count(self, value: Any, /) -> Any:
        """How often the range gives `value`: 0 or 1.

        >>> range(1, 10, 3).count(4)
        1
        """
        return _operations().count_in_range(self, value)

    def index(self, value: Any, /) -> Any:
        """At which position the range gives `value`.

        >>> range(1, 10, 3).index(7)
        2

        Raises:
            ValueError: it does not; where a number is traced, the compiled program fails.
        """
        return _operations().index(self, value)

    def __contains__(self, item: object) -> bool:
        return item in self._plain()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, range):
            return self._plain() == other._plain()
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._plain())

    def __repr__(self) -> str:
        bounds = [self.start, self.stop] + ([self.step] if type(self.step) is not int or self.step != 1 else [])
        return f"autograph.range({', '.join(map(repr, bounds))})"


def _index(bound: Any) -> int:
    return operator.index(bound) if not isinstance(bound, int) else bound


def _operations() -> ModuleType:
    """What ranges of traced bounds do; that module is built on this class."""
    from autograph.runtime.sequences import ranges

    return ranges
