"""Frozen dataclasses join by what they hold; where somebody could tell which object it was, it is refused."""

import collections
import dataclasses
import weakref
from typing import Any

import jax
import pytest

import autograph as ag
from autograph.errors import StagingError


@dataclasses.dataclass(frozen=True)
class Point:
    x: Any
    y: Any = 1.0


@dataclasses.dataclass(frozen=True, eq=False)
class Thing:
    x: Any


def chosen(c, old):
    return Point(c + 1) if c > 0 else old


def compared_by_identity(c):
    old = Point(c)
    return chosen(c, old) is old


def written_beneath(c):
    old = Point(c)
    new = chosen(c, old)
    object.__setattr__(new, "x", 9.0)
    return old.x


def written_beneath_the_other(c):
    old = Point(c)
    new = chosen(c, old)
    object.__setattr__(old, "x", 9.0)
    return new.x


def written_into_its_names(c):
    old = Point(c)
    new = chosen(c, old)
    vars(new)["x"] = 9.0
    return old.x


def written_into_the_names_of_the_other(c):
    old = Point(c)
    new = chosen(c, old)
    old.__dict__.update(x=9.0)
    return new.x


def weakly_known(c):
    p = Point(c)
    known = weakref.ref(p)
    if c > 0:
        p = Point(c + 1)
    return known() is p


def compared_as_objects(c):
    p = same = Thing(c)
    if c > 0:
        p = Thing(c + 1)
    return p == same


@dataclasses.dataclass
class Item:
    x: Any


class Plain:
    def __init__(self, x):
        self.x = x


def one_of_two_is_changed(c):
    a, b = Item(1.0), Item(c)
    chosen = a if c > 0 else b
    a.x = 5.0
    return chosen.x


def the_chosen_one_is_changed(c):
    a, b = Item(1.0), Item(c)
    chosen = a if c > 0 else b
    chosen.x = 5.0
    return a.x


def a_branch_changes_the_one_it_leaves(c):
    p, b = Item(1.0), Item(c)
    if c > 0:
        p.x = 7.0
    else:
        p = b
    return p.x


def the_least_is_changed(c):
    items = [Item(1.0), Item(c)]
    min(items, key=lambda i: i.x).x = 3.0
    return items[0].x


def the_least_by_identity(c):
    items = [Point(1.0), Point(c)]
    return min(items, key=lambda i: i.x) is items[0]


def plain_objects(c):
    a, b = Plain(1.0), Plain(c)
    p = a if c > 0 else b
    return p == a


def compared_by_identity_in_a_loop(c):
    p = old = Point(c)
    n = 0
    while c > 0:
        if p is old:
            n = n + 1
        p = Point(c)
        c = c - 1
    return n


@pytest.mark.parametrize(
    "fn",
    [
        one_of_two_is_changed,
        the_chosen_one_is_changed,
        a_branch_changes_the_one_it_leaves,
        the_least_is_changed,
        the_least_by_identity,
        plain_objects,
        compared_by_identity_in_a_loop,
        compared_by_identity,
        written_beneath,
        written_beneath_the_other,
        written_into_its_names,
        written_into_the_names_of_the_other,
        weakly_known,
        compared_as_objects,
    ],
)
def test_refused_where_somebody_could_tell(fn):
    with pytest.raises(
        ag.StagingError, match="the returned value|of the conditional|'p'|one of several|that a loop carries"
    ):
        ag.jit(fn)(2.0)


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True, eq=False)
class Weights:
    w: Any
    b: Any


def test_equality_that_is_identity_is_refused_of_one_of_several():
    @ag.jit
    def f(m, x):
        n = Weights(m.w + 1, m.b) if x > 0 else m
        return m.w if n == m else m.b

    with pytest.raises(StagingError, match="one of several objects"):
        f(Weights(1.0, 2.0), 1.0)


@pytest.mark.parametrize(
    "look",
    [
        lambda r, m, q: r in [m, q],
        lambda r, m, q: r in {q},
        lambda r, m, q: {m: 1}.get(r, 0),
        lambda r, m, q: {m: 1, q: 2}[r],
        lambda r, m, q: [m, q].index(r),
    ],
)
def test_nobody_finds_one_of_several_objects_that_are_equal_to_themselves_alone(look):
    @dataclasses.dataclass(frozen=True, eq=False)
    class Point:
        x: object

    @ag.jit
    def f(x):
        m, q = Point(x), Point(x)
        r = m
        if x > 2:
            r = q
        return look(r, m, q)

    with pytest.raises(StagingError, match="`is` compares 'r', one of several objects, with one of them"):
        f(1.0)


@pytest.mark.parametrize(
    "asked",
    [
        lambda n, m: n in [m],
        lambda n, m: m in (n,),
        lambda n, m: n in {m},
        lambda n, m: m in {n: 1},
        lambda n, m: [m].count(n),
        lambda n, m: [n].index(m),
        lambda n, m: [m].remove(n),
        lambda n, m: (n, 1) == (m, 1),
        lambda n, m: (n,) in [(m,)],
        lambda n, m: {"a": n} == {"a": m},
        lambda n, m: {m: 5}[n],
        lambda n, m: {m: 5}.get(n, 7),
        lambda n, m: {m}.discard(n),
        lambda n, m: list.count([m], n),
        lambda n, m: list.__contains__([m], n),
        lambda n, m: tuple.index((m,), n),
        lambda n, m: dict.get({m: 5}, n),
        lambda n, m: set.add({m}, n),
        lambda n, m: {m: 5}.__setitem__(n, 7),
        lambda n, m: {m: 5}.__delitem__(n),
        lambda n, m: collections.OrderedDict({m: 5}).move_to_end(n),
        lambda n, m: collections.defaultdict(int, {m: 5}).__missing__(n),
        lambda n, m: len({n, m}),
        lambda n, m: len(dict.fromkeys([n, m])),
        lambda n, m: collections.deque([m]).count(n),
        lambda n, m: hash(n) == hash(m),
    ],
)
def test_a_search_for_one_of_several_is_refused(asked):
    @ag.jit
    def f(m, x):
        n = Weights(m.w + 1, m.b) if x > 0 else m
        asked(n, m)
        return n.w

    with pytest.raises(StagingError, match="one of several objects"):
        f(Weights(1.0, 2.0), 1.0)


def test_one_of_several_is_found_where_it_is_and_not_among_others():
    def f(m, x):
        other = Weights(0.0, 0.0)
        n = Weights(m.w + 1, m.b) if x > 0 else m
        known = {other: 5.0}
        queue = collections.deque([n])
        queue.append(m)
        return n in [n], n in [other], known[other], known.get(other, n), [other].count(n), n in known, {"a": n}["a"].w

    assert list(map(float, ag.jit(f)(Weights(1.0, 2.0), 1.0))) == [1, 0, 5, 5, 0, 0, 2]
