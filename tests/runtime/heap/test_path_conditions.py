"""Which of several failing checks a compiled program reports: the one at which Python stops."""

import jax
import jax.numpy as jnp
import pytest

import autograph as ag


def raise_then_assert(n):
    if n > 8:
        raise ValueError("too large")
    assert n < 6, "checked"
    if n > 3:
        raise KeyError("last")
    return n


def in_a_branch(n):
    if n > 5:
        assert n < 9, "inner"
    assert n < 8, "outer"
    return n


def in_either_branch(n):
    if n == 1:
        assert n > 5, "one"
    elif n == 2:
        raise ValueError("two")
    if n < 4:
        raise KeyError("below four")
    return n


def by_pattern(n):
    match n:
        case 1:
            assert n > 5, "one"
        case 2:
            raise ValueError("two")
        case _:
            pass
    assert n > 3, "after"
    return n


def in_a_loop_without_results(xs, n):
    for x in xs:
        assert x < 3, "loop"
    assert n < 8, "after"
    return n


def in_a_loop_of_known_length(xs, n):
    for _ in xs:
        if n > 5:
            raise ValueError("loop")
    assert n < 4, "after"
    return n


def in_a_loop_of_one_iteration(n):
    i = n * 0
    while i < 1:
        assert n < 3, "loop"
        i += 1
    assert n < 2, "after"
    return n


def in_a_loop_that_may_end(n):
    s = 0.0
    while s < n:
        if s > 3.0:
            raise KeyError("deep")
        s = s * 2 + 1
    else:
        assert n < 2.5, "else"
    assert n < 1.5, "after"
    return s


def in_a_loop_in_a_branch(n, iterations):
    if n > 5:
        for i in range(iterations):
            assert i < 3, "loop"
    assert n < 8, "after"
    return n


def in_a_loop_of_a_loop(xs, n):
    for x in xs:
        for k in range(n):
            assert k < x, "inner"
        assert x < 3, "outer"
    if n > 4:
        raise ValueError("after")
    return n


def in_an_iteration(n):
    for i in range(n):
        if i == 3:
            assert n < 5, "three"
        if i == 2:
            raise ValueError("two")
    assert n < 1, "after"
    return n


def below(n, limit):
    assert n < limit, "too large"
    return n < 3


def in_a_loop_test(n):
    while below(n, 4):
        n = n + 1
        assert n < 3, "turn"
    assert n < 1, "after"
    return n


def in_a_loop_test_of_known_iterations(n, m):
    def goes_on(i):
        assert n < 3, "test"
        return i < 2

    i = n * 0
    while goes_on(i):
        i += 1
    assert m < 3, "after"
    return i


def in_an_operand(n):
    if n > 3 and not below(n, 10) or n > 2:
        assert n < 4, "body"
    assert n < 3, "after"
    return n


def of_items_that_may_not_be_asked(xs, n):
    found = any(below(x, n + 3) for x in xs)
    assert n < 2, "after"
    return found


class Small:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        assert self.value < 5, "equal"
        return self.value == other.value

    def __lt__(self, other):
        assert self.value > 1, "less"
        return self.value < other.value


def in_equality(n, m):
    same = [Small(n), Small(m)] == [Small(1), Small(2)]
    assert n < 2, "after"
    return same


def in_an_order(n, m):
    less = [Small(n), Small(m)] < [Small(1), Small(3)]
    assert n < 3, "after"
    return less


def in_membership(n, m):
    found = Small(3) in [Small(n), Small(m)]
    assert n < 4, "after"
    return found


def property_in_a_loop_test(n):
    counter = Counter(n)
    while counter.n < 4 and counter.checked < 3:
        counter.n += 1
    assert n < 2, "after"
    return counter.n


class Counter:
    def __init__(self, n):
        self.n = n

    @property
    def checked(self):
        assert self.n > -3, "property"
        return self.n


def an_index(n):
    numbers = [n, n + 1, n + 2]
    first = numbers[n]
    assert n < 2, "after"
    return first + n


def an_index_in_an_iteration(xs, n):
    numbers = [n, n + 1, n + 2]
    s = 0
    for x in xs:
        s += numbers[x]
    assert n < 2, "after"
    return s


def an_index_in_an_iteration_of_a_branch(n):
    numbers = [n, n + 1, n + 2]
    s = 0
    if n > 1:
        i = 0
        while s < n:
            s += numbers[i]
            i += 3
    assert n < 6, "after"
    return s


def many_indices(n):
    numbers = [n, n + 1]
    total = numbers[n]
    for _ in "123456789":
        total += numbers[n - n]
    assert n < 2, "after"
    return total


CALLS = [
    *((raise_then_assert, (n,)) for n in (9, 7, 5, 2)),
    *((in_a_branch, (n,)) for n in (10, 8, 6, 3)),
    *((f, (n,)) for f in (in_either_branch, by_pattern) for n in (1, 2, 3, 5)),
    *((in_a_loop_without_results, call) for call in (([1, 2, 3], 9), ([1, 2, 2], 9), ([1, 5, 1], 1), ([1, 2, 1], 1))),
    *((in_a_loop_of_known_length, ([1, 2], n)) for n in (9, 5, 3)),
    *((in_a_loop_of_one_iteration, (n,)) for n in (5, 2, 1)),
    *((in_a_loop_that_may_end, (n,)) for n in (9.0, 2.6, 1.6, 1.2)),
    *((in_a_loop_in_a_branch, call) for call in ((10, 5), (10, 2), (6, 5), (3, 7))),
    *((in_a_loop_of_a_loop, call) for call in (([9, 2], 5), ([1, 1], 1), ([4, 1], 1), ([2, 2], 2), ([2, 1], 2))),
    *((in_an_iteration, (n,)) for n in (5, 3, 2, 0)),
    *((in_a_loop_test, (n,)) for n in (5, 4, 3, 2, 0)),
    *((in_a_loop_test_of_known_iterations, call) for call in ((5, 5), (5, 1), (1, 5), (1, 1))),
    *((in_an_operand, (n,)) for n in (11, 8, 4, 3, 2)),
    *((of_items_that_may_not_be_asked, call) for call in (([1, 9], 3), ([4, 9], 3), ([4, 9], 1), ([2, 9], 1))),
    *((in_equality, call) for call in ((1, 2), (1, 9), (2, 9), (9, 9), (2, 1))),
    *((in_an_order, call) for call in ((1, 2), (1, 9), (2, 9), (0, 2), (9, 1), (3, 1), (1, 1))),
    *((in_membership, call) for call in ((1, 2), (3, 9), (1, 9), (9, 3), (4, 3), (4, 9))),
    *((property_in_a_loop_test, (n,)) for n in (-4, 0, 2, 9)),
    *((an_index, (n,)) for n in (3, 2, 1)),
    *((an_index_in_an_iteration, call) for call in (([1, 3], 3), ([1, 2], 3), ([1, 3], 0), ([1, 2], 1))),
    *((an_index_in_an_iteration_of_a_branch, (n,)) for n in (2, 7, 1)),
    *((many_indices, (n,)) for n in (3, 2, 1)),
]


def reported(f, arguments):
    """The error of a compiled call; an empty string where it returns."""
    try:
        jax.block_until_ready(f(*arguments))
        jax.effects_barrier()
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("f", "arguments"), CALLS, ids=[f"{f.__name__}{arguments}" for f, arguments in CALLS])
def test_the_first_is_reported(f, arguments):
    arguments = [jnp.array(x) if isinstance(x, list) else x for x in arguments]
    found = reported(ag.jit(f), arguments)
    try:
        f(*arguments)
    except Exception as error:
        assert type(error).__name__ in found and str(error).splitlines()[0] in found
        assert found.count("Error: ") == 1, "one of the program's"
    else:
        assert not found


def squared_or_not(n, xs):
    found = any(below(x, 5) for x in xs)
    assert n < 2, "after"
    return n * n if found else n


@pytest.mark.parametrize(("n", "xs"), [(3.0, [4, 9]), (1.0, [4, 9]), (3.0, [1, 9]), (3.0, [1, 3])])
def test_the_first_is_reported_under_a_derivative(n, xs):
    def slope(n, xs):
        return jax.grad(squared_or_not)(n, xs)

    found = reported(ag.jit(slope), (n, jnp.array(xs)))
    try:
        squared_or_not(n, xs)
    except AssertionError as error:
        assert str(error).splitlines()[0] in found
    else:
        assert not found
