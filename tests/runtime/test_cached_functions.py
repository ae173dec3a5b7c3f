"""Functions under `functools.cache`: what they read may not change between two calls whose order only the program knows."""

import functools

import pytest

import autograph as ag
from autograph import StagingError

RATE = 1


class Box:
    def __init__(self, value):
        self.value = value
        self.seen = 0


@functools.cache
def with_a_global(a):
    return a * RATE


def reads_a_variable_of_an_arm(x):
    k = 1

    @functools.cache
    def f(a):
        return a * k

    if x > 0:
        k = 2
        f(3)
    return f(3)


def reads_a_variable_of_a_loop(x):
    k, total = 0, 0

    @functools.cache
    def f(a):
        return a * k

    while total < x:
        k += 1
        total += f(3)
    return total


def reads_a_traced_variable_that_is_assigned_again(x):
    k = x

    @functools.cache
    def f(a):
        return a * k

    first = f(3)
    k = x + 1
    return first + f(3) if x > 0 else f(3)


def is_called_again_with_another_rate(x):
    k = 1

    @functools.cache
    def f(a):
        return a * k

    first = f(x)
    k = 2
    return first + f(x)


def reads_an_attribute_of_an_arm(x):
    box = Box(1)

    @functools.cache
    def f(a):
        return a * box.value

    if x > 0:
        box.value = 5
        f(2)
    return f(2)


def reads_what_is_written_behind_it_in_a_loop(x):
    box, total = Box(1), 0

    @functools.cache
    def f(a):
        return a * box.value

    for _ in range(x):
        total += f(2)
        box.value += 1
    return total


def reads_a_list_of_a_loop(x):
    numbers, total = [1], 0

    @functools.cache
    def f(a):
        return a * numbers[0]

    while total < x:
        total += f(2)
        numbers[0] += 1
    return total


def reads_a_global_of_a_loop(x):
    global RATE
    total = 0
    while total < x:
        total += with_a_global(2)
        RATE += 1
    return total


CHANGING = {
    reads_a_variable_of_an_arm: "k",
    reads_a_variable_of_a_loop: "k",
    reads_a_traced_variable_that_is_assigned_again: "k",
    is_called_again_with_another_rate: "k",
    reads_an_attribute_of_an_arm: "<Box>.value",
    reads_what_is_written_behind_it_in_a_loop: "<Box>.value",
    reads_a_list_of_a_loop: "numbers",
    reads_a_global_of_a_loop: "RATE",
}


@pytest.mark.parametrize("fn", CHANGING, ids=lambda fn: fn.__name__)
def test_what_it_reads_changes(fn):
    with pytest.raises(StagingError, match=f"is kept by functools.cache, and reads {CHANGING[fn]}, which changes"):
        ag.jit(fn)(3)
    assert RATE == 1


def test_what_it_does_not_read_may_change():
    def fn(x):
        box, total = Box(1), 0

        @functools.cache
        def f(a):
            return a * box.value + x

        for _ in range(x):
            total += f(2)
            box.seen += 1
        return total + f(x), box.seen

    for x in (3, 0):
        assert ag.jit(fn)(x) == fn(x)


def clears_a_cache_in_an_arm(x):
    k = 1

    @functools.cache
    def f(a):
        return a * k

    f(3)
    k = 2
    if x > 0:
        f.cache_clear()
    return f(3)


def counts_the_calls_of_an_arm(x):
    @functools.cache
    def f(a):
        return a * 2

    y = f(4) if x > 0 else f(3)
    return y, f.cache_info().misses


def test_what_a_cache_knows_cannot_be_changed_or_asked():
    with pytest.raises(StagingError, match=r"cache_clear\(\) changes a _lru_cache_wrapper inside a staged statement"):
        ag.jit(clears_a_cache_in_an_arm)(3)
    with pytest.raises(StagingError, match=r"cache_info\(\) counts the calls of f\(\)"):
        ag.jit(counts_the_calls_of_an_arm)(3)


def test_a_cache_outside_of_staged_statements_is_pythons():
    def fn(x):
        @functools.cache
        def f(a):
            return a * 2

        hits = f(3) - f(3) + f.cache_info().hits
        f.cache_clear()
        return hits + 1 if x > 0 else hits, f.cache_info().currsize

    for x in (3, -3):
        assert ag.jit(fn)(x) == fn(x)
