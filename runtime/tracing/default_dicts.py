"""The default dicts that an outermost call of converted code can reach.

Reading a missing key of a default dict writes to it, so the journal counts the keys of those that are known here.

>>> from collections import defaultdict
>>> before = begin()
>>> counts = watch_dict(defaultdict(int))
>>> [size for known, size in sizes() if known is counts]
[0]
>>> end_call(before); any(known is counts for known, _ in sizes())
False
"""

from __future__ import annotations

from typing import Any

from autograph.runtime.tracing.context import PerThread

_known: PerThread[list[Any]] = PerThread(list)


def begin() -> list[Any]:
    """From now on the default dicts that `watch_dict` receives are known.

    Returns what was so far, for `end_call`. (No context manager: one would set attributes of exceptions.)
    """
    before, _known.value = _known.value, []
    return before


def end_call(before: list[Any]) -> None:
    """Forgets the default dicts of a call."""
    _known.value = before


def watch_dict(obj: Any) -> Any:
    """Takes note of a `defaultdict`; returns it."""
    if not any(obj is known for known in _known.value):
        _known.value.append(obj)
    return obj


def sizes() -> list[tuple[Any, int]]:
    """The default dicts that are known, and how many keys they have."""
    return [(d, dict.__len__(d)) for d in _known.value]
