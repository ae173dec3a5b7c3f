"""`assert` and `contextlib.suppress`, where the function handles what they stand for."""

import contextlib

import pytest

from autograph.converters.caught_statements import CaughtStatements
from tests.converters.converting import Case

PASSES = (CaughtStatements,)
NAMES = {"contextlib": contextlib, "suppress": contextlib.suppress}

CASES = {
    "only where a handler may match": Case(
        """
        def f(x):
            try:
                assert x, "no"
            except KeyError:
                return 0
            try:
                assert x > 1
                try:
                    assert x > 2, x
                finally:
                    x += 1
            except Exception as error:
                assert x != 3
                return type(error), error.args
            return x
        """,
        """
        def f(x):
            try:
                assert x, 'no'
            except KeyError:
                return 0
            try:
                if not x > 1:
                    raise AssertionError()
                try:
                    if not x > 2:
                        raise AssertionError(x)
                finally:
                    x += 1
            except Exception as error:
                assert x != 3
                return (type(error), error.args)
            return x
        """,
        "f(0)",
        "f(1)",
        "f(2)",
        "f(3)",
    ),
    "suppress": Case(
        """
        def f(x, m):
            with suppress(KeyError, ZeroDivisionError):
                return 1 // x
            with m, suppress(KeyError):
                assert x
            with suppress(*m) as y:
                pass
        """,
        """
        def f(x, m):
            try:
                return 1 // x
            except (KeyError, ZeroDivisionError):
                pass
            with m, suppress(KeyError):
                assert x
            with suppress(*m) as y:
                pass
        """,
        "f(1, suppress())",
        "f(0, suppress())",
        names=NAMES,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
