"""Operands that bind a name become functions in front of the statement."""

import pytest

from autograph.converters.comparisons import Comparisons
from autograph.converters.comprehensions import Comprehensions
from autograph.converters.conditional_expressions import ConditionalExpressions
from autograph.converters.element_assignments import ElementAssignments
from autograph.converters.logical_expressions import LogicalExpressions
from autograph.converters.named_operands import NamedOperands
from tests.converters.converting import Case

PASSES = (ElementAssignments, Comprehensions, ConditionalExpressions, LogicalExpressions, Comparisons, NamedOperands)

CASES = {
    "without a walrus nothing happens": Case(
        """
        def f(a, b):
            return a and b
        """,
        """
        def f(a, b):
            return ag__.and_(a, lambda: b)
        """,
        "f(1, 2)",
    ),
    "an operand of `and`, and of `or`": Case(
        """
        def f(a):
            b = c = 0
            return a and (b := a + 1) or (c := 5), b, c
        """,
        """
        def f(a):
            b = c = 0
            def and_right():
                nonlocal b
                return (b := (a + 1))
            def or_right():
                nonlocal c
                return (c := 5)
            return (ag__.or_(ag__.and_(a, and_right, lambda: (b,), lazy=True), or_right, lambda: (c,), lazy=True), b, c)
        """,
        "f(1)",
        "f(0)",
        "f(-1)",
    ),
    "the branches of a conditional expression": Case(
        """
        def f(a):
            b = 0
            x = (b := 1) if a else (b := 2)
            return x, b
        """,
        """
        def f(a):
            b = 0
            def if_value():
                nonlocal b
                return (b := 1)
            def else_value():
                nonlocal b
                return (b := 2)
            x = ag__.if_exp(a, if_value, else_value, lambda: (b,))
            return (x, b)
        """,
        "f(1)",
        "f(0)",
    ),
    "a first operand is evaluated where it stands": Case(
        """
        def f(a):
            return (b := a) and b + 1
        """,
        """
        def f(a):
            return ag__.and_((b := a), lambda: b + 1)
        """,
        "f(1)",
        "f(0)",
    ),
    "one inside another": Case(
        """
        def f(a):
            x = y = 0
            r = a and ((x := a) or (y := 2))
            return r, x, y
        """,
        """
        def f(a):
            x = y = 0
            def or_right():
                nonlocal y
                return (y := 2)
            def and_right():
                nonlocal x
                return ag__.or_((x := a), or_right, lambda: (y,), lazy=True)
            r = ag__.and_(a, and_right, lambda: (x, y), lazy=True)
            return (r, x, y)
        """,
        "f(1)",
        "f(0)",
    ),
    "a generator that binds what others read": Case(
        """
        def f(n):
            found = any((hit := k) > n for k in (1, 2))
            return found, hit, any((own := k) + own > n for k in (1, 2))
        """,
        """
        def f(n):
            found = any(ag__.binding(((hit := k) > n for k in (1, 2)), lambda: (hit,)))
            return (found, hit, any(((own := k) + own > n for k in (1, 2))))
        """,
        "f(1)",
        "f(5)",
    ),
    "the value of an augmented assignment": Case(
        """
        def f(x, a):
            x[0] += (b := a)
            x[1], b = b, 0
            return x, b
        """,
        """
        def f(x, a):
            def operand():
                nonlocal b
                return (b := a)
            x = ag__.aug_item(x, 0, '+=', operand)
            item, item_1 = (b, 0)
            x = ag__.set_item(item, x, 1)
            b = item_1
            return (x, b)
        """,
        "f([1, 2], 3)",
    ),
    "a name of outside is announced": Case(
        """
        def f(a):
            def g():
                nonlocal b
                return a and (b := 2)
            b = 1
            return g(), b
        """,
        """
        def f(a):
            def g():
                nonlocal b
                def and_right():
                    nonlocal b
                    ag__.touch(lambda: b)
                    return (b := 2)
                return ag__.and_(a, and_right, lambda: (b,), lazy=True)
            b = 1
            return (g(), b)
        """,
        "f(1)",
        "f(0)",
    ),
    "a global is no state": Case(
        """
        def f(a):
            global global_b
            return a and (global_b := 2)
        """,
        """
        def f(a):
            global global_b
            def and_right():
                global global_b
                ag__.touch(lambda: global_b)
                return (global_b := 2)
            return ag__.and_(a, and_right, lazy=True)
        """,
        "f(1)",
        "f(0)",
    ),
    "in the tests of statements": Case(
        """
        def f(a):
            b = 0
            if a and (b := a):
                return b
            while a or (b := b + 1) < 3:
                a = 0
            return b
        """,
        """
        def f(a):
            b = 0
            def and_right():
                nonlocal b
                return (b := a)
            if ag__.and_(a, and_right, lambda: (b,), test=True, lazy=True):
                return b
            def or_right():
                nonlocal b
                return (b := (b + 1)) < 3
            while ag__.or_(a, or_right, lambda: (b,), test=True, lazy=True):
                a = 0
            return b
        """,
        "f(1)",
        "f(0)",
    ),
    "in a lambda or comprehension no statement can stand in front": Case(
        """
        def f(a):
            b = 0
            return [a and (b := x) for x in (1, 2)], (lambda: a and (c := 3))(), b
        """,
        """
        def f(a):
            b = 0
            return ([a and (b := x) for x in (1, 2)], (lambda: a and (c := 3))(), b)
        """,
        "f(1)",
        "f(0)",
    ),
    "the first iterable of a comprehension is evaluated outside": Case(
        """
        def f(a):
            return [x for x in sorted(a and (b := [1]))]
        """,
        """
        def f(a):
            return [x for x in ag__.comp_iter(sorted(a and (b := [1])))]
        """,
        "f([2])",
        "f([])",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
