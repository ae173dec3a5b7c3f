"""Shapes of `while` loops whose exits become part of the test, as an expert would write them.

>>> import gast
>>> loop = gast.parse("while n > 0:\\n    if n == 7: break\\n    n -= 2").body[0]
>>> fold_leading_breaks(loop, list)
>>> print(gast.unparse(loop).strip())
while n > 0 and (not n == 7):
    n -= 2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import gast

from autograph.analyses.loops import blocks
from autograph.analyses.nativeness import Nativeness

LARGEST_HEAD = 60  # nodes of a loop's head that may be repeated in front of the loop
_SIMPLE = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Expr)
_LEAVING = frozenset(("break", "return"))


class Exit(NamedTuple):
    """The one way out of a `while True`.

    Args:
        head: statements before it; repeated in front of the loop and at the end of each iteration.
        stay: the condition under which the loop goes on.
        rest: statements after it.
        leaving: what is done once on the way out, a `return` included.
    """

    head: list[Any]
    stay: Any
    rest: list[Any]
    leaving: list[Any]


def single_exit(loop: Any, native: Nativeness) -> Exit | None:
    """Returns the exit of a `while True` that has one, at the top of its body, with little in front of it."""
    places = [index for index, node in enumerate(loop.body) if native.escapes(node) & _LEAVING]
    if len(places) != 1:
        return None
    [index] = places
    node, head = loop.body[index], loop.body[:index]
    if not isinstance(node, gast.If):
        return None
    if head and not (_is_small(head) and not any("continue" in native.escapes(item) for item in loop.body)):
        return None
    for branch, other, stay in ((node.body, node.orelse, negated(node.test)), (node.orelse, node.body, node.test)):
        if not branch or not isinstance(branch[-1], gast.Break | gast.Return):
            continue
        if any(native.escapes(item) for item in branch[:-1]) or any(native.escapes(item) & _LEAVING for item in other):
            return None
        leaving = branch[:-1] if isinstance(branch[-1], gast.Break) else branch
        other = [item for item in other if not isinstance(item, gast.Pass)]
        return Exit(head, stay, [*other, *loop.body[index + 1 :]], list(leaving))
    return None


def fold_leading_breaks(loop: Any, empty: Callable[[], list[Any]]) -> None:
    """`while t: if c: break; rest` becomes `while t and not c: rest`, as often as the body begins so."""
    while loop.body and isinstance(node := loop.body[0], gast.If):
        if _is_break(node.body):
            stay, other = negated(node.test), node.orelse
        elif _is_break(node.orelse):
            stay, other = node.test, node.body
        else:
            return
        loop.test = stay if isinstance(loop.test, gast.Constant) and loop.test.value is True else both(loop.test, stay)
        loop.body = [*other, *loop.body[1:]] or empty()


def _is_break(statements: list[Any]) -> bool:
    return len(statements) == 1 and isinstance(statements[0], gast.Break)


def _is_small(statements: list[Any]) -> bool:
    if not all(isinstance(node, _SIMPLE) and not blocks(node) for node in statements):
        return False
    return sum(1 for node in statements for _ in gast.walk(node)) <= LARGEST_HEAD


def negated(test: Any) -> Any:
    """`not test`, as a condition: `not not x` is `x`."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    return _like(gast.UnaryOp(gast.Not(), test), test)


def both(first: Any, second: Any) -> Any:
    """`first and second`, as a condition."""
    values = list(first.values) if isinstance(first, gast.BoolOp) and isinstance(first.op, gast.And) else [first]
    return _like(gast.BoolOp(gast.And(), [*values, second]), second)


def _like(node: Any, model: Any) -> Any:
    node.lineno, node.col_offset = model.lineno, model.col_offset
    node.end_lineno, node.end_col_offset = model.end_lineno, model.end_col_offset
    return node
