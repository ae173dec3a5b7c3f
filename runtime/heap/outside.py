"""What can be reached from outside of a trace, and how the user writes it: `self.log`, `config['steps']`.

>>> class Model: pass
>>> model = Model()
>>> model.log, other = [], []
>>> paths = find_paths({id(model.log), id(other)}, [(("", "model"), model)])
>>> paths == {id(model.log): "model.log"}
True

Followed are containers, attributes, what functions, methods and `functools.lru_cache` hold. Library code's globals and JAX's values
are not.
"""

from __future__ import annotations

import dis
import functools
import gc
import sys
from collections.abc import Iterable, Iterator
from types import CellType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from autograph.code import library, registry
from autograph.runtime.heap import library_notes
from autograph.runtime.tracing.families import ARRAYS, CACHED, COLLECTIONS, CONTAINERS, JITTED, LEAVES
from autograph.runtime.tracing.refusals import frames_of_user, quoted
from autograph.runtime.tracing.sharing import locals_of, outward
from autograph.runtime.tracing.variables import UNSET, CellVariable, Variable, cell_contents
from autograph.runtime.values.locations import AttributeLocation, ContentsLocation, GlobalLocation, attribute_names
from autograph.runtime.values.merge import Mismatch

Step = tuple[str, Any]
"""How one thing leads to another: `.` and an attribute, `[` and a key, or a string of its own."""

_NOWHERE = (*ARRAYS, ModuleType, CodeType, FrameType)
_OF_IMPORT = frozenset({"__builtins__", "__loader__", "__spec__"})
"""What Python keeps in a module of its import, which is nothing of the user's: under pytest a loader leads to all the tests."""
_MOST = 200_000  # what is not found among so many is taken to be not outside


def find_paths(wanted: set[int], roots: Iterable[tuple[Step, Any]]) -> dict[int, str]:
    """The paths of those objects that can be reached from the roots, what is near first; by the `id` of each."""
    nodes: list[tuple[Any, int, Step]] = []
    seen: set[int] = set()
    found: dict[int, str] = {}

    def add(children: Iterable[tuple[Step, Any]], parent: int) -> None:
        for step, child in children:
            if id(child) not in seen and type(child) not in LEAVES and not (type(step[1]) is str and step[1] in _OF_IMPORT):
                seen.add(id(child))
                nodes.append((child, parent, step))

    add(roots, -1)
    for number, (x, _, _) in enumerate(nodes):  # which grow
        if id(x) in wanted:
            found[id(x)] = _path(nodes, number)
            if len(found) == len(wanted):
                break
        if len(nodes) < _MOST:
            add(leads(x), number)
    return found


def in_module(f: FunctionType, place: Any) -> list[Variable]:
    """A variable with the name by which a function may refer to the object of a place, if the function's module holds it.

    >>> kept = {"log": []}
    >>> [found.name for found in in_module(lambda: kept, ContentsLocation(kept["log"]))]
    ["kept['log']"]
    """
    if not isinstance(place, AttributeLocation | ContentsLocation):
        return []
    space = f.__globals__
    names = dict.fromkeys([*sorted(registry.names_in(f.__code__)), *space])  # those that it names itself first
    found = find_paths({id(place.obj)}, [(("", name), space[name]) for name in names if name in space])
    return [CellVariable(path, CellType(place.obj)) for path in found.values()]


def name_path(differ: Mismatch, variables: Iterable[Variable], f: FunctionType) -> tuple[str, bool]:
    """How the user writes the place of a mismatch; whether it is a global, or in an object that the module of `f` holds."""
    place = differ.place
    kept = in_module(f, place)
    name = differ.named([*variables, *kept])
    if library_notes.is_scope(place):
        name = name.removesuffix(".scope")
        name = f"the variables of {quoted(getattr(place.obj, 'name', None) or name if name.startswith('<') else name)}"
    return name, bool(kept) or isinstance(place, GlobalLocation)


def _path(nodes: list[tuple[Any, int, Step]], number: int) -> str:
    text = ""
    while number >= 0:
        _, number, (kind, name) = nodes[number]
        if kind == "" and name is not None:
            return f"{name}{text}"
        text = (f".{name}" if kind == "." else f"[{name!r}]" if kind == "[" else "") + text
    return text


def leads(x: Any) -> Iterator[tuple[Step, Any]]:
    """What an object leads to, each with its step."""
    kind = type(x)
    if issubclass(kind, _NOWHERE) or kind in LEAVES:
        return
    if issubclass(kind, dict):
        yield from ((("[", key), value) for key, value in list(dict.items(x)))
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        yield from (((".", name), value) for name, value in zip(kind._fields, x, strict=False))
    elif issubclass(kind, COLLECTIONS):
        yield from ((("[", i), value) for i, value in enumerate(list(x)))
    if kind in CONTAINERS:
        return  # they have no attributes
    if kind is FunctionType:
        yield from _of_function(x)
    elif kind is CellType:
        yield from [(("-", None), value)] if (value := cell_contents(x)) is not UNSET else ()
    elif kind is MethodType:
        yield ("-", None), x.__func__
        yield ("", "self"), x.__self__
    elif issubclass(kind, functools.partial):
        yield from ((("-", None), part) for part in (x.func, *x.args, *x.keywords.values()))
    elif kind in (staticmethod, classmethod):
        yield ("-", None), x.__func__
    elif kind is property:
        yield from ((("-", None), part) for part in (x.fget, x.fset, x.fdel) if part is not None)
    elif issubclass(kind, type):
        if not library.is_library_class(x):
            yield from (((".", name), value) for name, value in list(x.__dict__.items()))
    elif kind is CACHED:
        yield from ((("", f"the cache of {x.__name__}()"), value) for value in gc.get_referents(x) if type(value) is not dict)
        yield from ((("", f"the cache of {x.__name__}()"), value) for value in _unbounded(x).values())
    elif kind is JITTED:
        yield ("-", None), getattr(x, "__wrapped__", None)
    elif library.package_of(kind) not in library.ARRAY_PACKAGES:
        yield from _of_object(x)


def _unbounded(cached: Any) -> dict[Any, Any]:
    """The results of a `functools.cache` by their keys; those of a bounded cache are referents of the function itself."""
    others = (cached.__dict__, *cached.__dict__.values())
    found = [x for x in gc.get_referents(cached) if type(x) is dict and not any(x is one for one in others)]
    return found[0] if found else {}


def _of_object(x: Any) -> Iterator[tuple[Step, Any]]:
    if names := library.names_of(x):  # an empty one leads nowhere, and may have been made just now
        yield (".", "__dict__"), names
    for name in attribute_names(x):
        value = AttributeLocation(x, name).get()
        if value is not UNSET:
            yield (".", name), value
    yield ("", type(x).__qualname__), type(x)


def _of_function(f: FunctionType) -> Iterator[tuple[Step, Any]]:
    code = f.__code__
    for name, cell in zip(code.co_freevars, f.__closure__ or ()):
        yield ("", name), cell
    names = code.co_varnames[: code.co_argcount]
    given = [*zip(reversed(names), reversed(f.__defaults__ or ())), *(f.__kwdefaults__ or {}).items()]
    for name, value in given:
        yield ("", f"the default of '{name}' of {f.__name__}()"), value
    for value in f.__dict__.values():
        yield ("-", None), value


WRITE_OUTSIDE = "return the value, and write it where the function is called"
"""What to do instead of writing to what is there before a trace and after it."""


def roots(cells: FunctionType, code: CodeType, frame: FrameType | None) -> Iterator[tuple[Step, Any]]:
    """What is there before a call and after it, what is near first.

    Args:
        cells: a function with the cells and the globals of the one that is called.
        code: the code of the one that is called; the globals that it names come first.
        frame: the innermost frame that goes on when the trace is over.
    """
    from autograph.runtime.heap import library_state  # which imports the journal, which imports this module

    space = cells.__globals__
    for name, cell in zip(cells.__code__.co_freevars, cells.__closure__ or ()):
        yield ("", name), cell
    for name in registry.names_in(code):
        if name in space:
            yield ("", name), space[name]
    yield ("", "globals()"), space
    entering = {one.f_back for one in outward(frame) if one.f_code.co_qualname == "Unit.enter"}  # they do nothing afterwards
    for one in frames_of_user(frame):
        if one not in entering:
            gone = _rebound(one)
            yield from ((("", name), value) for name, value in locals_of(one).items() if name not in gone)
    for module in list(sys.modules.values()):
        if type(module) is ModuleType and not library.is_library_module(module.__name__):
            yield from ((("", name), value) for name, value in list(vars(module).items()))
            yield ("", f"vars({module.__name__})"), vars(module)
    yield from library_state.packages_seen()


def _rebound(frame: FrameType) -> set[str]:
    """The variables that take what the running call of a frame returns: their old value is read no more.

    That the call is the whole right side of an assignment is seen from what follows it. A handler around could read the old value.
    """
    names: set[str] = set()
    bytecode: Any = dis.Bytecode(frame.f_code)
    if any(handled.start <= frame.f_lasti < handled.end for handled in bytecode.exception_entries):
        return names
    for instruction in bytecode:
        if instruction.offset > frame.f_lasti and instruction.opname != "UNPACK_SEQUENCE":
            if not instruction.opname.startswith("STORE_FAST"):
                break
            stored = instruction.argval  # two at once since Python 3.13, of which the second may be read
            names |= {stored} if isinstance(stored, str) else set(stored[: 1 + (instruction.opname == "STORE_FAST_STORE_FAST")])
    return names
