"""`~` of Python's bools, which Python 3.12 warns of."""

import jax
import jax.numpy as jnp
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


def set_in_one_branch(n):
    x = False
    if n > 2:
        x = True
    return x + (n > 1), x - (n > 6)


def chosen(n):
    x = True if n > 2 else n > 1
    return x + x, x * x


def set_in_a_loop(n):
    x = y = False
    for i in range(n):
        if i > 1:
            x = True
        y = not y
    return x + y, x + (n > 1)


def toggled_and_read_in_the_loop(n):
    on, count = False, 0
    while n > 0:
        on = not on
        count += on + (n > 2)
        n -= 1
    return on + on, count


def set_in_an_unrolled_loop(n):
    found = False
    for i in range(6):
        if i == n:
            found = True
            break
    return found + found


@pytest.mark.parametrize("n", [5, 1, 2, 8])
@pytest.mark.parametrize(
    "f", [set_in_one_branch, chosen, set_in_a_loop, toggled_and_read_in_the_loop, set_in_an_unrolled_loop]
)
def test_joins_of_bools_are_integers_in_arithmetic(f, n: int) -> None:
    assert jax.tree.map(int, ag.jit(f)(n)) == jax.tree.map(int, f(n))


def test_bools_of_arrays_stay_those_of_jax() -> None:
    def f(x):
        flag = x[0] > 1
        if x[1] > 2:
            flag = x[2] > 0
        return flag + (x[0] > 0)

    x = jnp.array([1.0, 3.0, 1.0])
    assert ag.jit(f)(x).dtype == f(x).dtype == bool


def of_numbers(n):
    flag, total = False, 0
    while n > 0:
        total = total + (flag + flag)
        flag = n > 1
        n -= 1
    return total


def of_arrays(xs):
    flag, total = True, 0.0
    for x in xs:
        total = total + (flag + flag) * 1.0
        flag = x > 0
    return total


def test_a_bool_that_a_loop_carries_is_what_each_iteration_makes_it():
    assert int(ag.jit(of_numbers)(4)) == of_numbers(4) == 6
    xs = jnp.array([1.0, 2.0, -3.0])
    assert float(ag.jit(of_arrays)(xs)) == float(of_arrays(xs)) == 4.0


def test_a_bool_of_two_kinds_is_not_counted():
    def f(xs, n):
        if n > 2:
            flag = n > 3
        else:
            flag = (xs > 0).any()
        return flag + flag

    with pytest.raises(ag.StagingError, match="of a truth value that is one of Python's at one time"):
        ag.jit(f)(jnp.ones(3), 5)


def changed_in_place(n):
    flags = [n > 1, n > 3]
    total = flags[0]
    total += flags[1]
    parity = False
    for i in range(4):
        parity ^= n >> i & 1 == 1
    either = n > 6
    either |= parity
    return total, parity + parity, either + parity


@pytest.mark.parametrize("n", [5, 1, 2, 8])
def test_bools_changed_in_place(n: int) -> None:
    assert tuple(map(int, ag.jit(changed_in_place)(n))) == tuple(map(int, changed_in_place(n)))


def test_a_bool_of_python_and_one_of_an_array_are_an_array_together():
    def f(x, n):
        flag = x.sum() > 0
        flag |= n > 1
        return flag + flag

    x = jnp.array([1.0, -1.0])
    assert ag.jit(f)(x, 3).dtype == f(x, 3).dtype == bool
