"""Containers that stand for one of two or more: `cur = xs if p else ys` on lists, when `p` is traced.

In Python `cur` *is* one of the two lists. In the program it is a third one, which holds the chosen numbers. Nobody can
tell as long as nothing is written: a write to `xs` would have to show in `cur` if `p` held, and only then. So a merged
container is a read-only view of its *roots* (the containers that it may be), and a write is refused, by name, to any
container that may be the same as another one that is still alive. A copy (`cur = list(cur)`) is free, and so is everything
once the other names are gone: reference counts show that, and are read when a write happens, not before.

>>> xs, ys, cur = [1, 2], [3, 4], [1, 4]
>>> note_merged([Merged(cur, (xs, ys), "cur")], None)
>>> check_alias(ys)
Traceback (most recent call last):
    ...
autograph.errors.StagingError: a list is changed in place that may be the same as 'cur'
  why: which of several containers 'cur' is, is only known when the program runs, so the change cannot reach it
  instead: copy it first (`x = list(x)`, `copy.copy(x)`, `copy.deepcopy(x)`), or build a new one instead of changing it
  for more, run: autograph error one-of-several-is-changed
>>> del cur
>>> check_alias(ys)
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

from autograph import errors
from autograph.code.library import names_of
from autograph.jax_internals import is_tracing, trace_reference
from autograph.runtime.heap import library_notes
from autograph.runtime.tracing.context import PerThread
from autograph.runtime.tracing.facts import TraceNotes, keep, kept
from autograph.runtime.tracing.refusals import a as _a, quoted, refusal
from autograph.runtime.values import key_orders
from autograph.runtime.values.merge import Merged
from autograph.runtime.values.reachability import unreferenced


class _View:
    """A merged container; `roots` are containers that may be it, or tokens for such that are gone but were shared."""

    __slots__ = ("__weakref__", "at", "merged", "path", "roots")

    def __init__(self, merged: Any, roots: list[Any], path: str, at: Any) -> None:
        self.merged = merged
        self.roots = roots
        self.path = path
        self.at = at


class Token:
    """Stands for a container that is gone, of which two merged ones remain."""


_views: PerThread[list[weakref.ref[_View]]] = PerThread(list)
_carried: TraceNotes[int] = TraceNotes()  # the ids of objects that stand for what a loop carries


def live() -> list[_View]:
    """The views of this thread. They must not outlive the trace whose values they hold, so the trace keeps them."""
    if not _views.value:
        return []
    kept.still_open()
    found = [view for view in (ref() for ref in _views.value) if view is not None]
    if len(found) < len(_views.value):
        _views.value = [weakref.ref(view) for view in found]
    return found


def note_merged(merged: list[Merged], at: Any) -> None:
    """Registers containers that stand for one of several; `at` is the place of the statement.

    The caller holds no reference to any of them or of their roots but in `merged`, which is emptied.
    """
    if not merged:
        return
    at = errors.Location.of(at)
    views = live()
    of = {id(view.merged): view for view in views}
    roots = {id(root): root for m in merged for root in m.roots}
    candidates = {**roots, **{id(m.container): m.container for m in merged}}
    roots.clear()
    dead = _dead(candidates, [merged, *merged, *(m.roots for m in merged)])
    uses: dict[int, int] = {}
    for m in merged:
        for key in {id(root) for root in m.roots}:
            uses[key] = uses.get(key, 0) + 1
    tokens = {key: Token() for key, count in uses.items() if key in dead and count > 1 and key not in of}
    for m in merged:
        flat: dict[int, Any] = {}
        for root in m.roots:
            key = id(root)
            found = of[key].roots if key in of else [tokens[key]] if key in tokens else [] if key in dead else [root]
            flat.update((id(r), r) for r in found if not library_notes.is_used_up(r))
        if flat:
            view = _View(m.container, list(flat.values()), m.path, at)
            _views.value.append(weakref.ref(view))
            keep(view)
    merged.clear()


def check_identity(a: Any, b: Any) -> None:
    """Refuses to say that two objects differ which may be one: a merged container and what it may stand for.

    Raises:
        StagingError: names the merged container and the statement that merged it.
    """
    if _carried.notes and type(a) is type(b):
        _check_carried(a, b)
    if not _views.value:
        return
    of = {id(view.merged): view for view in live()}
    view = of.get(id(a)) or of.get(id(b))
    if view is None:
        return
    first, second = ({id(root) for root in of[id(x)].roots} if id(x) in of else {id(x)} for x in (a, b))
    if first.isdisjoint(second):
        return
    raise errors.StagingError(
        f"`is` compares {quoted(view.path)}, one of several objects, with one of them",
        at=view.at,
        why=f"which of several objects {quoted(view.path)} is, is only known when the program runs",
        instead="keep a bool of your own that says which one was taken",
        page="identity-of-one-of-several",
    )


def note_carried(obj: Any) -> None:
    """Notes that in the trace that is open `obj` stands for what a loop carries: one object in each iteration."""
    _carried.still_open().append((trace_reference(), id(obj)))


def _check_carried(a: Any, b: Any) -> None:
    if not {id(a), id(b)}.isdisjoint(key for _, key in _carried.still_open()):
        raise refusal(
            f"`is` compares {_a(type(a).__qualname__)} that a loop carries with another one",
            why="the loop carries what the object holds, and one compiled iteration serves every iteration",
            instead="compare their attributes, or keep a bool of your own that says which one it is",
            page="identity-in-a-loop",
        )


def is_of_several(x: Any) -> bool:
    """Whether `x` stands for one of several objects: which one is not known yet."""
    return any(view.merged is x for view in live())


def any_merged() -> bool:
    """Whether there may be containers that stand for one of several."""
    return bool(_views.value) and is_tracing() and bool(live())


def ids() -> set[int]:
    """The ids of the containers that stand for one of several, and of those that they may be."""
    return {id(x) for view in live() for x in (view.merged, *view.roots)}


def check_alias(obj: Any, holders: Callable[[], list[Any]] = list) -> None:
    """Refuses a write to `obj` when it may be the same container as another one that is alive.

    Args:
        holders: gives what refers to containers on our behalf, beside the views.
    Raises:
        StagingError: names the merged container and the statement that merged it.
    """
    if not _views.value:
        return
    views = live()
    if type(obj) is dict:
        obj = _whose(obj, views)
    own = next((view for view in views if view.merged is obj), None)
    keys = {id(root) for root in own.roots} if own is not None else {id(obj)}
    others = [view for view in views if view.merged is not obj and not keys.isdisjoint(map(id, view.roots))]
    if own is None and not others:
        return
    for collect in (False, True):
        if collect:
            gc.collect()  # exceptions and closures that refer to themselves keep things alive for no reason
        dead = _dead(_candidates(views), holders())
        alive = next((view for view in others if id(view.merged) not in dead), None)
        if alive is None and (own is None or all(id(root) in dead or type(root) is Token for root in own.roots)):
            return
    view = own if own is not None else alive
    assert view is not None
    kind = type(obj).__name__
    name = quoted(view.path)
    raise errors.StagingError(
        f"{_a(kind)} is changed in place that may be "
        + (f"one of several: {name}" if own is not None else f"the same as {name}"),
        at=view.at,
        why=f"which of several containers {name} is, is only known when the program runs, so the change cannot "
        "reach " + ("the right one" if own is not None else "it"),
        instead="copy it first (`x = list(x)`, `copy.copy(x)`, `copy.deepcopy(x)`), or build a new one instead of changing it",
        page="one-of-several-is-changed",
    )


def roots_of(obj: Any) -> list[Any]:
    """What `obj` may stand for: itself, unless it was merged."""
    views = live()
    return next((list(view.roots) for view in views if view.merged is obj), [obj])


def holders_of_merged() -> list[Any]:
    """What refers to containers only because they were merged: for those who count references."""
    views = live()
    return [*views, *(view.roots for view in views), *key_orders.holders_of_marked()]


def _whose(names: dict[Any, Any], views: list[_View]) -> Any:
    """The object whose attributes stand in a dict; the dict itself where it is none of those that matter here."""
    for obj in _candidates(views).values():
        if names_of(obj) is names:
            return obj
    return names


def _candidates(views: list[_View]) -> dict[int, Any]:
    found = {id(view.merged): view.merged for view in views}
    for view in views:
        found.update((id(root), root) for root in view.roots)
    return found


def _dead(candidates: dict[int, Any], holders: list[Any]) -> set[int]:
    return unreferenced(candidates, {id(h): h for h in (*holders, *holders_of_merged())})
