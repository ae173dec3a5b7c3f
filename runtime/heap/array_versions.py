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
asks. Shape and dtype can be read, and a derivative reads what was used before the write: JAX compares traces by identity there, so
that nothing else can take the place of the tracer's trace. What a region (a branch, a loop body) superseded is valid again when
the region ends, since its writes are undone; `array_outcomes` notes it for the arrays around it.

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
from collections.abc import Callable, Iterable
from typing import Any

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
    """Records what took the place of an array, how and where.

    Attributes:
        old: a weak reference to the array; kind: its class.
        new: what the name that was written holds since, or None.
        how: see above.
        index: what was written, for an element.
        unshared: whether no other name, row or view can have the array, by the source of the program.
        by: the views of it that were written.
        at: file and line of the write.
        region: the open region where it happened; is_inner: whether the array was made in the trace of that region.
    """

    __slots__ = ("__weakref__", "at", "aval", "by", "how", "index", "is_inner", "kind", "new", "old", "region", "unshared")

    def __init__(self, old: Any, new: Any, how: str, index: Any, unshared: bool = False) -> None:
        self.old, self.kind, self.new = weakref.ref(old), type(old), new
        self.how, self.unshared = how, unshared
        self.index = index[0] if type(index) is tuple and index else index
        self.by: list[Any] = []
        self.at, self.region, self.is_inner = user_line(), _open_region(), is_of_current_trace(old)
        self.aval = old.aval  # before JAX 0.9 one under `vmap` reads it from its trace


Path = tuple[Any, bool] | None
"""A traced test and the truth that it has where something happens."""


class ArrayWrites(list[Write]):
    """The writes of a region; without one that is open they last as long as the trace."""

    def undo(self) -> None:
        """Makes valid again what the region, which is closed, superseded."""
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


def record(old: Any, new: Any, how: str, index: Any = None, *, unshared: bool = False, path: Path = None) -> None:
    """Supersedes an array, and those that share elements with it.

    Args:
        new: what took its place under the name by which it was written, or None.
        index, unshared: see `Write`.
        path: where alone it was written.

    Raises:
        StagingError: it may be a view of a NumPy array.
    """
    if old is new or not _can_be_shared(old):
        return
    array_views.check_writable(old)
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
    _supersede(Write(old, new, how, index, unshared))
    array_views.note_without_axes(new, old)
    for other in touched:
        supersede(other, VIEW)
    for other in others:
        write = write_of(other)
        if write is not None and write.how == VIEW:
            write.by.append(old)


def supersede(x: Any, how: str) -> None:
    """Supersedes an array alone, which nothing takes the place of; what shares elements with it is superseded already."""
    if _can_be_shared(x):
        _supersede(Write(x, None, how, None))


def _can_be_shared(x: Any) -> bool:
    is_array = issubclass(type(x), Tracer) and type(x) not in _superseded
    return is_array and array_views.has_names(x)


def _supersede(write: Write) -> None:
    old, kind = write.old(), write.kind
    _writes[id(old)] = write
    _hold(write)
    if kind not in _kinds:
        meta: Any = type(kind)
        _kinds[kind] = meta(
            kind.__name__, (kind,), {"__slots__": (), "_trace": property(_read), "aval": property(_aval)}
        )
        _superseded.add(_kinds[kind])
    old.__class__ = _kinds[kind]


def _hold(write: Write) -> None:
    """Keeps what is known of an array as long as it holds: it refers to values of the trace."""
    region = _open_region()
    if region is not None:
        region.append(write)
    else:
        facts.keep(write)


def write_of(x: Any) -> Write | None:
    """Returns the record of an array that is superseded."""
    write = _writes.get(id(x)) if type(x) in _superseded else None
    return write if write is not None and write.old() is x else None


def latest(x: Any, *more: str, unshared: int = 0) -> Any:
    """Finds what took the place of an array whose elements were written, or that was written in `more` ways; else `x`.

    An update (`x += v`) before or after an element was written is one of a NumPy array, since JAX has no such elements.

    `unshared`: the number of axes up to which no other name has the array, as the source shows.
    """
    found, may_be_numpy = x, UPDATE in more
    while (write := write_of(x)) is not None and write.new is not None and write.how in (ELEMENT, UPDATE, *more):
        write.unshared = write.unshared or 0 < x.ndim <= unshared
        may_be_numpy = may_be_numpy or write.how == ELEMENT
        x = write.new
        found = x if may_be_numpy or write.how != UPDATE else found
    return found


def is_superseded(x: Any) -> bool:
    """Whether an array was written under another name."""
    return type(x) in _superseded or type(array_views.innermost_tracer(x)) in _superseded


def current(x: Any) -> Any:
    """`x`, unless it was written under another name: that is refused, as any operation on it is."""
    for one in (x, array_views.innermost_tracer(x)):
        _ = type(one) in _superseded and _read(one)
    return x


def written_over(value: Any, x: Any, i: Any, put: Callable[[Any], Any], parts: Callable[[Any], Iterable[Any]]) -> Any:
    """Returns `x` after `x[i] = value`, by `put`, where writes to views superseded it: `row = x[i]`, then `x[i] = row`.

    If all that was written lies in `x[i]`, which `parts` reads, the rest of `x` is as it was. The views share elements with what
    is returned; another value than what was written there supersedes them.
    """
    inner = array_views.innermost_tracer(x)
    stale = [(one, type(one), write_of(one)) for one in ([x] if inner is x else [x, inner]) if type(one) in _superseded]
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
        _supersede(Write(x, new, ELEMENT, i))
    views = [latest(view, UPDATE) for view in (*written, *others)]
    if any(view is value for view in views):
        array_views.note_shared(new, views)
    else:
        for view in views:
            supersede(view, VIEW)
    return new


def _aval(x: Any) -> Any:
    write = write_of(x)
    kind: Any = type(x).__base__
    return kind.aval.__get__(x) if write is None else write.aval


def _read(x: Any) -> Any:
    """Returns the trace of a superseded array where JAX differentiates what was computed before the write; else it is refused."""
    frame = sys._getframe(1)  # our own would be in a circle with this variable
    end = next(frames_of_user(frame), None)
    inside = itertools.takewhile(lambda one: one is not end, sharing.outward(frame))
    if any(jax_dispatch.reads_back(one, x) for one in inside):
        return trace_of(x)
    raise _refusal(x)


def _refusal(x: Any) -> StagingError:
    write = write_of(x)
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
    UPDATE: "write `x = x + v` for an array of its own, `x[:] += v` for the caller's, or use one name for it",
    METHOD: "let the call be a statement on the variable (`x.sort()`), or take another array (`y = jnp.sort(x)`)",
    VIEW: "write the element in the array itself (`a[i, j] = v`), or take a copy first (`row = a[i].copy()`)",
}
