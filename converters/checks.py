"""Checks a tree between two passes and after the last one, and names the pass that broke it.

>>> import gast
>>> tree = gast.parse("def f(): assert x").body[0]
>>> check_tree(tree, "SomePass", removes=(gast.Assert,))
Traceback (most recent call last):
    ...
AssertionError: SomePass left Assert at line 1
"""

from __future__ import annotations

import ast
from typing import Any

import gast

from autograph.analyses.operators import is_operator
from autograph.code import locations
from autograph.converters.operators import OPERATORS, Operator, signature


def check_tree(tree: Any, name: str, *, removes: tuple[type, ...] = ()) -> None:
    """Raises AssertionError unless every node is placed, is in one place only, and what was to go is gone."""
    seen: set[int] = set()
    for node in gast.walk(tree):
        line = getattr(node, "lineno", None)
        assert not isinstance(node, removes), f"{name} left {type(node).__name__} at line {line}"
        if isinstance(node, gast.expr_context | gast.operator | gast.unaryop | gast.boolop | gast.cmpop):
            continue
        assert id(node) not in seen, f"{name} put one {type(node).__name__} at line {line} into two places"
        seen.add(id(node))
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            assert type(block) is not list or all(isinstance(item, gast.stmt) for item in block), (
                f"{name} put something that is no statement into a block at line {line}"
            )
    for node in locations.unplaced(tree):
        raise AssertionError(f"{name} left {type(node).__name__} without a position: {gast.dump(node)}")


def check_result(tree: Any, alias: str) -> None:
    """Checks that the finished tree prints, reads back as the same program, and gives operators what they take."""
    text = ast.unparse(gast.gast_to_ast(tree))
    assert ast.unparse(ast.parse(text)) == text, "the generated code does not read back as it was printed"
    for node in gast.walk(tree):
        if is_operator(node, alias) and (operator := OPERATORS.get(node.func.attr)):
            _check_call(node, operator)
        elif isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name) and node.value.id == alias:
            assert node.attr in OPERATORS, f"{alias}.{node.attr} at line {node.lineno} is no operator of generated code"


def _check_call(node: Any, operator: Operator) -> None:
    given = [item for item in node.args if not isinstance(item, gast.Starred)]
    named = {item.arg: item.value for item in node.keywords if item.arg is not None}
    is_whole = len(given) == len(node.args) and len(named) == len(node.keywords)
    parameters = signature(operator.name)
    try:
        (parameters.bind if is_whole else parameters.bind_partial)(*given, **named)
    except TypeError as error:
        text = ast.unparse(gast.gast_to_ast(node))
        raise AssertionError(f"{operator.written_by} wrote {text} at line {node.lineno}: {error}") from None
