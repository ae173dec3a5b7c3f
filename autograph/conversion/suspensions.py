"""Statements that hold a `yield` or an `await`, which stay Python's own: what is said where they would have to be staged.

>>> from autograph.code.source import SourceFile, remember
>>> text = "def items(n):\\n    i = 0\\n    while i < n:\\n        yield i\\n        i += 1\\n"
>>> remember(SourceFile("items.py", text.splitlines(keepends=True), text))
>>> said = of_line("items.py", 3, "items")
>>> said.what
"generator 'items' yields inside a `while` that a traced value decides"
>>> said.sides
{'it yields': 'at line 4, `yield i`'}
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from autograph.code import source
from autograph.code.code_places import FunctionNode


class Said(NamedTuple):
    """Parts of a message, as in `errors.message`."""

    what: str
    sides: dict[str, str]
    why: str
    instead: str


_CONSTRUCTS: dict[type[ast.AST], str] = {
    ast.If: "an `if`",
    ast.While: "a `while`",
    ast.For: "a `for`",
    ast.AsyncFor: "an `async for`",
    ast.Match: "a `match`",
    ast.IfExp: "a conditional expression",
    ast.BoolOp: "an `and` or `or`",
    ast.Compare: "a chain of comparisons",
}
_AWAITS = ast.Await | ast.AsyncFor | ast.AsyncWith
_SUSPENSIONS = ast.Yield | ast.YieldFrom | _AWAITS
_JUMPS = {ast.Return: "returns", ast.Break: "breaks", ast.Continue: "continues"}


def of_line(filename: str, line: int, function: str) -> Said | None:
    """What to say where Python asks for a traced value on a line of a function that can stop half-way.

    Returns:
        None where no statement or expression there holds a `yield` or an `await`, or a jump past one.
    """
    tree = source.tree_of(filename)
    if tree is None:
        return None
    asking = [node for node in ast.walk(tree) if _asks_at(node, line)]  # outer ones first
    for node in reversed(asking):
        inside = next(of_one_function(node, _SUSPENSIONS), None)
        if inside is not None:
            return _said(function, node, _does(inside), inside, inside)
    for node in reversed(asking):
        jump = next(of_one_function(node, ast.Return | ast.Break | ast.Continue), None)
        around = [outer for outer in ast.walk(tree) if isinstance(outer, FunctionNode) and node in ast.walk(outer)]
        if jump is not None and around:
            others = list(of_one_function(around[-1], _SUSPENSIONS))
            passed = next((x for x in others if x.lineno > jump.lineno), others[0] if others else None)
            return None if passed is None else _said(function, node, _JUMPS[type(jump)], jump, passed)
    return None


def _said(function: str, node: ast.AST, does: str, what: Any, suspension: Any) -> Said:
    awaits = isinstance(suspension, _AWAITS)
    kind, word = ("coroutine", "an `await`") if awaits else ("generator", "a `yield`")
    sides = {f"it {does}": _shown(what)}
    sides[f"it {_does(suspension)}"] = _shown(suspension)
    holds = "what holds" if what is suspension else "what jumps past"
    if awaits:
        instead = "await before the statement, and let the condition choose among values"
    elif what is suspension:
        instead = "collect the values in a list and return that, or write the statement where the values are used"
    else:
        instead = "yield in every case, with a flag that says whether the value counts"
    return Said(
        f"{kind} '{function}' {does} inside {_CONSTRUCTS[type(node)]} that a traced value decides",
        sides,
        f"a compiled program cannot stop half-way, so {holds} {word} stays Python's own",
        instead,
    )


def _does(suspension: ast.AST) -> str:
    return "awaits" if isinstance(suspension, _AWAITS) else "yields"


def _shown(node: Any) -> str:
    statement = node if isinstance(node, ast.stmt) else ast.Expr(node)
    return f"at line {node.lineno}, `{ast.unparse(statement).splitlines()[0]}`"


def _asks_at(node: Any, line: int) -> bool:
    if type(node) not in _CONSTRUCTS:
        return False
    if isinstance(node, ast.Match):
        parts: list[Any] = [node.subject, *(part for case in node.cases for part in (case.pattern, case.guard) if part)]
    else:
        parts = [getattr(node, "iter", getattr(node, "test", node))]
    return node.lineno == line or any(part.lineno <= line <= part.end_lineno for part in parts)


def of_one_function(node: ast.AST, kinds: Any) -> Iterator[Any]:
    """The nodes of some kinds in a node, but for those in functions and classes in it."""
    if isinstance(node, kinds):
        yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, FunctionNode | ast.ClassDef):
            yield from of_one_function(child, kinds)
