"""What is in progress in this thread: open regions, loops, calls and handlers, and what is known as long as a trace is open.

>>> active(), innermost(), open_regions()
(False, None, [])
>>> with setting(is_exact=True):
...     print(progress.is_exact)
True
>>> progress.is_exact
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
from typing import TYPE_CHECKING, Any, TypeVar

from autograph.jax_internals import keep_with_trace, open_traces

if TYPE_CHECKING:
    from autograph.runtime.carry.assumptions import LoopAssumptions
    from autograph.runtime.heap.journal import Region
    from autograph.runtime.heap.outliving import Call

Note = TypeVar("Note", bound=tuple[Any, ...])


class _Context(threading.local):
    """The state of one thread; `__init__()` resets it. Notes begin with a reference to the trace as long as which they count.

    Attributes:
        regions: the open regions, outermost first.
        call: the call whose writes are noted (`heap.outliving`).
        assumptions: about the loop whose body is being traced (`carry.assumptions`).
        default_dicts: those that the outermost call can reach.
        reach: what the outermost call can reach, by which names (`conversion.reach`).
        level: the innermost loop whose iterations are numbered, of those that are being traced (`known.number`).
        calls: how many calls of Python functions its numbers, and those of the loops around, took so far.
        is_tried: whether a loop over Python's numbers is tried as a loop of the program (`operators.long_loops`).
        is_exact: whether Python's integers are meant (`exact_integers`).
        is_unchecked: whether the function that is traced leaves checks out (`checks.runtime_checks`).
        raises_values: whether what the program raises comes out as Python raises it, with its values (`checks.certain_failures`).
        caller_tests_none: whether the caller of the function that begins tests for `None` (`operators.optional_results`).
        libraries_wrote: whether a library wrote to its objects in a staged statement of the outermost call.
        swallowed: where errors were handled which say that a value is traced (`checks.swallowed`).
        has_choices: whether the outermost call has made one of several strings (`values.choices`).
        check_result: what checks, for such a call, that none is in its result; it takes its name, its place and the result.
        takes_none: the code of a function that may return `None` or a value to what takes either (`ag.function`).
        guards: those of the open regions against iterators that are advanced (`heap.guarded_iterators`), outermost first.
        managers: what leaves the open `with` statements that are to see an exception which passes them (`calls.context_managers`).
        handled: the `try` bodies that run now, or are suspended, in staged code.
        attempts: how many calls of functions whose failure was tested before are running (`library.arithmetic_errors`).
        checks, loops: how many were staged so far; `afresh`: traces of functions that no cache knows (`heap.path_conditions`).
        failing: what each branch of an outermost statement raises, and the trace in which it does (`checks.certain_failures`).
        iterated: containers that Python's loops iterate over, by id, each with the number of regions around the loop.
        kept: notes of what a trace cannot hold itself, though it holds values of it (`keep`).
        views: merged containers (`heap.aliases`); `carried`: notes of objects that stand for what a loop carries, by id.
        orders: the dicts whose order of keys is not known, by id (`values.key_orders`).
        fallbacks: notes of attributes that an object may take from its class (`heap.class_fallback`).
        element: an array that was just written in author's code, and what took its place (`conversion.element_writes`).
        constants: notes of arrays that regions had as constants (`heap.constants`, before JAX 0.9.2).
    """

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self.call: Call | None = None
        self.assumptions: LoopAssumptions | None = None
        self.default_dicts: list[Any] = []
        self.reach: Any = None
        self.level: Any = None
        self.is_tried = False
        self.is_exact = self.caller_tests_none = self.is_unchecked = self.raises_values = False
        self.has_choices = self.libraries_wrote = False
        self.check_result: Callable[[str, Any, Any], None] = lambda name, at, result: None
        self.swallowed: list[Any] = []
        self.takes_none: CodeType | None = None
        self.guards: list[Any] = []
        self.managers: list[Any] = []
        self.handled: list[handled] = []
        self.attempts = self.checks = self.loops = self.calls = 0
        self.failing: tuple[BaseException, Any] | None = None
        self.afresh: list[Any] = []
        self.iterated: list[tuple[int, int]] = []
        self.kept: list[tuple[Any, Any]] = []
        self.views: list[Any] = []
        self.carried: list[tuple[Any, int]] = []
        self.orders: dict[int, Any] = {}
        self.fallbacks: list[Any] = []
        self.element: tuple[Any, Any] | None = None
        self.constants: list[tuple[Any, Any]] = []


progress = _Context()

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
def setting(**values: Any) -> Iterator[None]:
    """While it lasts, these attributes of the state have other values."""
    before = {name: getattr(progress, name) for name in values}
    vars(progress).update(values)
    try:
        yield
    finally:
        vars(progress).update(before)


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


def still_open(notes: list[Note]) -> list[Note]:
    """Those of some notes whose trace is open."""
    traces = open_traces() if notes else ()
    return [note for note in notes if note[0]() in traces]


def keep(x: Any, outermost: bool = False) -> None:
    """Keeps `x`, which holds values of the trace in progress (or the outermost one), as long as that is open, and not longer."""
    drop_ended()
    trace = keep_with_trace(x, outermost)
    if trace is not None:
        progress.kept.append((trace, x))


def drop_ended() -> None:
    """Drops what was kept for traces that are over."""
    if progress.kept:
        progress.kept = still_open(progress.kept)
