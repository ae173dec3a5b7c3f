"""What is in progress in this thread: the regions that are being staged, and the call whose writes are noted.

>>> active(), innermost(), open_regions()
(False, None, [])
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograph.runtime.heap.journal import Region
    from autograph.runtime.heap.outliving import Call


class _Context(threading.local):
    """The state of one thread; `regions` are the open ones, outermost first."""

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self.call: Call | None = None


progress = _Context()


def active() -> bool:
    """Whether a region is being staged in this thread."""
    return bool(progress.regions)


def innermost() -> Region | None:
    """The innermost open region."""
    return progress.regions[-1] if progress.regions else None


def open_regions() -> list[Region]:
    """The open regions, outermost first."""
    return progress.regions


@contextmanager
def paused() -> Iterator[None]:
    """While it lasts, writes are not noted: for code of the user's that builds or opens values on our behalf."""
    regions, call = progress.regions, progress.call
    progress.regions, progress.call = [], None
    try:
        yield
    finally:
        progress.regions, progress.call = regions, call
