"""`for` over Python's iterators that a traced jump leaves."""

import itertools

from tests.programs.harness import program


@program((2,), (5,), (12,))
def enumerated_iterator(n):
    s = 0
    for i, x in enumerate(iter([1, 2, 3, 4])):
        if x > n:
            break
        s += x * i
    return s


@program((2,), (5,), (12,))
def generator_expression(n):
    s = 0
    for x in (y * 2 for y in [1, 2, 3, 4]):
        if x > n:
            break
        s += x
    return s


@program((2,), (5,), (12,))
def generator_that_writes_beside_a_list(n):
    s = 0

    def numbers():
        nonlocal s
        for x in range(4):
            s += 1
            yield x + 1

    for x in zip(numbers(), [5, 6, 7, 8]):
        if x[0] > n:
            break
        s += x[1]
    return s


@program((2,), (5,), (12,))
def mapped_and_filtered(n):
    s = 0
    for x in map(lambda y: y * 3, filter(lambda z: z > 1, [1, 2, 3, 4])):
        if x > n:
            break
        s += x
    else:
        s += 1000
    return s


@program((2,), (5,), (12,))
def product_with_continue_and_return(n):
    s = 0
    for a, b in itertools.product([1, 2, 3], [4, 5]):
        if a * b > n:
            continue
        if a * b == n:
            return s
        s += a * b
    return s


@program((2,), (5,))
def generator_that_ends_with_a_write(n):
    log = [0]

    def numbers():
        for x in range(4):
            log[0] += x
            yield x
        log[0] += 100

    for x in numbers():
        if x == n:
            break
    return log[0]
