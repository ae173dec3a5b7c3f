"""An array that one path returns, and another one writes: they share elements in NumPy, and never on one path."""

from tests.programs.harness import ints, program

V = ints(1, 2, 3, 4)
COUNTS = [(a, b, V) for a in (0, 1, 2, 5) for b in (0, 1, 3)]


@program(*COUNTS, numpy=True)
def return_from_a_loop_then_write(a, b, xs):
    for i in range(a):
        if i > b:
            return i, xs
    xs[a % 4] += 1
    return 1, xs


@program(*COUNTS, numpy=True)
def return_from_a_loop_in_a_branch_then_write(a, b, xs):
    if a > 1:
        for i in range(a):
            if i > b:
                return xs
        xs[0] = 5
    return xs


@program(*COUNTS, numpy=True)
def return_from_two_loops_with_writes_between(a, b, xs):
    for j in range(3):
        if a > j:
            for i in range(a):
                if i > b + j:
                    return i, xs
            xs[j] += 2
        elif b > 2:
            return b, xs[::-1]
        xs[3] += j
    return 1, xs


@program(*COUNTS, numpy=True)
def return_from_a_loop_in_a_while(a, b, xs):
    j = 0
    while j < a:
        j += 1
        if j > b:
            for i in range(b):
                if i > j:
                    return i, xs
            xs[0] += j
        else:
            xs[j % 4] += 1
            if j == 3:
                return j, xs
        xs[2] += 3
    if a > 3:
        xs[1] = 9
    return 1, xs


@program(*COUNTS, numpy=True)
def return_a_slice_from_a_try(a, b, xs):
    try:
        for i in range(a):
            if i > b:
                return i, xs[1:]
        xs[a % 4] += 1
    finally:
        b = 3
    xs[2] += b
    return 1, xs[:3]


@program(*COUNTS, numpy=True)
def a_variable_named_as_the_flag(a, b, xs):
    return_ = b > 1
    for i in range(a):
        if i > b:
            return i, xs
    if not return_:
        xs[2] = 7
    return 1, xs
