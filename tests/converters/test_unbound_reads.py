"""Reads that may find their variable unbound."""

import pytest

from autograph.converters.unbound_reads import UnboundReads
from tests.converters.converting import Case

PASSES = (UnboundReads,)

CASES = {
    "a variable of one branch": Case(
        """
        def f(x):
            if x:
                y = 1
            return y
        """,
        """
        def f(x):
            if x:
                y = 1
            return ag__.read(lambda: y)
        """,
        "f(1)",
        "f(0)",
    ),
    "a variable of both branches": Case(
        """
        def f(x):
            if x:
                y = 1
            else:
                y = 2
            return y
        """,
        """
        def f(x):
            if x:
                y = 1
            else:
                y = 2
            return y
        """,
        "f(1)",
        "f(0)",
    ),
    "an augmented assignment reads": Case(
        """
        def f(x):
            if x:
                y = 1
            y += 1
            return y
        """,
        """
        def f(x):
            if x:
                y = 1
            ag__.read(lambda: y)
            y += 1
            return y
        """,
        "f(1)",
        "f(0)",
    ),
    "a del reads": Case(
        """
        def f(x):
            if x:
                y = z = 1
            del y, z
        """,
        """
        def f(x):
            if x:
                y = z = 1
            ag__.read(lambda: y)
            ag__.read(lambda: z)
            del y, z
        """,
        "f(1)",
        "f(0)",
    ),
    "a default of a nested function, and its body": Case(
        """
        def f(x):
            if x:
                y = 1
            def g(a=y):
                return a, y
            return g()
        """,
        """
        def f(x):
            if x:
                y = 1
            def g(a=ag__.read(lambda: y)):
                return (a, ag__.read_free(lambda: y))
            return g()
        """,
        "f(1)",
        "f(0)",
    ),
    "a lambda": Case(
        """
        def f(x):
            if x:
                y = 1
            return (lambda a=y: (a, y))()
        """,
        """
        def f(x):
            if x:
                y = 1
            return (lambda a=ag__.read(lambda: y): (a, ag__.read_free(lambda: y)))()
        """,
        "f(1)",
        "f(0)",
    ),
    "an element of it is assigned": Case(
        """
        def f(x):
            if x:
                y = [1]
            y[0] = 2
            return y
        """,
        """
        def f(x):
            if x:
                y = [1]
            ag__.read(lambda: y)[0] = 2
            return ag__.read(lambda: y)
        """,
        "f(1)",
        "f(0)",
    ),
    "closures, comprehensions and class bodies": Case(
        """
        def f(x):
            def before():
                return y
            if x:
                y = 1
            def after(z=0):
                nonlocal y
                y = y + 1
                return y, [y for k in (1,)]
            other = (y for k in [y] if y)
            class A:
                a = y
                def m(self):
                    return y
            return before(), after(), {y: A.a for k in [y]}, A().m(), list(other)
        """,
        """
        def f(x):
            def before():
                return ag__.read_free(lambda: y)
            if x:
                y = 1
            def after(z=0):
                nonlocal y
                y = ag__.read_free(lambda: y) + 1
                return (ag__.read_free(lambda: y), [ag__.read_free(lambda: y) for k in (1,)])
            other = (ag__.read_free(lambda: y) for k in [ag__.read(lambda: y)] if ag__.read_free(lambda: y))
            class A:
                a = ag__.read_free(lambda: y)
                def m(self):
                    return ag__.read_free(lambda: y)
            return (before(), after(), {ag__.read_free(lambda: y): A.a for k in [ag__.read(lambda: y)]}, A().m(), list(other))
        """,
        "f(1)",
        "f(0)",
    ),
    "names that only look like it": Case(
        """
        def f(x):
            if x:
                y = 1
            def g(y):
                return y, [y for y in [y]]
            class A:
                y = 2
                z = y
            return g(3), A.z, (lambda y: y)(4), [y for y in (5,)]
        """,
        """
        def f(x):
            if x:
                y = 1
            def g(y):
                return (y, [y for y in [y]])
            class A:
                y = 2
                z = y
            return (g(3), A.z, (lambda y: y)(4), [y for y in (5,)])
        """,
        "f(1)",
        "f(0)",
    ),
    "a closure made when the variable is bound for good": Case(
        """
        def f(x):
            y = 0
            g = lambda: y
            if x:
                y = 1
            return g(), [y for k in (1,)]
        """,
        """
        def f(x):
            y = 0
            g = lambda: y
            if x:
                y = 1
            return (g(), [y for k in (1,)])
        """,
        "f(1)",
        "f(0)",
    ),
    "a closure made before a `del`": Case(
        """
        def f(x):
            y = 0
            g = lambda: y
            if x:
                del y
            return g()
        """,
        """
        def f(x):
            y = 0
            g = lambda: ag__.read_free(lambda: y)
            if x:
                del y
            return g()
        """,
        "f(0)",
        "f(1)",
    ),
    "a variable that a closure changes, where no statement moves": Case(
        """
        def f(x):
            def charge(y):
                nonlocal total
                total += y
                if total > x:
                    return 'too much'
                return total
            total = 0
            return charge(1), charge(x)
        """,
        """
        def f(x):
            def charge(y):
                nonlocal total
                total += y
                if total > x:
                    return 'too much'
                return total
            total = 0
            return (charge(1), charge(x))
        """,
        "f(3)",
    ),
    "where one moves behind a jump": Case(
        """
        def f(x):
            def charge(y):
                nonlocal total
                if y > x:
                    return 'too much'
                total = y
                return total
            if x is None:
                total = 0
            return charge(1), total
        """,
        """
        def f(x):
            def charge(y):
                nonlocal total
                if y > x:
                    return 'too much'
                total = y
                return ag__.read_free(lambda: total)
            if x is None:
                total = 0
            return (charge(1), total)
        """,
        "f(3)",
        "f(0)",
    ),
    "functions that call each other": Case(
        """
        def f(x):
            def a(n):
                return n if n > x else b(n + 1)
            def b(n):
                return a(n * 2)
            return a(0)
        """,
        """
        def f(x):
            def a(n):
                return n if n > x else b(n + 1)
            def b(n):
                return a(n * 2)
            return a(0)
        """,
        "f(9)",
    ),
    "a function that only writes the variable of the one around": Case(
        """
        def f(x):
            def g():
                nonlocal y
                if x:
                    y = 1
                return y
            if x is None:
                y = 0
            return g()
        """,
        """
        def f(x):
            def g():
                nonlocal y
                if x:
                    y = 1
                return ag__.read_free(lambda: y)
            if x is None:
                y = 0
            return g()
        """,
        "f(1)",
        "f(0)",
        "f(None)",
    ),
    "where nothing is functional Python's own error is right": Case(
        """
        def f(x):
            try:
                y = 1 / x
            except ZeroDivisionError:
                pass
            return y
        """,
        """
        def f(x):
            try:
                y = 1 / x
            except ZeroDivisionError:
                pass
            return y
        """,
        "f(1)",
        "f(0)",
    ),
    "a function that looks at its frame": Case(
        """
        def f(x):
            if x:
                y = 1
            return sorted(locals()), y
        """,
        """
        def f(x):
            if x:
                y = 1
            return (sorted(locals()), y)
        """,
        "f(1)",
        "f(0)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)
