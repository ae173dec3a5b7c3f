"""`a if test else b`."""

import pytest

from autograph.converters.conditional_expressions import ConditionalExpressions
from tests.converters.converting import Case

PASSES = (ConditionalExpressions,)

CASES = {
    "only the chosen branch runs": Case(
        """
        def f(p):
            return note(1) if note(p) else note(2)
        """,
        """
        def f(p):
            return ag__.if_exp(note(p), lambda: note(1), lambda: note(2))
        """,
        "f(True)",
        "f(0)",
    ),
    "one in a branch of another": Case(
        """
        def f(p, q):
            return 1 if p else 2 if q else 3
        """,
        """
        def f(p, q):
            return ag__.if_exp(p, lambda: 1, lambda: ag__.if_exp(q, lambda: 2, lambda: 3))
        """,
        "f(0, 0)",
        "f(0, 1)",
        "f(1, 0)",
    ),
    "one in the test of another": Case(
        """
        def f(p, q):
            return 1 if (p if q else not p) else 2
        """,
        """
        def f(p, q):
            return ag__.if_exp(ag__.if_exp(q, lambda: p, lambda: not p), lambda: 1, lambda: 2)
        """,
        "f(0, 0)",
        "f(1, 0)",
    ),
    "a static test": Case(
        """
        def f(p):
            return 1 if p is None else 2
        """,
        """
        def f(p):
            return 1 if p is None else 2
        """,
        "f(None)",
        "f(1)",
    ),
    "a branch that suspends": Case(
        """
        def f(p):
            x = (yield 1) if p else 2
            yield x
        """,
        """
        def f(p):
            x = (yield 1) if p else 2
            yield x
        """,
        "f(1)",
        "f(0)",
    ),
    "a branch that looks at its frame": Case(
        """
        def f(p):
            return sorted(locals()) if p else []
        """,
        """
        def f(p):
            return sorted(locals()) if p else []
        """,
        "f(1)",
        "f(0)",
    ),
    "a branch that binds in a lambda": Case(
        """
        def f(p):
            return (lambda q: (r := q) if q else 0)(p)
        """,
        """
        def f(p):
            return (lambda q: (r := q) if q else 0)(p)
        """,
        "f(1)",
        "f(0)",
    ),
    "a default of a nested function, and its body": Case(
        """
        def f(p):
            def g(a=1 if p else 2):
                return 3 if a else 4
            return g()
        """,
        """
        def f(p):
            def g(a=ag__.if_exp(p, lambda: 1, lambda: 2)):
                return ag__.if_exp(a, lambda: 3, lambda: 4)
            return g()
        """,
        "f(1)",
    ),
    "the level of a class body stays, its methods do not": Case(
        """
        def f(p):
            class A:
                a = 1 if p else 2
                def m(self):
                    return 3 if self.a == 1 else 4
            return A().m()
        """,
        """
        def f(p):
            class A:
                a = 1 if p else 2
                def m(self):
                    return ag__.if_exp(self.a == 1, lambda: 3, lambda: 4)
            return A().m()
        """,
        "f(1)",
        "f(0)",
    ),
    "decorators and annotations stay": Case(
        """
        def f(p):
            @(note if p else note)
            def g(a: int if p else float) -> int if p else float:
                return a
            return g
        """,
        """
        def f(p):
            @note if p else note
            def g(a: int if p else float) -> int if p else float:
                return a
            return g
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
