"""Arrays that were written under another name: reading one under a name that did not hear of the write is refused.

NumPy changes an array for every name, row and slice that it has. An array of a compiled program is a value: `x[i] = v` gives
the name `x` another one. Whoever still holds the old one has a *superseded* array, and where NumPy would show the write there,
using it is an error that names the variable:

| the write | the superseded array |
| --- | --- |
| `x[i] = v`, also `x[i] += v` | `x` as it was; `latest` finds what took its place (for `sort(a)` in the caller) |
| `x += v` | `x` as it was; NumPy changes it, arrays of JAX do not, so nothing takes its place |
| either, where `x` is a row, a slice or another view of an array | that array as well (see `array_views`) |

A superseded tracer gets a class that refuses to say to which trace it belongs, which is the first thing that any operation
asks. Shape and dtype can be read, and a derivative reads what was used before the write. What a region (a branch, a loop body)
superseded is valid again when the region ends, since its writes are undone; `JoinedArrays` and `loop_arrays` say what that means
for the arrays around it.

>>> import jax, jax.numpy as jnp
>>> def f(x):
...     y = x.at[0].set(5.0)
...     record(x, y, ELEMENT)
...     return x.shape, latest(x) is y
>>> jax.eval_shape(lambda x: print(f(x)), jnp.zeros(3))
((3,), True)
"""

from __future__ import annotations

import itertools
import re
import sys
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import Tracer

from autograph import jax_dispatch
from autograph.errors import StagingError
from autograph.jax_internals import is_of_current_trace, trace_of
from autograph.runtime.heap import array_views
from autograph.runtime.tracing import context, dead_results, facts, sharing
from autograph.runtime.tracing.refusals import frames_of_user, names_held, quoted, refusal, user_line

ELEMENT, UPDATE, METHOD, VIEW, LOST = "element", "update", "method", "view", "lost"
"""How an array was superseded: by `x[i] = v`; by `x += v`; by `f(x.sort())`; by a write to a view of it, or of the array that it
is a view of; in a branch or loop that leaves the new array in no variable."""


class Write:
    """One array, and what took its place.

    Attributes:
        old: a weak reference to the array; kind: its class.
        new: what the writing name holds since, or None.
        index: what was written, for an element.
        inner: whether the array was made by the trace that was in progress.
        unshared: whether no other name, row or view can have the array, by the source of the program.
        at: file and line of the write.
        by: the views of it that were written; region: the open region where that happened.
    """

    __slots__ = ("__weakref__", "at", "aval", "by", "how", "index", "inner", "kind", "new", "old", "unshared", "region")

    def __init__(self, old: Any, new: Any, how: str, index: Any) -> None:
        self.old = weakref.ref(old)
        self.kind = type(old)
        self.new = new
        self.how = how
        self.index = index[0] if type(index) is tuple and index else index
        self.inner = is_of_current_trace(old)
        self.at = user_line()
        self.by: list[Any] = []
        self.region = _open_region()
        self.unshared = False
        self.aval = old.aval  # before JAX 0.9 one under `vmap` reads it from its trace


Path = tuple[Any, bool] | None
"""A traced test and the truth that it has where something happens."""


class ArrayWrites(list[Write]):
    """The writes of a region; without one that is open they last as long as the trace."""

    def undo(self) -> None:
        """What the region, which is closed, superseded is valid again."""
        for write in reversed(self):
            old = write.old()
            if old is not None:
                old.__class__ = write.kind
                _writes.pop(id(old), None)

    def keep(self) -> None:
        """The writes of the region, which is closed, stand."""
        for write in self:
            _hold(write)


def _open_region() -> ArrayWrites | None:
    region = context.innermost()
    return None if region is None else region.arrays


_writes: weakref.WeakValueDictionary[int, Write] = weakref.WeakValueDictionary()
_kinds: dict[type, type] = {}
_superseded: set[type] = set()


def record(
    old: Any, new: Any, how: str, index: Any = None, *, alone: bool = False, unshared: bool = False, path: Path = None
) -> None:
    """Notes that `new` took the place of the array `old` under the name by which it was written.

    `alone`: what shares elements with it is noted already; `unshared`: see `Write`; `path`: where alone it was written.
    """
    if old is new or not _can_be_shared(old):
        return
    array_views.check_writable(old)
    if alone:
        _supersede(old, new, how, index)
        return
    bases = array_views.bases(old)
    if any(map(array_views.views_in_numpy, bases)):
        raise refusal(
            "an array is written that may be a view of an array of NumPy's, or that array",
            why="NumPy would change that array too; here it is one of Python's own, and what was read of it is a value of the "
            "program",
            instead="take a copy first (`row = a[i].copy()`), write `x = x + v` for an array of its own, or write the element in "
            "the array itself (`a[i, j] = v`)", page="view-of-a-numpy-array",
        )
    others = [*bases, *(view for base in bases for view in array_views.live_views(base, old))]
    paths = [p for p in (path, *(region.path for region in context.open_regions())) if p is not None]
    touched = [
        x
        for x in others
        if _can_be_shared(x)
        and x is not new
        and not dead_results.is_dead(x, paths)
        and not array_views.are_apart(old, x)
    ]
    _supersede(old, new, how, index).unshared = unshared
    array_views.note_without_axes(new, old)
    for other in touched:
        if _can_be_shared(other):
            _supersede(other, None, VIEW, None)
    for other in others:
        write = _of(other)
        if write is not None and write.how == VIEW:
            write.by.append(old)


def _can_be_shared(x: Any) -> bool:
    is_array = issubclass(type(x), Tracer) and type(x) not in _superseded
    return is_array and array_views.has_names(x)


def _supersede(old: Any, new: Any, how: str, index: Any) -> Write:
    write = Write(old, new, how, index)
    _writes[id(old)] = write
    _hold(write)
    kind = write.kind
    if kind not in _kinds:
        meta: Any = type(kind)
        _kinds[kind] = meta(
            kind.__name__, (kind,), {"__slots__": (), "_trace": property(_read), "aval": property(_aval)}
        )
        _superseded.add(_kinds[kind])
    old.__class__ = _kinds[kind]
    return write


def _hold(write: Write) -> None:
    """Keeps what is known of an array as long as it holds: it refers to values of the trace."""
    region = _open_region()
    if region is not None:
        region.append(write)
    else:
        facts.keep(write)


def _of(x: Any) -> Write | None:
    write = _writes.get(id(x)) if type(x) in _superseded else None
    return write if write is not None and write.old() is x else None


def latest(x: Any, *more: str, unshared: int = 0) -> Any:
    """Finds what took the place of an array whose elements were written, or that was written in `more` ways; else `x`.

    `unshared`: the number of axes up to which no other name has the array, as the source shows.
    """
    while (write := _of(x)) is not None and write.how in (ELEMENT, *more):
        write.unshared = write.unshared or 0 < x.ndim <= unshared
        x = write.new
    return x


def is_superseded(x: Any) -> bool:
    """Whether an array was written under another name."""
    return type(x) in _superseded or type(array_views.innermost_tracer(x)) in _superseded


def current(x: Any) -> Any:
    """`x`, unless it was written under another name: that is refused, as any operation on it is."""
    for one in (x, array_views.innermost_tracer(x)):
        _ = type(one) in _superseded and _read(one)
    return x


def written_over(value: Any, x: Any, i: Any, put: Callable[[Any], Any], parts: Callable[[Any], Iterable[Any]]) -> Any:
    """The array after `x[i] = value` by `put`, where `x` was superseded by writes to views of it: `row = x[i]`, then `x[i] = row`.

    If all that was written lies in `x[i]`, which `parts` reads, the rest of `x` is as it was. The views share elements with what
    is returned; another value than what was written there supersedes them.
    """
    inner = array_views.innermost_tracer(x)
    stale = [(one, type(one), _of(one)) for one in ([x] if inner is x else [x, inner]) if type(one) in _superseded]
    writes = [
        write for _, _, write in stale if write is not None and write.how == VIEW and write.region is _open_region()
    ]
    if len(writes) < len(stale) or not all(write.by for write in writes):
        return put(current(x))
    written = [view for write in writes for view in write.by]
    others = array_views.live_views(x)  # also those that were not written
    for (one, _, _), write in zip(stale, writes, strict=True):
        one.__class__ = write.kind
    try:
        own = list(parts(x))
        new = put(x) if all(array_views.lies_in(view, own) for view in written) else x
    finally:
        for one, superseded, _ in stale:
            one.__class__ = superseded
    if new is x:
        return put(current(x))  # which says so
    if stale[0][0] is x:
        writes[0].new, writes[0].how, writes[0].index = new, ELEMENT, i
    else:
        _supersede(x, new, ELEMENT, i)
    views = [latest(view, UPDATE) for view in (*written, *others)]
    if any(view is value for view in views):
        array_views.note_shared(new, views)
    else:
        for view in views:
            if _can_be_shared(view):
                _supersede(view, None, VIEW, None)
    return new


def _aval(x: Any) -> Any:
    write = _of(x)
    kind: Any = type(x).__base__
    return kind.aval.__get__(x) if write is None else write.aval


def _read(x: Any) -> Any:
    """The trace of a superseded array where JAX differentiates what was computed before the write; else it is refused."""
    frame = sys._getframe(1)  # our own would be in a circle with this variable
    end = next(frames_of_user(frame), None)
    inside = itertools.takewhile(lambda one: one is not end, sharing.outward(frame))
    if any(jax_dispatch.reads_back(one, x) for one in inside):
        return trace_of(x)
    raise _refusal(x)


def _refusal(x: Any) -> StagingError:
    write = _of(x)
    names = [name for name in names_held(x) if not _UNPACKED.fullmatch(name)]
    at = None if write is None or context.progress.reach is not None else write.at  # no function runs any more: JAX reads it
    what = quoted(names[0]) if names else "an array" if at is None else "the returned array"
    line = f" (line {write.at[1]})" if write is not None and write.at is not None else ""
    how = LOST if write is None else write.how
    sharers = "together with its rows, slices and other views" if how == VIEW else "for every name that it has"
    return StagingError(
        f"{what} is read after it was written under another name",
        at=at or user_line(),
        why=f"NumPy changes an array {sharers}{line}; an array of a compiled program is a value, and this name holds the old one",
        instead=_INSTEAD.get(how, _INSTEAD[ELEMENT]), page="array-written-under-another-name",
    )


_UNPACKED = re.compile(r"item_\d+")  # what an assignment to several targets calls its values in between
_INSTEAD = {
    ELEMENT: "use one name for it, return it from the function that writes it (`a = f(a)`), or take a copy first (`b = a.copy()`)",
    UPDATE: "write `x = x + v` for an array of its own, or use one name for it",
    METHOD: "let the call be a statement on the variable (`x.sort()`), or take another array (`y = jnp.sort(x)`)",
    VIEW: "write the element in the array itself (`a[i, j] = v`), or take a copy first (`row = a[i].copy()`)",
}


# --- what a region means for the arrays around it ---


class End(NamedTuple):
    """What took the place of an array at last (None where nothing did), how, and at which indices it was written."""

    new: Any
    how: str
    indices: list[Any]
    unshared: bool

    def index(self, *others: Any) -> Any:
        """The one index at which it was written, or None."""
        first = next(iter(self.indices), None)
        return first if all(i is first for i in (*self.indices, *others)) else None


class Table:
    """The writes of a region that is over, by array."""

    def __init__(self, writes: Sequence[Write]) -> None:
        self._olds = [old for old in (write.old() for write in writes) if old is not None]
        self._of = {id(old): w for w in writes if (old := w.old()) is not None}

    def of(self, x: Any) -> Write | None:
        return self._of.get(id(x))

    def end(self, x: Any) -> End:
        """What took the place of `x` at last."""
        how, indices, unshared = ELEMENT, [], True
        while x is not None and (write := self.of(x)) is not None:
            how = how if write.how == ELEMENT else write.how
            indices.append(write.index)
            unshared = unshared and write.unshared
            x = write.new
        return End(x, how, indices, unshared)

    def outer(self) -> list[tuple[Any, str]]:
        """The arrays from outside of the region, and how they were superseded."""
        writes = [(old, self._of[id(old)]) for old in self._olds]
        return [(old, write.how) for old, write in writes if not write.inner]


class Move(NamedTuple):
    """What a statement means for an array from outside (None: for its own result)."""

    old: Any
    result: int | None
    how: str
    index: Any = None
    unshared: bool = False
    is_in: bool | None = None  # the one branch in which alone it was written, by the truth of its test


class JoinedArrays:
    """What two branches mean for the arrays around them, while both are traced; `left` and `right` are what they leave."""

    def __init__(self, first: Sequence[Write], second: Sequence[Write], left: Sequence[Any], right: Sequence[Any]) -> None:
        self._pairs = list(zip(left, right, strict=True))
        self._moves = self._find_moves(Table(first), Table(second)) if first or second else []
        self._shared: list[tuple[int, Any]] = []
        for k, pair in enumerate(self._pairs):
            for x in pair:
                if issubclass(type(x), Tracer) and jax.numpy.ndim(x):
                    bases = array_views.bases(x)
                    self._shared += [(k, base) for base in bases if array_views.is_outer(base, 2)]
                    self._shared += [(k, array) for base in bases for array in array_views.views_in_numpy(base)]
                elif type(x) is np.ndarray:
                    self._shared.append((k, x))
        self._pairs = []

    def _find_moves(self, first: Table, second: Table) -> list[Move]:
        moves: list[Move] = []
        for k, (yes, no) in enumerate(self._pairs):
            found = first.of(yes) or second.of(no)
            if found is not None:
                moves.append(Move(None, k, found.how))
        for old in {id(old): old for table in (first, second) for old, _ in table.outer()}.values():
            one, other = first.end(old), second.end(old)
            carried = (k for k, (a, b) in enumerate(self._pairs) if a is one.new and b is other.new)
            index = one.index(*other.indices) if one.indices else other.index()
            how = one.how if one.how != ELEMENT else other.how
            result = None if one.new is None else next(carried, None)
            is_in = bool(one.indices) if one.indices == [] or other.indices == [] else None
            moves.append(Move(old, result, how, index, one.unshared and other.unshared, is_in))
        return moves

    def land(self, results: Sequence[Any], test: Any) -> None:
        """Notes it, once the statement has results; `test` chose between the branches."""
        land(self._moves, results, self._shared, test)


def land(moves: Sequence[Move], results: Sequence[Any], shared: Sequence[tuple[int, Any]] = (), test: Any = None) -> None:
    """Notes what a statement means for the arrays around it, once it has results."""
    for old, k, how, index, unshared, is_in in moves:
        path = None if is_in is None else (test, is_in)
        if old is None:
            assert k is not None
            record(results[k], None, how if how == VIEW else LOST, alone=True)
        elif k is None:
            record(old, None, how if how != ELEMENT else LOST, alone=how == VIEW, path=path)
        else:
            record(old, results[k], how, index, unshared=unshared, path=path)
    for place, other in shared:
        array_views.note_view(results[place], other)
        while (write := _of(other)) is not None and write.new is not None:
            other = write.new  # where it was not written, that is `other` itself
        if type(other) not in _superseded:
            array_views.note_shared(results[place], [other])
