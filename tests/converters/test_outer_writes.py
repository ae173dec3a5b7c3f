"""Writes to variables of outside are announced."""

import pytest

from autograph.converters.outer_writes import OuterWrites
from tests.converters.converting import Case

PASSES = (OuterWrites,)

CASES = {
    "without a declaration nothing happens": Case(
        """
        def f(x):
            y = x
            return y
        """,
        """
        def f(x):
            y = x
            return y
        """,
        "f(1)",
    ),
    "each kind of simple statement": Case(
        """
        def f(x):
            global global_a, global_b
            global_a = x
            global_a += 1
            global_b, y = global_a, 2
            del global_a
            return (global_b := global_b + y)
        """,
        """
        def f(x):
            global global_a, global_b
            ag__.touch(lambda: global_a)
            global_a = x
            ag__.touch(lambda: global_a)
            global_a += 1
            ag__.touch(lambda: global_b)
            global_b, y = (global_a, 2)
            ag__.touch(lambda: global_a)
            del global_a
            ag__.touch(lambda: global_b)
            return (global_b := (global_b + y))
        """,
        "f(1)",
    ),
    "names that statements bind": Case(
        """
        def f(x):
            global global_a, global_b, math
            def global_a(): pass
            class global_b: pass
            import math
            return global_a.__name__, global_b.__name__
        """,
        """
        def f(x):
            global global_a, global_b, math
            ag__.touch(lambda: global_a)
            def global_a():
                pass
            ag__.touch(lambda: global_b)
            class global_b:
                pass
            ag__.touch(lambda: math)
            import math
            return (global_a.__name__, global_b.__name__)
        """,
    ),
    "the header of a statement; its blocks announce their own": Case(
        """
        def f(x):
            global global_a, global_b
            for global_a in x:
                if (global_b := global_a):
                    global_a = 3
            try:
                1 / 0
            except ZeroDivisionError as global_a:
                pass
        """,
        """
        def f(x):
            global global_a, global_b
            ag__.touch(lambda: global_a)
            for global_a in x:
                ag__.touch(lambda: global_b)
                if (global_b := global_a):
                    ag__.touch(lambda: global_a)
                    global_a = 3
            ag__.touch(lambda: global_a)
            try:
                1 / 0
            except ZeroDivisionError as global_a:
                pass
        """,
        "f([1, 0])",
    ),
    "a with, a match": Case(
        """
        def f(m, x):
            global global_a, global_b
            with m as global_a:
                match x:
                    case [global_b, *_]:
                        return global_a
        """,
        """
        def f(m, x):
            global global_a, global_b
            ag__.touch(lambda: global_a)
            with m as global_a:
                ag__.touch(lambda: global_b)
                match x:
                    case [global_b, *_]:
                        return global_a
        """,
    ),
    "a cell of a function around": Case(
        """
        def f(x):
            y = 0
            def g():
                nonlocal y
                y = x
            g()
            return y
        """,
        """
        def f(x):
            y = 0
            def g():
                nonlocal y
                ag__.touch(lambda: y)
                y = x
            g()
            return y
        """,
        "f(1)",
    ),
    "reads are not announced": Case(
        """
        def f(x):
            global global_a
            global_a = x
            return global_a
        """,
        """
        def f(x):
            global global_a
            ag__.touch(lambda: global_a)
            global_a = x
            return global_a
        """,
        "f(1)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
