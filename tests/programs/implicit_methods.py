"""Methods that Python calls without a call in the source, with tests on traced values and writes inside."""

import dataclasses
import functools

from tests.programs.harness import program


class Money:
    """A number with a counter of how often it was asked."""

    def __init__(self, amount):
        self.amount = amount
        self.asked = 0

    def __eq__(self, other):
        self.asked += 1
        return self.amount == other.amount

    def __lt__(self, other):
        self.asked += 1
        if self.amount < 0:
            return True
        return self.amount < other.amount

    def __hash__(self):
        return 1

    def __add__(self, other):
        self.asked += 1
        if other > 4:
            return Money(self.amount + 4)
        return Money(self.amount + other)

    def __radd__(self, other):
        return self + other

    def __iadd__(self, other):
        if other > 4:
            self.amount += 1
        self.amount += other
        return self

    def __neg__(self):
        if self.amount > 0:
            return Money(-self.amount)
        return Money(0)

    def __bool__(self):
        self.asked += 1
        return self.amount > 3

    def __getitem__(self, k):
        if k > 2:
            return self.amount
        return k

    def __contains__(self, k):
        return k == self.amount

    def __getattr__(self, name):
        if name == "double":
            if self.amount > 3:
                return self.amount * 2
            return 0
        raise AttributeError(name)

    @functools.cached_property
    def cached(self):
        if self.amount > 3:
            return self.amount * 10
        return -1

    @property
    def clipped(self):
        return min(self.amount, 5)

    @clipped.setter
    def clipped(self, value):
        if value > 5:
            value = 5
        self.amount = value


class Switch:
    def __init__(self, level):
        self.level = level
        self.asked = 0

    def __bool__(self):
        self.asked += 1
        return self.level > 3


@program((5, 2), (5, -2), (1, 2))
def truth_of_an_object_and_a_number(n, t):
    switch, found = Switch(n), 0
    if switch and t > 0:
        found += 1
    if switch or t > 0:
        found += 2
    if not (switch and t):
        found += 4
    return found if t and switch else -found, bool(switch and t)


@program((5, 2), (5, -2), (1, 2))
def truth_of_a_number_and_an_object(n, t):
    switch = Switch(n)
    if t > 0 and switch and n < 9:
        return 1, switch.asked
    return 2 if (t < 0 or switch) and n else 3, switch.asked


@program((7, 2), (5, -2), (1, 2))
def loop_while_an_object_is_true(n, t):
    switch, iterations = Switch(n), 0
    while switch and t > -3:
        switch.level -= 1
        t -= 1
        iterations += 1
    return iterations, switch.level, switch.asked


@program((7, 2), (5, -2), (1, 2))
def loop_while_an_object_is_true_or_left(n, t):
    switch, iterations = Switch(n), 0
    while switch:
        switch.level -= 1
        if switch.level == t:
            break
        iterations += 1
    return iterations, switch.level


@program((7, 2), (5, -2), (1, 2))
def truth_of_strings_and_lists(n, t):
    names, title = [], "title"
    assert n > 0 and title, names
    return [k for k in range(3) if names or (title and k > 1)], 1 if n > 4 and names else 2 if t > 0 and title else 3


@dataclasses.dataclass
class Interval:
    low: int
    high: int
    flips: int = 0

    def __post_init__(self):
        if self.low > self.high:
            self.low, self.high = self.high, self.low
            self.flips += 1

    def __matmul__(self, other):
        if other > self.high:
            return self.high
        return other


class Clipped:
    """A descriptor."""

    def __init__(self, most):
        self.most = most

    def __get__(self, obj, kind):
        if obj.value > self.most:
            return self.most
        return obj.value


class Meter:
    reading = Clipped(6)

    def __init__(self, value):
        self.value = value


class Ramp:
    """An iterable by a generator method with a test on what it holds."""

    def __init__(self, top):
        self.top = top
        self.begun = 0

    def __iter__(self):
        self.begun += 1
        for k in range(4):
            if self.top > 5:
                self.begun += 10
            yield k + self.top


class Grid:
    def __init__(self):
        self.cells = [0, 0, 0]

    def __getitem__(self, at):
        i, j = at
        return self.cells[i] + j

    def __setitem__(self, at, value):
        i, j = at
        if value > 5:
            value = 5
        self.cells[i] = value + j


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)


SHARED = Money(2)
NESTED = {"all": [(Money(1), Money(4))]}


@program((3,), (8,))
def operator_with_test(n):
    return (Money(1) + n).amount, (n + Money(1)).amount


@program((3,), (8,))
def operator_with_test_in_branch(n):
    m = Money(n)
    if n > 5:
        m = m + n
    return m.amount, m.asked


@program((3,), (8,))
def in_place_operator_in_loop(n):
    m = Money(0)
    for i in range(4):
        m += n + i
    return m.amount


@program((3,), (8,))
def in_place_operator_in_branch(n):
    m = Money(0)
    same = m
    if n > 5:
        m += n
    return m.amount, same.amount


@program((3,), (8,), (-2,))
def negation(n):
    return (-Money(n)).amount


@program((3,), (8,))
def comparison_in_branch(n):
    a, b = Money(n), Money(5)
    if a < b:
        n = n + 100
    if n > 5:
        if a == b or b < a:
            n = n + 1000
    return n, a.asked, b.asked


@program((3,), (8,))
def truth_of_object(n):
    m = Money(n)
    if m:
        n = n + 100
    k = 1 if not m else 2
    return n, k, m.asked


@program((3,), (8,))
def truth_of_object_in_loop(n):
    m = Money(n)
    while m:
        m.amount -= 1
    return m.amount, m.asked


@program((3,), (8,))
def truth_in_and_or(n):
    m = Money(n)
    return bool(m), bool(n > 5 and not m), bool(n > 5 or not m), m.asked


@program((1,), (8,))
def item_with_test(n):
    m = Money(5)
    return m[n], m[n + 1]


@program((3,), (8,))
def contained_in_object(n):
    m = Money(8)
    if n in m:
        return 1
    return 2


@program((3,), (8,))
def missing_attribute(n):
    return Money(n).double


@program((3,), (8,))
def cached_getter(n):
    m = Money(n)
    return m.cached + m.cached


@program((3,), (8,))
def getter_and_setter(n):
    m = Money(n)
    if n > 2:
        m.clipped += 1
    return m.clipped, m.amount


@program((3,), (8,))
def post_init(n):
    i = Interval(n, 5)
    return i.low, i.high, i.flips


@program((3,), (8,))
def matrix_operator(n):
    return Interval(0, 5) @ n


@program((3,), (8,))
def descriptor(n):
    return Meter(n).reading


@program((3,), (8,))
def generator_method(n):
    r = Ramp(n)
    total = 0
    for x in r:
        total += x
    return total, r.begun


@program((3,), (8,))
def generator_method_in_branch(n):
    r = Ramp(n)
    total = 0
    if n > 2:
        for x in r:
            total += x
        total += sum(r)
    return total, r.begun


@program((3,), (8,))
def item_write_with_test(n):
    g = Grid()
    g[1, 2] = n
    if n > 5:
        g[0, 1] = n - 4
    return g.cells, g[1, 1]


@program((3,), (8,))
def global_object(n):
    before = SHARED.asked
    if n > 5:
        n = (SHARED + n).amount
    asked, SHARED.asked = SHARED.asked, before
    return n, asked - before


@program((3,), (8,))
def object_deep_in_a_global(n):
    m = NESTED["all"][0][1]
    before = m.asked
    if n > 5:
        n = (m + n).amount
    asked, m.asked = m.asked, before
    return n, asked - before


@program((3,), (8,))
def object_of_an_enclosing_function(n):
    class Local:
        def __init__(self, held):
            self.held = held

        def __len__(self):
            self.held[0] += 1
            return 3

    held = [0]
    box = [Local(held)]

    def inner(n):
        if n > 5:
            n = n + len(box[0])
        return n

    return inner(n), held


@program((3,), (8,))
def sum_of_objects(n):
    return sum([Money(1), Money(2)][i].amount for i in range(2)) + (sum([n, 1], Money(0))).amount


@program((3,), (8,))
def new_object_in_branch_of_loop(n):
    v, w = Vector(0, 1), Vector(1, 2)
    for i in range(n):
        v = v + w
        if i > 2:
            v = v - w * 2
    return v.x, v.y


@program((3,), (8,))
def new_object_in_loop_with_test_on_it(n):
    v = Vector(0, 1)
    while v.x < n:
        v = v + Vector(1, v.y)
    return v.x, v.y


@program((3,), (8,))
def new_object_in_loop_left_early(n):
    v = best = Vector(0, 1)
    for i in range(8):
        v = v + Vector(1, i)
        if v.y > n:
            break
    return v.x, v.y, best.x


@program((3,), (8,))
def new_object_or_another(n):
    v = Vector(0, 1) if n > 5 else Vector(n, 2)
    return v.x, v.y


@program((3,), (8,))
def new_object_in_nested_branches(n):
    m = Money(n)
    if n > 2:
        if n > 5:
            m = m + 1
        else:
            m = Money(0)
        m.amount += 1
    return m.amount, m.asked


@program((3,), (8,))
def object_of_caller_in_branch(n):
    def step(m):
        if n > 5:
            m = m + 1
        return m.amount

    return step(Money(n))


@program((3,), (8,))
def sorted_objects(n):
    return [m.amount for m in sorted([Money(3), Money(1), Money(2)], key=lambda m: m.amount)], n
