"""Variables that a loop binds first, and that another iteration may read before."""

import pytest

from autograph.converters.first_bindings import FirstBindings
from autograph.converters.unbound_reads import UnboundReads
from tests.converters.converting import Case

PASSES = (UnboundReads, FirstBindings)

CASES = {
    "bound by every kind of statement": Case(
        """
        def f(n):
            t = 0
            for i in range(n):
                if i > 0:
                    t += a + b + j
                a: int = i
                for j, b in [(1, i)]:
                    pass
            return t
        """,
        """
        def f(n):
            a_is_bound = False
            b_is_bound = False
            j_is_bound = False
            t = 0
            for i in range(n):
                if i > 0:
                    t += ag__.read(lambda: a, a_is_bound) + ag__.read(lambda: b, b_is_bound) + ag__.read(lambda: j, j_is_bound)
                a: int = i
                a_is_bound = True
                for j, b in [(1, i)]:
                    b_is_bound = True
                    j_is_bound = True
                    pass
            return t
        """,
        "f(0)",
        "f(3)",
    ),
    "bound by asynchronous statements": Case(
        """
        async def f(n, items, manager):
            async for s in items():
                pass
            for i in range(n):
                t = s
                s = i
        """,
        """
        async def f(n, items, manager):
            s_is_bound = False
            async for s in items():
                s_is_bound = True
                pass
            for i in range(n):
                t = ag__.read(lambda: s, s_is_bound)
                s = i
                s_is_bound = True
        """,
    ),
    "no loop reads it": Case(
        """
        def f(n):
            for i in range(n):
                s = i
            return s
        """,
        """
        def f(n):
            for i in range(n):
                s = i
            return ag__.read(lambda: s)
        """,
        "f(0)",
        "f(3)",
    ),
    "what is deleted has no flag": Case(
        """
        def f(n):
            for i in range(n):
                if i > 0:
                    del s
                s = i
            return s
        """,
        """
        def f(n):
            for i in range(n):
                if i > 0:
                    ag__.read(lambda: s)
                    del s
                s = i
            return ag__.read(lambda: s)
        """,
        "f(0)",
        "f(3)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
