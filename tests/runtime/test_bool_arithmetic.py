"""`~` of Python's bools, which Python 3.12 warns of."""

import pytest

import autograph as ag


@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")
@pytest.mark.parametrize("n", [5, -5, 1])
def test_inversion_gives_an_integer(n: int) -> None:
    def f(n):
        return ~(n > 0), ~(n == 1), ~(not n)

    assert tuple(map(int, ag.jit(f)(n))) == f(n)


def is_odd(n):
    return n % 2 == 1


def odd_or_large(n):
    if n % 2 == 1:
        return True
    return n > 6


@pytest.mark.parametrize("n", [5, -5, 8])
def test_what_functions_return_that_compare_is_counted(n: int) -> None:
    def f(n):
        def positive(x):
            return x > 0

        small = lambda x: x < 3  # noqa: E731
        both = is_odd(n) + odd_or_large(n)
        return both, positive(n) - positive(n - 5), small(n) + small(-n), bool(n) + any([n > 1]), -is_odd(n)

    assert tuple(map(int, ag.jit(f)(n))) == f(n)
