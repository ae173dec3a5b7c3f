"""What is known about code objects and functions, without keeping any of them alive.

Code objects are found by identity: equal ones may belong to different places. A code object is not seen by the garbage
collector, so nothing that an author's code refers to (its unit) may refer back to it.

Conversion happens in one thread at a time, under `LOCK`: what it builds must be the same object for everybody, and the
interpreter's limits that it changes belong to all threads. It runs no code of the user's, so it waits for no other lock.
"""

from __future__ import annotations

import dis
import enum
import threading
import weakref
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any, NamedTuple

LOCK = threading.RLock()


class Role(enum.Enum):
    """What a code object is to us."""

    AUTHOR = "author"  # has a prologue
    STAGED = "staged"  # is, or stands in, a staged body


class Known(NamedTuple):
    """An entry of the registry."""

    role: Role
    held: Any

    @property
    def unit(self) -> Any:
        """The unit of the function; None for functions that stand in a staged body."""
        return self.held() if type(self.held) is weakref.ref else self.held


class CodeTable:
    """Values that belong to code objects: kept as long as the code object lives."""

    def __init__(self) -> None:
        self.entries: dict[int, tuple[weakref.ref[CodeType], dict[Any, Any]]] = {}

    def of(self, code: CodeType) -> dict[Any, Any]:
        """Returns the values that belong to a code object."""
        key, entries = id(code), self.entries
        found = entries.get(key)
        if found is not None and found[0]() is code:
            return found[1]

        def forget(reference: weakref.ref[CodeType]) -> None:
            entry = entries.get(key)
            if entry is not None and entry[0] is reference:
                del entries[key]

        values: dict[Any, Any] = {}
        entries[key] = (weakref.ref(code, forget), values)
        return values


_KNOWN = CodeTable()


def register(code: CodeType, role: Role, unit: Any) -> None:
    """Remembers what a code object of ours is, as long as it lives.

    A unit keeps its staged code, so that entry must not keep the unit; it lives as long as the author's code.
    """
    held = weakref.ref(unit) if unit is not None and role is Role.STAGED else unit
    _KNOWN.of(code)["known"] = Known(role, held)


def register_all(code: CodeType, role: Role, unit: Any) -> None:
    """Remembers a code object, and that those inside it are parts of it."""
    register(code, role, unit)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            register_all(constant, role, None)


def known(code: CodeType) -> Known | None:
    """Returns what a code object is to us, or None."""
    found = _KNOWN.entries.get(id(code))
    return found[1]["known"] if found is not None and found[0]() is code else None


def names_in(code: CodeType) -> frozenset[str]:
    """Returns the globals and attributes that a code object and those inside it name."""
    return _names(code, "all", lambda code: code.co_names)


def names_read_in(code: CodeType) -> frozenset[str]:
    """Returns the names that it reads: with the names of methods that it calls."""
    return _names(code, "read", lambda code: (x.argval for x in dis.get_instructions(code) if x.opname in _READING))


def attributes_set_in(code: CodeType) -> frozenset[str]:
    """Returns the attributes that a code object and those inside it assign."""
    return _names(code, "set", lambda code: (x.argval for x in dis.get_instructions(code) if x.opname == "STORE_ATTR"))


def words_in(code: CodeType) -> frozenset[str]:
    """Returns all that it names, also as strings: operators are given the names of attributes."""
    return _names(code, "words", lambda code: (*code.co_names, *_strings(code.co_consts), *_of_patterns(code)))


def _of_patterns(code: CodeType) -> Iterable[str]:
    """`case Point(a, b)` reads the attributes that the class lists."""
    return ("__match_args__",) if dis.opmap["MATCH_CLASS"] in code.co_code[::2] else ()


def _strings(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if type(value) is str:
            yield value
        elif type(value) is tuple:
            yield from _strings(value)


def _names(code: CodeType, which: str, of_one: Callable[[CodeType], Iterable[str]]) -> frozenset[str]:
    found = _NAMES.of(code)
    if which not in found:
        inside = (_names(constant, which, of_one) for constant in code.co_consts if isinstance(constant, CodeType))
        found[which] = frozenset(of_one(code)).union(*inside)
    return found[which]


_READING = frozenset("LOAD_ATTR LOAD_METHOD LOAD_SUPER_ATTR LOAD_GLOBAL LOAD_NAME".split())

BY_STRING = frozenset("getattr vars __dict__ __getattribute__ __match_args__ attrgetter eval exec".split())
"""What code names that gets at attributes which it does not name."""

_NAMES = CodeTable()
