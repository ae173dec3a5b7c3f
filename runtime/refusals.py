"""Refusals of operators that have no body to point at: they name the line of user code that is running."""

from __future__ import annotations

import linecache
import os
import sys

from autograph import errors

_HERE = os.path.dirname(os.path.abspath(__file__))
_LIBRARY = (_HERE + os.sep, os.path.join(os.path.dirname(_HERE), "autograph", ""))


def user_line() -> str:
    """`file:line: source text` of the innermost running frame that is neither ours nor the standard library's machinery.

    Only for the text of an error: no operator decides anything by looking at frames.
    """
    frame = sys._getframe(1)
    while frame is not None:
        filename = frame.f_code.co_filename
        if not filename.startswith(_LIBRARY):
            text = linecache.getline(filename, frame.f_lineno).strip()
            return f"{filename}:{frame.f_lineno}" + (f": {text}" if text else "")
        frame = frame.f_back  # type: ignore[assignment]
    return "an unknown place"


def refusal(what: str, instead: str) -> errors.StagingError:
    """The error for a construct that cannot be staged.

    Args:
        what: the construct and why it cannot be, a sentence without a full stop.
        instead: what the user should write.
    """
    return errors.StagingError(f"{what}\n  at {user_line()}\n  {instead}")
