"""Lists for which a statement is refused, because they are longer on one path than on another, and which get room instead.

The statement is traced first without. Where it is refused for what a list holds, nothing is left of that. Then a `BoundedList` is
put instead of the list, in every variable, container and attribute that refers to it, and the statement is traced again. An
`if` makes room for what its branches append, a loop for what its iterations append. The outermost statement that began with the
list does so.

A list to which anything else refers stays a list, and the statement is refused: one of two names would have what the other misses.

>>> import jax, autograph as ag
>>> @jax.jit
... @ag.convert
... def f(a):
...     out = {"positive": [], "all": []}
...     if a > 0:
...         out["positive"].append(a)
...     out["all"].append(a)
...     return out
>>> f(1)
{'all': [Array(1, dtype=int32, weak_type=True)], 'positive': BoundedList([1])}
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from types import CellType
from typing import Any

from autograph.errors import AutoGraphError, StagingError
from autograph.jax_internals import drop_equations, equation_mark
from autograph.runtime.carry.assumptions import locations_carried
from autograph.runtime.heap import aliases, journal
from autograph.runtime.heap.escape import vars_of
from autograph.runtime.heap.library_objects import has_library_methods
from autograph.runtime.heap.outside import find_paths, leads
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.tracing import context, sizes
from autograph.runtime.values.kinds import is_ordinary
from autograph.runtime.values.locations import AttributeLocation, CellLocation, ContentsLocation
from autograph.runtime.values.merge import Mismatch
from autograph.runtime.values.reachability import unreferenced

_MOST = 10_000
"""Things among which the names of a list are looked for."""


def note_resized(error: StagingError, differ: Mismatch) -> None:
    """Notes with an error that a list is longer on one path than on another, and which statement may give it room.

    That is the outermost one that began with it; a list that has room already gets more of it in a loop.
    """
    place = differ.place
    obj = getattr(place, "obj", None)
    has_room = type(obj) is BoundedList
    if not has_room and not (type(place) is ContentsLocation and type(obj) is list and "structures" in differ.why):
        return
    regions = context.open_regions()
    began = (
        depth
        for depth, region in enumerate(regions)
        if (region.is_loop or not has_room) and not region.is_trial and _knows(region.run, obj)
    )
    error.resized, error.depth = [obj], next(began, len(regions))


def is_for_outer(error: Exception) -> bool:
    """Whether a statement around the one that is refused may give a list room."""
    return isinstance(error, StagingError) and error.resized is not None and error.depth < len(context.open_regions())


class Roomy:
    """A list with room, instead of a list.

    Attributes:
        xs: the list with room.
        name: of the list, as the user writes it.
    """

    def __init__(self, name: str, xs: BoundedList, before: list[Any] | None, places: Sequence[Any]) -> None:
        self.xs = xs
        self.name = name
        self._before = before
        self._places = places
        self._as_it_was = xs.copy()

    def put(self) -> None:
        """Puts it instead of the list."""
        self._replace(self._before, self.xs)

    def put_back(self) -> None:
        """Puts the list back."""
        self._replace(self.xs, self._before)
        self.xs.become(self._as_it_was)

    def _replace(self, old: Any, new: Any) -> None:
        for place in self._places:
            journal.touch_location(place)
            if type(place) is not ContentsLocation:
                place.set(new)
            elif isinstance(place.obj, dict):
                place.set({key: new if value is old else value for key, value in dict.items(place.obj)})
            else:
                place.set([new if value is old else value for value in place.obj])


def with_room(stage: Callable[[], Any], functions: Sequence[Callable[..., Any]]) -> Any:
    """Runs `stage()`, which stages an `if` on these branches; again with room in a list for which it is refused."""
    found: list[Roomy] = []
    while True:
        try:
            return stage()
        except StagingError as error:
            if (one := given_room(error, functions)) is None:
                for before in reversed(found):
                    before.put_back()
                raise
        found.append(one)
        one.put()


def given_room(error: StagingError, functions: Sequence[Callable[..., Any]], start: Any = None) -> Roomy | None:
    """Makes a list with room of the one for which a statement is refused; None where that is not this statement's matter.

    Args:
        error: why it is refused; loses its traceback, whose frames hold the list.
        functions: those of the statement, whose variables lead to the list.
        start: the mark at which its equations begin, which are dropped; an `if` has none yet.
    """
    if error.resized is None or error.depth != len(context.open_regions()):
        return None
    found, error.resized = error.resized, None
    if start is not None:
        drop_equations(start, equation_mark())
    if type(found[0]) is BoundedList:
        return Roomy(_name(found, functions), found[0], None, ()) if _places(found, functions) else None
    raised: BaseException | None = error
    while raised is not None:  # its frames hold the list, and those of what it was raised from
        raised = raised.with_traceback(None)
        raised.__context__, raised = None, raised.__context__
    sizes.drop_exceptions()
    places = _places(found, functions)
    if not places or not _are_all(places, found):
        return None
    try:
        xs = BoundedList.of(found[0])
    except AutoGraphError:  # it holds lists, say
        return None
    return Roomy(_name(found, functions), xs, found[0], places)


def _name(found: list[Any], functions: Iterable[Any]) -> str:
    paths = find_paths({id(found[0])}, [(("-", None), function) for function in functions])
    return paths.get(id(found[0]), "")


def _knows(function: Any, obj: Any) -> bool:
    return function is not None and bool(_places([obj], [function]))


def _places(found: list[Any], functions: Iterable[Any]) -> list[Any]:
    """Returns the places that functions lead to, refer to the only element of a list, and can be changed."""
    wanted = id(found[0])
    places: dict[Any, Any] = {}
    pending, seen = list(functions), set[int]()
    while pending and len(seen) < _MOST:
        holder = pending.pop(0)
        if id(holder) in seen:
            continue
        seen.add(id(holder))
        if type(holder) is BoundedList or has_library_methods(type(holder)):
            continue  # which leads to what is ours alone, or would not know what to do with another list
        for step, child in leads(holder):
            if id(child) != wanted:
                if step != (".", "__dict__") and not isinstance(child, type):
                    pending.append(child)
            elif (place := _place(holder, step)) is not None:
                places[place.key] = place
    return list(places.values())


def _place(holder: Any, step: tuple[str, Any]) -> Any:
    kind = type(holder)
    if kind is CellType:
        return CellLocation("", holder)
    if kind in (list, dict):
        return ContentsLocation(holder)
    if step[0] == "." and is_ordinary(holder):
        return AttributeLocation(holder, step[1])
    return None


def _are_all(places: list[Any], found: list[Any]) -> bool:
    """Whether nothing but these places, and notes of ours, refers to the only element of a list."""
    owners = [place.obj for place in places]
    notes = [*journal.held_by_regions(), *aliases.holders_of_merged(), *locations_carried()]
    for region in context.open_regions():
        for entry in region.entries.values():
            notes += [entry, entry[1]] if type(entry[0]) is ContentsLocation else [entry]
    holders = {id(holder): holder for holder in (found, *owners, *map(vars_of, owners), *notes) if holder is not None}
    candidates = {id(found[0]): found[0]}
    owners.clear()
    if not unreferenced(candidates, holders):
        gc.collect()  # exceptions refer to frames that refer to them
        if not unreferenced(candidates, holders):
            return False
    return not context.is_referred_to_weakly(found[0])
