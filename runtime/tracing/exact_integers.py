"""Where Python's integers, which have no limit, are meant: what soon outgrows an array's is refused while a loop is tried.

The loop is then unrolled, where its length is known, and its numbers are Python's.

>>> check_exact("math.factorial of a traced number")
>>> with exact_integers():
...     check_exact("math.factorial of a traced number")
Traceback (most recent call last):
autograph.errors.StagingError: math.factorial of a traced number
...
"""

from __future__ import annotations

from typing import Any

from autograph.runtime.tracing import context
from autograph.runtime.tracing.refusals import refusal


def exact_integers() -> Any:
    """While it lasts, functions whose results soon outgrow an array's integers are refused on traced numbers."""
    return context.setting(is_exact=True)


def check_exact(what: str) -> None:
    """Refuses what only holds of Python's integers, where a loop can be unrolled instead."""
    if context.progress.is_exact:
        raise refusal(
            what,
            why="the loop is staged, and its numbers are those of a compiled program",
            instead="compute the next value from the last one, in floats",
        )
