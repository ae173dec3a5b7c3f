"""Sets of names as the bits of an integer: a function with thousands of variables stays cheap to analyse.

>>> bits = Bits()
>>> mask = bits.mask({"b", "a"})
>>> bits.names(mask), bits.names(mask & ~bits.mask({"a"})), ALL & mask == mask
(['a', 'b'], ['b'], True)
"""

from __future__ import annotations

from collections.abc import Iterable

ALL = -1  # every name; what holds on a way that is never taken


class Bits:
    """Numbers names as it meets them."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._names: list[str] = []

    def mask(self, names: Iterable[str]) -> int:
        """Returns the set of these names."""
        mask = 0
        for name in names:
            index = self._index.get(name)
            if index is None:
                index = self._index[name] = len(self._names)
                self._names.append(name)
            mask |= 1 << index
        return mask

    def names(self, mask: int) -> list[str]:
        """Returns the names of a set, sorted, so that generated code is the same in every run."""
        found = []
        while mask > 0:
            low = mask & -mask
            found.append(self._names[low.bit_length() - 1])
            mask ^= low
        return sorted(found)
