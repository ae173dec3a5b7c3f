"""Variables that one branch binds and a later one reads: tests that belong together, and searches that always find."""

from tests.programs.harness import program

signs = program((3.0,), (-1.0,), transforms=("vmap",))


@signs
def under_the_same_test(x):
    positive = x > 0
    if positive:
        y = x * 2
        row = [x, y]
    z = 1.0
    if positive:
        z = z + y + row[0]
    return z


@signs
def under_a_stricter_test(x):
    if x > 0:
        y = x
    if x > 1:
        return y
    return x


@signs
def under_opposite_tests(x):
    if x > 0:
        y = x * 2
    if x <= 0:
        y = -x
    return y


@program((3,), (-1,))
def bound_with_a_flag_in_a_loop(n):
    found = False
    for i in range(5):
        if i > n:
            place = i
            found = True
            break
    if not found:
        return -1
    return place


@program((1,), (2,))
def what_is_found_in_a_loop(n):
    for k in (1, 2, 3):
        if k > n:
            found = k
            break
    return found


@program((2.0,), (-2.0,))
def read_in_an_expression_behind_a_test(x):
    if x > 0:
        y = x
    return (y if x > 1 else 0.0) + (1.0 if x > 0 and y > 1 else 2.0)
