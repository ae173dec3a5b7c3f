"""Exits of a `while` that become part of its test."""

import ast
import textwrap

import gast
import pytest

from autograph.analyses.nativeness import Nativeness
from autograph.analyses.static_tests import StaticTests
from autograph.converters.loop_shapes import LARGEST_HEAD, both, fold_leading_breaks, negated, single_exit
from autograph.options import MISSING


def expression(text: str) -> gast.AST:
    return gast.parse(text, mode="eval").body


def text_of(*nodes: gast.AST) -> str:
    return "; ".join(ast.unparse(gast.gast_to_ast(node)) for node in nodes)


def loop_of(body: str, test: str = "True") -> tuple[gast.While, Nativeness]:
    """A loop in a function, and what is native there."""
    source = f"def f(n):\n    while {test}:\n" + textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
    function = gast.parse(source).body[0]
    return function.body[0], Nativeness(function, StaticTests(lambda name: MISSING))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a", "not a"), ("not a", "a"), ("not not a", "not a"), ("a == b", "not a == b"), ("a and b", "not (a and b)")],
)
def test_negated(text: str, expected: str) -> None:
    assert text_of(negated(expression(text))) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("a", "b", "a and b"), ("a and b", "c", "a and b and c"), ("a or b", "c", "(a or b) and c")],
)
def test_both(first: str, second: str, expected: str) -> None:
    assert text_of(both(expression(first), expression(second))) == expected


@pytest.mark.parametrize(
    ("test", "body", "expected"),
    [
        ("n > 0", "if c: break\nn -= 1", "while n > 0 and (not c):\n    n -= 1"),
        ("True", "if c: break\nn -= 1", "while not c:\n    n -= 1"),
        ("n > 0", "if not c: break\nif d: break", "while n > 0 and c and (not d):\n    pass"),
        ("n > 0", "if c: n -= 1\nelse: break\nn -= 2", "while n > 0 and c:\n    n -= 1\n    n -= 2"),
        ("n > 0", "if c: break\nelse: n -= 1", "while n > 0 and (not c):\n    n -= 1"),
        ("n > 0", "n -= 1\nif c: break", "while n > 0:\n    n -= 1\n    if c:\n        break"),
        ("n > 0", "if c:\n    n -= 1\n    break", "while n > 0:\n    if c:\n        n -= 1\n        break"),
    ],
)
def test_fold_leading_breaks(test: str, body: str, expected: str) -> None:
    loop, _ = loop_of(body, test)
    fold_leading_breaks(loop, lambda: [gast.Pass()])
    assert text_of(loop) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if c: break\nn -= 1", ("", "not c", "n -= 1", "")),
        ("n -= 1\nif c: break", ("n -= 1", "not c", "", "")),
        ("m = n\nif c:\n    n = 5\n    return n\nn -= 1", ("m = n", "not c", "n -= 1", "n = 5; return n")),
        ("m = n\nif c: n -= 1\nelse: break", ("m = n", "c", "n -= 1", "")),
        ("m = n\nif c: break\nelse: n -= 1\nn -= 2", ("m = n", "not c", "n -= 1; n -= 2", "")),
    ],
)
def test_single_exit(body: str, expected: tuple[str, str, str, str]) -> None:
    found = single_exit(*loop_of(body))
    assert found is not None
    assert (text_of(*found.head), text_of(found.stay), text_of(*found.rest), text_of(*found.leaving)) == expected


@pytest.mark.parametrize(
    "body",
    [
        "n -= 1",  # never left
        "if c: break\nif d: break",  # left twice
        "if c:\n    if d: break\nn -= 1",  # not at the top
        "try:\n    break\nfinally: n = 1",  # not by an `if`
        "if c:\n    if d: return n\n    break\nn -= 1",  # a second way out on the way out
        "if n > 3:\n    if c: continue\nif c: break",  # an iteration may skip what would be repeated
        "for i in n: n -= i\nif c: break",  # a loop in front
        "\n".join(["n = n * n + n * n"] * (LARGEST_HEAD // 8)) + "\nif c: break",  # too much in front
        "n -= 1\nif c: n = 1\nelse: n = 2\nif d:\n    if c: break\n    n = 3",
    ],
)
def test_no_single_exit(body: str) -> None:
    assert single_exit(*loop_of(body)) is None
