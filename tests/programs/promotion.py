"""Numbers of different types in the two branches of a branch and along a loop."""

import jax.numpy as jnp

from tests.programs.harness import floats, program


@program((3,), (8,), promotes=True)
def int_or_float(n):
    if n > 5:
        return n
    return 0.5


@program((3,), (8,), promotes=True)
def int_constant_or_float_constant(n):
    return 1 if n > 5 else 2.5


@program((3,), (8,), promotes=True)
def bool_or_int(n):
    return True if n > 5 else n


@program((3,), (8,), promotes=True)
def int_carry_becomes_float(n):
    s = 0
    while n > 0:
        s = s * 0.5 + n
        n -= 1
    return s


@program((3,), (0,), promotes=True)
def int_becomes_float_in_branch_in_loop(n):
    s = 1
    for i in range(n):
        if i > 1:
            s = s / 2
    return s


@program((0,), (3,), promotes=True)
def two_carries_promote_each_other(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + 0.5
        n -= 1
    return a, b


@program((0,), (4,), promotes=True)
def chain_of_promotions(n):
    a, b, c = 0, 0, 0.5
    while n > 0:
        a, b = b, c
        n -= 1
    return a, b, c


@program((3.0,), (8.0,), promotes=True)
def scalar_beside_array_in_other_branch(x):
    if x > 5:
        y = jnp.float32(1)
    else:
        y = 2
    return y


@program((0,), (3,), promotes=True)
def nested_loops_promote(n):
    total = 0
    for i in range(n):
        row = 0
        for j in range(n):
            row = row + 0.25 * j
        total = total + row + i
    return total


@program((3,), (8,))
def bool_stays_bool(n):
    big = False
    if n > 5:
        big = True
    return big


@program((3,), (8,))
def bool_from_comparison_in_loop(n):
    seen = False
    while n > 0:
        seen = seen or n == 5
        n -= 1
    return seen


@program((3,), (8,), promotes=True)
def true_division_makes_float(n):
    if n > 5:
        n = n / 2
    return n


@program((3,), (8,), promotes=True)
def power_of_two_in_loop(n):
    x = 1
    for _ in range(n):
        x = x * 2.0
    return x


@program((floats(1, 2, 3),))
def weak_int_and_array_elements(v):
    s = 0
    for x in v:
        s = s + x
    return s


@program((3,), (8,), promotes=True)
def ternary_promotes(n):
    x = n if n > 5 else n / 4
    return x + 1


@program((3, 1.5), (0, 1.5), promotes=True)
def or_of_int_and_float(a, b):
    return a or b


@program((3,), (8,), promotes=True)
def static_number_changes_in_traced_branch(n):
    k = 2
    if n > 5:
        k = 3.5
    return k * n


@program((3,), (8,))
def smallest_from_infinity(n):
    best = float("inf")
    while n > 0:
        if n * 1.5 % 4.0 < best:
            best = n * 1.5 % 4.0
        n -= 1
    return best


@program((3,), (0,))
def minimum_from_infinity(n):
    low = float("inf")
    for i in range(n):
        low = min(low, (i - 1) * 2.0)
    return low


@program((3.0,), (8.0,))
def complex_carry(x):
    z = 0j
    c = x * (0.1 + 0.1j)
    for _ in range(3):
        z = z * z + c
    return abs(z)


@program((3,), (-3,), promotes=True)
def large_integer_beside_a_float(n):
    large = 2**40
    halves = large if n > 0 else 1.5
    while n > 0:
        large = large * 0.5
        n = n - 1
    return halves, large * 1.0
