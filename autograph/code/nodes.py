"""Walking trees, of `ast` or gast, by tables of what each type of node holds.

To look at every field of every node takes several times as long.

>>> import gast
>>> tree = gast.parse("x[i] = -y").body[0]
>>> [type(node).__name__ for node in walk(tree)]
['Assign', 'UnaryOp', 'Name', 'Subscript', 'Name', 'Name']
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

# Fields that hold no node, or one that only says how: contexts and operators.
_PLAIN = frozenset(
    "arg asname attr conversion ctx id is_async kind kwd_attrs level module name names op ops rest simple str tag"
    " type_comment".split()
)
_NODES = {  # where fields of these names do hold nodes, and where others do not
    "ExceptHandler": ("type", "name", "body"), "TypeAlias": ("name", "type_params", "value"), "Import": ("names",),
    "ImportFrom": ("names",), "Constant": (), "MatchSingleton": (),
}  # fmt: skip
_STRINGS = frozenset("arg asname attr id kwd_attrs module name names rest".split())


SIGNS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "MatMult": "@",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>",
}  # fmt: skip
"""The signs of binary operators, by the names of their classes."""


class ByKind(dict[type, Any]):
    """Something for each type of node, computed when first needed."""

    def __init__(self, compute: Callable[[type], Any]) -> None:
        self._compute = compute

    def __missing__(self, kind: type) -> Any:
        found = self[kind] = self._compute(kind)
        return found


def methods(owner: type, prefix: str, default: Any = None) -> ByKind:
    """Returns the methods `prefix_X` of a class by the type X of a node.

    >>> import gast
    >>> class Names:
    ...     def visit_Name(self, node):
    ...         return node.id
    >>> visits = methods(Names, "visit_")
    >>> visits[gast.Name] is Names.visit_Name, visits[gast.Call]
    (True, None)
    """
    return ByKind(lambda kind: getattr(owner, prefix + kind.__name__, default))


def parts_of(kind: Any) -> tuple[str, ...]:
    """Returns the fields of a type of node that may hold nodes, contexts and operators left out; none for what is no node.

    What they hold is None, a node, or a list of both.
    """
    if kind is ast.ExceptHandler:
        return ("type", "body")  # its name is a node in gast only
    fields = getattr(kind, "_fields", ())
    return _NODES.get(kind.__name__, tuple(name for name in fields if name not in _PLAIN))


PARTS = ByKind(parts_of)
"""The same for each type."""


def _words(kind: Any) -> tuple[str, ...]:
    strings = _STRINGS | {"value"} if kind.__name__ == "Constant" else _STRINGS
    return tuple(name for name in kind._fields if name in strings)


_WORDS = ByKind(_words)


def inventory(tree: Any) -> tuple[set[type], frozenset[str]]:
    """Returns the types of the nodes in a tree, and every word that occurs in it, whatever it names.

    >>> import gast
    >>> kinds, words = inventory(gast.parse("import a.b as c\\nd.e(f=1)"))
    >>> gast.Call in kinds, gast.If in kinds, sorted(words)
    (True, False, ['a.b', 'c', 'd', 'e', 'f'])
    """
    kinds: set[type] = set()
    words: set[str] = set()
    for node in walk(tree):
        kind = type(node)
        kinds.add(kind)
        for name in _WORDS[kind]:
            value = getattr(node, name, None)
            if type(value) is str:
                words.add(value)
            elif type(value) is list:
                words.update([item for item in value if type(item) is str])
    return kinds, frozenset(words)


def names_bound(node: Any) -> list[str]:
    """Returns the names that a node binds by itself, not through a `Name` below it.

    >>> [names_bound(node) for node in ast.walk(ast.parse("import a.b\\ndef f(): ...")) if names_bound(node)]
    [['f'], ['a']]
    """
    kind = type(node).__name__
    if kind == "alias":
        return [(node.asname or node.name).partition(".")[0]]
    name = getattr(node, _NAMED[kind]) if kind in _NAMED else None
    return [name] if type(name) is str else []  # the name of a handler is a node in gast


_NAMED = dict.fromkeys(("FunctionDef", "AsyncFunctionDef", "ClassDef", "ExceptHandler", "MatchAs", "MatchStar"), "name")
_NAMED["MatchMapping"] = "rest"


def children(node: Any) -> list[Any]:
    """Returns the nodes directly below a node."""
    found: list[Any] = []
    for name in PARTS[type(node)]:
        value = getattr(node, name, None)
        if type(value) is list:
            found += value
        elif value is not None:
            found.append(value)
    return [item for item in found if item is not None] if None in found else found


def walk(*roots: Any) -> Iterator[Any]:
    """Yields the nodes of trees in no particular order, without contexts and operators."""
    pending: list[Any] = list(roots)
    while pending:
        node = pending.pop()
        if node is None:
            continue
        yield node
        for name in PARTS[type(node)]:
            value = getattr(node, name, None)
            if type(value) is list:
                pending += value
            elif value is not None:
                pending.append(value)


def walk_outside(inner: tuple[type, ...], *roots: Any) -> Iterator[Any]:
    """Yields the nodes of trees, as `walk` gives them, except those below nodes of some types.

    >>> [type(node).__name__ for node in walk_outside((ast.Lambda,), ast.parse("f(lambda: x)").body[0])]
    ['Expr', 'Call', 'Lambda', 'Name']
    """
    pending = list(roots)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, inner):
            pending += children(node)
