"""What exceptions are made of, by which they leave staged branches and loops, and are made again.

A `raise` on a traced condition in the body of a `try` becomes a flag (`converters.caught_raises`): `raised` notes the exception,
`error` gives it to the handlers. A check has the parts of its exception, and makes it of the values of the run.

>>> parts_of_exception(KeyError("k"))
(<class 'KeyError'>, ('k',), (), (), None)
>>> made_of(*parts_of_exception(KeyError("k")))
KeyError('k')
"""

from __future__ import annotations

import contextlib
from typing import Any

from autograph import errors
from autograph.code.library import HEAP_TYPE
from autograph.runtime.checks import messages
from autograph.runtime.checks.handlers import depth, exception_of, is_event, seen_by_a_with
from autograph.runtime.checks.tracing_errors import is_handled_by_the_user
from autograph.runtime.heap import journal
from autograph.runtime.tracing.refusals import user_line
from autograph.runtime.values.kinds import Opened, open_any
from autograph.runtime.values.locations import AttributeLocation, attribute_names


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


def parts_of_exception(error: BaseException) -> tuple[Any, ...]:
    """What an exception is made of, and its cause."""
    bare = _bare(type(error), error.args)
    names = [name for name in attribute_names(error) if name not in vars(BaseException) or name == "__suppress_context__"]
    found = {name: AttributeLocation(error, name).get() for name in names}
    own = {name: x for name, x in found.items() if _is_own(AttributeLocation(bare, name), x)}
    cause = error.__cause__
    around = None if cause is None or cause is error else parts_of_exception(cause)
    return type(error), tuple(map(messages.opened_string, error.args)), tuple(own), tuple(own.values()), around


def parts_of_context(error: BaseException) -> tuple[Any, Any] | None:
    """What the exception is made of that a handler of the user's was handling when `error` was raised, and its own context."""
    around = error.__context__
    while around is not None and not (is_event(around) and is_handled_by_the_user(around)):
        around = around.__context__
    if around is None:
        return None
    return _AS_ITS_CAUSE if around is error.__cause__ else parts_of_exception(around), parts_of_context(around)


_AS_ITS_CAUSE = "its cause"


def in_context(error: BaseException, around: tuple[Any, Any] | None) -> BaseException:
    """An exception that was made again, with the context that `parts_of_context` found."""
    if around is not None:
        context = error.__cause__ if around[0] == _AS_ITS_CAUSE else made_of(*around[0])
        error.__context__ = None if context is None else in_context(context, around[1])
    return error


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
    """The exception that `parts_of_exception` took apart, made again."""
    args = tuple(map(messages.closed_string, args))
    again: BaseException = _bare(kind, args)
    again.args = args
    for name, value in zip(names, values, strict=True):
        AttributeLocation(again, name).set(value)
    if cause is not None:
        again.__cause__ = made_of(*cause)
    return again
