"""Writes to the heap while a region (a branch, a loop body, a loop test) is staged.

Python code writes to more than local variables: attributes, items, globals, cells of other functions. When a branch of a
staged `if` is traced, these writes really happen, so they must be undone, and what was written must become a result of
the `if`. Generated code therefore announces each write (`touch_*`) just before it; the first announcement of a *location*
in a region takes a snapshot. When the region ends, `Region.collect` reads what stands there and puts the snapshots back.
Which locations there are: `locations`. Where no region is open: `outliving`.

>>> items = [1]
>>> with Region([]) as region:
...     touch_container(items); items.append(2)
...     _, [written] = region.collect()
>>> written.before, written.after, items
([1], [1, 2], [1])
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Container, Sequence
from types import CodeType, FunctionType, TracebackType, WrapperDescriptorType
from typing import Any

import numpy as np

from autograph.jax_internals import current_trace, open_traces, trace_reference
from autograph.runtime.heap import aliases, class_fallback, constants, library_notes, library_objects, outliving
from autograph.runtime.heap.array_versions import ArrayWrites
from autograph.runtime.tracing import default_dicts
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.context import innermost, progress
from autograph.runtime.tracing.families import VIEWS, WRITABLE, memory_of
from autograph.runtime.tracing.refusals import a, refusal
from autograph.runtime.tracing.variables import UNSET, CellVariable, Variable
from autograph.runtime.values.locations import (
    NAMED,
    ArrayLocation,
    AttributeLocation,
    CellLocation,
    ContentsLocation,
    GlobalLocation,
    attribute_location,
    attribute_names,
)
from autograph.runtime.values.writes import Written


class Region:
    """An open region: as a context manager it journals, and undoes everything when it closes.

    Within it, `variables` are local to the region: `collect` returns their values and restores those at entry. It runs where
    the test of `path` has the bool beside it; `implied` is what that says of other tests, once one is asked for
    (`path_conditions`). `raised` is a user's exception that ends it; `run` is what runs in it; `touched` are the ids of all
    objects written to, also by the regions inside; `made` native iterators that were made in the region, by id. `holders` gives
    what refers to values of variables on our behalf. `skipped` are variables that some path through a loop body does not
    assign, `exceptions` the keys of those written to, `arrays` those written, `unheard` the keys of what only a library may
    have written, `notes` the ids of frameworks' notes (see `library_notes`), `recursions` how often its code began again
    within it (see `recursion`).

    `branches` are traces that are given up with that of the region around: of a branch, and of the branch beside it.
    A trial (`is_trial`) runs Python code that is kept unless it turns out to be better staged; once it has changed something
    that cannot be put back (see `forbids`) it `is_final`.
    """

    def __init__(
        self, variables: list[Variable], path: Any = None, is_loop: bool = False, run: Callable[..., Any] | None = None
    ) -> None:
        self.run = run
        self.code: CodeType | None = getattr(run, "__code__", None)
        self.holders: Callable[[], list[Any]] = list
        self.is_loop = is_loop
        self.branches: list[Callable[[], Any]] = []
        self.is_trial = False
        self.is_final = False
        self.made: dict[int, Any] = {}
        self.variables = variables
        self.path = path
        self.implied: list[Any] | None = None
        self.entry, self.arrays = list[Any](), ArrayWrites()
        self.entries: dict[Any, tuple[Any, Any]] = {}
        self.forwarded: dict[Any, Any] = {}
        self.sizes: list[tuple[Any, int]] = []
        self.raised: BaseException | None = None
        self.exceptions: list[Any] = []
        self.trace: Callable[[], Any] = lambda: None
        self.fails, self.recursions = False, 0
        self.touched: set[Any] = set()
        self.unheard: set[Any] = set()
        self._older, self.notes = set[int](), dict[int, str]()
        self.watches: dict[str, tuple[Container[Any], Any]] = {}
        self.skipped: set[str] = set()
        self._own = {id(v.cell) for v in variables if isinstance(v, CellVariable)}
        self._open = False

    def __enter__(self) -> Region:
        if progress.regions:
            progress.regions[-1].forget_caught()
        self.entry = [v.get() for v in self.variables]
        self.note_sizes()
        self.trace = trace_reference()
        progress.regions.append(self)
        self._open = True
        return self

    def collect(self) -> tuple[list[Any], list[Written]]:
        """The values of the variables, and the written locations; everything is put back."""
        if self.exceptions:
            self.forget_caught()
        self._find_defaults()
        values = [v.get() for v in self.variables]
        written = {k: Written(at, before, at.get(), k in self.unheard) for k, (at, before) in self.entries.items()}
        changed = {key: w for key, w in written.items() if w.is_change()}
        touched = {id(w.location.obj) for w in changed.values() if w.by_library}
        self.touched |= touched
        progress.libraries_wrote |= bool(touched)
        own: dict[Any, Written] = {}
        if self.unheard:
            notes = self.notes | library_notes.containers(self.entries.values())
            own = library_notes.among(changed, notes, self._older, self.trace())
        self._undo()
        library_notes.leave_changed(own.values())
        self.entries.clear()  # who refers to an object, counts
        return values, [w for key, w in changed.items() if key not in own]

    def written_keys(self) -> set[Any]:
        """The keys of the locations that were written to, and of the variables that others share."""
        return self._own | self.entries.keys()

    def proxies_out(self, original: Callable[[Any], Any]) -> None:
        """Puts the iterators themselves where the region's notes have proxies of them (see `guarded_iterators`)."""
        for key, (location, before) in self.entries.items():
            self.entries[key] = location, original(before)
            after = location.get()
            if original(after) is not after:
                location.set(original(after))

    def keep(self) -> None:
        """Closes the region without undoing it: what it wrote stands, and the enclosing region hears of it."""
        self._find_defaults()
        self._open = False
        popped = progress.regions.pop()
        assert popped is self
        self.arrays.keep()
        self.forget_caught()
        outer = innermost()
        if outer is None:
            for location, before in self.entries.values():
                outliving.note_write(location, before)
            return
        outer.touched |= self.touched
        outer.made.update(self.made)
        outer.is_final = outer.is_final or self.is_final
        outer.unheard = {key for key in outer.unheard if key in self.unheard or key not in self.entries}
        outer.unheard |= self.unheard - outer.entries.keys() - outer._own
        for key, entry in self.entries.items():
            if key not in outer._own:
                outer.entries.setdefault(key, entry)
            else:
                outer.forwarded[key] = entry[0]
        own = {id(v.cell): value for v, value in zip(self.variables, self.entry) if isinstance(v, CellVariable)}
        for key, location in self.forwarded.items():
            if key in outer._own:
                outer.forwarded[key] = location
            else:
                outer.entries.setdefault(key, (location, own[key]))
        if self.raised is not None:
            outer.raised, outer.fails = self.raised, self.fails

    def forget_caught(self) -> None:
        """Forgets the exception that was raised if a handler is done with it: its frames hold values."""
        if self.raised is None and not self.exceptions:
            return
        handled, error = [], sys.exception()
        while error is not None:
            handled.append(error)
            error = error.__context__
        if not any(error is self.raised for error in handled):
            self.raised = None
        for location, _ in (self.entries[key] for key in self.exceptions if key in self.entries):
            if not any(location.obj is error for error in handled):
                location.obj.__traceback__ = None  # the entries keep the exception itself

    def _undo(self) -> None:
        if not self._open:
            return
        self._open = False
        self._find_defaults()
        self.raised = None  # its frames hold values
        popped = progress.regions.pop()
        assert popped is self
        self.arrays.undo()
        if progress.regions:
            progress.regions[-1].touched |= self.touched
        for location, before in reversed(self.entries.values()):
            location.set(before)
        for variable, value in zip(self.variables, self.entry):
            variable.set(value)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._undo()

    def touch(self, location: Any, by_library: bool = False) -> None:
        """Notes a write that is about to happen; `by_library`: only a library may have written it."""
        key = location.key
        if not by_library:
            self.unheard.discard(key)
        if not by_library or self._covers(location):  # of others it is known when the region is over
            self.touched.add(id(location.obj))
        if key in self._own:
            self.forwarded[key] = location  # it leaves through the state, and the enclosing region must hear of it
        elif key not in self.entries and not self._covers(location):
            before = location.get()
            if issubclass(type(location.obj), BaseException):
                self.exceptions.append(key)
            if type(before) is dict and isinstance(location, ContentsLocation):
                self._take_over(location.obj, before)
            self.entries[key] = (location, before)
            if by_library:
                self.unheard.add(key)
            outliving.mark_inside(key)

    def note_sizes(self) -> None:
        """Notes how many keys the default dicts have that are known."""
        self.sizes = default_dicts.sizes()

    def _find_defaults(self) -> None:
        """Notes what libraries wrote unheard, and the default dicts that grew by being read, at their end."""
        while self.watches:
            known, watch = self.watches.popitem()[1]
            for location, before in watch.before:  # what was announced since the watch began had a past
                if (key := location.key) in self.entries and key not in known:
                    self.entries[key] = location, before
            self._older |= watch.parts()
            self.notes |= library_notes.containers(watch.before)
            watch.announce(by_library=True)
        for obj, size in self.sizes:
            if dict.__len__(obj) > size and id(obj) not in self.entries:
                self.touched.add(id(obj))
                self.entries[id(obj)] = ContentsLocation(obj), dict(itertools.islice(dict.items(obj), size))
        self.sizes = []

    def _covers(self, location: Any) -> bool:
        """Whether a name stands in a dict that is in the journal as a whole."""
        return isinstance(location, NAMED) and id(location.names()) in self.entries

    def _take_over(self, names: dict[Any, Any], before: dict[Any, Any]) -> None:
        """Makes `before`, a snapshot of `names`, what it was before attributes that stand there were written."""
        for key, (location, value) in list(self.entries.items()):
            if isinstance(location, NAMED) and location.names() is names:
                del self.entries[key]
                self.unheard.discard(key)
                if value is UNSET:
                    before.pop(location.attribute, None)
                else:
                    before[location.attribute] = value


def hears_of_writes() -> bool:
    """Whether a write must be announced: a region is being staged, or there are containers that may be one of several."""
    return bool(progress.regions) or aliases.any_merged()


def held_by_regions() -> list[Any]:
    """What refers to objects because they are values of variables when the open regions began, or in the branch beside."""
    found: list[Any] = []
    for region in progress.regions:
        found += [region.entry, *region.holders(), *(location for location, _ in region.entries.values())]
    return found + outliving.holders_in_notes()


def forbids(obj: Any) -> bool:
    """Whether native state (an iterator, a random generator) must not be advanced now, since a region cannot undo it.

    What was made in a region is nobody else's. A trial that advances something older has to be kept.
    """
    for region in reversed(progress.regions):
        if id(obj) in region.made:
            return False
        if not region.is_trial:
            return True
        region.is_final = True
    return False


def in_loop() -> bool:
    """Whether a loop body is being staged."""
    return any(region.is_loop for region in progress.regions)


def only_branches_within(trace: Any, more: Sequence[Any] = ()) -> bool:
    """Whether `trace` is open, and nothing but branches lies between the trace in progress and it; `more`: traces of branches."""
    branches = [*(branch() for region in progress.regions for branch in region.branches), *more]
    traces = open_traces()
    inside = list(itertools.takewhile(lambda one: one is not trace, traces))
    return len(inside) < len(traces) and all(any(one is branch for branch in branches) for one in inside)


def note_skipped(name: str) -> None:
    """Notes that a path through the innermost loop body leaves a variable without a value of this iteration."""
    for region in reversed(progress.regions):
        if region.is_loop:
            region.skipped.add(name)
            return


def mark_raised(error: BaseException, fails: bool = False) -> BaseException:
    """Notes that `error` is the user's own exception, so that it ends the innermost region, not the trace.

    `fails`: the program fails there already, since each of two branches does.
    """
    if (region := innermost()) is not None:
        region.raised, region.fails = error, fails
    elif fails:
        progress.failing = error, current_trace()
    return error


def touch_location(location: Any, by_library: bool = False, note: str = "") -> None:
    """Announces a write to `location`; see `Region.touch` and `Written`."""
    if progress.regions:
        progress.regions[-1].touch(location, by_library)
        progress.regions[-1].notes |= {id(location.obj): note} if note else {}
    else:
        outliving.note_write(location)


def touch_container(obj: Any, index: Any = ..., by_library: bool = False, may_only_read: bool = False) -> None:
    """Announces that a list, dict, set (or another mutable container) is about to change: of an array what `index` picks.

    Of an object with methods of a library (`UserDict`) all parts are; `may_only_read`: the caller checks it when it has changed.
    """
    if issubclass(type(obj), tuple):
        return  # its methods change nothing
    if not may_only_read:
        aliases.check_alias(obj, held_by_regions)
    constants.check_constant(obj, index)
    if not progress.regions:
        if issubclass(type(obj), WRITABLE):
            outliving.note_write(ContentsLocation(obj))
        return
    if issubclass(type(obj), WRITABLE):
        _touch_contents(obj, by_library)
    elif type(static_lookup(type(obj), "__setitem__")) is WrapperDescriptorType and forbids(obj):
        raise _kept_by_c(type(obj), "its items are kept by C code, and cannot be put back")
    elif library_objects.has_library_methods(type(obj)):
        _touch_parts(obj, by_library)


def _touch_parts(obj: Any, by_library: bool) -> None:
    for part in library_objects.changeable_parts(obj):
        if isinstance(part, WRITABLE):
            _touch_contents(part, by_library)
        else:
            for name in attribute_names(part):
                if name != library_objects.TRACE_STATE:
                    progress.regions[-1].touch(AttributeLocation(part, name), by_library)
            library_objects.enter_trace(part, progress.regions[-1].touch)


def _touch_contents(obj: Any, by_library: bool) -> None:
    obj = memory_of(obj) if type(obj) in VIEWS else obj
    if isinstance(obj, np.ndarray) and type(obj) not in (np.ndarray, np.memmap):
        raise _kept_by_c(type(obj), "NumPy keeps more in it than its numbers (a mask, records), which cannot be put back")
    while isinstance(obj, np.ndarray) and isinstance(obj.base, np.ndarray):
        obj = obj.base  # a slice of an array shares its numbers
    progress.regions[-1].touch(ArrayLocation(obj) if isinstance(obj, np.ndarray) else ContentsLocation(obj), by_library)


def _kept_by_c(kind: type, why: str) -> Exception:
    return refusal(
        f"{a(kind.__qualname__)} is changed inside a staged statement",
        why=why,
        instead="use a list or an array, or change it before or after the statement",
        page="masked-array-in-a-branch",
    )


def touch_attribute(obj: Any, attribute: str, by_library: bool = False) -> None:
    """Announces that `obj.attribute` is about to be written or deleted."""
    aliases.check_alias(obj, held_by_regions)
    class_fallback.check_fallback(obj, attribute)
    touch_location(attribute_location(obj, attribute), by_library)


def touch(variable: Callable[[], Any]) -> None:
    """Announces a write to the global or the free variable that `variable` (never called) reads: `touch(lambda: g)`."""
    if progress.regions or progress.call is not None:
        assert isinstance(variable, FunctionType)
        code = variable.__code__
        if variable.__closure__:
            touch_location(CellLocation(code.co_freevars[0], variable.__closure__[0]))
        else:
            touch_location(GlobalLocation(variable.__globals__, code.co_names[0]))
