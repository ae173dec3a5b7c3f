"""Which source position a generated node carries.

A generated node stands for a statement or an expression of the user's. It gets the position of that statement's *header*:
the interpreter reports a call that spans lines at its last line, so a call that carried the whole statement would point
at the end of the loop.

>>> import gast
>>> loop = gast.parse("while x < 3:\\n    x = x + 1").body[0]
>>> header(loop)
(1, 0, 1, 11)
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import gast

from autograph.code.nodes import ByKind, children

Position = tuple[int, int, int, int]

LOCATED: tuple[Any, ...] = (gast.stmt, gast.expr, gast.excepthandler, gast.alias, gast.keyword, gast.pattern)
if hasattr(gast, "type_param"):
    LOCATED += (gast.type_param,)
IS_LOCATED = ByKind(lambda kind: issubclass(kind, LOCATED))


def position(node: Any) -> Position:
    """Returns first line, column, last line and last column of a node in the source."""
    line, column = node.lineno, node.col_offset
    end_line, end_column = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
    return line, column, line if end_line is None else end_line, column if end_column is None else end_column


def header(node: Any) -> Position:
    """Returns the position of a statement without its block; of other nodes, their position."""
    end = _ENDS[type(node)]
    whole = position(node)
    if end is None:
        return whole
    line, column, _, _ = whole
    end_line, end_column = (line, column + end) if type(end) is int else position(end(node))[2:]
    return (line, column, end_line, end_column) if (end_line, end_column) >= (line, column) else whole


def _last_of_items(node: Any) -> Any:
    return node.items[-1].optional_vars or node.items[-1].context_expr


# Where the header of a statement ends: after so many columns, or at the end of an expression.
_END_OF_HEADER: dict[str, Any] = {
    "Try": 3, "TryStar": 3, "ClassDef": 5, "FunctionDef": 3, "AsyncFunctionDef": 9,
    "If": attrgetter("test"), "While": attrgetter("test"), "For": attrgetter("iter"), "AsyncFor": attrgetter("iter"),
    "With": _last_of_items, "AsyncWith": _last_of_items, "Match": attrgetter("subject"),
}  # fmt: skip
_ENDS = ByKind(lambda kind: _END_OF_HEADER.get(kind.__name__))


def place(tree: Any, at: Position) -> Any:
    """Gives every node below `tree` that has no position the position `at`; returns `tree`.

    Nodes that have one are the user's own: what is below them is left alone.
    """
    pending = list(tree) if type(tree) is list else [tree]
    while pending:
        node = pending.pop()
        if IS_LOCATED[type(node)]:
            if getattr(node, "lineno", None) is not None:
                continue
            node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = at
        pending.extend(children(node))
    return tree


def unplaced(tree: gast.AST) -> list[gast.AST]:
    """Returns the nodes below `tree` that need a position and have none (the name of an `except ... as name` needs none)."""
    nodes = list(gast.walk(tree))
    exempt = {id(node.name) for node in nodes if isinstance(node, gast.ExceptHandler)}
    return [
        node
        for node in nodes
        if isinstance(node, LOCATED) and getattr(node, "lineno", None) is None and id(node) not in exempt
    ]
