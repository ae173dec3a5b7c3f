"""The nodes that every lowered statement is made of: local functions, state, references to both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gast

from autograph import locations


def name(text: str) -> Any:
    """A read of a variable."""
    return gast.Name(text, gast.Load(), None, None)


def no_arguments() -> Any:
    """An empty parameter list."""
    return gast.arguments([], [], None, [], [], None, [])


def function(
    text: str, parameters: Iterable[str], shared: Sequence[str], outside: Sequence[str], body: list[Any], *, at: Any
) -> Any:
    """`def text(parameters):` with `nonlocal shared`, `global outside`, placed at the header of `at`."""
    arguments = no_arguments()
    arguments.args = [gast.Name(item, gast.Param(), None, None) for item in parameters]
    declared = [kind(list(names)) for kind, names in ((gast.Nonlocal, shared), (gast.Global, outside)) if names]
    made = gast.FunctionDef(text, arguments, [*declared, *(body or [gast.Pass()])], [], None, None, [])
    return locations.place(made, locations.header(at))


def thunk(body: Any, *, at: Any) -> Any:
    """`lambda: body`."""
    return locations.place(gast.Lambda(no_arguments(), body), locations.header(at))


def state(names: Sequence[str], *, at: Any) -> Any:
    """`lambda: (a, b)`: never called; its closure cells are the variables."""
    return thunk(gast.Tuple([name(item) for item in names], gast.Load()), at=at)


def operator(alias: str, text: str, arguments: list[Any], *, at: Any, **keywords: Any) -> Any:
    """`ag__.text(arguments, keywords)`."""
    named = [gast.keyword(key, value) for key, value in keywords.items()]
    call = gast.Call(gast.Attribute(name(alias), text, gast.Load()), arguments, named)
    return locations.place(call, locations.header(at))


def assign(target: str, value: Any, *, at: Any) -> Any:
    """`target = value`."""
    made = gast.Assign([gast.Name(target, gast.Store(), None, None)], value, None)
    return locations.place(made, locations.header(at))
