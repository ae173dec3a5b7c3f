"""Chained comparisons, membership, identity with a bool."""

import numpy as np
import pytest

from autograph.converters.comparisons import Comparisons
from tests.converters.converting import Case

PASSES = (Comparisons,)

CASES = {
    "a single comparison stays": Case(
        """
        def f(a, b):
            return a < b, a == 1, a.real == 2.0, b.shape == (), a is not None
        """,
        """
        def f(a, b):
            return (a < b, a == 1, a.real == 2.0, b.shape == (), a is not None)
        """,
        "f(1, 2)",
    ),
    "equality of what may be containers or objects": Case(
        """
        def f(a, b):
            return a == b, a != [b], a == a.real
        """,
        """
        def f(a, b):
            return (ag__.eq(a, b), ag__.ne(a, [b]), ag__.eq(a, a.real))
        """,
        "f(1, 1)",
        "f(1, 2)",
    ),
    "shapes, whose sizes may not be known, but for that of a number": Case(
        """
        def f(a, b):
            return a.shape == b.shape, a.shape != (2,), a.shape[0] == 2, a.shape == ()
        """,
        """
        def f(a, b):
            return (ag__.eq(a.shape, b.shape), ag__.ne(a.shape, (2,)), a.shape[0] == 2, a.shape == ())
        """,
        "f(np.zeros(2), np.zeros(3))",
        names={"np": np},
    ),
    "order where a container is seen": Case(
        """
        def f(a, b):
            c = (a, b)
            return c < (b, a), [a] >= [b], a < b, b <= c, (a, b) > c
        """,
        """
        def f(a, b):
            c = (a, b)
            return (ag__.lt(c, (b, a)), ag__.ge([a], [b]), a < b, ag__.le(b, c), ag__.gt((a, b), c))
        """,
        "f(1, (2, 3))",
        "f((1,), (0,))",
    ),
    "what is used as a number stays": Case(
        """
        def f(a, b, n):
            c = a - b
            for k in range(n):
                if k == c or a == b:
                    return k
            return c != n, len([n]) == n
        """,
        """
        def f(a, b, n):
            c = a - b
            for k in range(n):
                if k == c or a == b:
                    return k
            return (c != n, len([n]) == n)
        """,
        "f(5, 3, 4)",
        "f(5, 3, 1)",
    ),
    "membership": Case(
        """
        def f(a, b):
            return a in b, a not in b
        """,
        """
        def f(a, b):
            return (ag__.in_(a, b), ag__.not_in(a, b))
        """,
        "f(1, [1])",
        "f(2, [1])",
    ),
    "identity with a bool": Case(
        """
        def f(a):
            return a is True, False is not a
        """,
        """
        def f(a):
            return (ag__.is_(a, True), ag__.is_not(False, a))
        """,
        "f(True)",
        "f(1)",
    ),
    "identity with an object that statements may merge": Case(
        """
        def f(a, b):
            return a is b, a is not b, type(a) is int, a is int, len is not a, a is ..., a is (b, b)
        """,
        """
        def f(a, b):
            return (ag__.is_(a, b), ag__.is_not(a, b), type(a) is int, a is int, ag__.is_not(len, a), a is ..., ag__.is_(a, (b, b)))
        """,
        "f(1, 1)",
        "f(int, len)",
    ),
    "a chain evaluates each operand at most once, and none after a failure": Case(
        """
        def f(a, b, c):
            return note(a) < note(b) <= note(c) != note(0)
        """,
        """
        def f(a, b, c):
            return ag__.compare(note(a), '<', lambda: note(b), '<=', lambda: note(c), '!=', lambda: note(0), lazy=True)
        """,
        "f(1, 2, 3)",
        "f(2, 1, 3)",
        "f(1, 2, 1)",
    ),
    "a chain of every sign": Case(
        """
        def f(a, b):
            c = a <= b >= a != b == b > a
            return c, a in [a] is not b not in [b] is b
        """,
        """
        def f(a, b):
            c = ag__.compare(a, '<=', lambda: b, '>=', lambda: a, '!=', lambda: b, '==', lambda: b, '>', lambda: a)
            return (c, ag__.compare(a, 'in', lambda: [a], 'is not', lambda: b, 'not in', lambda: [b], 'is', lambda: b, lazy=True))
        """,
        "f(1, 2)",
    ),
    "a chain of identities is static": Case(
        """
        def f(a, b):
            return a is b is None
        """,
        """
        def f(a, b):
            return a is b is None
        """,
        "f(None, None)",
        "f(1, None)",
    ),
    "a chain that suspends": Case(
        """
        def f(a, b):
            yield 0 < (yield a) < b
        """,
        """
        def f(a, b):
            yield (0 < (yield a) < b)
        """,
        "f(1, 2)",
    ),
    "a chain that binds": Case(
        """
        def f(a, c):
            b = 0
            return a < (b := note(a + 1)) < c, b
        """,
        """
        def f(a, c):
            b = 0
            return (ag__.and_(a < (middle := (b := note(a + 1))), lambda: middle < c), b)
        """,
        "f(1, 3)",
        "f(1, 1)",
    ),
    "a chain of membership that binds": Case(
        """
        def f(a, c):
            return a in (b := c) is not True
        """,
        """
        def f(a, c):
            return ag__.and_(ag__.in_(a, (middle := (b := c))), lambda: ag__.is_not(middle, True), lazy=True)
        """,
        "f(1, 3)",
        "f(1, 1)",
    ),
    "a chain that binds in a lambda has no statement in front": Case(
        """
        def f(a):
            return (lambda c: a < (b := c) < 3)(2)
        """,
        """
        def f(a):
            return (lambda c: a < (b := c) < 3)(2)
        """,
        "f(1)",
    ),
    "a chain that looks at its frame": Case(
        """
        def f(a):
            return 0 < a < len(locals())
        """,
        """
        def f(a):
            return 0 < a < len(locals())
        """,
        "f(1)",
        "f(0)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
