"""Calls of our own operators, and what functions evaluate when they are made."""

import ast
import copy

import gast
import pytest

from autograph.analyses.operators import immediate, is_operator, mark_authors, operands, parameter_nodes
from tests.analyses.trees import expression


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ag__.read(lambda: y)", True),
        ("ag__.read", False),
        ("ag.read(lambda: y)", False),
        ("x.ag__.read(y)", False),
        ("ag__(y)", False),
        ("ag__.converted(f)(x)", False),
    ],
)
def test_is_operator(text: str, expected: bool) -> None:
    assert is_operator(expression(text), "ag__") is expected


def test_the_alias_may_be_another() -> None:
    assert is_operator(expression("ag__1.read(y)"), "ag__1")


def test_operands_are_the_lambdas_without_parameters() -> None:
    call = expression("ag__.f(lambda: a, b, lambda c: c, key=lambda: d, other=lambda *e: e)")
    assert [item.body.id for item in operands(call)] == ["a", "d"]


def test_parameters_have_the_order_of_co_varnames() -> None:
    text = "lambda a, /, b, *args, c, d=1, **kwargs: 0"
    names = [item.id for item in parameter_nodes(expression(text).args)]
    assert names == list(eval(text).__code__.co_varnames) == ["a", "b", "c", "d", "args", "kwargs"]


def test_immediate() -> None:
    function = gast.parse("def f(a: A, b: B = b0, *args: C, c=c0, d, **kwargs: D): pass").body[0]
    assert [ast.unparse(gast.gast_to_ast(item)) for item in immediate(function.args)] == ["b0", "c0", *"ABCD"]


def test_a_lambda_of_the_authors_is_no_operand() -> None:
    call = expression("ag__.set_attr(lambda: y, x, 'a')")
    mark_authors(call)
    assert operands(call) == []
    assert operands(copy.deepcopy(call)) == []
