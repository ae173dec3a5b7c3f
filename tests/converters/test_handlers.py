"""Handlers that are wide enough to catch a refusal."""

import pytest

from autograph.converters.handlers import Handlers
from tests.converters.converting import Case

PASSES = (Handlers,)

STAYS = """
    def f(x):
        try:
            y = 1 // x
        finally:
            y = lambda: 5
            def g():
                return y
        return g()()
    """

CASES = {
    "wide and narrow": Case(
        """
        def f(x):
            try:
                return 1 // x
            except (KeyError, ZeroDivisionError):
                return 0
            except (KeyError, TypeError) as error:
                return str(error)
            except:
                raise
        """,
        """
        def f(x):
            try:
                with ag__.handled(lambda: ((KeyError, ZeroDivisionError), (KeyError, TypeError), BaseException)):
                    return 1 // x
            except (KeyError, ZeroDivisionError):
                return 0
            except ag__.caught((KeyError, TypeError)) as error:
                return str(error)
            except ag__.caught():
                raise
        """,
        "f(1)",
        "f(0)",
        "f('')",
    ),
    "what is not known is wide": Case(
        """
        def f(x, kind):
            try:
                return 1 // x
            except kind:
                return 0
        """,
        """
        def f(x, kind):
            try:
                with ag__.handled(lambda: kind):
                    return 1 // x
            except ag__.caught(kind):
                return 0
        """,
        "f(0, ZeroDivisionError)",
        "f(0, KeyError)",
    ),
    "a finally that leaves": Case(
        """
        def f(xs):
            found = 0
            for x in xs:
                try:
                    found = 1 // x
                finally:
                    if found is None:
                        continue
                    break
            return found
        """,
        """
        def f(xs):
            found = 0
            for x in xs:
                try:
                    with ag__.handled(lambda: BaseException):
                        found = 1 // x
                finally:
                    try:
                        if found is None:
                            continue
                        break
                    finally:
                        ag__.raise_refusal()
            return found
        """,
        "f([1, 2])",
        "f([0])",
    ),
    "a finally that stays": Case(STAYS, STAYS, "f(1)", "f(0)"),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
