"""Room on Python's stack for what the library does in the user's place: tree walks, and staged statements in one another.

An `if` in an `if` is no call in the user's program, but a dozen frames of ours and JAX's. So the interpreter's limit grows with
the number of open regions, and with it comes down again. The limit belongs to all threads: it is the largest that any needs.

>>> before = sys.getrecursionlimit()
>>> with room(before + 500):
...     sys.getrecursionlimit() - before
500
>>> sys.getrecursionlimit() == before
True
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

_EACH = 16  # regions for which room is made at a time
_FRAMES = 50  # for one region, those of the user's callees in it included


class _Wanted:
    """The limits that are needed now, by any thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.limits: list[int] = []
        self.users = 0  # the limit without us
        self.ours = 0

    def add(self, limit: int) -> None:
        with self.lock:
            current = sys.getrecursionlimit()
            if not self.limits or current != self.ours:
                self.users = current
            self.limits.append(limit)
            self._set()

    def remove(self, limit: int) -> None:
        with self.lock:
            self.limits.remove(limit)
            if sys.getrecursionlimit() == self.ours:  # else somebody else has set it since
                self._set()

    def _set(self) -> None:
        self.ours = max(self.users, *self.limits) if self.limits else self.users
        sys.setrecursionlimit(self.ours)


_wanted = _Wanted()


@contextlib.contextmanager
def room(limit: int) -> Iterator[None]:
    """Raises the recursion limit to at least `limit` while it lasts."""
    _wanted.add(limit)
    try:
        yield
    finally:
        _wanted.remove(limit)


class _Depth(threading.local):
    def __init__(self) -> None:
        self.regions = 0
        self.limits: list[int] = []


_depth = _Depth()


class Deeper:
    """One more staged region is open while it lasts."""

    def __enter__(self) -> None:
        if _depth.regions % _EACH == 0:
            limit = (_wanted.users if _wanted.limits else sys.getrecursionlimit()) + (_depth.regions + _EACH) * _FRAMES
            _wanted.add(limit)
            _depth.limits.append(limit)
        _depth.regions += 1

    def __exit__(self, *exc: object) -> None:
        _depth.regions -= 1
        if _depth.regions % _EACH == 0:
            _wanted.remove(_depth.limits.pop())


deeper = Deeper()
