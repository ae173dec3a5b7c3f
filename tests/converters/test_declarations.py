"""`global`, `nonlocal` and annotations of variables, before and after the statements move."""

import pytest

from autograph.converters.control_flow import ControlFlow
from autograph.converters.declarations import Declarations, HoistDeclarations
from tests.converters.converting import Case

PASSES = (HoistDeclarations, ControlFlow, Declarations)

CASES = {
    "declarations of blocks come to the top, behind the docstring": Case(
        '''
        def f(x):
            """What f does."""
            if x:
                global global_b
                global_b = 1
            else:
                global global_a
            global_a = x
        ''',
        '''
        def f(x):
            """What f does."""
            global global_a, global_b
            def if_body():
                global global_b
                global_b = 1
            ag__.if_stmt(x, if_body, ag__.nothing)
            global_a = x
        ''',
        "f(1)",
        "f(0)",
    ),
    "annotations of variables go, those of attributes stay": Case(
        """
        def f(x):
            a: int
            b: int = x
            if x:
                c: int
            x.real_: int
            return b
        """,
        """
        def f(x):
            b = x
            ag__.if_stmt(x, ag__.nothing, ag__.nothing)
            x.real_: int
            return b
        """,
    ),
    "a block of annotations keeps a statement": Case(
        """
        def f(x):
            if x:
                a: int
            return x
        """,
        """
        def f(x):
            ag__.if_stmt(x, ag__.nothing, ag__.nothing)
            return x
        """,
        "f(1)",
    ),
    "a variable that only functions of statements bind": Case(
        '''
        def f(x):
            """What f does."""
            if x:
                y = 1
            else:
                y = 2
            return y
        ''',
        '''
        def f(x):
            """What f does."""
            y: ag__.Undefined
            def if_body():
                nonlocal y
                y = 1
            def else_body():
                nonlocal y
                y = 2
            ag__.if_stmt(x, if_body, else_body, lambda: (y,))
            return y
        ''',
        "f(1)",
        "f(0)",
    ),
    "one that the function binds as well needs no declaration": Case(
        """
        def f(x):
            y = 0
            if x:
                y = 1
            return y
        """,
        """
        def f(x):
            y = 0
            def if_body():
                nonlocal y
                y = 1
            ag__.if_stmt(x, if_body, ag__.nothing, lambda: (y,))
            return y
        """,
        "f(1)",
        "f(0)",
    ),
    "one of the function around": Case(
        """
        def f(x):
            def g():
                nonlocal y
                if x:
                    y = 1
            y = 0
            g()
            return y
        """,
        """
        def f(x):
            def g():
                nonlocal y
                def if_body():
                    nonlocal y
                    y = 1
                ag__.if_stmt(x, if_body, ag__.nothing, lambda: (y,))
            y = 0
            g()
            return y
        """,
        "f(1)",
        "f(0)",
    ),
    "one that a closure reads": Case(
        """
        def f(x):
            if x:
                y = 1
            return lambda: y
        """,
        """
        def f(x):
            y: ag__.Undefined
            def if_body():
                nonlocal y
                y = 1
            ag__.if_stmt(x, if_body, ag__.nothing, lambda: (y,))
            return lambda: y
        """,
        "f(1)()",
        "f(0)()",
    ),
    "one that two levels of statements share": Case(
        """
        def f(x):
            while x > 0:
                if x > 1:
                    y = x
                else:
                    y = 0
                x = x - 1 - y
            return x
        """,
        """
        def f(x):
            def loop_body():
                nonlocal x
                y: ag__.Undefined
                def if_body():
                    nonlocal y
                    y = x
                def else_body():
                    nonlocal y
                    y = 0
                ag__.if_stmt(x > 1, if_body, else_body, lambda: (y,))
                x = x - 1 - y
            ag__.while_loop(lambda: x > 0, loop_body, lambda: (x,))
            return x
        """,
        "f(3)",
    ),
    "one that is deleted": Case(
        """
        def f(x):
            if x:
                del x
        """,
        """
        def f(x):
            def if_body():
                nonlocal x
                del x
            ag__.if_stmt(x, if_body, ag__.nothing, lambda: (x,), dead=('x',))
        """,
        "f(1)",
        "f(0)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
