"""`super()` inside functions of statements."""

import pytest

from autograph.converters.control_flow import ControlFlow
from autograph.converters.jumps import Jumps
from autograph.converters.logical_expressions import LogicalExpressions
from autograph.converters.super_calls import SuperCalls
from tests.converters.converting import Case, check

PASSES = (Jumps, ControlFlow, LogicalExpressions, SuperCalls)

CASES = {
    "where it did not move it stays": Case(
        """
        def m(self):
            return super().m()
        """,
        """
        def m(self):
            return super().m()
        """,
    ),
    "in a body": Case(
        """
        def m(self, x):
            while x:
                x = super().m(x)
        """,
        """
        def m(self, x):
            def loop_body():
                nonlocal x
                x = super(__class__, self).m(x)
            ag__.while_loop(lambda: x, loop_body, lambda: (x,), dead=('x',))
        """,
    ),
    "in an operand": Case(
        """
        def m(self, x):
            return x and super().m(x)
        """,
        """
        def m(self, x):
            return ag__.and_(x, lambda: super(__class__, self).m(x), lazy=True)
        """,
    ),
    "the first parameter may be positional only": Case(
        """
        def m(me, /, x):
            return x or super().m(x)
        """,
        """
        def m(me, /, x):
            return ag__.or_(x, lambda: super(__class__, me).m(x), lazy=True)
        """,
    ),
    "with arguments it stays": Case(
        """
        def m(self, x):
            return x or super(A, self).m(x)
        """,
        """
        def m(self, x):
            return ag__.or_(x, lambda: super(A, self).m(x), lazy=True)
        """,
    ),
    "without a first parameter Python complains": Case(
        """
        def m(*args):
            return args or super().m()
        """,
        """
        def m(*args):
            return ag__.or_(args, lambda: super().m(), lazy=True)
        """,
    ),
    "a super of the user's": Case(
        """
        def m(self, super):
            return self or super()
        """,
        """
        def m(self, super):
            return ag__.or_(self, lambda: super(), lazy=True)
        """,
    ),
    "a lambda has no self of its own": Case(
        """
        def m(self, x):
            return x and (lambda: super().m(x))
        """,
        """
        def m(self, x):
            return ag__.and_(x, lambda: lambda: super().m(x), lazy=True)
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str) -> None:
    CASES[name].examine(*PASSES)


def test_methods_find_their_base() -> None:
    source = """
    class Base:
        def m(self, x):
            return 'base', x

    class Derived(Base):
        def m(self, x):
            while x > 3:
                if x > 5:
                    return super().m(x)
                x += 1
            return x and super().m(-x)
    """
    check(source, "Derived().m(0)", "Derived().m(2)", "Derived().m(4)", "Derived().m(9)")
