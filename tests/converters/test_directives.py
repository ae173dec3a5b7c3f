"""`ag.set_loop_options(...)` becomes the options of its loop."""

import pytest

import autograph as ag
from autograph.converters.control_flow import ControlFlow
from autograph.converters.directives import Directives
from tests.converters.converting import Case

PASSES = (Directives, ControlFlow)
NAMES = {"ag": ag}

CASES = {
    "a while": Case(
        """
        def f(n):
            while n > 0:
                ag.set_loop_options(maximum_iterations=9)
                n = n - 1
            return n
        """,
        """
        def f(n):
            def loop_body():
                nonlocal n
                n = n - 1
            ag__.while_loop(lambda: n > 0, loop_body, lambda: (n,), options={'maximum_iterations': 9})
            return n
        """,
        "f(3)",
        names=NAMES,
    ),
    "a for that holds nothing else": Case(
        """
        def f(n):
            for i in n:
                ag.set_loop_options(unroll=2)
        """,
        """
        def f(n):
            def loop_body(i):
                pass
            ag__.for_loop(n, loop_body, item=False, options={'unroll': 2})
        """,
        "f([1])",
        names=NAMES,
    ),
    "several in one loop": Case(
        """
        def f(n, given):
            for i in n:
                ag.set_loop_options(unroll=2)
                note(i)
                ag.set_loop_options(**given)
        """,
        """
        def f(n, given):
            def loop_body(i):
                note(i)
            ag__.for_loop(n, loop_body, options={'unroll': 2, **given})
        """,
        "f([1], {'maximum_iterations': 3})",
        names=NAMES,
    ),
    "each in its own loop": Case(
        """
        def f(n):
            for i in n:
                for j in n:
                    ag.set_loop_options(unroll=3)
                    note(j)
                ag.set_loop_options(unroll=2)
        """,
        """
        def f(n):
            def loop_body(i):
                def loop_body(j):
                    note(j)
                ag__.for_loop(n, loop_body, options={'unroll': 3})
            ag__.for_loop(n, loop_body, item=False, options={'unroll': 2})
        """,
        "f([1])",
        names=NAMES,
    ),
    "another function of that name": Case(
        """
        def f(n, set_loop_options):
            for i in n:
                set_loop_options(unroll=2)
        """,
        """
        def f(n, set_loop_options):
            def loop_body(i):
                set_loop_options(unroll=2)
            ag__.for_loop(n, loop_body, item=False)
        """,
        "f([1], lambda unroll: note(unroll))",
        names=NAMES,
    ),
    "outside of a loop it is a call": Case(
        """
        def f(n):
            ag.set_loop_options(unroll=2)
            return n
        """,
        """
        def f(n):
            ag.set_loop_options(unroll=2)
            return n
        """,
        "f(1)",
        names=NAMES,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
