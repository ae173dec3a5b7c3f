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

A `raise` on a traced condition in the body of a `try` becomes a flag (`converters.caught_raises`): `raised` notes the exception,
`error` gives it to the handlers. Any other exception that ends one branch of a staged `if` is raised, if at all, when the compiled
program runs, where no handler around the statement can see it (`would_catch`). Which handlers wait the converter says, by `handled`
around the body of each `try`.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from autograph import errors
from autograph.code.library import HEAP_TYPE
from autograph.runtime.checks.tracing_errors import is_of_tracing
from autograph.runtime.heap import journal
from autograph.runtime.heap.unset_reads import note_unset
from autograph.runtime.tracing import context
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.refusals import user_line
from autograph.runtime.values.kinds import Opened, open_any
from autograph.runtime.values.locations import AttributeLocation, attribute_names

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


def raised(outside: tuple[int, int], exception: Any = None, cause: Any = None) -> tuple[Any, ...]:
    """What `raise exception from cause` leaves for the handlers; raises it at once if nothing staged is in between.

    Args:
        outside: `depth()` at the `try`.
    Returns:
        what the exception is made of: a tuple, which leaves a branch or a loop as any value does.
    Raises:
        StagingError: a `with` in between would see the exception.
    """
    error = exception_of(exception, cause)
    regions, managers = depth()
    if regions == outside[0]:
        try:
            raise journal.mark_raised(error)
        finally:
            del error, exception, cause  # its traceback leads here, and who refers to an object, counts
    if managers != outside[1]:
        raise seen_by_a_with(error, user_line())
    return parts_of_exception(error)


def seen_by_a_with(error: BaseException, at: Any) -> errors.StagingError:
    """Refuses an exception that a `with` would see, or suppress."""
    return errors.StagingError(
        f"{type(error).__name__} is raised under a traced condition, and a `with` around it would see it",
        at=at,
        why="the condition is only known when the compiled program runs, and the `with` is left while it is built",
        instead="put the `try` inside the `with`, or test for the case with `if`, and do there what the handler does",
    )


def parts_of_exception(error: BaseException) -> tuple[Any, ...]:
    """What an exception is made of, and its cause."""
    bare = _bare(type(error), error.args)
    names = [name for name in attribute_names(error) if name not in vars(BaseException) or name == "__suppress_context__"]
    found = {name: AttributeLocation(error, name).get() for name in names}
    own = {name: x for name, x in found.items() if _is_own(AttributeLocation(bare, name), x)}
    cause = error.__cause__
    around = None if cause is None or cause is error else parts_of_exception(cause)
    return type(error), error.args, tuple(own), tuple(own.values()), around


def _bare(kind: Any, args: Any) -> Any:
    """An exception of these arguments on which no code of the user's ran."""
    native = kind
    while native.__flags__ & HEAP_TYPE:
        native = native.__base__
    return native.__new__(kind, *args)


def _is_own(location: AttributeLocation, value: Any) -> bool:
    """Whether an exception of the same arguments has to be given the value: not where these alone decide, as in a group's slots."""
    if value is not location.get():
        with contextlib.suppress(errors.StagingError):
            location.set(value)
            return True
    return False


def open_exception(value: Any) -> Opened | None:
    """As `open_any`; an exception by what it is made of."""
    if not isinstance(value, BaseException):
        return open_any(value)
    kind, *parts = parts_of_exception(value)
    return parts, kind, ["args", "names", "values", "cause"], lambda parts: made_of(kind, *parts)


def error(found: tuple[Any, ...]) -> BaseException:
    """The exception that `raised` noted, made again."""
    return journal.mark_raised(made_of(*found))


def made_of(kind: Any, args: Any, names: Any, values: Any, cause: Any) -> BaseException:
    """The exception of which `parts_of_exception` told, made again."""
    again: BaseException = _bare(kind, args)
    again.args = args
    for name, value in zip(names, values, strict=True):
        AttributeLocation(again, name).set(value)
    if cause is not None:
        again.__cause__ = made_of(*cause)
    return again


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
