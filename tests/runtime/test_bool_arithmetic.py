"""`~` of Python's bools, which Python 3.12 warns of."""

import pytest

import autograph as ag


@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")
@pytest.mark.parametrize("n", [5, -5, 1])
def test_inversion_gives_an_integer(n: int) -> None:
    def f(n):
        return ~(n > 0), ~(n == 1), ~(not n)

    assert tuple(map(int, ag.jit(f)(n))) == f(n)
