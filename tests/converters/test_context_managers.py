"""The context managers of a `with`."""

import contextlib

import pytest

from autograph.converters.context_managers import ContextManagers
from tests.converters.converting import Case

PASSES = (ContextManagers,)
NAMES = {"contextlib": contextlib}

CASES = {
    "one, with and without a name": Case(
        """
        def f(m):
            with m:
                with m as y:
                    return y
        """,
        """
        def f(m):
            with ag__.context(m):
                with ag__.context(m) as y:
                    return y
        """,
        "f(contextlib.nullcontext(1))",
        names=NAMES,
    ),
    "several": Case(
        """
        def f(m, n):
            with m as x, n as y, m:
                return x, y
        """,
        """
        def f(m, n):
            with ag__.context(m) as x, ag__.context(n) as y, ag__.context(m):
                return (x, y)
        """,
        "f(contextlib.nullcontext(1), contextlib.nullcontext(2))",
        names=NAMES,
    ),
    "an exception reaches the manager": Case(
        """
        def f(m, x):
            with m(ZeroDivisionError):
                return 1 / x
            return 'swallowed'
        """,
        """
        def f(m, x):
            with ag__.context(m(ZeroDivisionError)):
                return 1 / x
            return 'swallowed'
        """,
        "f(contextlib.suppress, 0)",
        "f(contextlib.suppress, 1)",
        names=NAMES,
    ),
    "a constant is no manager, Python says so": Case(
        """
        def f():
            with 1:
                pass
        """,
        """
        def f():
            with 1:
                pass
        """,
        "f()",
    ),
    "asynchronous ones are Python's": Case(
        """
        async def f(m):
            async with m as x:
                return x
        """,
        """
        async def f(m):
            async with m as x:
                return x
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
