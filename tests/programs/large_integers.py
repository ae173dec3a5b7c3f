"""Floats and comparisons beside Python integers that no integer of a program holds."""

import math
import sys

from tests.programs.harness import program

BIG = 10**12


@program((1.5,), (-2.25,))
def arithmetic_of_a_float(x):
    y = x * 10**10 + 2**40
    y -= 10**11
    y *= 2**33
    return y / BIG + (10**10 - x) / 2**50 + x // 10**10 - x % 2**35


@program((1.5, 2), (0.25, 11))
def powers_of_a_known_exponent(x, k):
    total = 0.0
    for n in range(12):
        total += x * 10**n / 10**11 + (1 << 3 * n) * x / 2**33
    return total + x / 10**k


@program((0.5,), (1.0,))
def series_with_factorials(x):
    total, other, fact = 0.0, 0.0, 1
    for n in range(1, 17):
        fact *= n
        total += x**n / fact
        other += x**n / math.factorial(n)
    return total, other


@program((3,), (-2,))
def comparisons_of_an_integer(n):
    found = [n < 2**40, n > sys.maxsize, 2**40 == n, n != -BIG, -BIG <= n, 0 < n < 10**10, n in (BIG, 3)]
    least = BIG
    if n < least:
        least = n
    return found, least, min(n, BIG), max(-BIG, n)


@program((1.5,), (float("inf"),), (float("-inf"),), (float("nan"),))
def comparisons_of_a_float(x):
    above, below = 10**400, -(10**400)
    found = [x < above, x <= above, x > above, x >= above, x == above, x != above, above > x, above <= x]
    found += [x < below, x <= below, x > below, x >= below, below == x, below != x, below < x, below >= x]
    return found, x < 10**10, x >= 2**40


@program((7,), (-123456,))
def quotient_of_an_integer(n):
    return n / 10**10, 10**10 / (n - 1)


@program((1.5,), (-3.0,))
def in_a_try(x):
    try:
        return x / 10**10 + sum(y / 10**10 for y in [x, 2 * x])
    except ZeroDivisionError:
        return 0.0
