"""Lists to which each turn of a counted loop appends: stacked outputs of a `scan`, not a carry.

>>> from autograph.runtime.state import variables_of
>>> def f(two):
...     xs = [1]
...     ys = xs if two else None
...     return len(alone(variables_of(lambda: (xs,))))
>>> f(two=False), f(two=True)
(1, 0)
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from autograph.runtime import journal, reassembly
from autograph.runtime.containers import open_container
from autograph.runtime.joining import Node, Same, Slot, Template, fill
from autograph.runtime.staging import is_array_like
from autograph.runtime.state import Variable


class Grown:
    """A list to which each turn appends the same number of values of the same types: stacked outputs of a `scan`."""

    def __init__(self, location: Any, before: list[Any], added: list[Any]) -> None:
        self.location = location
        self.before = before
        self.leaves: list[Any] = []
        self.template = self._open(added)
        self.count = len(self.leaves)

    def _open(self, value: Any) -> Template:
        if is_array_like(value) and type(value) not in (bool, int, float, complex):
            self.leaves.append(value)
            return Slot(len(self.leaves) - 1)
        opened = open_container(value)
        return Same(value) if opened is None else Node(opened[3], [self._open(child) for child in opened[0]])

    def release(self) -> None:
        """Forgets the values of the trace that ends now."""
        self.leaves = []

    def write(self, stacked: Sequence[Any], turns: Sequence[int]) -> None:
        """Appends the values of all turns, in the order in which the turns ran."""
        columns = [reassembly.rows(ys) for ys in stacked]
        added: list[Any] = []
        for turn in turns:
            added += fill(self.template, [column[turn] for column in columns])
        journal.touch_location(self.location)
        self.location.set(self.before + added)


def alone(lists: Sequence[Variable]) -> set[int]:
    """The ids of those of the variables' values that are lists which nothing but the variable refers to."""
    found: set[int] = set()
    for variable in lists:
        value = variable.get()
        if type(value) is list and sys.getrefcount(value) - _LOCAL_REFERENCES == 1:
            found.add(id(value))
    return found


def _local_references() -> int:
    """What `sys.getrefcount` reports, beyond the reference of the variable, in `alone`."""
    value: list[Any] = []
    return sys.getrefcount(value)


_LOCAL_REFERENCES = _local_references()
