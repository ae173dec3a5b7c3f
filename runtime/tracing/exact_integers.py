"""Where Python's integers, which have no limit, are meant: what soon outgrows an array's is refused while a loop is tried.

The loop is then unrolled, where its length is known, and its numbers are Python's.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from autograph.runtime.tracing.refusals import refusal


class _Exact(threading.local):
    required = False


_exact = _Exact()


@contextmanager
def exact_integers() -> Iterator[None]:
    """While it lasts, functions whose results soon outgrow an array's integers are refused on traced numbers."""
    before, _exact.required = _exact.required, True
    try:
        yield
    finally:
        _exact.required = before


def check_exact(what: str) -> None:
    """Refuses what only holds of Python's integers, where a loop can be unrolled instead."""
    if _exact.required:
        raise refusal(
            what,
            why="the loop is staged, and its numbers are those of a compiled program",
            instead="compute the next value from the last one, in floats",
        )
