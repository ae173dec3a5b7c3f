"""`except` in staged code: what it must not catch, and what it cannot.

A handler catches the events of the program. That something cannot be staged is no event: plain Python would not raise
there, so a handler for `Exception` or `TypeError` must let it pass, or the answer would be the handler's in silence. The
converter writes `except ag__.caught(Exception):` for handlers whose classes are wide enough.

>>> from autograph.errors import StagingError
>>> def answer(error):
...     try:
...         raise error
...     except caught(Exception):
...         return "caught"
>>> answer(KeyError("k"))
'caught'
>>> answer(StagingError("two shapes"))
Traceback (most recent call last):
    ...
autograph.errors.StagingError: two shapes

A `raise` on a traced condition in the body of a `try` becomes a flag (`exception_parts`). Any other exception that ends one branch
of a staged `if` is raised, if at all, when the compiled program runs, where no handler around the statement can see it
(`would_catch`). Which handlers wait the converter says, by `handled` around the body of each `try`.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from autograph import errors
from autograph.runtime.checks.tracing_errors import is_of_tracing
from autograph.runtime.heap.unset_reads import note_unset
from autograph.runtime.tracing import context
from autograph.runtime.tracing.class_lookup import static_lookup

_NO_EVENTS = (
    errors.AutoGraphError,
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.UnexpectedTracerError,
    jax.errors.NonConcreteBooleanIndexError,
)


def is_event(error: BaseException | None) -> bool:
    """Whether plain Python might raise this too."""
    return not isinstance(error, _NO_EVENTS) and (error is None or not is_of_tracing(error))


def caught(kinds: Any = BaseException) -> Any:
    """What an `except` catches of these classes now: nothing, while what is being handled is no event of the program.

    A handler that names such an error, `except ag.StagingError:`, means it and gets it.
    """
    error = sys.exception()
    if is_event(error):
        note_unset(error)
        return kinds
    each = kinds if isinstance(kinds, tuple) else (kinds,)
    is_named = any(isinstance(x, tuple) or (isinstance(x, type) and issubclass(x, _NO_EVENTS)) for x in each)
    return kinds if is_named else ()


def raise_refusal() -> None:
    """At the end of a `finally` that may leave by a jump, or by an exception of its own: a refusal on its way is not lost."""
    error = sys.exception()
    while error is not None:
        if not is_event(error):
            raise error
        error = error.__context__


def depth() -> tuple[int, int]:
    """How many regions are open, and how many context managers that would see an exception."""
    return len(context.open_regions()), len(context.progress.managers)


def seen_by_a_with(error: BaseException, at: Any) -> errors.StagingError:
    """Refuses an exception that a `with` would see, or suppress."""
    return errors.StagingError(
        f"{type(error).__name__} is raised under a traced condition, and a `with` around it would see it",
        at=at,
        why="the condition is only known when the compiled program runs, and the `with` is left while it is built",
        instead="put the `try` inside the `with`, or test for the case with `if`, and do there what the handler does",
        page="exception-through-a-with",
    )


def exception_of(exception: Any, cause: Any) -> BaseException:
    """The exception of `raise exception from cause`; without any, the one that is being handled."""
    if exception is None:
        exception = sys.exception()
        if exception is None:
            raise RuntimeError("No active exception to reraise")
    if isinstance(exception, type) and issubclass(exception, BaseException):
        exception = exception()
    if not isinstance(exception, BaseException):
        raise TypeError("exceptions must derive from BaseException")
    if cause is not None:
        exception.__cause__ = cause() if isinstance(cause, type) else cause
    return exception


def of_items(method: str, arguments: Sequence[Any]) -> Any:
    """The handler that Python is, where it calls one of the methods by which it iterates: some exception ends the items."""
    ends = context.ENDS_OF_ITEMS.get(method)
    if ends is None or (method == "__getitem__" and not _is_iterated(arguments)):
        return contextlib.nullcontext()
    return context.handled(ends)


def _is_iterated(arguments: Sequence[Any]) -> bool:
    """Whether the index may be one of 0, 1, 2, ..., by which Python takes the items of what has no `__iter__`."""
    return len(arguments) == 2 and type(arguments[1]) is int and static_lookup(type(arguments[0]), "__iter__") is None


def ends_items(error: BaseException) -> bool:
    """Whether `error` would tell Python, which iterates, that there are no more items."""
    iterating = context.ENDS_OF_ITEMS.values()
    return any(h.kinds in iterating and isinstance(error, h.kinds()) for h in context.progress.handled)


def would_catch(error: BaseException, by_name: bool = False) -> bool:
    """Whether a handler in the staged functions that run now would catch `error`, which a branch or an iteration raises.

    `by_name`: handlers for every exception do not count.
    """
    return any(h.waits and _catches(h.kinds, error, by_name) for h in context.progress.handled)


def _catches(kinds: Callable[[], Any], error: BaseException, by_name: bool) -> bool:
    try:
        pending = [kinds()]
    except (NameError, AttributeError):  # as Python would say if it came to that
        return True
    while pending:
        kind = pending.pop()
        if isinstance(kind, tuple):
            pending += kind
        elif not isinstance(kind, type) or isinstance(error, kind):
            if not by_name or (kind is not Exception and kind is not BaseException):
                return True
    return False


_OF_ARITHMETIC = (ZeroDivisionError(), OverflowError(), ValueError(), np.linalg.LinAlgError())


def may_catch_arithmetic() -> bool:
    """Whether a handler around the code that runs now may catch what arithmetic raises."""
    return bool(context.progress.handled) and any(map(would_catch, _OF_ARITHMETIC))
