"""Which functions of a module write elements of what they are handed, by the text of the module alone.

>>> table = writers(ast.parse('''
... def swap(v, i, j):
...     v[i], v[j] = v[j], v[i]
... def reverse(xs, n):
...     for k in range(n // 2):
...         swap(xs, k, n - 1 - k)
... '''))
>>> {name: [sorted(writer.written) for writer in found] for name, found in table.items()}
{'swap': [['v']], 'reverse': [['xs']]}

A function is known by its name, wherever it stands, and a method as well: whose method a call means is not known here. An alarm
that is false costs an assignment that changes nothing.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

IN_PLACE = frozenset({"sort", "fill"})
"""Methods of NumPy's arrays that change the array, and that exist here as well."""


WRITES = re.compile(r"\][^\]=\n]*=|\.sort\(|\.fill\(")
"""What a text has that assigns an element of anything."""


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


def of_file(filename: str) -> Writers:
    """The functions of a file that write elements of their parameters, by name."""
    return _of_text("".join(linecache.getlines(filename)))


@lru_cache(64)
def _of_text(text: str) -> Writers:
    try:
        return writers(ast.parse(text)) if WRITES.search(text) else {}
    except SyntaxError:
        return {}


def writers(tree: ast.Module) -> Writers:
    """The functions of a module that write elements of their parameters, by name."""
    functions = [(node, is_method) for node, is_method in _functions(tree, False)]
    written = {id(node): _written_directly(node) for node, _ in functions}
    found: dict[str, list[Writer]] = {}
    changed = True
    while changed:
        found = {}
        for node, is_method in functions:
            if written[id(node)]:
                writer = Writer(_positional(node), frozenset(written[id(node)]), is_method)
                found.setdefault(node.name, []).append(writer)
        changed = False
        for node, _ in functions if found else ():
            names = set(_parameters(node)) - written[id(node)]
            handed = {arg.id for arg in _handed(node, found) if isinstance(arg, ast.Name)} & names if names else ()
            written[id(node)].update(handed)
            changed = changed or bool(handed)
    return found


def arguments(call: Any, found: Sequence[Writer], is_attribute: bool) -> list[Any]:
    """The arguments of a call whose elements one of these functions writes; of `ast` or of gast."""
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


def _functions(node: ast.AST, in_class: bool) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, bool]]:
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
        base: ast.AST | None = None
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
            base = part.value
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in IN_PLACE:
            base = part.func.value
        while isinstance(base, ast.Subscript):
            base = base.value
        if isinstance(base, ast.Name) and base.id in names:
            written.add(base.id)
    return written


def _handed(node: ast.AST, found: Writers) -> Iterator[ast.expr]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name | ast.Attribute):
            is_attribute = isinstance(part.func, ast.Attribute)
            name = part.func.attr if isinstance(part.func, ast.Attribute) else part.func.id
            yield from arguments(part, found.get(name, ()), is_attribute)
