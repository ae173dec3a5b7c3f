"""Context managers in converted code: methods written in Python are converted, like any method that is called.

While something is traced, one that suppresses exceptions (`contextlib.suppress(Exception)`) does not get to suppress what is
no event of the program (see `handlers`). One that may do something else where an exception passes it is counted while it is
open: a `raise` that becomes a flag does not pass it as an exception.

>>> import io
>>> stream = io.StringIO()
>>> context(stream) is stream
True
"""

from __future__ import annotations

import contextlib
import io
import threading
import warnings
from types import FunctionType
from typing import Any

import numpy as np

from autograph.code.library import is_library, package_of
from autograph.code.registry import known
from autograph.errors import is_of_jax
from autograph.jax_internals import is_tracing
from autograph.runtime.calls import dispatch
from autograph.runtime.checks.handlers import is_event
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.context import active, progress, receive
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.statement_names import ending

_INDIFFERENT = (
    contextlib.nullcontext,
    contextlib.closing,
    contextlib.redirect_stdout,
    contextlib.redirect_stderr,
    contextlib.chdir,
    warnings.catch_warnings,
    np.errstate,
    io.IOBase,
    type(threading.Lock()),
    type(threading.RLock()),
)
"""They leave in the same way, whatever passes them; and so do those of JAX."""


_FLOATING = ("all", "divide", "over", "under", "invalid")


def context(manager: Any) -> Any:
    """The context manager that a `with` enters; `manager` itself unless something is traced."""
    if not is_tracing():
        return manager
    kind = type(manager)
    if kind is np.errstate and any(getattr(manager, f"_{name}", None) == "raise" for name in _FLOATING):
        raise refusal(
            "`np.errstate` asks for a `FloatingPointError`",
            why="a compiled program raises none: it goes on with an infinity or a NaN",
            instead="test for the case with `if` (`if d == 0:`, `if not np.isfinite(y):`), or compute what is known outside of it",
            page="floating-point-error",
        )
    methods = [static_lookup(kind, name) for name in ("__enter__", "__exit__")]
    if any(method is None for method in methods):
        return manager  # Python says what is missing
    if active() and all(type(method) is FunctionType for method in methods):
        methods = [dispatch.converted(method) for method in methods]
    enter, leave = (method.__get__(manager, kind) if hasattr(method, "__get__") else method for method in methods)
    return _Watched(enter, leave, None if _is_indifferent(manager) else _left_by(manager))


class _Watched:
    """Enters and leaves a context manager by its methods; `method`: what leaves it, where that may depend on what passes it."""

    __slots__ = ("_enter", "_exit", "_method")

    def __init__(self, enter: Any, leave: Any, method: Any) -> None:
        self._enter = enter
        self._exit = leave
        self._method = method

    def __enter__(self) -> Any:
        before = len(progress.handled)
        entered = receive(self._enter())
        for handlers in progress.handled[before:]:
            handlers.stay()
        if self._method is not None:
            progress.managers.append(self._method)
        return entered

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> Any:
        if self._method is not None:  # generators may leave theirs in any order
            managers = progress.managers
            del managers[max(i for i, m in enumerate(managers) if m is self._method)]
        method = getattr(self._exit, "__func__", None)  # of a class of the user's; the scopes of others end as they began
        with contextlib.nullcontext() if method is None or is_library(method) else ending():
            suppresses = self._exit(kind, error, trace)
        return suppresses if is_event(error) else False


def _left_by(manager: Any) -> Any:
    """`__exit__`, or the function of a generator; its code if that is ours: then a `try` of its own says what it handles."""
    if not (issubclass(type(manager), contextlib.ContextDecorator) and hasattr(manager, "gen")):
        return static_lookup(type(manager), "__exit__")
    code = manager.gen.gi_code
    return manager.func if known(code) is None else code


def _is_indifferent(manager: Any) -> bool:
    """Whether leaving `manager` with an exception does nothing but what leaving it without one does."""
    code = getattr(getattr(manager, "gen", None), "gi_code", None)
    if code is not None:
        return is_of_jax(code)
    return isinstance(manager, _INDIFFERENT) or package_of(type(manager)) in ("jax", "jaxlib")
