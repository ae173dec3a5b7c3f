"""What is known of an outermost call of converted code: its default dicts, and what happens before its first region opens.

Reading a missing key of a default dict writes to it, so the journal counts the keys of those that are known here.

>>> from collections import defaultdict
>>> before = begin(lambda: print("a region opens"))
>>> counts = watch(defaultdict(int))
>>> before_region(); before_region()
a region opens
>>> [size for known, size in sizes() if known is counts]
[0]
>>> end(before); any(known is counts for known, _ in sizes())
False
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.tracing.context import progress

_globals: list[Any] = []


def begin(first: Callable[[], Any]) -> tuple[Any, ...]:
    """From now on the default dicts that `watch` receives are known; calls `first` before a region opens.

    Returns what was so far, for `end`. (No context manager: one would set attributes of exceptions.)
    """
    before = progress.default_dicts, progress.first
    progress.default_dicts, progress.first = [], first
    return before


def end(before: tuple[Any, ...]) -> None:
    """Forgets the default dicts of a call."""
    progress.default_dicts, progress.first = before


def watch(obj: Any, always: bool = False) -> Any:
    """Takes note of a `defaultdict`, `always` if it is a global; returns it."""
    table = _globals if always else progress.default_dicts
    if not any(obj is known for known in table):
        table.append(obj)
    return obj


def sizes() -> list[tuple[Any, int]]:
    """The default dicts that are known, and how many keys they have."""
    return [(d, dict.__len__(d)) for d in (*_globals, *progress.default_dicts)]


def before_region() -> None:
    """Does what is to be done before the first region of a call opens."""
    first, progress.first = progress.first, None
    if first is not None:
        first()
