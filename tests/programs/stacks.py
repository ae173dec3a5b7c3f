"""Lists that a loop of unknown length takes elements from: they never have more than they begin with."""

from tests.programs.harness import program

CASES = ((5, 2), (1, 3), (7, 20))


@program(*CASES, transforms=("vmap",))
def taken_until_one_is_too_small(a, b):
    stack = [a, b, 3, 4]
    s = 0
    while stack:
        n = stack.pop()
        if n < a:
            break
        s += n
    return s, len(stack)


@program((5, 2), (1, 3), (2, 1))
def what_is_left_is_read(a, b):
    queue = [a, b, 3, 4]
    s = 0
    while s < b:
        s = s * 2 + queue.pop(1)
    for x in queue:
        s += x
    while queue and s < 9:
        s += queue.pop(s % len(queue))
    return s, sum(queue), queue


@program((3,), (11,), (40,))
def the_first_number_that_fits(a):
    numbers = list(range(20, 0, -1))
    while numbers:
        n = numbers.pop()
        if n > a:
            return n
    return -1


@program(*CASES)
def a_queue_of_pairs(a, b):
    queue = [(a, 1), (b, 2), (3, 4)]
    s = 0
    while queue:
        u, v = queue.pop(0)
        if u > b:
            break
        s += u * v
    return s, len(queue)


@program(*CASES)
def in_a_counted_loop_and_in_a_loop(a, b):
    s = 0
    for k in range(2):
        items = [k, b, 1]
        for _ in range(3):
            x = items.pop()
            if x > a:
                break
            s += x
        while items and items[-1] > k:
            s += items.pop()
    return s


@program((5, 2), (1, 3), (2, 4))
def cleared_and_asked_by_a_closure(a, b):
    items = [a, b, 3]
    k = 0

    def left():
        return len(items)

    while k < a:
        k += 1
        if k == b:
            items.clear()
    return left(), k
