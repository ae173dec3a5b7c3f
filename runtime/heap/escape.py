"""Which written objects were made inside the region that wrote them.

A branch or a loop body may fill a list of its own: `tmp = []; tmp.append(x)`. That list is nobody else's; what was written
into it is part of its value where it leaves through a variable, and is forgotten where it does not leave. It must not
be taken for a list that "is longer in one branch".

When a region is over and everything is put back, such an object is exactly one all of whose references come from our own
tables, from the region's results, or from another such object. CPython counts references, so only the candidates are
looked at, never the heap.

>>> outer = [2]
>>> region = Finished()
>>> region.values = [[1], outer]
>>> made = made_inside(list(region.values), [region])
>>> [id(xs) in made for xs in region.values]
[True, False]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

import jax

from autograph.jax_internals import is_of_current_trace
from autograph.runtime.heap import aliases
from autograph.runtime.heap.journal import held_by_regions
from autograph.runtime.heap.library_objects import has_library_methods
from autograph.runtime.tracing import context, sizes
from autograph.runtime.tracing.families import LEAF_KINDS
from autograph.runtime.tracing.staging import is_array_like
from autograph.runtime.tracing.variables import UNSET, CellVariable, Variable, cells_of
from autograph.runtime.values.kinds import Opened, is_value_class, open_any
from autograph.runtime.values.locations import ContentsLocation, attribute_values
from autograph.runtime.values.merge import Mismatch
from autograph.runtime.values.reachability import unreferenced, walk_objects, walked
from autograph.runtime.values.writes import Written

_MOST = 100_000  # candidates
ANOTHER = "each iteration makes and changes another object there, which is still known after the iteration"


class Finished:
    """The results of a region: what it returned, its variables' values, and the locations that it wrote."""

    def __init__(self) -> None:
        self.value: Any = None
        self.values: list[Any] = []
        self.written: list[Written] = []


def made_inside(
    objects: list[Any], regions: Sequence[Finished], tables: Sequence[Any] = (), of_libraries: bool = False
) -> set[int]:
    """The ids of those `objects` (owners of written locations) that the regions made themselves.

    Args:
        objects: candidates.
        regions: the finished regions; their results and snapshots are references of ours.
        tables: further objects of the caller's or of ours that hold results.
        of_libraries: whether to look for what libraries wrote also in objects that they made and announced to nobody.
    """
    sizes.drop_exceptions()
    holders: dict[int, Any] = {id(t): t for t in (objects, *tables, *aliases.holders_of_merged())}
    results: list[Any] = []
    for region in regions:
        results += [region.value, *region.values]
        holders.update((id(holder), holder) for holder in holders_of(region))
        for w in region.written:
            for snapshot in (w.before, w.after):
                if _is_copy(w, snapshot):
                    results += snapshot.values() if isinstance(snapshot, dict) else snapshot
                else:
                    results.append(snapshot)
    holders[id(results)] = results
    candidates: dict[int, Any] = {}
    for obj in objects:
        candidates[id(obj)] = obj
    _add_containers(candidates, [*results, *(vars_of(obj) for obj in objects)])
    # References are counted next, and the last iterations of the loops above left some in these names of other types.
    obj = region = snapshot = w = None  # type: ignore[assignment]
    found = unreferenced(candidates, holders)
    of_libraries = of_libraries and any(w.by_library for region in regions for w in region.written)
    owners = [w.location.obj for region in regions for w in region.written] if of_libraries else []
    if not all(id(owner) in found for owner in owners):
        candidates = {id(obj): obj for obj in (*objects, *owners)}
        _add_containers(candidates, [*results, *map(vars_of, (*objects, *owners))], has_library_methods)
        for key in candidates.keys() & holders.keys():
            del candidates[key]
        owners.clear()
        found = unreferenced(candidates, holders)
    return found


class Made:
    """Which of the containers and objects that outlive an iteration it made itself: they are another one in each iteration.

    What is known under no other name can be opened: for each iteration one like it is built. Anything else stays the
    object that it is.
    """

    def __init__(self, values: list[Any], region: Finished, tables: Sequence[Any] = ()) -> None:
        """`values`: what outlives the iteration, a list that only the caller holds; for `tables` see `made_inside`."""
        self._ids = made_inside(_objects_in(values), (region,), (values, *tables)) if values else set()

    def open(self, value: Any, path: str) -> Opened | None:
        """How to build one like `value`; None for what stays the object that it is.

        Raises:
            Mismatch: one would have to be built of what cannot be, or is known under another name.
        """
        is_made = id(value) in self._ids and not context.is_referred_to_weakly(value)
        if is_made and type(value) is set:
            return [], None, [], lambda _, items=list(value): set(items)
        opened = open_any(value)
        if is_made and opened is not None:
            return opened
        kept = [] if opened is None else opened[0]
        leaks = any(isinstance(x, jax.core.Tracer) and is_of_current_trace(x) for x in kept)
        if leaks or is_made and _may_change(type(value)):
            raise Mismatch(path, UNSET, value, ANOTHER)
        return None


def _may_change(kind: type) -> bool:
    """Whether objects of a class that cannot be opened are no values."""
    return kind.__hash__ in (None, object.__hash__) and kind not in (FunctionType, partial)


def _objects_in(values: list[Any]) -> list[Any]:
    """The containers and objects that `values` lead to."""

    def leads(value: Any) -> list[Any]:
        opened = open_any(value)
        return [] if opened is None else opened[0]

    def is_object(value: Any) -> bool:
        return not (type(value) in LEAF_KINDS or is_array_like(value) or isinstance(value, type))

    return list(walk_objects(values, leads, is_object))


def holders_of(region: Finished) -> list[Any]:
    """What refers to the results of a finished region on our behalf."""
    # Since Python 3.13 it is the object that holds its attributes, also when its `__dict__` exists.
    found = [region, vars(region), region.values, region.written, *region.written]
    for w in region.written:
        found += [w.location, *(snapshot for snapshot in (w.before, w.after) if _is_copy(w, snapshot))]
    return found


def _is_copy(written: Written, snapshot: Any) -> bool:
    """Whether a snapshot is a container of our own: a copy of what the location holds."""
    return isinstance(written.location, ContentsLocation) and isinstance(snapshot, (list, dict, set))


def owned(
    objects: list[Any], regions: Sequence[Finished], variables: Sequence[Variable], tables: Sequence[Any] = ()
) -> set[int]:
    """The ids of those `objects` that only `variables` refer to besides us: replacing them by copies cannot be seen."""
    cells = [v.cell for v in variables if isinstance(v, CellVariable)]
    found = made_inside(objects, regions, (*cells, *held_by_regions(), *tables))
    return {id(obj) for obj in objects if id(obj) in found and not context.is_referred_to_weakly(obj)}


def reaches_object(values: Sequence[Any], obj: Any) -> bool:
    """Whether one of `values` is `obj` or leads to it, through whatever Python refers by; JAX's values lead nowhere."""
    return any(value is obj for value in walked(values))


def known_to(functions: Sequence[Any], obj: Any) -> bool:
    """Whether the variables that some functions close over lead to `obj`."""
    return reaches_object([v.get() for f in functions if type(f) is FunctionType for v in cells_of(f)], obj)


def vars_of(obj: Any) -> Any:
    """The `__dict__` of an object, or None: another dict in its place would be gone, and its address be another's."""
    try:
        return object.__getattribute__(obj, "__dict__")
    except AttributeError:
        return None


def _add_containers(
    candidates: dict[int, Any], values: list[Any], leads: Callable[[type], bool] = is_value_class
) -> None:
    pending = list(values)
    while pending and len(candidates) < _MOST:
        value = pending.pop()
        if id(value) in candidates:
            continue
        if type(value) in (list, dict, set):
            candidates[id(value)] = value
            pending.extend(value.values() if type(value) is dict else value)
        elif issubclass(type(value), tuple):
            candidates[id(value)] = value
            pending.extend(tuple.__iter__(value))
        elif is_value_class(type(value)) or leads(type(value)):
            candidates[id(value)] = value
            names = vars_of(value)
            pending.extend(attribute_values(value) if names is None else [names])
