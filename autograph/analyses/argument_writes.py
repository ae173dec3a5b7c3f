"""Which functions of a module write elements of what they are handed, by the source of the module alone.

>>> table = writers('''
... def swap(v, i, j):
...     v[i], v[j] = v[j], v[i]
... def reverse(xs, n):
...     for k in range(n // 2):
...         swap(xs, k, n - 1 - k)
... ''')
>>> {name: [sorted(writer.written) for writer in found] for name, found in table.items()}
{'swap': [['v']], 'reverse': [['xs']]}

A function is known by its name, wherever it stands, and a method as well: whose method a call means is not known here. An alarm
that is false costs an assignment that changes nothing.
"""

from __future__ import annotations

import ast
import bisect
import linecache
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

from autograph.code.container_effects import methods_with

IN_PLACE = methods_with("ndarray", "traced")
"""Change a NumPy array, and have a version for arrays of JAX."""
WRITERS = frozenset("copyto fill_diagonal place put put_along_axis putmask".split())
"""Functions of NumPy that write their first argument."""
WRITES = re.compile(rf"\][^\]=\n]*=|\bout\s*=|\.({'|'.join(sorted(IN_PLACE))}|at)\(|\b({'|'.join(sorted(WRITERS))})\(")
"""Finds, in source code, an assignment to an element, or a call by which NumPy writes an array."""


@dataclass(frozen=True)
class Writer:
    """A function that writes elements of some of its parameters.

    Args:
        parameters: those that a call may give by position, in order.
        written: the names of those whose elements it writes, or hands to a function that does.
        is_method: whether it stands in a class, and takes the object first.
    """

    parameters: tuple[str, ...]
    written: frozenset[str]
    is_method: bool


Writers = Mapping[str, Sequence[Writer]]
_Function = tuple[ast.FunctionDef | ast.AsyncFunctionDef, bool]  # and whether it is a method


class Source(Protocol):
    """The source of a file and its tree; `autograph.code.source`."""

    text: str

    @property
    def tree(self) -> ast.Module:
        """Parsed on first use."""


class ModuleWriters:
    """The functions of one module that write elements of their parameters; found at the first lookup of a name.

    Args:
        source: that of the module.
        tree: its tree, where it is at hand.
    """

    def __init__(self, source: str, tree: ast.Module | None = None) -> None:
        self._source = source
        self._tree = tree

    def named(self, name: str) -> Sequence[Writer]:
        """Returns the writers of a name."""
        return self._found.get(name, ()) if f"def {name}" in self._source else ()

    @cached_property
    def _found(self) -> Writers:
        try:
            return writers(self._source, self._tree)
        except SyntaxError:
            return {}


_of_source = lru_cache(64)(ModuleWriters)


def of_file(filename: str) -> ModuleWriters:
    """Returns the functions of a file that write elements of their parameters."""
    return _of_source("".join(linecache.getlines(filename)))


@lru_cache(64)
def of_source(source: Source) -> ModuleWriters:
    """Returns the functions of a file whose source and tree are at hand."""
    return ModuleWriters(source.text, source.tree)


def lookup(filename: str, own: Callable[[], ModuleWriters]) -> Callable[[str | None, str], Sequence[Writer]]:
    """Returns a function from a file (None: this one) and a name to the writers; `own` gives those of the file itself."""

    def named(file: str | None, name: str) -> Sequence[Writer]:
        return (own() if file is None or file == filename else of_file(file)).named(name)

    return named


def writers(source: str, tree: ast.Module | None = None) -> Writers:
    """Returns the functions of a module that write elements of their parameters, by name.

    Most functions write none: only those are walked in whose lines the source of a write, or the name of a writer, stands.

    Args:
        source: that of the module.
        tree: its tree, where it is at hand.

    Raises:
        SyntaxError: if the source is no Python.
    """
    if not WRITES.search(source):
        return {}
    functions = list(_functions(tree or ast.parse(source), False))
    lines = _Lines(source)
    written: dict[int, set[str]] = {id(node): _written_directly(node) for node, _ in lines.having(WRITES, functions)}
    found: dict[str, list[Writer]] = {}
    changed = True
    while changed:
        found = {}
        for node, is_method in functions:
            if written.get(id(node)):
                writer = Writer(_positional(node), frozenset(written[id(node)]), is_method)
                found.setdefault(node.name, []).append(writer)
        changed = False
        names = re.compile(rf"\b({'|'.join(found)})\b") if found else None
        for node, _ in lines.having(names, functions) if names is not None else ():
            known = written.setdefault(id(node), set())
            others = set(_parameters(node)) - known
            handed = {arg.id for arg in _handed(node, found) if isinstance(arg, ast.Name)} & others if others else ()
            known.update(handed)
            changed = changed or bool(handed)
    return found


class _Lines:
    """Where the lines of source code are."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._ends = [match.start() for match in re.finditer(r"\n|\Z", source)]

    def having(self, pattern: re.Pattern[str], functions: Sequence[_Function]) -> list[_Function]:
        """Returns the functions in whose lines a pattern is found."""
        at = [bisect.bisect_left(self._ends, match.end()) + 1 for match in pattern.finditer(self._source)]

        def has(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
            index = bisect.bisect_left(at, node.lineno)
            return index < len(at) and at[index] <= (node.end_lineno or node.lineno)

        return [(node, is_method) for node, is_method in functions if has(node)]


def arguments(call: Any, found: Sequence[Writer], is_attribute: bool) -> list[Any]:
    """Returns the arguments of a call whose elements one of these functions writes; of `ast` or of gast."""
    given: dict[int, Any] = {}
    for writer in found:
        names = writer.parameters[1:] if writer.is_method and is_attribute else writer.parameters
        for name, value in zip(names, call.args, strict=False):
            if type(value).__name__ == "Starred":
                break
            if name in writer.written:
                given[id(value)] = value
        given.update((id(k.value), k.value) for k in call.keywords if k.arg in writer.written)
    return list(given.values())


def _functions(node: ast.AST, in_class: bool) -> Iterator[_Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            is_static = any(getattr(d, "id", None) == "staticmethod" for d in child.decorator_list)
            yield child, in_class and not is_static
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _functions(child, isinstance(child, ast.ClassDef))


def _positional(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    return tuple(a.arg for a in (*node.args.posonlyargs, *node.args.args))


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    return (*_positional(node), *(a.arg for a in node.args.kwonlyargs))


def _written_directly(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    names = set(_parameters(node))
    written = set()
    for part in ast.walk(node):
        for base in _bases_written(part):
            while isinstance(base, ast.Subscript):
                base = base.value
            if isinstance(base, ast.Name) and base.id in names:
                written.add(base.id)
    return written


def _bases_written(part: ast.AST) -> list[ast.expr]:
    """Returns the arrays of which a node writes elements."""
    if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
        return [part.value]
    if not isinstance(part, ast.Call):
        return []
    func = part.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    found = [func.value] if isinstance(func, ast.Attribute) and name in IN_PLACE else []
    found += part.args[:1] if name in WRITERS or name == "at" else []
    for out in (keyword.value for keyword in part.keywords if keyword.arg == "out"):
        found += out.elts if isinstance(out, ast.Tuple) else [out]
    return found


def _handed(node: ast.AST, found: Writers) -> Iterator[ast.expr]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name | ast.Attribute):
            is_attribute = isinstance(part.func, ast.Attribute)
            name = part.func.attr if isinstance(part.func, ast.Attribute) else part.func.id
            yield from arguments(part, found.get(name, ()), is_attribute)
