"""Where the user's code stands, for messages."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any


def location_of(fn: Callable[..., Any]) -> str:
    """`file:line: source text` of the statement that a generated function belongs to."""
    code = getattr(fn, "__code__", None)
    if code is None:
        return "an unknown place"
    text = linecache.getline(code.co_filename, code.co_firstlineno).strip()
    return f"{code.co_filename}:{code.co_firstlineno}" + (f": {text}" if text else "")
