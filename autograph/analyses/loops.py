"""Loop nodes with what staging adds to them.

`While` and `For` are the grammar's nodes with two more fields, which analyses and converters see like any other:

| field | meaning |
| --- | --- |
| `extra_test` (`For`) | evaluated after each iteration: the loop goes on while it holds (jump flags) |
| `options` | a dict display from `set_loop_options`, evaluated before the loop |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gast

from autograph.code.nodes import ByKind


class While(gast.While):
    """`while` with options."""

    _fields = (*gast.While._fields, "options")
    options: Any = None


class For(gast.For):
    """`for` with a test after each iteration, and options."""

    _fields = (*gast.For._fields, "extra_test", "options")
    extra_test: Any = None
    options: Any = None


LOOPS = (gast.While, gast.For, gast.AsyncFor)
_COMPOUND = (gast.If, *LOOPS, gast.With, gast.AsyncWith, gast.Try, gast.TryStar, gast.Match)
IS_COMPOUND = ByKind(lambda kind: issubclass(kind, _COMPOUND))
"""Whether nodes of a type are statements with blocks; functions and classes, which are scopes, are not."""


def extended(loop: Any) -> Any:
    """Returns the same loop as one of the nodes above; the body is shared."""
    kind = While if isinstance(loop, gast.While) else For
    if isinstance(loop, kind):
        return loop
    return kind(**vars(loop))


def as_in_grammar(loop: Any) -> None:
    """Gives a loop that stayed native the type of the grammar again: `ast` has no place for the other fields."""
    loop.__class__ = gast.While if isinstance(loop, gast.While) else gast.For


def blocks(node: Any) -> list[list[Any]]:
    """Returns the statement lists directly inside a compound statement; none for functions and classes, which are scopes."""
    if not IS_COMPOUND[type(node)]:
        return []
    if isinstance(node, gast.With | gast.AsyncWith):
        return [node.body]
    if isinstance(node, gast.Try | gast.TryStar):
        return [node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody]
    if isinstance(node, gast.Match):
        return [case.body for case in node.cases]
    return [node.body, node.orelse]


def block_places(node: Any) -> Iterator[tuple[Any, str, list[Any]]]:
    """Yields the blocks of a statement that are not empty, each after its owner and its field: those of handlers and cases last."""
    for owner in [node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())]:
        for name in ("body", "orelse", "finalbody"):
            if type(block := getattr(owner, name, None)) is list and block:
                yield owner, name, block


def statements_inside(block: list[Any]) -> Iterator[Any]:
    """Yields the statements of a block and of the blocks in it; not of functions and classes in it, which are scopes.

    >>> [type(node).__name__ for node in statements_inside(gast.parse("if a:\\n def f(): return 1\\nelse: b = 2").body)]
    ['If', 'FunctionDef', 'Assign']
    """
    for node in block:
        yield node
        for inner in blocks(node):
            yield from statements_inside(inner)


def header_expressions(node: Any) -> list[Any]:
    """Returns the expressions of a compound statement that stand outside its blocks."""
    header = _HEADERS.get(type(node))
    return [] if header is None else [part for part in header(node) if part is not None]


_HEADERS: dict[type, Callable[[Any], Iterable[Any]]] = {
    **dict.fromkeys((gast.If, gast.While), lambda node: [node.test]),
    **dict.fromkeys((gast.For, gast.AsyncFor), lambda node: [node.iter, node.target]),
    **dict.fromkeys(
        (gast.With, gast.AsyncWith),
        lambda node: (part for item in node.items for part in (item.context_expr, item.optional_vars)),
    ),
    **dict.fromkeys((gast.Try, gast.TryStar), lambda node: (handler.type for handler in node.handlers)),
    gast.Match: lambda node: [node.subject, *(part for case in node.cases for part in (case.pattern, case.guard))],
}
