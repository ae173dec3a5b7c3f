"""Makes a failing program small: removes statements and opens compound ones while it still fails alike."""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Callable, Iterator


def shrink(text: str, still_fails: Callable[[str], bool], attempts: int = 400) -> str:
    """A smaller source for which `still_fails` holds as well (greedy; the order is from large pieces to small ones).

    >>> print(shrink("a = 1\\nif a:\\n    b = 2\\n    c = 3\\n", lambda t: "b = 2" in t))
    b = 2
    """
    tree = ast.parse(text)
    found = True
    while found and attempts > 0:
        found = False
        for candidate in _smaller(tree):
            attempts -= 1
            if attempts <= 0:
                break
            new = ast.unparse(ast.fix_missing_locations(candidate))
            if new != ast.unparse(tree) and _valid(new) and still_fails(new):
                tree, found = ast.parse(new), True
                break
    return ast.unparse(tree)


def _valid(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compile(text, "<candidate>", "exec")
    except (SyntaxError, SyntaxWarning):
        return False
    return True


def _blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, field, None), list) and getattr(node, field):
                yield node, field


def _smaller(tree: ast.Module) -> Iterator[ast.Module]:
    """Candidates, each one step smaller than `tree`."""
    for at, (node, field) in enumerate(_blocks(tree)):
        for index in reversed(range(len(getattr(node, field)))):
            yield _without_statement(tree, at, index)
            for part in ("body", "orelse", "finalbody"):
                if getattr(getattr(node, field)[index], part, None):
                    yield _opened(tree, at, index, part)
    for at, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            yield from _simpler_expressions(tree, at, node)


def _without_statement(tree: ast.Module, at: int, index: int) -> ast.Module:
    new = copy.deepcopy(tree)
    node, field = list(_blocks(new))[at]
    statements = getattr(node, field)
    del statements[index]
    if not statements and field == "body" and not isinstance(node, ast.Module):
        statements.append(ast.Pass())
    return new


def _opened(tree: ast.Module, at: int, index: int, part: str) -> ast.Module:
    """The statement replaced by one of its blocks."""
    new = copy.deepcopy(tree)
    node, field = list(_blocks(new))[at]
    statements = getattr(node, field)
    inner = getattr(statements[index], part)
    statements[index : index + 1] = inner if isinstance(inner, list) else [ast.Expr(inner)]
    return new


def _simpler_expressions(tree: ast.Module, at: int, node: ast.expr) -> Iterator[ast.Module]:
    """The expression replaced by one of its own operands, or by a constant."""
    if isinstance(node, ast.Constant):
        return
    operands = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        operands = []
    for operand in [*operands, ast.Constant(1)]:
        new = copy.deepcopy(tree)
        target = list(ast.walk(new))[at]
        yield _Replace(target, copy.deepcopy(operand)).visit(new)


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, by: ast.expr) -> None:
        self.target, self.by = target, by

    def visit(self, node: ast.AST) -> ast.AST:
        return self.by if node is self.target else super().visit(node)
