"""Context managers in converted code: methods written in Python are converted, like any method that is called.

>>> import io
>>> stream = io.StringIO()
>>> context(stream) is stream
True
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from autograph.runtime import calls, journal
from autograph.runtime.lookups import static_lookup


def context(manager: Any) -> Any:
    """The context manager that a `with` enters; `manager` itself unless a piece is being staged and it is the user's."""
    if not journal.active():
        return manager
    methods = [static_lookup(type(manager), name) for name in ("__enter__", "__exit__")]
    if not all(type(method) is FunctionType for method in methods):
        return manager
    converted = [calls.converted(method) for method in methods]
    if all(a is b for a, b in zip(converted, methods, strict=True)):
        return manager
    return _Converted(manager, *converted)


class _Converted:
    """Enters and leaves `manager` by converted methods."""

    __slots__ = ("_enter", "_exit", "_manager")

    def __init__(self, manager: Any, enter: Any, leave: Any) -> None:
        self._manager = manager
        self._enter = enter
        self._exit = leave

    def __enter__(self) -> Any:
        return self._enter(self._manager)

    def __exit__(self, *error: Any) -> Any:
        return self._exit(self._manager, *error)
