"""`assert` and `raise` under traced conditions: checks that fail when the compiled program runs.

An exception that ends a staged branch does not leave the trace; the branch gets a host callback that raises it when the branch is
taken. Under `vmap` both branches of an `if` run for every lane, so the callback receives the bools of the branches that it
stands in, and only raises where all hold.

JAX reports what a callback of a compiled program raises as its own `JaxRuntimeError` (or `ValueError`), whose message ends with the
callback's stack. That stack is one frame which never ran: the line of the user's. So the message reads as a traceback of plain
Python would. Where no program is compiled (`vmap` without `jit`) the exception itself comes out, and is one of the user's type
as well.

Checks in a row (`check_groups`) cost a microsecond or two a call, and 0.1 microseconds an iteration in a loop. A program without
results is waited for by its effects alone, and is called on a slower way: 30 microseconds. With `set_checks(False)`, programs
traced from then on have none.

Why not without an effect, as `guards` do it: the value that carries the check must be live. Where its reader drops it (the
primal value under `grad`, an output that an outer `jit` does not use) the check would be dropped as well, in silence.

>>> *_, cond = jax.make_jaxpr(lambda x: assert_(x > 0, lambda: "too small"))(1.0).eqns
>>> [eqn.params["callback"].message for branch in cond.params["branches"] for eqn in branch.jaxpr.eqns if eqn.effects]
['too small']
"""

from __future__ import annotations

import contextlib
import linecache
import sys
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import jax

from autograph import errors, switches
from autograph.jax_dispatch import stage_check
from autograph.jax_internals import notes_of, open_traces
from autograph.runtime.checks import handlers, messages
from autograph.runtime.checks.failures import FailedCheck, Place, RunTimeCheckError, describe_exception
from autograph.runtime.checks.suppression import may_suppress
from autograph.runtime.checks.tracing_errors import is_of_a_call, is_of_a_type, last_of
from autograph.runtime.heap import journal, path_conditions
from autograph.runtime.heap.library_objects import is_write_in_another_trace
from autograph.runtime.heap.unset_reads import is_set_elsewhere
from autograph.runtime.jaxprs.binding import predicate
from autograph.runtime.tracing import context, host
from autograph.runtime.tracing.refusals import frames_of_user, refusal, user_line
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.truth import truth_value

enabled = switches.is_on("AUTOGRAPH_CHECKS", True)
"""Whether programs get checks when they are traced."""


def are_enabled() -> bool:
    """Whether the program that this thread traces gets checks."""
    return enabled and not context.progress.is_unchecked


def set_checks(enabled: bool) -> None:
    """Whether programs that are traced from now on check, when they run, what `assert`, `raise` and list indices demand.

    Without checks an `assert` on a traced value is not looked at, as with `python -O`; where a branch raises, the program goes
    on with the values of the other branch; a list index out of range reads some element; a size above its bound is made the
    bound. For programs that are known to be right and whose speed matters. `AUTOGRAPH_CHECKS=0` in the
    environment does the same from the start.
    """
    globals()["enabled"] = bool(enabled)


_EVENTS = (LookupError, ArithmeticError, StopIteration, AssertionError, UnboundLocalError)


def is_event_of_branch(error: BaseException) -> bool:
    """Whether an exception that ended a branch is what Python would raise there, and only if the branch is taken.

    `d[key]`, `1 // 0`, `next(it)` and the read of a variable before its assignment fail so, and what Python's own functions
    say of a value: `max([])`, `int("x")`, or of a float where they need an integer. So does the read of an attribute that is set
    elsewhere. Other mistakes in the program (`NameError`, `TypeError`, ...) and what JAX and other libraries raise are reported
    at once, while the program is built.
    """
    if is_of_a_type(error):
        return not isinstance(error, errors.AutoGraphError) and handlers.is_event(error)
    if isinstance(error, AttributeError):
        return is_set_elsewhere(error)
    if isinstance(error, ValueError):
        return is_of_a_call(error) and not isinstance(error, errors.AutoGraphError) and handlers.is_event(error)
    if not isinstance(error, _EVENTS) or isinstance(
        error, (errors.AutoGraphError, jax.errors.JAXTypeError, RunTimeCheckError)
    ):
        return False
    trace = last_of(error.__traceback__)
    return trace is None or not errors.is_of_jax(trace.tb_frame.f_code)


def stage_failure(error: BaseException) -> None:
    """Makes the current region fail with `error` whenever it runs."""
    holds = path_conditions.conditions()
    _refuse_if_caught(error)
    if not are_enabled():
        return
    note_check()
    place = _place_of(error)
    if is_of_a_call(error):  # what libraries say is theirs
        messages.check_message(error.args, place and place[:2])
    # The message is the line where an exception without arguments has none.
    check, shown = FailedCheck.of(error, place, describe_exception(error) or _source_of(place), len(holds))
    stage_check(check, *holds, *shown, *path_conditions.waits_for())


_programs: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()
"""Of the programs that are traced: whether each has a check, and the variable that it uses by a JAX reference."""


def _program() -> dict[str, Any]:
    traces = [trace for trace in open_traces() if notes_of(trace) is not None]
    return _programs.setdefault(traces[-1], {}) if traces else {}


def note_reference(name: str) -> None:
    """Takes note that the program uses a variable by a JAX reference, and refuses it beside a check."""
    program = _program()
    program["reference"] = name
    if "check" in program:
        raise _beside_a_reference(name)


def note_check() -> None:
    """Takes note that the program has a check, and refuses it beside a variable that is used by a JAX reference."""
    program = _program()
    program["check"] = True
    if "reference" in program:
        raise _beside_a_reference(program["reference"])


def _beside_a_reference(name: str) -> errors.StagingError:
    return refusal(
        f"{name} is used in a program with a check",
        why="JAX deletes what its references hold where a program fails",
        instead="compile the outermost function with `ag.function`, or leave checks out (`ag.set_checks(False)`)",
        page="variable-beside-a-check",
    )


def _not_caught(error: BaseException, at: Any = None) -> errors.StagingError:
    return errors.StagingError(
        f"{type(error).__name__} is raised under a traced condition, and a handler around it would catch it",
        at=_line_of(error) if at is None else at,
        why="the condition is only known when the compiled program runs, and handlers run while it is built",
        instead="test for the case with `if`, and do there what the handler does",
        page="caught-exception",
    )


def _not_ended(error: BaseException) -> errors.StagingError:
    loop = "write the loop with `while` and the condition, or over `range(n)`"
    is_sequence = isinstance(error, IndexError)
    return errors.StagingError(
        f"{'a sequence without `__iter__`' if is_sequence else 'an iterator'} ends on a traced condition",
        at=_line_of(error),
        why="how many items it has is only known when the program runs, and who takes them runs while it is traced",
        instead=f"give its class an `__iter__`, or {loop}" if is_sequence else loop,
        page="iterator-ends-on-a-traced-condition",
    )


def refuse_to_handle_later(error: BaseException) -> None:
    """Refuses what Python may raise here, and the program when it runs or never, where a handler waits for it by name."""
    if handlers.would_catch(error, by_name=True):
        raise _not_caught(error, user_line()) from None


def refuse_to_handle(error: BaseException) -> None:
    """Refuses an exception that a staged region raises while it is traced, and a handler around the statement would catch.

    Without a handler it is the program's end either way, and is reported at once.
    """
    if handlers.is_event(error):
        _refuse_if_caught(error)


def say_where(error: BaseException, what: str, run: Callable[..., Any] | None = None) -> None:
    """Notes on an exception that plain Python may not raise: what was traced, in which statement, whose body is `run`."""
    raised = "raised while tracing"
    is_said = any(str(note).startswith(raised) for note in getattr(error, "__notes__", ()))  # of a statement inside
    if isinstance(error, Exception) and handlers.is_event(error) and not (is_said or is_write_in_another_trace(error)):
        note = errors.message(
            f"{raised} {what}",
            at=errors.Location.of(getattr(run, "__wrapped__", run)),
            why="whether it runs is only known when the compiled program runs, so it is traced in any case",
            instead="write there what can be traced, or test a Python value (a static argument), which is decided while tracing",
            page="exception-in-a-branch",
        )
        with contextlib.suppress(Exception):  # of a class that lets nobody write to it
            error.add_note(note)


def _refuse_if_caught(error: BaseException) -> None:
    if handlers.ends_items(error):
        raise _not_ended(error) from None
    if handlers.would_catch(error):
        raise _not_caught(error) from None
    if any(map(may_suppress, context.progress.managers)):
        raise handlers.seen_by_a_with(error, _line_of(error)) from None


def _source_of(place: Place | None) -> str:
    return "" if place is None else linecache.getline(place.filename, place.lineno).strip()


def _place_of(error: BaseException) -> Place | None:
    return (
        vars(error).pop(_PLACE, None)
        or next(
            (
                Place(f.filename, f.lineno or 0, f.name)
                for f in reversed(traceback.extract_tb(error.__traceback__))
                if not errors.is_ours(f.filename)
            ),
            None,
        )
        or user_place()
    )


def _line_of(error: BaseException) -> tuple[str, int] | None:
    place = _place_of(error)
    return None if place is None else (place.filename, place.lineno)


_PLACE = "autograph place"
"""The attribute of an exception that says where its staged `assert` stands, until the message has been made.

A table by `id` told the place of an exception that was gone to the next one at its address.
"""


def demand(ok: Any, error: Exception, place: Place | None = None) -> None:
    """The program fails with `error` where the traced `ok` does not hold: what Python raises in the line that runs now.

    Args:
        place: another line.
    Raises:
        StagingError: a handler around it would catch the error.
    """
    refuse_to_handle_later(error)
    place = place or user_place(libraries=True)

    def failed() -> None:
        vars(error)[_PLACE] = place
        raise journal.mark_raised(error)

    host.statements.if_stmt(predicate(ok), host.statements.nothing, failed)


def user_place(libraries: bool = False) -> Place | None:
    """The line that runs in the innermost frame that is not ours, nor, unless those are wanted, a library's."""
    frame = next(frames_of_user(sys._getframe(), libraries), None)
    return None if frame is None else Place.of(frame)


def raise_(exception: Any = None, cause: Any = None) -> BaseException:
    """The exception of a `raise` inside a staged statement; written `raise ag__.raise_(X, Y)`.

    A `raise` alone raises what is being handled once more.
    """
    error = handlers.exception_of(exception, cause)
    if exception is None and not handlers.is_event(error):
        return error  # what cannot be staged is no event of the program
    return journal.mark_raised(error)


def assert_(test: Any, message: Callable[[], Any] | None = None) -> None:
    """`assert test, message()`; when `test` is traced, a check that fails when the compiled program runs."""
    test = truth_value(test)
    if not is_traced(test):
        if not test:
            raise journal.mark_raised(AssertionError(*(() if message is None else (message(),))))
        return
    place = user_place(libraries=True)

    def failed() -> None:
        error = AssertionError(*(() if message is None else (message(),)))
        vars(error)[_PLACE] = place
        raise journal.mark_raised(error)

    if __debug__:
        host.statements.if_stmt(predicate(test), host.statements.nothing, failed)
