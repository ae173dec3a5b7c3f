"""`and`, `or`, `not`."""

import pytest

from autograph.converters.logical_expressions import LONGEST_CHAIN, LogicalExpressions
from autograph.converters.showing import show
from tests.converters.converting import Case, check

PASSES = (LogicalExpressions,)

CASES = {
    "operands are evaluated when Python evaluates them, and are the value": Case(
        """
        def f(a, b, c):
            return note(a) and note(b) or note(c)
        """,
        """
        def f(a, b, c):
            return ag__.or_(ag__.and_(note(a), lambda: note(b)), lambda: note(c))
        """,
        "f(1, 2, 3)",
        "f(1, 0, 3)",
        "f(0, 1, 'c')",
    ),
    "three operands nest to the right": Case(
        """
        def f(a, b, c):
            return a or b or c
        """,
        """
        def f(a, b, c):
            return ag__.or_(a, lambda: ag__.or_(b, lambda: c))
        """,
        "f(0, [], '')",
        "f(0, 1, 2)",
    ),
    "not": Case(
        """
        def f(a, b):
            return not a, not (a and b), not not b
        """,
        """
        def f(a, b):
            return (ag__.not_(a), ag__.not_(ag__.and_(a, lambda: b)), ag__.not_(ag__.not_(b)))
        """,
        "f(1, [])",
    ),
    "operands that are static together": Case(
        """
        def f(a):
            return a is None or isinstance(a, int) and not callable(a), not a is None
        """,
        """
        def f(a):
            return (a is None or (isinstance(a, int) and (not callable(a))), not a is None)
        """,
        "f(None)",
        "f(1)",
    ),
    "one that is not makes operators of all": Case(
        """
        def f(a):
            return a is None or a > 0
        """,
        """
        def f(a):
            return ag__.or_(a is None, lambda: a > 0)
        """,
        "f(None)",
        "f(1)",
    ),
    "an operand that suspends": Case(
        """
        def f(a):
            x = a and (yield a)
            yield not (yield x)
        """,
        """
        def f(a):
            x = a and (yield a)
            yield ag__.not_((yield x))
        """,
        "f(1)",
        "f(0)",
    ),
    "the first operand may suspend": Case(
        """
        def f(a):
            x = (yield a) or a
            yield x
        """,
        """
        def f(a):
            x = ag__.or_((yield a), lambda: a)
            yield x
        """,
        "f(1)",
    ),
    "an operand that looks at its frame": Case(
        """
        def f(a):
            return a and sorted(vars())
        """,
        """
        def f(a):
            return a and sorted(vars())
        """,
        "f(1)",
        "f(0)",
    ),
    "other operators are Python's": Case(
        """
        def f(a):
            return -a, ~a, +a, a & 1 | 2
        """,
        """
        def f(a):
            return (-a, ~a, +a, a & 1 | 2)
        """,
        "f(1)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)


def test_a_long_chain_is_halved() -> None:
    names = [f"a{i}" for i in range(LONGEST_CHAIN + 1)]
    source = f"def f({', '.join(names)}): return {' and '.join(names)}"
    assert "ag__.and_(ag__.and_(a0, lambda:" in show(source, LogicalExpressions)
    ones = [1] * len(names)
    check(source, *(f"f{(*ones[:i], 0, *ones[i + 1 :])}" for i in range(len(names))), f"f{tuple(ones)}")


def test_a_chain_of_thousands_compiles() -> None:
    check(f"def f(a): return {' or '.join(['a'] * 3000)} or 5", "f(0)", "f(2)")
