"""What the library says about its work, on the logger `autograph`.

| level | says |
| --- | --- |
| 1 | each function that is converted, and how long it took; each one that is not converted, and why |
| 2 | each trace with its arguments, what changed since the one before; each statement that is staged, and as what; what moves |
| 3 | each `if` and loop that Python decides or runs while the program is traced |

A statement is reported once in a trace, though loop bodies may be traced several times until their types stand.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from types import CodeType
from typing import Any

from autograph import switches
from autograph.errors import Location

_LOGGER = logging.getLogger("autograph")

level = switches.level("AUTOGRAPH_VERBOSITY")
"""How much is said. Operators look here before they say anything."""


class _Reported(threading.local):
    def __init__(self) -> None:
        self.statements: set[tuple[Any, str]] = set()


_reported = _Reported()


def set_verbosity(level: int) -> None:
    """Chooses how much is said about conversion and staging, on the logger `autograph`.

    Args:
        level: 0 nothing; 1 each function that is converted; 2 also each trace, why there is another one, and each statement
            that is staged; 3 also what Python decides while the program is traced.
    """
    globals()["level"] = level


def tell(least: int, text: str, *args: Any) -> None:
    """Says something from a level of verbosity on."""
    if least <= level:
        if not _LOGGER.handlers and not logging.getLogger().handlers:
            _LOGGER.addHandler(logging.StreamHandler())
        _LOGGER.setLevel(logging.INFO)
        _LOGGER.info(text, *args)


def tell_statement(least: int, where: Any, what: str) -> None:
    """Says what became of the statement at a place (a region of it, or a file and line), once in a trace."""
    if least <= level:
        place = Location.of(where)
        if place is not None and (place, what) not in _reported.statements:
            _reported.statements.add((place, what))
            tell(least, "%s:%d: %s", place.filename, place.lineno, what)


def begin_trace() -> None:
    """Forgets which statements were reported."""
    _reported.statements.clear()


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Returns what differs between the arguments of two traces.

    >>> changes({"x": "float32[3]", "n": "int 2"}, {"x": "float32[4]", "n": "int 2"})
    'x was float32[3] and is float32[4]'
    """
    differing = [
        f"{name} was {before.get(name)} and is {value}" for name, value in after.items() if before.get(name) != value
    ]
    return ", ".join(differing) or "the arguments are alike, so the function, its transform or JAX's settings are not"


def list_arguments(arguments: Mapping[str, str]) -> str:
    """Returns the arguments of a trace in words."""
    return (
        "with " + ", ".join(f"{name}: {text}" for name, text in arguments.items()) if arguments else "without arguments"
    )


def describe_code(code: CodeType) -> tuple[str, str, int]:
    """Returns the qualified name, file and line of a function's code."""
    return code.co_qualname, code.co_filename, code.co_firstlineno
