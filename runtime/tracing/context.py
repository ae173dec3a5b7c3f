"""What is in progress in this thread, of which several files read: open regions, loops, calls and handlers.

>>> active(), innermost(), open_regions()
(False, None, [])
>>> with setting(is_tried=True):
...     print(progress.is_tried)
True
>>> progress.is_tried
False
"""

from __future__ import annotations

import inspect
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from autograph.runtime.heap.journal import Region
    from autograph.runtime.heap.outliving import Call

T = TypeVar("T")


class _Context(threading.local):
    """The state of one thread that several files share; what one file has for itself is a `PerThread` there.

    Attributes:
        regions: the open regions, outermost first.
        call: the call whose writes are noted (`heap.outliving`).
        reach: what the outermost call can reach, by which names (`conversion.reach`).
        level: the innermost loop whose iterations are numbered, of those that are being traced (`known.number`).
        calls: how many calls of Python functions its numbers, and those of the loops around, took so far.
        is_tried: whether a loop over Python's numbers is tried as a loop of the program (`operators.long_loops`).
        is_unchecked: whether the function that is traced leaves checks out (`checks.runtime_checks`).
        raises_values: whether what the program raises comes out as Python raises it, with its values (`checks.certain_failures`).
        caller_tests_none: whether the caller of the function that begins tests for `None` (`operators.optional_results`).
        libraries_wrote: whether a library wrote to its objects in a staged statement of the outermost call.
        has_choices: whether the outermost call has made one of several strings (`values.choices`).
        has_bounded: whether the outermost call has made an array of unknown length (`values.bounded_array`).
        takes_none: the code of a function that may return `None` or a value to what takes either (`ag.function`).
        managers: what leaves the open `with` statements that are to see an exception which passes them (`calls.context_managers`).
        handled: the `try` bodies that run now, or are suspended, in staged code.
        checks: how many were staged so far (`heap.path_conditions`).
        failing: what each branch of an outermost statement raises, and the trace in which it does (`checks.certain_failures`).
    """

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self.call: Call | None = None
        self.reach: Any = None
        self.level: Any = None
        self.is_tried = False
        self.caller_tests_none = self.is_unchecked = self.raises_values = False
        self.has_choices = self.has_bounded = self.libraries_wrote = False
        self.takes_none: CodeType | None = None
        self.managers: list[Any] = []
        self.handled: list[handled] = []
        self.checks = self.calls = 0
        self.failing: tuple[BaseException, Any] | None = None


progress = _Context()


class PerThread(threading.local, Generic[T]):
    """What one file has for itself, in each thread: `value`, which `make()` gives at first."""

    def __init__(self, make: Callable[[], T]) -> None:
        self.value = make()


ENDS_OF_ITEMS: dict[str, Callable[[], type[BaseException]]] = {
    "__next__": lambda: StopIteration,
    "__anext__": lambda: StopAsyncIteration,
    "__getitem__": lambda: IndexError,
}
"""The methods by which Python iterates, each with what it catches as the end of the items (see `_Context.handled`)."""


class handled:
    """Around the body of a `try`: what its handlers catch. A function says it, since Python looks the classes up when it must.

    In a generator or a coroutine they wait only while that runs: where it is suspended its frame has no caller. Those of a
    generator that is a context manager wait as long as its `with` (`stay`).
    """

    __slots__ = ("_frame", "kinds")

    def __init__(self, kinds: Callable[[], Any]) -> None:
        self.kinds = kinds
        self._frame: FrameType | None = None

    def __enter__(self) -> None:
        frame = sys._getframe(1)
        if frame.f_code.co_flags & _MAY_BE_SUSPENDED:
            self._frame = frame
        progress.handled.append(self)

    def __exit__(self, *error: object) -> None:
        self._frame = None
        if self in progress.handled:  # a generator may leave its own at any time
            progress.handled.remove(self)

    def stay(self) -> None:
        """Says that what is raised outside of a suspended generator is thrown into it."""
        self._frame = None

    @property
    def waits(self) -> bool:
        """Whether the body runs now, or what is raised now comes to it."""
        return self._frame is None or self._frame.f_back is not None


_MAY_BE_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def active() -> bool:
    """Whether a region is being staged in this thread."""
    return bool(progress.regions)


def innermost() -> Region | None:
    """The innermost open region."""
    return progress.regions[-1] if progress.regions else None


def open_regions() -> list[Region]:
    """The open regions, outermost first."""
    return progress.regions


@contextmanager
def setting(state: threading.local = progress, /, **values: Any) -> Iterator[None]:
    """While it lasts, these attributes of the state have other values."""
    before = {name: getattr(state, name) for name in values}
    vars(state).update(values)
    try:
        yield
    finally:
        vars(state).update(before)


def receive(value: Any) -> Any:
    """Says that converted code is about to get hold of a value that code made which is not converted; returns it."""
    return value if progress.reach is None else progress.reach.receive(value)


def is_referred_to_weakly(value: Any) -> bool:
    """Whether somebody refers weakly to an object, besides the search of this trace, which so remembers what it met."""
    is_met = progress.reach is not None and progress.reach.received.get(id(value)) is value
    return weakref.getweakrefcount(value) > is_met


def announce_hand_over(values: tuple[Any, ...]) -> None:
    """Says that a library is about to be given some values: it may call functions that it finds there."""
    if progress.reach is not None:
        progress.reach.hand(values)


def paused() -> Any:
    """While it lasts, writes are not noted: for code of the user's that builds or opens values on our behalf."""
    return setting(regions=[], call=None)
