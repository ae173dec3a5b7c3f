"""Tests that are known while Python traces."""

import builtins
import typing

import pytest

from autograph.analyses.static_tests import StaticTests
from autograph.code.trees import dotted
from autograph.options import MISSING
from tests.analyses.trees import expression

MEANINGS = {
    "TYPE_CHECKING": typing.TYPE_CHECKING,
    "t.TYPE_CHECKING": typing.TYPE_CHECKING,
    "own.TYPE_CHECKING": 1,
    "callable": len,
}
static = StaticTests(lambda name: MEANINGS.get(name, getattr(builtins, name, MISSING)))


@pytest.mark.parametrize(
    "text",
    [
        "True",
        "0",
        "'text'",
        "f'{x}'",
        "lambda: x",
        "x is None",
        "x is not y is z",
        "x is None or y is None and not z is None",
        "(y := x is None)",
        "isinstance(x, int)",
        "issubclass(x, int) or hasattr(x, 'a')",
        "not isinstance(x, int)",
        "__debug__",
        "TYPE_CHECKING",
        "t.TYPE_CHECKING",
    ],
)
def test_static(text: str) -> None:
    assert static.holds(expression(text))


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "x.a",
        "x > 0",
        "x in y",
        "x is True",
        "False is not x",
        "x is y is True",
        "x is None or x > 0",
        "not x",
        "x and True",
        "-x",
        "-1",
        "bool(x)",
        "callable(x)",  # means something else here
        "x.isinstance(y, int)",
        "own.TYPE_CHECKING",
        "x().TYPE_CHECKING",
        "x if True else y",
        "[x]",
        "()",
    ],
)
def test_not_static(text: str) -> None:
    assert not static.holds(expression(text))


@pytest.mark.parametrize(
    ("text", "expected"), [("a", "a"), ("a.b.c", "a.b.c"), ("a().b", None), ("a[0]", None), ("1", None)]
)
def test_dotted(text: str, expected: str | None) -> None:
    assert dotted(expression(text)) == expected


def test_a_builtin_by_its_meaning() -> None:
    assert static.is_builtin(expression("len"), len, sum) and not static.is_builtin(expression("len"), sum)
    assert not static.is_builtin(expression("callable"), callable) and static.is_builtin(expression("callable"), len)
    assert not static.is_builtin(expression("x.len"), len) and not static.is_builtin(expression("mine"), len)
