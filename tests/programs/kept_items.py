"""Lists to which some iterations of a loop append: their length is traced, and the iterations are known or bounded."""

import dataclasses

from tests.programs.harness import floats, ints, program

VALUES = ints(3, 1, 4, 1, 5, 9, 2, 6)
ZEROS = ints(0, 0, 0, 0, 0, 0, 0, 0)
SORTED = ints(1, 2, 2, 5, 7, 7, 7, 9)


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def two_lists_of_one_loop(xs):
    small, large = [], [100]
    for x in xs:
        if x < 4:
            small.append(x)
        else:
            large.append(x)
            large.append(x * 2)
    return small, large, len(small), sum(large)


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def records(xs):
    found = {"value": [], "place": [], "all": []}
    for k, x in enumerate(xs):
        found["all"].append(x)
        if not found["value"] or x > found["value"][-1]:
            found["value"].append(x)
            found["place"].append(k)
    return found


@program((VALUES,), (ZEROS,), (SORTED,), transforms=("vmap",))
def each_once(xs):
    found = []
    for x in xs:
        if x not in found:
            found.append(x)
    return found


@program((20,), (2,), (30,), (-5,))
def primes(n):
    n = min(n, 24)
    found = []
    for k in range(2, n + 1):
        is_prime = True
        for p in found:
            if k % p == 0:
                is_prime = False
                break
        if is_prime:
            found.append(k)
    return found


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def pairs(xs):
    found = []
    for i in range(len(xs)):
        for j in range(i + 1, len(xs)):
            if xs[i] + xs[j] == 6:
                found.append((i, j))
    return found


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def until_enough(xs):
    found = []
    for x in xs:
        if x < 3:
            continue
        if x == 9:
            break
        found.append(x)
        if len(found) == 3:
            return found
    return found


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def inner_loop_ends(xs):
    found = []
    for x in xs:
        for y in xs:
            if y > x:
                break
            found.append((x, y))
        if len(found) > 4:
            break
    return found


@program((SORTED,), (VALUES,), (ZEROS,), transforms=("vmap",))
def runs(xs):
    found, count = [], 1
    for i in range(1, len(xs)):
        if xs[i] == xs[i - 1]:
            count += 1
        else:
            found.append((xs[i - 1], count))
            count = 1
    found.append((xs[-1], count))
    return found


@program((ints(1, 1, 2, 1, 2, 2),), (ints(2, 1, 1, 1, 1, 1),), (ints(1, 1, 2, 2, 1, 1),), transforms=("vmap",))
def brackets(xs):
    stack = []
    for x in xs:
        if x == 1:
            stack.append(x)
        elif not stack:
            return False
        else:
            stack.pop()
    return not stack


@program((13,), (0,), (255,), (999,), transforms=("vmap",))
def bits(n):
    found = []
    for _ in range(8):
        if n > 0:
            found.append(n % 2)
            n //= 2
    return found


@program((7, 3), (12, 2), (1, 5))
def counted_out(n, k):
    n = min(n, 12)
    people = []
    for i in range(n):
        people.append(i)
    order, at = [], 0
    for _ in range(n):
        at = (at + k - 1) % len(people)
        order.append(people.pop(at))
    return order, people


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def ordered_by_insertion(xs):
    found = []
    for x in xs:
        if x < 2:
            continue
        k = 0
        for y in found:
            if y < x:
                k += 1
        found.insert(k, x)
    return found


@dataclasses.dataclass
class Log:
    values: list
    count: int = 0

    def add(self, value):
        if value > 2:
            self.values.append(value)
            self.count += 1


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def attribute(xs):
    log = Log([])
    for x in xs:
        log.add(x)
    return log.values, log.count


def add(found, value):
    if value > 2:
        found.append(value)


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def closure_and_argument(xs):
    kept, found = [], []

    def keep(value):
        if value % 2:
            kept.append(value)

    for x in xs:
        keep(x)
        add(found, x)
    if xs[0] > 2:
        kept.append(-1)
    return kept, found


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def lists_in_a_list(xs):
    rows = [[], [], []]
    for x in xs:
        for k in range(3):
            if x % 3 == k:
                rows[k].append(x)
    return rows


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def a_list_of_each_iteration(xs):
    total = 0
    for x in xs:
        smaller = []
        for y in xs:
            if y < x:
                smaller.append(y)
        total += len(smaller) * sum(smaller)
    return total


@program((3.5, 2.5), (-1.0, 0.5), (1.0, -2.5), transforms=("vmap",))
def without_a_loop(a, b):
    found = []
    if a > 0:
        if b > 0:
            found.append(b)
        found.append(a)
    if b > 1:
        found += [a, b]
    return found, len(found)


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def handler(xs):
    found = []
    for x in xs:
        try:
            if x == 4:
                raise ValueError("four")
            if x > 1:
                found.append(x)
        except ValueError:
            found.append(-x)
        finally:
            found.append(0)
    return found


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def written_and_cleared(xs):
    found = []
    for x in xs:
        if x > 2:
            found.append(x * 2)
        elif found:
            found[-1] = found[-1] + x
        if x == 9:
            found.clear()
    copied = found.copy()
    for x in xs:
        if x < 2:
            copied.append(x)
    return found, copied


@program((VALUES,), (ZEROS,), transforms=("vmap",))
def comprehensions(xs):
    large = [x for x in xs if x > 2]
    pairs = [(k, x * 2) for k, x in enumerate(xs) if x > 2 if x < 9]
    both = [y - x for x in large for y in xs if y > x]
    known = [x for k, x in enumerate(xs) if k % 2]
    return large, pairs, both, known, [y for y in large if y != 4], [x for x in [xs[0], 7, xs[1]] if x > 2]


@program((5,), (0,), (9,), (-3,))
def comprehensions_over_a_range(n):
    n = min(n, 7)
    return [i * i for i in range(n)], [i for i in range(n, 0, -1) if i % 2], [(i, j) for i in range(n) for j in range(i)]


@program((floats(0.5, -1.0, 2.0, -3.0),), transforms=("vmap", "grad"))
def derivative(xs):
    kept = []
    for x in xs:
        if x > 0:
            kept.append(x * x)
    total = 0.0
    for y in kept:
        total = total * y + y
    return total + sum([x**3 for x in xs if x < 0])


@program((4,), (2,), (1,), (0,), transforms=("vmap",))
def items_of_a_python_list_until_a_break(x):
    found = []
    for name in ["a", "b", "c"]:
        x = x - 1
        found.append((x, len(name)))
        if x < 1:
            break
    return x, found
