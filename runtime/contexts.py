"""Context managers in converted code: methods written in Python are converted, like any method that is called.

While something is traced, one that suppresses exceptions (`contextlib.suppress(Exception)`) does not get to suppress what is
no event of the program (see `handlers`).

>>> import io
>>> stream = io.StringIO()
>>> context(stream) is stream
True
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from autograph.jax_internals import is_tracing
from autograph.runtime import calls, journal
from autograph.runtime.handlers import is_event
from autograph.runtime.lookups import static_lookup


def context(manager: Any) -> Any:
    """The context manager that a `with` enters; `manager` itself unless something is traced and it is written in Python."""
    if not is_tracing():
        return manager
    methods = [static_lookup(type(manager), name) for name in ("__enter__", "__exit__")]
    if not all(type(method) is FunctionType for method in methods):
        return manager
    return _Watched(manager, *(map(calls.converted, methods) if journal.active() else methods))


class _Watched:
    """Enters and leaves `manager` by the methods given."""

    __slots__ = ("_enter", "_exit", "_manager")

    def __init__(self, manager: Any, enter: Any, leave: Any) -> None:
        self._manager = manager
        self._enter = enter
        self._exit = leave

    def __enter__(self) -> Any:
        return self._enter(self._manager)

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> Any:
        suppresses = self._exit(self._manager, kind, error, trace)
        return suppresses if is_event(error) else False
