"""Ranges with more numbers than `len` counts, left by a jump."""

from tests.programs.harness import program


@program((2,), (1,), static=(0,))
def first_multiple_static(x):
    for c in range(1, 10**30):
        if c * x > 5:
            return c


@program((2,), (1,))
def first_multiple(x):
    found = 0
    for c in range(1, 10**30):
        if c * x > 5:
            found = c
            break
    return found


@program((2,), (-7,))
def counting_down(x):
    r = 0
    for c in range(5, -(10**30), -1):
        r = c
        if c < x:
            break
    return r


@program((3,))
def near_the_end_of_the_integers(x):
    iterations = 0
    for _ in range(2**31 - 10, 10**30):
        iterations += 1
        if iterations > x:
            break
    return iterations


@program((2,), (30,))
def beside_a_list(x):
    for c, d in zip(range(10**30), [1, 2, 3], strict=False):
        if c > x:
            return c + d
    return 0
