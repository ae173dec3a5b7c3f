"""The first item that passes a test: `next` of generators and of `filter`, over Python's containers."""

import autograph as ag
from tests.programs.harness import program

LISTS = (([1.0, 3.0, 2.0],), ([0.0, 1.0, 2.0],))
FOUND = LISTS[:1]


@program(*LISTS, transforms=("vmap",))
def places_and_items(xs):
    place = next((i for i, x in enumerate(xs) if x > 2), -1)
    last = next((x for x in reversed(xs) if x < 2), -1.0)
    doubled = next((x for x in map(lambda v: v * 2, xs) if x > 3), -1.0)
    falls = next((i for i, (a, b) in enumerate(zip(xs, xs[1:])) if a > b), -1)
    pair = next(((i, x) for i, x in enumerate(xs) if x > 2), (-1, 0.0))
    return place, last, doubled, falls, pair


@program(*FOUND)
def without_a_default(xs):
    return next(i for i, x in enumerate(xs) if x > 2)


@program(*LISTS)
def the_end_of_the_items_is_caught(xs):
    total = 0.0
    try:
        total = xs[0] * 10 + next(x for x in xs if x > 2) * 2
    except StopIteration:
        total = -5.0
    for t in range(4):
        try:
            total += next(i for i, x in enumerate(xs) if x > t)
        except Exception:
            total -= 10
    n = 0
    while n < 20:
        try:
            n += 1 + next(i for i, x in enumerate(xs) if x > n)
        except StopIteration:
            break
    return total, n


@program(*LISTS)
def items_that_are_none(xs):
    try:
        next(None for x in xs if x > 2)
    except StopIteration:
        return -1
    return 1


@program(*LISTS)
def inside_of_a_finally(xs):
    log = []
    try:
        found = next((i for i, x in enumerate(xs) if x > 2), -1)
    finally:
        log.append(1)
    return found, log


@program(*LISTS)
def generators_with_a_name(xs):
    g = (i for i, x in enumerate(xs) if x > 2)
    first = next(g, None)
    big = (x * 2 for x in xs if x > 1)
    total = sum(big)
    h = (i for i, x in enumerate(xs) if x > 2)
    try:
        second = next(h)
    except StopIteration:
        second = -1
    return -7 if first is None else first, total, second


@program(*LISTS)
def filters(xs):
    c = 0.0
    if xs[0] > 0:
        c = xs[0]
    first = next(filter(lambda u: u > 2, xs), -1.0)
    true = next(filter(None, xs), -1.0)
    largest = max(filter(lambda u: u < 2, xs), default=0.0)
    none = next(filter(lambda u: u > 5, xs), None)
    if none is None:
        none = 4.0
    c = sum(filter(lambda u: u > c, xs))
    return first, true, largest, none, c


class Shelf:
    def __init__(self, items):
        self.items = items

    def place(self, t):
        return next((i for i, x in enumerate(self.items) if x > t), None)


@program(*LISTS)
def in_methods_that_return_none(xs):
    shelf = Shelf(xs)
    total = 0
    for t in (0, 1, 2):
        place = shelf.place(t)
        if place is None:
            total -= 1
        else:
            total += place + 1
    return total


@program((3, [1, 4, 2]), (0, [1, 4, 2]))
def whether_any_in_a_try_that_handles_arithmetic(a, xs):
    try:
        if any(u > a for u in xs) and not all(u > a for u in xs):
            return 6 // a
    except ZeroDivisionError:
        return -1
    return 0


@program(([1.0, -2.0, 3.0],), ([1.0, 2.0, 0.5],))
def whether_any_of_a_range_of_some_length(d):
    n = len(d)
    falls = 0
    for k in range(n):
        if any(d[i] > d[j] for i in range(k) for j in range(i, k + 1)):
            falls += 1
    if all(d[i] > 0 for i in range(n - 1, -1, -1)):
        return falls
    return -falls


@program((1, 5), (5, 1), (4, 3), transforms=("vmap",))
def iterators_after_a_choice_of_strings(a, b):
    mode = "run" if a > 2 else "idle"
    found = any(u > b for u in (a, 1, 2)), all(map(lambda u: u < b, (a, 1, 2))), b in (u for u in (a, 1, 2))
    n = 0
    if b > 0:
        n = next(u for u in (a, 1, 2)) + next((u for u in ()), 7)
    for u in (v for v in (a, 1, 2)):
        n += u
        if n > b:
            break
    if any(mode) and any([mode]):
        n += 100
    return found, n, len(mode), len(next(iter(()), mode))


def twice(u):
    return u * 2


@program((1, 5), (5, 1), (-4, 3))
def iterators_after_a_choice_of_functions(a, b):
    act = abs if a > 2 else twice
    found = any(u > b for u in (a, 1, 2)), all(map(lambda u: u < b, (a, 1, 2))), b in (u for u in (a, 1, 2))
    n = 0
    if b > 0:
        n = next(u for u in (a, 1, 2))
    grown = [a % 5]
    for u in grown:
        ag.set_loop_options(maximum_iterations=8)
        n += u
        if u > 0:
            grown.append(u - 1)
    return found, n, act(a)
