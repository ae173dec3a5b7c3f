"""Objects of Python's library that staged code meets: cached functions, proxies, and names that a branch finds unbound."""

import contextlib
import functools
import operator
import weakref

import numpy as np

from tests.programs.harness import program


@functools.cache
def doubled(k):
    return k * 2


@program((2,), (5,), (8,), transforms=("vmap",))
def a_cached_function_called_first_in_a_branch(n):
    r = 0
    if n > 4:
        r = doubled(n) + doubled(3)
    return r + doubled(3) + doubled(n)


@program((2,), (5,), (8,))
def a_cached_function_that_reads_a_traced_variable(n):
    @functools.lru_cache(maxsize=2)
    def plus(k, m=1):
        return k + m + n

    total = plus(1)
    if n > 4:
        total += plus(1) + plus(1, m=2) + plus(k=1)
    for i in range(n):
        total += plus(2) + plus(i)
    return total + plus(1, m=2)


@program((3,), (8,))
def a_cached_recursion_in_a_branch(n):
    @functools.cache
    def fibonacci(k):
        return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

    return fibonacci(40) % 1000 + n if n > 4 else n


class Cell:
    pass


@program((2,), (5,), (8,))
def a_proxy_is_written_in_a_branch_and_a_loop(n):
    cell = Cell()
    cell.value = 0
    proxy = weakref.proxy(cell)
    if n > 4:
        proxy.value = n
    for i in range(n):
        proxy.value = proxy.value + i
    return cell.value


@program((2,), (500,))
def a_variable_that_a_branch_reads_too_early(n):
    if n > 100:
        n = n + late
    late = 1
    return n + late


@program((np.array([3, 1, 4, 1, 5, 9], np.int32), 3), (np.array([3, 1, 4, 1, 5, 9], np.int32), 4), transforms=("vmap",))
def windows_of_written_length(x, n):
    total = x[n - 1 : n + 2].sum() + x[n - 3 : n].max()
    return total, x[n - 1 : n + 1]


@program((5,), (-5,))
def writes_by_way_of_functions_of_libraries(n):
    xs, ys = [1, 2], [3, 4]
    if n > 0:
        operator.methodcaller("reverse")(xs)
        with contextlib.ExitStack() as stack:
            stack.callback(ys.reverse)
            stack.callback(functools.partial(ys.__setitem__, 0, n))
    return xs, ys


class Valve:
    def __init__(self):
        self.level = 0

    def iteration(self, by, *, at_most=10):
        if by > 0:
            self.level = min(by, at_most)
        return self.level

    def __add__(self, by):
        if by > 0:
            return 1
        return -1


valve = Valve()


@program((5,), (-5,))
def a_method_called_by_name(n):
    own = Valve()
    iteration = operator.methodcaller("iteration", n, at_most=3)
    return iteration(own), own.level, operator.methodcaller("iteration", n)(own)


@program((5,), (-5,))
def an_operator_of_an_object_that_only_a_global_names(n):
    return valve + n


class Unset:
    """Has no attribute until a loop sets one."""


@program((3,), (9,), (-1,), transforms=("vmap",))
def attribute_that_an_earlier_iteration_sets(n):
    found, s = Unset(), 0
    for k in range(5):
        if k > n and k > 0:
            s += found.x
        found.x = k
    return s, found.x


@program((3,), (0,), (9,))
def attribute_that_a_short_circuit_reads(n):
    found, s = Unset(), 0
    while s == 0 or found.x < n:
        found.x = s
        s += 1
    return s, found.x


@program((3,), (0,), (-2,))
def attribute_that_is_read_before_it_is_set(n):
    found, s = Unset(), 0
    if n < 0:
        s = found.x
    while s < n:
        s += found.x
        found.x = 1
    return s
