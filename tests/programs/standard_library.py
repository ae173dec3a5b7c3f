"""`heapq`, `bisect`, `functools.reduce` with traced values; `sum`, `any`, `min`, `next` of generators of unknown length."""

import bisect
import functools
import heapq
import operator
import statistics

import numpy as np

import autograph as ag
from tests.programs.harness import floats, ints, program

numbers = program((5,), (0,), (1,))


@program((5, 3), (2, 9), transforms=("vmap",), slow=True)
def heap_of_numbers(a, b):
    heap = [a, b, 4]
    heapq.heapify(heap)
    heapq.heappush(heap, a - b)
    first = heapq.heappop(heap)
    return first, heapq.heapreplace(heap, b), heapq.heappushpop(heap, 3), heap


@program((5, 3), (2, 9), slow=True)
def heap_of_pairs(a, b):
    heap = []
    for k, time in enumerate([a, b, 4]):
        heapq.heappush(heap, (time, k))
    served = []
    for _ in range(4):
        time, k = heapq.heappop(heap)
        served.append(k)
        heapq.heappush(heap, (time + k + 2, k))
    return served, heapq.nsmallest(2, heap), heapq.nlargest(1, [a, b])


@program((5, 3), (2, 9))
def heap_under_a_condition(a, b):
    heap = [a, b, 4]
    heapq.heapify(heap)
    if a > b:
        heapq.heappush(heap, a + b)
    else:
        heapq.heappush(heap, 0)
    return heap


@program((3, 4), (3, 9), (0, 1))
def places_in_a_list(a, t):
    xs = [1, a, 5]
    bisect.insort(xs, t)
    by_key = bisect.bisect_left([(1, 2), (3, a), (9, 9)], t, key=lambda pair: pair[0])
    return xs, by_key, bisect.bisect_left([1, 2, 3], t, 1, 3), bisect.bisect([1, 2, 3], a)


@program((ints(1, 3, 5, 7), 4), (ints(1, 3, 5, 7), 9), transforms=("vmap",))
def place_in_an_array(xs, t):
    return bisect.bisect_left(xs, t), bisect.bisect_right(xs, 5)


@program((5,), (1,))
def reduce_over_a_range(n):
    product = functools.reduce(operator.mul, range(1, n + 1), 1)
    return product, functools.reduce(lambda a, b: 2 * a + b, range(n))


@program((floats(1, 2, 3),), (floats(3, 1, 2),), transforms=("grad",))
def reduce_over_an_array(xs):
    return functools.reduce(lambda a, b: a * 0.5 + b, xs) + functools.reduce(operator.add, xs, 1.0)


@numbers
def sums_over_a_range(n):
    k = 2
    pairs = sum(i * j for i in range(n) for j in range(3) if (i + j) % 2)
    return (
        sum(i * k for i in range(n) if i != k),
        sum([i * i for i in range(n)]),
        sum((i for i in range(2, n)), 10),
        pairs,
    )


@numbers
def any_and_all_over_a_range(n):
    return any(i * i > 10 for i in range(n)), all(i < 3 for i in range(n)), any(i > 3 for i in range(n) if i % 2)


@program((5,), (1,))
def extremes_over_a_range(n):
    return max(i * 7 % 5 for i in range(n)), min((i * 7 % 5 for i in range(1, n)), default=-1)


@program((0,))
def extreme_of_nothing(n):
    return max(i * 7 % 5 for i in range(n))


@program((5,), (50,), (-1,))
def extremes_of_some(n):
    return max((i for i in range(6) if i < n), default=-7), min((i * 3 % 7 for i in range(6) if i > n), default=9)


@program((5,), (50,), (-1,), transforms=("vmap",))
def first_that_passes(n):
    pair = next(((i, j) for i in range(4) for j in range(4) if i * j > n), (-1, -1))
    return next((i for i in range(10) if i * i > n), -1), pair, next((i for i in range(n) if i * i > 3), -1)


@program((floats(1, 2, 3), 2.5), (floats(1, 2, 3), 9.0))
def first_element_that_passes(xs, t):
    return next((x * 2 for x in xs if x > t), 0.0), next((i for i, x in enumerate(xs) if x > t), len(xs))


@program((5,), (90,))
def first_that_passes_or_none(n):
    i = next((i for i in range(10) if i * i > n), None)
    if i is None:
        return -1
    if (j := next((j for j in range(4) if j > i), None)) is not None:
        return i + 10 * j
    return i


@program((5,), (0,))
def generators_of_known_values(n):
    it = iter([1, 2, 3, 7, 8])
    first = next((x for x in it if x > 2), 0)
    heap = []
    for x in (3, 1, 2):
        heapq.heappush(heap, x)
    return n, first, next(it), max(x for x in [1, 5, 2] if x < 4), heap, bisect.bisect([1, 2, 3], 2)


@program((5.0,), (0.25,), (-3.0,), transforms=("vmap",))
def statistics_of_floats(c):
    three = [c, 1.0, 2.5]
    middle = statistics.median(three), statistics.median([c, 1, 7, 2.0]), statistics.median_low([c, 1.0])
    return (
        statistics.mean(three),
        statistics.fmean([c, 1]),
        middle,
        statistics.stdev(three),
        statistics.pvariance(three),
    )


@program((5,), (2,))
def statistics_of_integers(n):
    data = [n, 1, 9]
    return statistics.median(data), statistics.fmean(data), statistics.pstdev(data), statistics.median_high([n, 4])


@program((floats(1, 2, 4),), (floats(3, 1, 2),))
def median_of_an_array(xs):
    return statistics.median(xs)


@program((3, 4), (1, 5), (2, 0), stages_anyway=True, transforms=("vmap",), slow=True)
def heap_that_a_staged_loop_fills_and_empties(a, b):
    h, last = [], 0
    for _ in ag.range(4):
        ag.set_loop_options(maximum_iterations=8)
        heapq.heappush(h, b % 9)
        if len(h) > 2:
            last = heapq.heappop(h)
    return last + a, len(h)


@program((3, 4), (1, 5), (2, 0), stages_anyway=True, slow=True)
def pairs_that_a_staged_loop_fills_and_empties(a, b):
    h, last, n = [], 0, 0
    for n in ag.range(4):
        ag.set_loop_options(maximum_iterations=8)
        heapq.heappush(h, (b * n % 5, n))
        if len(h) > 2:
            last, n = heapq.heappop(h)
    return last, n, len(h), a


@program((floats(1.0, 4.0, 2.0), 0.5), (floats(3.0, -1.0, 0.0), 2.0))
def statistics_of_two_series(xs, c):
    ys = [c, 1.0, 4]
    line = statistics.linear_regression(xs, ys)
    through_zero, _ = statistics.linear_regression(xs, ys, proportional=True)
    return (
        *line,
        through_zero,
        statistics.covariance(xs, ys),
        statistics.correlation(ys, xs),
        statistics.fmean(xs, [1, c, 2]),
        statistics.fmean(ys, weights=[3, 1, c]),
        statistics.mean(float(x) + c for x in xs),
    )


@program((2.5, 4.0), (-1.0, 8.0))
def quantiles_of_few_numbers(a, b):
    data = [a, 3.0, b, 1.0, 7.0]
    thirds = statistics.quantiles(data, n=3, method="inclusive")
    return statistics.quantiles(data), thirds, statistics.quantiles([a, b], n=5)


@program((floats(1.0, 4.0), floats(3.0, -1.0)))
def reduced_by_ufuncs(x, y):
    return functools.reduce(np.maximum, [x, y, 2 * y]), functools.reduce(np.add, (x, y), 1.0)


@program((floats(1.0, 4.0), 2.0, 3))
def joined_by_subscripts(x, c, n):
    return np.r_[x, c], np.c_[x, x * 2], np.r_[1:4, x], np.r_[x[0], n, 5], np.r_[x, [1, c]]
