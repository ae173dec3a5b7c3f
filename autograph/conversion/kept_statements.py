"""Tests that stay Python's own in a converted function, and why: what is said where one of them would have to be staged.

>>> from autograph.code.source import SourceFile, remember
>>> text = "def f(n):\\n    try:\\n        if n > 0:\\n            return 1\\n    finally:\\n        return 2\\n"
>>> remember(SourceFile("kept.py", text.splitlines(keepends=True), text))
>>> why_kept("kept.py", 3).why
'the `finally` at line 6 leaves by `return`, and no flag can stand for that, so what stands in the `try` stays as it is'

So do statements that hold a `yield` or an `await`:

>>> text = "def items(n):\\n    i = 0\\n    while i < n:\\n        yield i\\n        i += 1\\n"
>>> remember(SourceFile("items.py", text.splitlines(keepends=True), text))
>>> kept = why_suspended("items.py", 3, "items")
>>> kept.what, kept.sides
("generator 'items' yields inside a `while` that a traced value decides", {'it yields': 'at line 4, `yield i`'})
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from autograph.code import source
from autograph.code.code_places import FunctionNode

_OF_FRAMES = frozenset({"locals", "vars", "dir", "eval", "exec"})
_JUMPS = {ast.Return: "return", ast.Break: "break", ast.Continue: "continue"}
_TESTED = (ast.If, ast.While, ast.IfExp, ast.Assert)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Kept(NamedTuple):
    """Parts of a message, as in `errors.message`; `what` where there is more to say than that a value is needed."""

    why: str
    instead: str
    what: str = ""
    sides: dict[str, str] | None = None
    page: str = "value-that-python-asks-for"


def why_kept(filename: str, line: int) -> Kept | None:
    """Returns why a statement that needs a value was left in Python on a line; None where nothing says so."""
    tree = source.tree_of(filename)
    if tree is None:
        return None
    around = [node for node in ast.walk(tree) if _first(node) <= line <= _last(node)]  # outer ones first
    for node in reversed(around):
        if isinstance(node, _TESTED) and _first(node.test) <= line <= _last(node.test) and _tests_identity(node.test):
            return Kept(
                "the test is taken for one of objects, and which bool or enum member it is, is only known when the program runs",
                instead="compare them by `==` or `!=`",
                what="`is` between values that the program chooses",
                page="identity-of-two-bools",
            )
        if isinstance(node, ast.Try) and (jump := _jump_out(node.finalbody)) is not None:
            return Kept(
                f"the `finally` at line {jump.lineno} leaves by `{_JUMPS[type(jump)]}`, and no flag can stand for that, so what "
                "stands in the `try` stays as it is",
                instead="set a variable in the `finally`, and leave behind the `try`",
            )
        if isinstance(node, _COMPREHENSIONS):
            bound = next((x for x in ast.walk(node) if isinstance(x, ast.NamedExpr)), None)
            if bound is not None:
                return Kept(
                    f"the comprehension binds '{ast.unparse(bound.target)}' by `:=`, so what stands in it stays as it is",
                    instead="write a `for` loop that appends to a list",
                )
        if isinstance(node, FunctionNode):
            call = next((x for x in of_one_function(node, ast.Call) if _sees_frame(x)), None)
            return (
                None
                if call is None
                else Kept(
                    f"the function calls `{ast.unparse(call)}`, which sees its variables, so its statements stay as they are",
                    instead="ask for variables by their names, or put the statement into a function of its own",
                )
            )
    return None


def _tests_identity(test: ast.expr) -> bool:
    """Whether a test asks for identity of things that may be bools."""
    if isinstance(test, ast.BoolOp):
        return any(map(_tests_identity, test.values))
    if isinstance(test, ast.UnaryOp):
        return _tests_identity(test.operand)
    return (
        isinstance(test, ast.Compare)
        and all(isinstance(operator, ast.Is | ast.IsNot) for operator in test.ops)
        and not any(isinstance(operand, ast.Constant) for operand in (test.left, *test.comparators))
    )


def _first(node: Any) -> int:
    return getattr(node, "lineno", 1 << 30)


def _last(node: Any) -> int:
    return getattr(node, "end_lineno", None) or 0


def _jump_out(statements: list[ast.stmt]) -> Any:
    """Returns a jump that leads out of statements."""
    for statement in statements:
        for node in of_one_function(statement, tuple(_JUMPS)):
            inside = [x for x in ast.walk(statement) if isinstance(x, ast.For | ast.While | ast.AsyncFor)]
            if isinstance(node, ast.Return) or not any(node in ast.walk(loop) for loop in inside):
                return node
    return None


def _sees_frame(call: ast.Call) -> bool:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    return name in _OF_FRAMES and len(call.args) < (2 if name in ("eval", "exec") else 1) and not call.keywords


# --- statements that suspend ---

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


def why_suspended(filename: str, line: int, function: str) -> Kept | None:
    """Returns the same of a function that can stop half-way; None where nothing on the line holds a `yield` or an
    `await`, or jumps past one.
    """
    tree = source.tree_of(filename)
    if tree is None:
        return None
    deciding = [node for node in ast.walk(tree) if _decides_at(node, line)]  # outer ones first
    for node in reversed(deciding):
        inside = next(of_one_function(node, _SUSPENSIONS), None)
        if inside is not None:
            return _said(function, node, _does(inside), inside, inside)
    for node in reversed(deciding):
        jump = next(of_one_function(node, ast.Return | ast.Break | ast.Continue), None)
        around = [outer for outer in ast.walk(tree) if isinstance(outer, FunctionNode) and node in ast.walk(outer)]
        if jump is not None and around:
            others = list(of_one_function(around[-1], _SUSPENSIONS))
            passed = next((x for x in others if x.lineno > jump.lineno), others[0] if others else None)
            return None if passed is None else _said(function, node, f"{_JUMPS[type(jump)]}s", jump, passed)
    return None


def _said(function: str, node: ast.AST, does: str, what: Any, suspension: Any) -> Kept:
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
    why = f"a compiled program cannot stop half-way, so {holds} {word} stays Python's own"
    return Kept(
        why,
        instead=instead,
        what=f"{kind} '{function}' {does} inside {_CONSTRUCTS[type(node)]} that a traced value decides",
        sides=sides,
        page="await-in-a-staged-statement" if awaits else "yield-in-a-staged-statement",
    )


def _does(suspension: ast.AST) -> str:
    return "awaits" if isinstance(suspension, _AWAITS) else "yields"


def _shown(node: Any) -> str:
    statement = node if isinstance(node, ast.stmt) else ast.Expr(node)
    return f"at line {node.lineno}, `{ast.unparse(statement).splitlines()[0]}`"


def _decides_at(node: Any, line: int) -> bool:
    if type(node) not in _CONSTRUCTS:
        return False
    if isinstance(node, ast.Match):
        parts: list[Any] = [node.subject, *(part for case in node.cases for part in (case.pattern, case.guard) if part)]
    else:
        parts = [getattr(node, "iter", getattr(node, "test", node))]
    return node.lineno == line or any(part.lineno <= line <= part.end_lineno for part in parts)


def of_one_function(node: ast.AST, kinds: Any) -> Iterator[Any]:
    """Yields the nodes of some kinds in a node, except those in functions and classes in it."""
    if isinstance(node, kinds):
        yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, FunctionNode | ast.ClassDef):
            yield from of_one_function(child, kinds)
