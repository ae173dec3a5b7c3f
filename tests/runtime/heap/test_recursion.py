"""Recursion under traced conditions: refused where a further call can only do what the one around it does, else staged."""

import time
import traceback

import pytest

import autograph as ag
from autograph.runtime.heap import recursion

calls = []


def factorial(n):
    calls.append(n)
    return 1 if n <= 1 else n * factorial(n - 1)


def fibonacci(n):
    calls.append(n)
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def even(n):
    calls.append(n)
    if n == 0:
        return True
    return odd(n - 1)


def odd(n):
    calls.append(n)
    if n == 0:
        return False
    return even(n - 1)


def hanoi(n, a=1, b=2):
    calls.append(n)
    k = 0
    while n > 0:
        k += hanoi(n - 1, a, b) + 1
        n = n - 1
    return k


def total(n, so_far=0):
    calls.append(n)
    if n == 0:
        return so_far
    return total(n - 1, so_far + n)


def of_a_list(n):
    def first(xs, n):
        calls.append(n)
        if n > 0:
            return first([x + 1 for x in xs], n - 1)
        return xs[0]

    return first([n, n], n)


class Node:
    def __init__(self, limit):
        self.limit = limit

    def depth(self, n):
        calls.append(n)
        if n > self.limit:
            return self.depth(n - 1) + 1
        return 0


def of_a_method(n):
    return Node(2).depth(n)


ENDLESS = [factorial, fibonacci, even, hanoi, total, of_a_list, of_a_method]


@pytest.mark.slow
@pytest.mark.parametrize("f", ENDLESS, ids=lambda f: f.__name__)
def test_refused_where_nothing_differs(f):
    calls.clear()
    with pytest.raises(ag.StagingError, match="calls itself") as caught:
        ag.jit(f)(5)
    assert len(calls) <= 6  # some variables are Python's in the first call only
    frames = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == __file__]
    assert len(frames) <= 3, frames  # this test, the function, who calls it


def test_refused_soon_where_the_function_is_large():
    def large(n):
        if n <= 0:
            return 0
        s = n
        for k in range(40):
            if s > k:
                s = s + k
            else:
                s = s - k
        return large(n - 1) + large(n - 2) + s

    begin = time.process_time()
    with pytest.raises(ag.StagingError, match="'large' calls itself"):
        ag.jit(large)(3)
    assert time.process_time() - begin < 10


def test_refused_at_last_where_a_python_value_grows():
    def grows(n, k=0):
        if n > k:
            return grows(n, k + 1)
        return k

    with pytest.raises(ag.StagingError, match="'grows' calls itself under a traced condition"):
        ag.jit(grows)(3)


# --- what a Python value ends ---


def by_a_number(x, n=5):
    if n == 0:
        return x
    if x > 3:
        return by_a_number(x - 1, n - 1)
    return by_a_number(x + 1, n - 1)


def through_a_tree(x, tree=(3, (1, None, None), (5, (4, None, None), None))):
    if tree is None:
        return 0
    value, left, right = tree
    if x > value:
        return through_a_tree(x, right) + 1
    return through_a_tree(x, left) + 2


def along_a_list(x, xs=(1, 2, 3, 4)):
    if len(xs) == 0:
        return 0
    if x > xs[0]:
        return along_a_list(x, xs[1:]) + xs[0]
    return along_a_list(x, xs[1:])


class Counter:
    def __init__(self):
        self.left = 3

    def run(self, x):
        if self.left == 0:
            return x
        self.left -= 1
        if x > 0:
            return self.run(x - 1)
        return self.run(x + 2)


def by_an_attribute(x):
    return Counter().run(x)


LEFT = [4]


def by_an_element(x):
    if LEFT[0] == 0:
        return x
    if x > 0:
        LEFT[0] -= 1
        x = by_an_element(x - 1)
        LEFT[0] += 1
    return x


def by_a_variable_around(x):
    left = 3

    def go(x):
        nonlocal left
        if left == 0:
            return x
        if x > 0:
            left -= 1
            return go(x - 1)
        return x

    return go(x)


def by_a_variable_that_only_a_callee_writes(x):
    left = 3

    def go(x):
        nonlocal left
        left -= 1
        return outer(x)

    def outer(x):
        if x > 0:
            return x if left == 0 else go(x - 1)
        return -x

    return outer(x)


def by_defaults(x):
    f = abs
    for k in range(8):

        def f(x, k=k, rest=f):
            return x * 2 if x == k else rest(x)

    return f(x)


def mutually(x, n=4):
    if n == 0:
        return x
    if x > 0:
        return other(n - 1, x - 1)
    return -x


def other(n, x):
    if n == 0:
        return x * 2
    if x > 1:
        return mutually(x, n - 1)
    return x


def by_a_continuation(x, then=lambda v: v, n=3):
    if n == 0:
        return then(x)
    if x > 0:
        return by_a_continuation(x - 1, lambda v: then(v + 1), n - 1)
    return by_a_continuation(x + 1, lambda v: then(v - 1), n - 1)


def in_a_loop(x, n=2):
    k = 0
    while x > 0:
        x = x - 1
        if n > 0:
            k = k + in_a_loop(x, n - 1)
        k = k + 1
    return k


def of_the_function_it_is_given(x):
    def twice(g):
        return lambda x: g(g(x)) if x > 0 else g(x)

    return twice(twice(twice(lambda x: x - 1)))(x)


def by_a_set(x, seen=None):
    seen = {1, 2, 3} if seen is None else seen
    if not seen:
        return x
    if x > 0:
        return by_a_set(x - 1, seen - {len(seen)})
    return x


ENDING = [
    by_a_number,
    through_a_tree,
    along_a_list,
    by_an_attribute,
    by_an_element,
    by_a_variable_around,
    by_a_variable_that_only_a_callee_writes,
    by_defaults,
    mutually,
    by_a_continuation,
    in_a_loop,
    of_the_function_it_is_given,
    by_a_set,
]


@pytest.mark.parametrize("f", ENDING, ids=lambda f: f.__name__)
def test_staged_where_a_python_value_ends_it(f):
    program = ag.jit(lambda x: f(x))
    assert [int(program(x)) for x in (-2, 1, 4, 9)] == [f(x) for x in (-2, 1, 4, 9)]


def flood(grid, i, j):
    if i < 0 or i >= len(grid) or j < 0 or j >= len(grid[0]):
        return
    if grid[i][j] != 1:
        return
    grid[i][j] = 0
    flood(grid, i + 1, j)
    flood(grid, i - 1, j)
    flood(grid, i, j + 1)
    flood(grid, i, j - 1)


def islands(grid):
    count = 0
    for i in range(len(grid)):
        for j in range(len(grid[i])):
            if grid[i][j] == 1:
                flood(grid, i, j)
                count += 1
    return count


def test_recursion_on_all_paths_is_refused_once_it_has_more_calls_than_programs_have(monkeypatch) -> None:
    monkeypatch.setattr(recursion, "_MOST", 100)
    assert ag.jit(islands)([[1, 0], [0, 1]]) == islands([[1, 0], [0, 1]]) == 2
    with pytest.raises(ag.StagingError, match="'flood' calls itself under a traced condition"):
        ag.jit(islands)([[1] * 4 for _ in range(4)])
