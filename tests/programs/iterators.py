"""`for` over Python's iterators that a traced jump leaves."""

import itertools
from collections import deque

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


def climbing(n):
    y = n
    yield y
    for i in range(3):
        if n > i:
            y += 1
        yield y
    y = y * 2
    yield y


class Climber:
    def __init__(self, n):
        self.n = n
        self.iterations = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.iterations += 1
        if self.iterations > 4:
            raise StopIteration
        self.n = self.n + 1
        return self.n


@program((0,), (1,), (2,), (5,), transforms=("vmap",))
def a_generator_that_computes_is_left_early(n):
    total = 0
    for y in climbing(n):
        if y > 3:
            break
        total += y
    else:
        total += 100
    return total


@program((0,), (2,), (5,))
def returns_from_a_loop_over_a_generator(n):
    for y in climbing(n):
        if y == 1:
            continue
        if y > 3:
            return y * 10
    return -1


@program((0,), (2,), (5,))
def an_iterator_class_that_computes_is_left_early(n):
    for y in Climber(n):
        if y > 3:
            break
        n = n * 2
    return n, y


@program((0,), (2,), (5,))
def generators_behind_native_iterators(n):
    total = 0
    for i, y in enumerate(climbing(n)):
        if y > 4:
            break
        total += i
    for y, k in zip(climbing(n), [1, 2, 3]):
        if y + k > 5:
            break
        total += 10 * k
    for y in map(lambda y: y + total, climbing(n)):
        if y > 9:
            break
        total += 1
    return total


@program((0,), (2,), (5,))
def a_generator_in_a_generator_s_loop(n):
    found = 0
    for y in climbing(n):
        for z in climbing(y):
            if z > 4:
                break
            found += z
        if found > 9:
            return found
    return -found


@program((0,), (2,), (5,))
def what_a_generator_writes_happens_as_far_as_it_ran(n):
    seen = [0, 0]

    def noting():
        for k in range(3):
            seen[0] += 1
            seen[1] = n + k
            yield n + k

    for y in noting():
        if y > 3:
            break
    return seen


@program((4.0,), (9.5,), transforms=("grad", "vmap"))
def steps_that_are_not_reached_have_no_gradient(x):
    def roots():
        y = x
        while y is not None:
            yield y
            y = (y - 1.0) ** 0.5

    total = 0.0
    for k, y in enumerate(roots()):
        if k > 8 or y < 1.5:
            break
        total = total + y
    return total


@program((0,), (3,), (7,))
def a_generator_behind_a_known_test(n):
    total = 0
    for k, y in enumerate(climbing(n)):
        if n > 5:
            break
        if k == 2:
            break
        total += y
    return total


def primes_below(limit):
    for p in range(2, limit):
        for q in range(2, p):
            if p % q == 0:
                break
        else:
            yield p


@program((30,), (77,), (3599,), slow=True)
def many_known_items_of_a_generator(n):
    count = 0
    for p in primes_below(500):
        if n % p == 0:
            break
        count += 1
    for k in (k * n for k in range(100)):
        if k > 1000:
            return count, p, k
    return count, p, -1


@program((0.0,), (1.0,), (3.0,))
def left_while_an_input_of_zip_longest_is_used_up(x):
    for a, _ in itertools.zip_longest([1, 2], [3]):
        if x < a:
            break
    return x, a


@program((1,), (3,))
def deque_written_while_a_loop_runs_over_it(n):
    queue = deque([1, 2, 3])
    total = 0
    for x in queue:
        if n > 2:
            queue[0] = n
        total += x
    return total, list(queue)


@program((3,), (1,), (5,))
def a_known_value_among_the_traced_items_of_an_iterator(n):
    found = 4 in (i + n for i in [1, 2, 3]), 4 not in map(lambda i: i + n, [1, 2]), (1, 3) in zip([1], [n])
    items = (i for i in [1, 2, 3])
    return found, 2 in items, next(items) + n


@program((1,), (3,))
def exceptions_thrown_into_a_generator(n):
    def running(x):
        while True:
            try:
                x = yield x + 1
            except ValueError as error:
                x = error.args[0] if error.args else -1

    results = running(n)
    first = next(results)
    return first, results.throw(ValueError), results.send(n)


@program((1,), (3,))
def a_message_thrown_into_a_generator(n):
    def running():
        try:
            yield n
        except ValueError as error:
            yield error.args[0]

    results = running()
    return next(results), results.throw(ValueError(n + 1))


@program((1,), (3,))
def thrown_through_a_generator(n):
    def running():
        yield n

    results = running()
    next(results)
    try:
        results.throw(IndexError)
    except IndexError:
        return n + 1
    return n
