"""What a dotted name means at conversion time: decisions that are made once and hold for every call.

A name counts only where it can be trusted to stay: globals that no function rebinds, builtins, and variables of
enclosing functions that are bound by an import and by nothing else: another closure of the same code may hold another
value.

>>> import math
>>> from autograph.code import source
>>> def f(x):
...     return math.sin(x)
>>> space = Namespace.of(f, source.find(f))
>>> space.resolve("math.sin"), space.resolve("len"), space.resolve("x"), space.resolve("nobody")
(<built-in function sin>, <built-in function len>, MISSING, MISSING)
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from autograph.code.nodes import names_bound
from autograph.code.source import Source
from autograph.options import MISSING


@dataclass(frozen=True, eq=False)
class Namespace:
    """The names that a function can see.

    Args:
        globals: its globals.
        cells: its closure cells by name.
        source: where it stands.
    """

    globals: dict[str, Any]
    cells: Mapping[str, CellType]
    source: Source

    @classmethod
    def of(cls, fn: FunctionType, source: Source) -> Namespace:
        """Returns the namespace of a function, or of the lambda that hands over its cells."""
        return cls(fn.__globals__, dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)), source)

    def resolve(self, dotted: str, within: tuple[CodeType, ...] = ()) -> Any:
        """Returns the object that a dotted name means, or `MISSING`.

        Args:
            dotted: `jnp.sin`; only modules and classes are looked into, so no user code runs.
            within: the code objects of nested functions around the use, innermost first; their variables are unknown.
        """
        first, *rest = dotted.split(".")
        value = self._first(first, within)
        for name in rest:
            if value is MISSING:
                break
            value = attribute(value, name)
        return value

    def _first(self, name: str, within: tuple[CodeType, ...]) -> Any:
        own = self.source.code
        for code in (*within, own):
            if name in code.co_varnames or name in code.co_cellvars:
                return MISSING
            if name not in code.co_freevars:
                break  # a global for this function, whatever the ones around it do
        else:
            return self._free(name)
        if name in self.globals:
            return MISSING if name in self.source.file.rebound_globals else self.globals[name]
        return getattr(builtins, name, MISSING)

    def _free(self, name: str) -> Any:
        scopes = [scope for scope in reversed(self.source.chain) if not isinstance(scope, ast.ClassDef)]
        for scope in scopes:
            imported, bound = bindings(scope)
            if name in bound:
                return MISSING
            if name in imported:
                try:
                    return self.cells[name].cell_contents
                except (KeyError, ValueError):
                    return MISSING
        return MISSING


def attribute(value: Any, name: str) -> Any:
    """Returns an attribute of a module or class, found without running user code; else `MISSING`."""
    if isinstance(value, ModuleType):
        found = value.__dict__.get(name, MISSING)
        return sys.modules.get(f"{value.__name__}.{name}", MISSING) if found is MISSING else found
    if type(value) is type:
        found = next((base.__dict__[name] for base in value.__mro__ if name in base.__dict__), MISSING)
        return found.__func__ if isinstance(found, staticmethod | classmethod) else found
    return MISSING


def bindings(scope: Any) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the names that a function binds by imports, and those that it binds in any other way.

    Nested scopes are looked into as well: a name that is bound there may be declared `nonlocal`.
    """
    known = _BINDINGS.get(id(scope))
    if known is not None and known[0] is scope:
        return known[1]
    imported: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(scope):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif node is not scope and not isinstance(node, ast.alias):
            bound.update(names_bound(node))
    answer = frozenset(imported), frozenset(bound)
    _BINDINGS[id(scope)] = (scope, answer)
    return answer


# The nodes belong to the trees of files, which are kept anyway.
_BINDINGS: dict[int, tuple[Any, tuple[frozenset[str], frozenset[str]]]] = {}
