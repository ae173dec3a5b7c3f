"""The bookkeeping of frameworks in their own objects, which they make again where they need it: scopes, names in use, first uses.

Nothing in a write tells such a note from data: a private flag may be a layer's "was called" or a helper's "should stop". So the
notes are known by name, and what any other class of an installed package holds is data: joined, carried or refused.

>>> class Layer: pass
>>> _NOTES["__main__.Layer"] = frozenset({"names"})
>>> Layer.__module__, layer = "__main__", Layer()
>>> layer.names, layer.sizes = {"a": set()}, {}
>>> notes = containers([(AttributeLocation(layer, name), None) for name in ("names", "sizes")])
>>> id(layer.names) in notes, id(layer.names["a"]) in notes, id(layer.sizes) in notes
(True, True, False)
>>> del _NOTES["__main__.Layer"]
"""

from __future__ import annotations

import operator
import re
import sys
from collections import OrderedDict
from collections.abc import Container, Iterable, Mapping
from typing import Any

import jax

from autograph.jax_internals import trace_of
from autograph.runtime.heap.library_objects import OF_LIBRARY, TRACE_STATE, inside
from autograph.runtime.tracing.class_lookup import once_per_class
from autograph.runtime.tracing.families import ARRAYS, CONTAINERS, NUMBERS
from autograph.runtime.tracing.refusals import CHOOSE_PARTS, READ_ONCE, quoted, refusal, running_package
from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values import callables, kinds
from autograph.runtime.values.locations import AttributeLocation, ContentsLocation
from autograph.runtime.values.merge import Mismatch, describe
from autograph.runtime.values.reachability import walk_objects, walked
from autograph.runtime.values.writes import Written

_SETS_UP = (
    "_state"  # where a module of Flax notes that it is set up: on first use, and nothing else writes its attributes
)
_NOTES = {
    "distrax._src.bijectors.lambda_bijector.Lambda": frozenset(
        {"_forward", "_inverse", "_forward_log_det_jacobian", "_inverse_log_det_jacobian"}
    ),
    "distrax._src.distributions.transformed.Transformed": frozenset({"_batch_shape", "_dtype", "_event_shape"}),
    "flax.ids.UUIDManager": frozenset({"_id"}),
    "flax.core.scope.Scope": frozenset({"_invalid", "_variables", "reservations", "rng_counters"}),
    "flax.linen.module.Module": frozenset({"scope", "_compact_name_scope_modules", _SETS_UP}),
    "flax.linen.module._CallInfoContext": frozenset({"calls", "index"}),
    "flax.linen.module._ModuleInternalState": frozenset(
        {"in_compact_method", "in_setup", "setup_called", "is_initialized", "autoname_cursor", "children"}
    ),
    "flax.nnx.pytreelib.Pytree": frozenset({"_pytree__state"}),
    "haiku._src.basic.Linear": frozenset({"input_size"}),
    "haiku._src.bias.Bias": frozenset({"bias_shape", "input_size"}),
    "haiku._src.group_norm.GroupNorm": frozenset({"axis", "first_input_shape", "group_shape", "rank"}),
    "haiku._src.module.Module": frozenset({"_submodules"}),
    "keras.src.layers.layer.Layer": frozenset({"_called"}),
    "numpyro.distributions.transforms.Transform": frozenset({"_inv"}),
}
"""The attributes, by the class that defines them."""

_COUNTS = frozenset({"autoname_cursor", "rng_counters"})
"""The notes that count: Flax makes names and random keys of the numbers, so these cannot be traced."""

_OF_DATA = frozenset({"_variables"})
"""The notes whose containers become data when something is put in: a collection without variables is made by looking for one."""

_TABLES = frozenset({"calls"})
"""The notes that are lists in which each call enters itself; the order and the length of any other list may be data."""

_USED_UP = {"equinox.nn._stateful.State": "_state"}
"""The attribute that a method which may run once empties, by the class: what one branch used up must not be used after it."""


class Count:
    """A number that a framework counted to in one branch and not in the other: what uses it is refused."""

    __slots__ = ("name",)

    def __init__(self, name: Any) -> None:
        self.name = name

    def _refuse(self, *_: Any) -> Any:
        raise refuse_to_number(self.name)

    __add__ = __radd__ = __format__ = __str__ = __index__ = __bool__ = __eq__ = __lt__ = __gt__ = __hash__ = _refuse


@once_per_class
def names_of_notes(kind: type) -> frozenset[str]:
    """The attributes of objects of a class in which a framework keeps notes."""
    tables = (_NOTES.get(_name(base)) for base in kind.__mro__)
    return frozenset({TRACE_STATE}).union(*(table for table in tables if table))


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _is_note(location: Any) -> bool:
    return isinstance(location, AttributeLocation) and location.attribute in names_of_notes(type(location.obj))


def containers(places: Iterable[tuple[Any, Any]]) -> dict[int, str]:
    """The ids of the containers in notes, of places with what stood there before; also of those that stand there now."""
    found: dict[int, str] = {}
    for location, before in places:
        if _is_note(location):
            inner = walk_objects((before, location.get()), inside, lambda x: isinstance(x, CONTAINERS))
            found.update((id(x), location.attribute) for x in inner)
    return found


def among(written: dict[Any, Written], notes: dict[int, str], older: Container[int], trace: Any) -> dict[Any, Written]:
    """Those writes, by the keys of their locations, that are notes: put back, and made again when needed.

    Numbers in containers are values, and so is what holds arrays, or traced values of the region's `trace`. But all that a module
    has since it is set up is made when it is set up again, whoever wrote it.

    Args:
        notes: the ids of containers in notes, each with the attribute.
        older: the ids of containers that were part of something before, and are no news.
    """

    def is_note(location: Any, before: Any, after: Any, by_library: bool) -> bool:
        if before is UNSET and isinstance(location, AttributeLocation) and _SETS_UP in names_of_notes(type(location.obj)):
            state = AttributeLocation(location.obj, _SETS_UP).get()
            return AttributeLocation(state, "setup_called").key in written
        if not by_library:
            return False
        if not isinstance(location, ContentsLocation):
            if not _is_note(location):
                return False
            known = written.get(id(before))  # what a container held when the region began, if it was changed as well
            news, gone = [after], [before if known is None else known.before] if isinstance(before, dict) else []
        elif id(location.obj) not in notes or isinstance(before, OrderedDict):
            return False
        elif isinstance(before, dict):
            news = [value for key, value in after.items() if key not in before or before[key] is not value]
            gone = [value for key, value in before.items() if key not in after or after[key] is not value]
            if notes[id(location.obj)] in _OF_DATA and not _is_empty([*news, *gone], older):
                return False
            if _holds(news, older, (*NUMBERS, Count)):
                return False
        elif isinstance(before, set):
            news, gone = list(after - before), []
        elif isinstance(before, list) and notes[id(location.obj)] in _TABLES and _is_longer(after, before):
            news, gone = after[len(before) :], []
        else:
            return False
        found = walked(news, lambda x: id(x) not in older)
        return not (
            any(isinstance(x, jax.core.Tracer) and trace_of(x) is trace for x in found)
            or _holds(news, older, ARRAYS)
            or _holds(gone, (), (*NUMBERS, *ARRAYS, Count))
        )

    own = {key: w for key, w in written.items() if is_note(w.location, w.before, w.after, w.by_library)}
    replaced = {id(w.before) for w in own.values()}  # what stood for another object is no longer there
    own |= {key: w for key, w in written.items() if w.by_library and id(w.location.obj) in replaced}
    for key, w in written.items():
        if key not in own and isinstance(w.after, dict):
            w.note = notes.get(id(w.location.obj), "")
    return own


def remedy(location: Any, note: str = "") -> str:
    """What to write where branches or iterations leave different things in a note of Flax that has become data."""
    if not (note in _OF_DATA or is_scope(location)):
        return ""
    return _INITIALIZE if _is_initializing() else _MAKE_BEFORE


_SCOPE = re.compile(r"\['(\w+)'\]\.scope\b")
_MAKE_BEFORE = (
    "make a variable in both branches or before the statement (`self.variable(...)`, in `setup` or under `@nn.compact`); what "
    "a branch or an iteration would `sow` (`capture_intermediates` sows what layers return), choose in it and `sow` behind"
)
_INITIALIZE = (
    "make the layers in `setup` or before the statement, and, before it, call each of them once while parameters are made: "
    "`if self.is_initializing(): self.left(x), self.right(x)`"
)
_OF_HAIKU = (
    "make the modules before the statement and, while parameters are made, call each of them once before it: "
    "`if hk.running_init(): left(x), right(x)`"
)
_OF_NUMPYRO = "call `numpyro.sample`, `factor`, `deterministic`, ... before the statement, and choose in it what is used"
_BY_PACKAGE = {
    "flax": lambda: _INITIALIZE if _is_initializing() else _MAKE_BEFORE,
    "haiku": lambda: _OF_HAIKU,
    "numpyro": lambda: _OF_NUMPYRO,
}
_PAGES = {
    READ_ONCE: "cached-property-in-a-branch",
    CHOOSE_PARTS: "two-objects",
    callables.REMEDY: "two-objects",
    OF_LIBRARY: "state-outside-of-the-trace",
    **dict.fromkeys((_INITIALIZE, _MAKE_BEFORE, _OF_HAIKU, _OF_NUMPYRO), ""),  # docs/frameworks.md has those
}


def page_of(remedy: str, default: str) -> str:
    """Returns the page for a remedy that the differing values decide; `default` where the statement decides."""
    return "object-that-holds-a-value" if remedy.startswith(kinds.HOLDER) else _PAGES.get(remedy, default)


def of_framework() -> str:
    """What to write where branches leave different things in the state of a library, in the words of the framework that runs."""
    return _BY_PACKAGE.get(running_package(_BY_PACKAGE), lambda: OF_LIBRARY)()


def _is_initializing() -> bool:
    """Whether the module of Flax whose method runs makes its parameters."""
    modules: Any = getattr(sys.modules.get("flax.linen.module"), "_context", None)
    scope = getattr(next(reversed(getattr(modules, "module_stack", ())), None), "scope", None)
    return scope is not None and bool(scope.get_flag("initializing", False))


def describe_difference(differ: Mismatch, location: Any, note: str, sides: Iterable[Any]) -> str:
    """Says of a difference in a note of Flax that has become data what a user knows of it: the variables of a layer.

    Args:
        note: the attribute in which the container of the location stands, if it is one of a note.
        sides: what either branch left, or what was there before an iteration and behind it.
    Returns:
        what to write; empty for any other difference.
    """
    made = _SCOPE.search(differ.path)
    if made is not None:  # a layer that each branch has made anew
        differ.path, differ.left, differ.right = f"the variables of '{made[1]}'", *["variables of its own"] * 2
        differ.why = "what only one of them makes would be missing after the other"
    elif is_scope(location):
        differ.path = location.name
        differ.left, differ.right = ("variables of its own" if hasattr(scope, "_variables") else describe(scope) for scope in sides)
        differ.why = "what only one of them makes would be missing after the other"
    elif note in _OF_DATA:
        differ.path = "the variables" + differ.path.removeprefix(location.name)
    return remedy(location, note)


def is_scope(location: Any) -> bool:
    """Whether a location holds the scope of a module of Flax, and in it its variables."""
    return _is_note(location) and location.attribute == "scope"


def refuse_to_number(name: Any) -> Exception:
    """The refusal of a module without a name, or of a random key, where only the running program knows how many there were."""
    name = str(name)
    made = _INITIALIZE if _is_initializing() and (name == "params" or name[:1].isupper()) else ""
    if name[:1].isupper():
        return refusal(
            f"a traced condition says how many {name} modules without a name there are",
            why="Flax makes their names of the number, and a compiled program knows its names",
            instead=made or f"make it in `setup` or before the statement, or, in a branch, name it (`{name}(..., name='...')`)",
        )
    return refusal(
        f"a traced condition says how many random keys {quoted(name)} were drawn",
        why="Flax makes the next key of the number, and a compiled program knows it",
        instead=made
        or f"draw in both branches, or draw one before the statement (`key = self.make_rng({name!r})`) and hand it on "
        "(`dropout(x, rng=key)`), in a loop `jax.random.fold_in(key, i)`",
    )


def joined(left: dict[Any, Any], right: dict[Any, Any]) -> dict[Any, Any]:
    """What the notes that count hold after either of two branches."""
    return {key: _joined(key, left.get(key), right.get(key)) for key in left | right}


def _joined(key: Any, left: Any, right: Any) -> Any:
    if isinstance(left, dict) or isinstance(right, dict):
        return left if left is right else joined(left or {}, right or {})
    return left if left is right or (type(left) is type(right) is int and left == right) else Count(key)


def is_count(written: Written) -> bool:
    """Whether a framework counts in what was written."""
    return written.note in _COUNTS


def used_up(location: Any, left: Any, right: Any) -> Any:
    """What a place holds after two branches of which one used up the object; UNSET for any other place."""
    kind = type(location.obj)
    if not isinstance(location, AttributeLocation) or location.attribute != _USED_UP.get(_name(kind)):
        return UNSET
    return next((value for value in (left, right) if not isinstance(value, dict)), UNSET)


def is_used_up(obj: Any) -> bool:
    """Whether an object has been used up: whoever reads or changes it from now on fails."""
    attribute = _USED_UP.get(_name(type(obj)))
    return attribute is not None and not isinstance(AttributeLocation(obj, attribute).get(), dict)


def refuse_in_loop(written: Iterable[Written]) -> None:
    """Refuses what a framework counts in an iteration: every iteration would have the names and the keys of the first."""
    for w in filter(is_count, written):
        before, after, key = w.before, w.after, None
        while isinstance(after, dict):
            key = next(key for key, value in after.items() if key not in before or before[key] is not value)
            before, after = before.get(key, {}), after[key]
        raise refuse_to_number(key)


def leave_changed(written: Iterable[Written]) -> None:
    """Leaves changed notes so that Flax can go on: ids count on, and a number that the region made first is unset again."""
    for w in written:
        if type(w.after) is int and type(w.before) is int:
            w.location.set(w.after)
        elif type(w.after) is int and w.before is None:
            w.location.set(UNSET)


def _is_longer(after: list[Any], before: list[Any]) -> bool:
    """Whether a list is an earlier one with more behind it."""
    return len(after) >= len(before) and all(map(operator.is_, before, after))


def _is_empty(values: list[Any], older: Container[int]) -> bool:
    """Whether all that values hold, except for what is older, is mappings."""
    found = walk_objects(values, lambda x: x.values() if isinstance(x, dict) else (), lambda x: id(x) not in older)
    return all(isinstance(x, Mapping) for x in found)


def _holds(values: list[Any], older: Container[int], kinds: tuple[type, ...]) -> bool:
    """Whether there is something of some `kinds` among values and in their containers, except for zeros."""
    plain = walk_objects(values, inside, lambda x: isinstance(x, (*CONTAINERS, *kinds)) and id(x) not in older)
    return any(isinstance(x, kinds) and not (isinstance(x, NUMBERS) and not x) for x in plain)
