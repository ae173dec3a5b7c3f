"""Loop nodes with more fields, blocks and headers of statements."""

import ast

import gast
import pytest

from autograph.analyses.loops import For, While, as_in_grammar, blocks, extended, header_expressions
from tests.analyses.trees import expression, function_of

# statement: its blocks, its header
CASES = {
    "x = 1": ("", ""),
    "if a: b\nelse: c": ("b | c", "a"),
    "while a: b\nelse: c": ("b | c", "a"),
    "for a in b: c\nelse: d": ("c | d", "b, a"),
    "async for a in b: c": ("c | ", "b, a"),
    "with a as b, c: d": ("d", "a, b, c"),
    "async with a: d": ("d", "a"),
    "try: a\nexcept b as c: d\nexcept: e\nelse: f\nfinally: g": ("a | d | e | f | g", "b"),
    "try: a\nexcept* b: d": ("a | d |  | ", "b"),
    "match a:\n    case 1 if b: c\n    case d: e": ("c | e", "a, 1, b, d"),
    "def f(): a": ("", ""),
    "class A: a": ("", ""),
}


def text_of(node: gast.AST) -> str:
    return ast.unparse(gast.gast_to_ast(node))


@pytest.mark.parametrize("source", CASES)
def test_blocks_and_header(source: str) -> None:
    [node] = function_of(source).body
    found = [[text_of(item) for item in block] for block in blocks(node)]
    assert " | ".join(", ".join(block) for block in found) == CASES[source][0]
    assert ", ".join(map(text_of, header_expressions(node))) == CASES[source][1]


@pytest.mark.parametrize(("source", "kind"), [("while a: b", While), ("for a in b: c", For)])
def test_extended_loops(source: str, kind: type) -> None:
    [plain] = function_of(source).body
    loop = extended(plain)
    assert type(loop) is kind and loop.body is plain.body and loop.lineno == plain.lineno
    assert loop.options is None and extended(loop) is loop
    loop.options = expression("{}")
    assert loop.options in list(gast.walk(loop))
    assert isinstance(loop, gast.While | gast.For)


def test_loops_that_stayed_native_leave_as_the_grammar_has_them() -> None:
    function = function_of("for a in b:\n    while a:\n        c")
    function.body[0].body[0] = inner = extended(function.body[0].body[0])
    function.body[0] = outer = extended(function.body[0])
    for loop in (inner, outer):
        as_in_grammar(loop)
    assert type(function.body[0]) is gast.For and type(function.body[0].body[0]) is gast.While
    compile(ast.Module([gast.gast_to_ast(function)], []), "text", "exec")
