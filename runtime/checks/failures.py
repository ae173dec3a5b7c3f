"""What a compiled program raises where a check fails: the exception of the user's, with the values of the run, at the user's line.

>>> check, shown = FailedCheck.of(KeyError("k"), Place("k.py", 3, "f"))
>>> error = check.exception([])
>>> type(error), error.args, error.__traceback__.tb_lineno
(<class 'KeyError'>, ('k',), 3)
>>> try: check()
... except KeyError as error: print(type(error).__name__, error)  # of a class that JAX says nothing of
KeyError 'k'
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from types import FrameType, FunctionType, TracebackType
from typing import Any, NamedTuple, cast

import numpy as np

from autograph import errors
from autograph.jax_dispatch import say_nothing_of, say_of_exports
from autograph.runtime.checks import exception_parts, messages
from autograph.runtime.jaxprs.rules import every
from autograph.runtime.tracing import context


class RunTimeCheckError(errors.Brief, RuntimeError):
    """Raised inside the compiled program when a staged `assert` or `raise` is reached."""

    __module__ = "autograph.runtime.checks"  # where a handler of the user's imports it from

    def __init__(self, message: str) -> None:
        self.args = (message,)  # and not what the user's type makes of its arguments, or wants of them

    def __str__(self) -> str:
        return str(self.args[0])


class Place(NamedTuple):
    """A line of the user's, and the function in which it stands."""

    filename: str
    lineno: int
    function: str

    @classmethod
    def of(cls, frame: FrameType) -> Place:
        """The line that runs in a frame."""
        return cls(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)

    def traceback(self) -> TracebackType:
        """A traceback that ends at the place, in a frame that no other frame called."""
        code = (lambda: (yield)).__code__  # a generator has a frame before it runs
        count = len(code.co_code) // 2
        code = code.replace(
            co_filename=errors.shown_name(self.filename),
            co_firstlineno=self.lineno,
            co_name=self.function,
            co_qualname=self.function,
            co_linetable=b"".join(bytes([0xE7 + min(8, count - i), 0]) for i in range(0, count, 8)),  # without columns
        )
        return TracebackType(None, FunctionType(code, {})().gi_frame, 0, self.lineno)


def make_failure(kind: type[BaseException], message: str, place: Place | None = None) -> RunTimeCheckError:
    """What a failed check raises: one that an `except` for `kind` catches, wherever there can be such an object.

    >>> error = make_failure(KeyError, "'k'", Place("k.py", 3, "f"))
    >>> isinstance(error, KeyError), isinstance(error, RunTimeCheckError), type(error).__name__, str(error)
    (True, True, 'KeyError', "'k'")
    """
    try:
        error = cast(RunTimeCheckError, _both(cast(Any, kind))(message))
    except Exception:  # a class of other arguments, of another layout, or one that lets nobody derive from it
        error = _named(kind, RunTimeCheckError)(message)
    return error if place is None else error.with_traceback(place.traceback())


@functools.cache
def _both(kind: Any) -> Any:
    return _named(kind, RunTimeCheckError, kind)


def _named(kind: type, *bases: Any) -> Any:
    """A class that shows itself as `kind` does."""
    return type(kind.__name__, bases, {"__module__": kind.__module__, "__qualname__": kind.__qualname__})


if not errors.DEBUG:
    say_nothing_of(RunTimeCheckError)


class FailedCheck:
    """What a program calls where a check of the user's may fail; its operands are conditions, what the message shows, and others.

    Attributes:
        conditions: how many of the first operands are bools; the check fails where all of them hold.
        lanes: how many axes of `vmap` all operands begin with; the first lane in which the check fails is the one that is shown.
        shown: how many values follow, which the exception is made with.
        kind: the class of the exception.
        message: what is said, as far as it is known without the values.
        parts: the message as strings and, for each value in it, its number, its format and its conversion; None where it is not
            made of such.
        may_choose: whether the message may show a string that the program chooses.
        place: the line of the user's.
    """

    def __init__(self, error: BaseException, place: Place | None, message: str, conditions: int) -> None:
        self.kind, self.place, self.message, self.conditions = type(error), place, message, conditions
        self.parts: tuple[Any, ...] | None = None
        self.shown = self.lanes = 0
        self.may_choose = False
        self._made: messages.Made = lambda shown: (((), (), (), None), None)

    @classmethod
    def of(
        cls, error: BaseException, place: Place | None, message: str = "", conditions: int = 0
    ) -> tuple[FailedCheck, list[Any]]:
        """The check that fails with `error`, and the traced values that the exception holds."""
        check = cls(error, place, message or describe_exception(error), conditions)
        try:
            parts = exception_parts.parts_of_exception(error)
        except Exception:  # a class that makes no object of these arguments
            parts = type(error), error.args, tuple(vars(error)), tuple(vars(error).values()), None
        chain = parts[1:], exception_parts.parts_of_context(error)
        traced, check._made = messages.open_message(chain, exception_parts.open_exception)
        check.shown, check.parts = len(traced), messages.message_parts(error, traced)
        check.may_choose = check.parts is None and context.progress.has_choices
        return check, traced

    def in_lanes(self) -> FailedCheck:
        """The same check under one more `vmap`."""
        check = copy.copy(self)
        check.lanes += 1
        return check

    def __call__(self, *operands: Any) -> None:
        failed = np.asarray(True)
        for reached in operands[: self.conditions]:
            failed = np.logical_and(failed, reached)
        if failed.any():
            lane = np.unravel_index(failed.argmax(), failed.shape)
            self.fail(*(np.asarray(x)[lane] for x in operands[self.conditions : self.conditions + self.shown]))

    def fail(self, *shown: Any) -> None:
        """Fails inside of a program, whose own error says what is raised here."""
        message = describe_exception(self._exception([_plain(x) for x in shown]), self.message) if shown else self.message
        raise make_failure(self.kind, message, self.place)

    def exception(self, shown: Sequence[Any]) -> BaseException:
        """What Python would have raised, with these values, and with the user's line as its traceback."""
        try:
            error = self._exception(shown)
        except Exception:  # a class that makes no object of these arguments
            error = make_failure(self.kind, self.message)
        return error if self.place is None else error.with_traceback(self.place.traceback())

    def _exception(self, shown: Sequence[Any]) -> BaseException:
        """An object with the arguments and the attributes, of which no code of the user's makes others."""
        parts, around = self._made(shown)
        return exception_parts.in_context(exception_parts.made_of(self.kind, *parts), around)


def check_of(eqn: Any) -> FailedCheck | None:
    """Returns the check that an equation makes, by a call of the host."""
    called = eqn.params.get("callback")
    called = getattr(called, "callback_func", called)
    return called if isinstance(called, FailedCheck) else None


def _of_export(jaxpr: Any) -> str:
    """Makes the message for an export that fails because the program calls the host."""
    check = next(filter(None, map(check_of, every(jaxpr.eqns))), None)
    if check is None:
        return ""
    return errors.message(
        "the program has a check of yours, which calls Python where it fails",
        at=check.place and errors.Location(check.place.filename, check.place.lineno),
        why="an exported program runs without this process",
        instead="leave checks out of the programs that are traced from then on (`ag.set_checks(False)`), or export or save an "
        "`ag.function`, whose checks are results of the program: `f.get_concrete_function(...).export()`, `ag.save`",
        page="check-in-an-export",
    )


say_of_exports(_of_export)


class FailedGuard(FailedCheck):
    """The same, of a value that a program passes on where it is right: its operands are whether it is, and the value."""

    def __call__(self, *operands: Any) -> Any:
        ok, value = operands
        if not np.all(ok):
            self.fail()
        return np.asarray(value)


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array


def describe_exception(error: BaseException, instead: str = "") -> str:
    """The message and the notes of an exception."""
    try:
        return "\n".join([str(error), *getattr(error, "__notes__", ())])
    except Exception:  # it asks for more than there is of it when the program runs
        return instead
