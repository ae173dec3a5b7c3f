"""`assert` and `raise` under traced conditions: checks that fail when the compiled program runs.

An exception that ends a staged arm does not leave the trace; the arm gets a host callback that raises it when the arm is
taken. Under `vmap` both arms of an `if` run for every lane, so the callback is told the truth values of the arms that it
stands in, and only raises where all hold.

JAX reports what a callback raises as its own `JaxRuntimeError` (or `ValueError`); its text carries the user's exception
type, message, file and line.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax

from autograph.runtime import journal
from autograph.runtime.primitives import predicate
from autograph.runtime.staging import is_traced


class RunTimeCheckError(RuntimeError):
    """Raised inside the compiled program when a staged `assert` or `raise` is reached."""


def stage_failure(error: BaseException) -> None:
    """Makes the current piece fail with `error` whenever it runs."""
    holds = []
    for path in journal.paths():
        pred, expected = path() if callable(path) else path
        holds.append(pred if expected else lax.bitwise_not(pred))
    text = _text(error)

    def fail(*reached: Any) -> None:
        if all(np.all(r) for r in reached):
            raise RunTimeCheckError(text)

    jax.debug.callback(fail, *holds)


def _text(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = ""
    if frames:
        frame = frames[-1]
        place = f"{frame.filename}:{frame.lineno}: {frame.line or ''}\n".replace(": \n", "\n")
    return place + "".join(traceback.format_exception_only(type(error), error)).rstrip()


def raise_(exception: Any, cause: Any = None) -> BaseException:
    """The exception of a `raise` inside a staged statement; written `raise ag__.raise_(X, Y)`."""
    if isinstance(exception, type) and issubclass(exception, BaseException):
        exception = exception()
    if cause is not None:
        exception.__cause__ = cause() if isinstance(cause, type) else cause
    if not isinstance(exception, BaseException):
        raise TypeError("exceptions must derive from BaseException")
    return journal.mark_raised(exception)


def assert_(test: Any, message: Callable[[], Any] | None = None) -> None:
    """`assert test, message()`; when `test` is traced, a check that fails when the compiled program runs."""
    if not is_traced(test):
        if not test:
            raise journal.mark_raised(AssertionError(*(() if message is None else (message(),))))
        return
    from autograph.runtime.conditionals import if_stmt, nothing

    def failed() -> None:
        raise journal.mark_raised(AssertionError(*(() if message is None else (message(),))))

    if __debug__:
        if_stmt(predicate(test), nothing, failed)
