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
            return ag__.or_(ag__.and_(note(a), lambda: note(b), lazy=True), lambda: note(c), lazy=True)
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
            return (ag__.not_(a), ag__.not_(ag__.and_(a, lambda: b, test=True)), ag__.not_(ag__.not_(b)))
        """,
        "f(1, [])",
    ),
    "of the operands of a test the truth": Case(
        """
        def f(a, b):
            c = a > 0
            while a > 0 and (b or a < 3):
                a = a - 1 if c and not b else 0
            assert c or a < 0 or b
            return [b and a for i in (1, 2) if b or i and a]
        """,
        """
        def f(a, b):
            c = a > 0
            while ag__.and_(a > 0, lambda: ag__.or_(b, lambda: a < 3, test=True), test=True):
                a = a - 1 if ag__.and_(c, lambda: ag__.not_(b), test=True) else 0
            assert ag__.or_(c, lambda: ag__.or_(a < 0, lambda: b, test=True), test=True)
            return [ag__.and_(b, lambda: a) for i in (1, 2) if ag__.or_(b, lambda: ag__.and_(i, lambda: a, test=True), test=True)]
        """,
        "f(2, [])",
        "f(2, [3])",
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
            return -a, ~a, a & 1 | 2
        """,
        """
        def f(a):
            return (-a, ~a, a & 1 | 2)
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


@pytest.mark.slow
def test_a_chain_of_thousands_compiles() -> None:
    check(f"def f(a): return {' or '.join(['a'] * 3000)} or 5", "f(0)", "f(2)")
