"""The order of the passes: those that claim to commute do, and the checks between passes see what is broken."""

import random

import gast
import pytest

from autograph.converters import CONVERTERS, checks, find_pass
from autograph.converters.base import Conversion, ExpressionConverter
from autograph.converters.expressions import Expressions
from autograph.converters.showing import context_for, source_of_tree

SOURCE = """
def f(xs, m, a, b):
    with m[a] if a in xs else m[b and a] as y:
        total = sum(x[a] if 0 < x < b else x for x in xs if x and not a < x[b] <= y or x in m if x[a])
    while a and (b := xs[a + 1]) < a < 3:
        a = [x not in y for x in (xs[a] if a else xs[b]) if (a or x) is not True]
    return {x: (lambda k: k[a] and 1 < k < 2)(x) for x in xs[a:a + 2] if not (x if a else b)}, total
"""


def converted(expressions: type[ExpressionConverter]) -> str:
    """The source that all passes make, with another class in the place of `Expressions`."""
    tree = gast.parse(SOURCE).body[0]
    conversion = Conversion(tree, context_for(SOURCE, {}))
    for item in map(find_pass, CONVERTERS):
        tree = (expressions if item is Expressions else item)(conversion).convert(tree)
        checks.check_tree(tree, item.__name__)
    return source_of_tree(tree)


def test_the_order_of_those_that_share_a_walk_is_free() -> None:
    bases = Expressions.__bases__
    assert len(bases) > 5
    expected = converted(Expressions)
    others = random.Random(0)
    shuffled = [tuple(others.sample(bases, len(bases))) for _ in range(19)]  # each pair stands in either order in some
    for order in [bases[::-1], *shuffled]:
        assert converted(type("Other", order, {})) == expected, order


TREES = {
    "left Assert at line 2": "def f():\n    assert x",
    "put one Name at line 2 into two places": "def f():\n    x",
    "put something that is no statement into a block": "def f():\n    x",
    "left Name without a position": "def f():\n    x",
}


@pytest.mark.parametrize("text", TREES)
def test_what_is_broken_between_two_passes_is_seen(text: str) -> None:
    tree = gast.parse(TREES[text]).body[0]
    if "two places" in text:
        tree.body.append(tree.body[0].value)
        tree.body[1] = gast.copy_location(gast.Expr(tree.body[0].value), tree.body[0])
    elif "no statement" in text:
        tree.body.append(gast.copy_location(gast.Name("y", gast.Load(), None, None), tree.body[0]))
    elif "position" in text:
        tree.body[0].value = gast.Name("y", gast.Load(), None, None)
    with pytest.raises(AssertionError, match=text):
        checks.check_tree(tree, "SomePass", removes=(gast.Assert,))


def test_a_result_that_does_not_read_back_is_seen() -> None:
    tree = gast.parse("def f():\n    x").body[0]
    tree.body[0].value.id = "a b"
    with pytest.raises((AssertionError, SyntaxError)):
        checks.check_result(tree, "ag__")
