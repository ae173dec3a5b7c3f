"""Comparing tuples, named tuples, lists, dicts, dataclasses and objects that hold traced values."""

import collections
import dataclasses
import functools
from typing import Any, NamedTuple

from tests.programs.harness import program


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


@dataclasses.dataclass
class Mark:
    """Without fields: all are equal."""


@dataclasses.dataclass(order=True, frozen=True)
class Version:
    major: Any
    minor: Any
    label: str = dataclasses.field(default="", compare=False)


@functools.total_ordering
class Money:
    def __init__(self, cents: Any) -> None:
        self.cents = cents

    def __eq__(self, other: object) -> Any:
        return self.cents == other.cents if isinstance(other, Money) else NotImplemented

    def __lt__(self, other: "Money") -> Any:
        return self.cents < other.cents


class Named:
    """Only `__eq__`: Python makes `!=` of it."""

    def __init__(self, key: Any) -> None:
        self.key = key

    def __eq__(self, other: object) -> Any:
        return isinstance(other, Named) and self.key == other.key


class Reversed(Named):
    """A derived class answers first."""

    def __ne__(self, other: object) -> Any:
        return self.key + 1 != other.key if isinstance(other, Named) else NotImplemented


class Level:
    """Compares with numbers."""

    def __init__(self, v: Any) -> None:
        self.v = v

    def __lt__(self, other: Any) -> Any:
        return self.v < (other.v if isinstance(other, Level) else other)

    def __gt__(self, other: Any) -> Any:
        return self.v > (other.v if isinstance(other, Level) else other)


@program((2,), (5,), (8,), transforms=("vmap",))
def tuples_in_variables(n):
    here, goal = (n, 1), (5, 1)
    if here == goal:
        return 1
    return 2 if here < goal else 3


@program((2,), (5,), (8,))
def equality_of_parameters(n):
    def at(a, b):
        return 1 if a == b else 0

    return at((n, n), (5, 5)) + 2 * at([n], [5]) + 4 * at({"k": n}, {"k": 5}) + 8 * at((n, (n, 1)), (5, (5, 1)))


@program((2,), (5,), (8,))
def unequal_lengths_and_kinds(n):
    short, long, listed = (n,), (5, 5), [n]
    return short == long, short < long, long <= short, short == listed, short != listed, {1: n} == {2: n}


@program((2,), (5,), (8,), transforms=("vmap",))
def named_tuples(n):
    p, q = Pair(n, 1), Pair(5, 2)
    return p == q, p != q, p < q, Pair(n, 2) >= q, q == (n, 2)


@program((2,), (5,), (8,), transforms=("vmap",))
def dataclasses_are_equal(n):
    p = Point(n, 2)
    if p == Point(5, 2):
        return 1
    return 2 if p != Point(8, 2) else 3


@program((2,), (5,), (8,))
def ordered_dataclasses(n):
    v, w = Version(n, 1, "a"), Version(5, n, "b")
    return v < w, v <= w, v > w, v >= w, v == w, v != w, Version(1, 1) < v < Version(6, 0)


@program((4,), (0,))
def a_loop_until_two_objects_are_equal(n):
    p = Point(n, 0)
    iterations = 0
    while p != Point(0, 0):
        p = Point(p.x - 1, 0)
        iterations += 1
    return iterations


@program((2,), (5,), (8,))
def total_ordering(n):
    a, b = Money(n), Money(5)
    return a < b, a <= b, a > b, a >= b, a == b, a != b


@program((4,), (5,), (6,))
def inequality_made_of_equality(n):
    a, b, c = Named(n), Named(5), Reversed(5)
    return a != b, a != c, c != a, a != 5, a != a


@program((2,), (5,), (8,), transforms=("vmap",))
def containers_of_containers(n):
    seen = [(1, 1), (n, 2)]
    return (5, 2) in seen, (n, 2) in {(5, 2), (7, 7)}, (n, n) in {(8, 8): 0}, seen.count((8, 2)), [[n], []] == [[5], []]


@program((2,), (5,), (8,))
def objects_in_lists(n):
    points = [Point(5, 1), Point(8, 1)]
    return Point(n, 1) in points, Named(n) not in [Named(5)], points.count(Point(n, 1)), Pair(n, 1) in (Pair(5, 1),)


@program((2,), (5,), (8,), transforms=("vmap",))
def extremes_of_tuples(n):
    candidates = [(n, 1), (5, 2), (4, 9)]
    by_rest = max([n, 3, 7], key=lambda v: (v % 3, v))
    return max(candidates), min(candidates), max(candidates, key=lambda c: (c[1] % 2, -c[0])), by_rest


@program((2,), (5,), (8,))
def deques_and_dicts(n):
    a, b = collections.deque([n, 1]), collections.deque([5, 1])
    c, d = {"x": n, "y": (n, 1)}, {"y": (5, 1), "x": 5}
    return a == b, a < b, c == d, c != d


@program((2,), (5,), (8,))
def what_decides_first(n):
    calls = []

    class Counting:
        def __init__(self, v):
            self.v = v

        def __eq__(self, other):
            calls.append(self.v)
            return self.v == other.v

    first, second = (Counting(1), Counting(2), n), (Counting(1), Counting(3), 5)
    return first == second, tuple(calls)


@program((1, 5), (5, 1), (1, 1))
def objects_in_chains(a, b):
    first, middle, last = a < Level(2) < b, Level(a) < Level(2) < Level(b), a < 2 < Level(b)
    return first, middle, last, 0 < a < Level(b) < 9, a < 2 < max([int(a), 3])


@program((1, 5), (5, 1), (1, 1))
def integers_of_int_in_chains(a, b):
    return 0 < int(a) < b, max([int(b) for _ in range(2)]) > a < b, a < max([int(a), 2]) < b


@program((1,), (5,))
def objects_without_fields(n):
    if n > 2:
        n = n + (Mark() == Mark())
    return n, Mark() == Mark(), Mark() != Mark(), Mark() == n


@program((3, 2), (0, 5), (2, 2), transforms=("vmap",))
def bools_that_are_counted(a, b):
    larger = bool(a > b)
    some, every = any([a > b, b > 2]), all([a > 1, b > 1])
    sign = int(a > b) - int(a < b)
    return -larger, larger + bool(a), some + every, -any([a > b]), sign, -(a in (2, 3)), -(not a > b)


@program((1, 2, 3), (3, 1, 2), (0, 0, 0), (0, 2, 0), transforms=("vmap",))
def counted_and_found_in_tuples(a, b, c):
    t, q, pair = (a, b, c), collections.deque([c, a, b]), Pair(a, b)
    zeros = (a, b, c).count(0)
    if t.count(b) > 1 or q.count(2) > 0:
        zeros += 10
    return zeros, t.index(b), pair.count(1), pair.index(b), q.index(a), ((a, b), (b, a)).count((a, b))


@program((1, 2), (2, 1), transforms=("vmap",))
def missing_from_a_tuple(a, b):
    return (a, b, 1).index(2)


@program((1, 2, 3), (3, 1, 2), (2, 2, 2), transforms=("vmap",))
def sequences_that_calls_and_operators_make(a, b, c):
    t, q = (a, b, c), [c, a, b]
    if list(t) != sorted(t):
        c = c + 1
    return (
        c,
        sorted(q) == q,
        sorted(t) == [1, 2, 3],
        q >= sorted(q, reverse=True),
        q + [1] == [1] + q,
        q == [2] * 3,
        divmod(a, 2) == (b, 0),
        max((a, b), (b, a)) == (a, b),
        [*q] != sorted(q[::-1]),
        not sorted(t) == sorted(q),
    )
