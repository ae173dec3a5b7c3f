"""`assert`, and `raise` inside the functions of statements."""

import pytest

from autograph.converters.asserts import Asserts
from autograph.converters.control_flow import ControlFlow
from tests.converters.converting import Case

PASSES = (ControlFlow, Asserts)

CASES = {
    "an assertion": Case(
        """
        def f(x):
            assert x > 0
            return x
        """,
        """
        def f(x):
            ag__.assert_(x > 0)
            return x
        """,
        "f(1)",
        "f(0)",
    ),
    "a message is evaluated only when the assertion fails": Case(
        """
        def f(x):
            assert x > 0, note(x)
            return x
        """,
        """
        def f(x):
            ag__.assert_(x > 0, lambda: note(x))
            return x
        """,
        "f(1)",
        "f(0)",
    ),
    "a message that suspends": Case(
        """
        def f(x):
            assert x > 0, (yield x)
        """,
        """
        def f(x):
            assert x > 0, (yield x)
        """,
        "f(1)",
        "f(0)",
    ),
    "a message that binds": Case(
        """
        def f(x):
            m = 0
            try:
                assert x > 0, (m := 'no')
            except AssertionError as error:
                return str(error), m
            return m
        """,
        """
        def f(x):
            m = 0
            try:
                assert x > 0, (m := 'no')
            except AssertionError as error:
                return (str(error), m)
            return m
        """,
        "f(1)",
        "f(0)",
    ),
    "a raise that stays in the function of the user": Case(
        """
        def f(x):
            raise ValueError(x)
        """,
        """
        def f(x):
            raise ValueError(x)
        """,
        "f(1)",
    ),
    "a raise that moves": Case(
        """
        def f(x):
            if x > 0:
                raise ValueError(x)
            raise KeyError
        """,
        """
        def f(x):
            def if_body():
                raise ag__.raise_(ValueError(x))
            ag__.if_stmt(x > 0, if_body, ag__.nothing)
            raise KeyError
        """,
        "f(1)",
        "f(0)",
    ),
    "with a cause": Case(
        """
        def f(x):
            if x:
                raise ValueError(x) from KeyError(x)
        """,
        """
        def f(x):
            def if_body():
                raise ag__.raise_(ValueError(x), KeyError(x))
            ag__.if_stmt(x, if_body, ag__.nothing)
        """,
        "f(1)",
        "f(0)",
    ),
    "from None": Case(
        """
        def f(x):
            try:
                1 / 0
            except ZeroDivisionError:
                if x:
                    raise ValueError(x) from None
        """,
        """
        def f(x):
            try:
                1 / 0
            except ZeroDivisionError:
                def if_body():
                    raise ag__.raise_(ValueError(x)) from None
                ag__.if_stmt(x, if_body, ag__.nothing)
        """,
        "f(1)",
        "f(0)",
    ),
    "once more the one that is handled": Case(
        """
        def f(x):
            try:
                1 / x
            except ZeroDivisionError:
                if x == 0:
                    raise
        """,
        """
        def f(x):
            try:
                1 / x
            except ZeroDivisionError:
                def if_body():
                    raise ag__.raise_()
                ag__.if_stmt(x == 0, if_body, ag__.nothing)
        """,
        "f(1)",
        "f(0)",
    ),
    "the level of a class body stays": Case(
        """
        def f(x):
            class A:
                assert x > 0
            return A
        """,
        """
        def f(x):
            class A:
                assert x > 0
            return A
        """,
        "f(1).__name__",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
