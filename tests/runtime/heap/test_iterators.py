"""Iterators and files of the enclosing function are not advanced by a region that is staged."""

import copy
import dataclasses
import itertools
import random
import weakref
from collections import OrderedDict

import jax
import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.heap import journal
from autograph.runtime.operators.conditionals import if_exp, if_stmt, nothing
from autograph.runtime.operators.for_loops import for_loop
from autograph.runtime.operators.while_loops import while_loop
from autograph.runtime.sequences.iterables import Enumerate
from autograph.runtime.tracing import context

MAKERS = {
    "list": lambda: iter([1, 2, 3]),
    "range": lambda: iter(range(3)),
    "dict": lambda: iter({1: 2}),
    "generator": lambda: (k for k in range(3)),
    "zip": lambda: zip([1], [2], strict=True),
    "map": lambda: map(abs, [1, 2]),
    "count": lambda: itertools.count(),
    "file": lambda: open(__file__),
    "enumerate of an array": lambda: Enumerate(jax.numpy.arange(3)),
}
WAYS = {
    "for": lambda it: for_loop(it, lambda item: None),
    "iter": lambda it: [item for item, _ in zip(it, range(2), strict=False)],
    "unpack": lambda it: [*itertools.islice(it, 1)],
    "next": lambda it: it.__next__(),
    "in": lambda it: 1 in it,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", MAKERS)
def test_a_branch_does_not_advance(kind, way):
    it = MAKERS[kind]()
    try:
        with pytest.raises(
            StagingError, match=r"'it' \(.*\) is advanced inside a staged statement(.|\n)*before the statement"
        ):
            jax.jit(lambda n: if_exp(n > 0, lambda: bool(WAYS[way](it)), lambda: False))(1)
        assert next(it) is not None
    finally:
        if kind == "file":
            it.close()
    assert not context.active()


@pytest.mark.parametrize("method", ["read", "readline", "readlines"])
def test_a_branch_does_not_read_a_file(method):
    with open(__file__) as file:
        with pytest.raises(StagingError, match=r"'file' \(textiowrapper\) is advanced"):
            jax.jit(lambda n: if_exp(n > 0, lambda: len(getattr(file, method)()), lambda: 0))(1)
        assert file.read(3) == '"""' and not file.closed
        assert jax.jit(lambda n: if_exp(n > 0, lambda: len(file.name), lambda: 0))(1) == len(__file__)


def test_a_loop_does_not_advance():
    def f(n):
        it, left = iter([1, 2, 3]), n

        def body():
            nonlocal left
            left = left - next(iter(it))

        while_loop(lambda: left > 0, body, lambda: (left,))

    with pytest.raises(StagingError, match=r"'it' \(list_iterator\) is advanced"):
        jax.jit(f)(3)


def test_what_the_region_makes_is_its_own():
    def f(n):
        def body():
            it = iter([1, 2, 3])
            return n * (next(it) + sum(it))

        return if_exp(n > 0, body, lambda: 0)

    assert jax.jit(f)(2) == 12


def test_an_iterator_may_be_handed_on():
    def f(n):
        it, kept = iter([7, 8]), None

        def body():
            nonlocal kept
            kept = it
            return it

        result = if_stmt(n > 0, body, body, lambda: (kept,))
        assert result is kept is it
        return next(it)

    assert jax.jit(f)(1) == 7


def test_an_iterator_that_a_branch_deletes():
    def f(n):
        it = iter([7, 8])

        def body():
            nonlocal it
            del it

        if_stmt(n > 0, body, body, lambda: (it,))
        try:
            it.__next__()
        except NameError:
            return n + 1
        return n

    assert jax.jit(f)(1) == 2


def test_a_loop_on_plain_values_advances_once():
    def f(n):
        it, taken, k = iter([1, 2, 3, 4, 5]), [], 0

        def body():
            nonlocal k
            journal.touch_container(taken)
            taken.extend(itertools.islice(it, 1))
            k = k + 1

        while_loop(lambda: k < 3, body, lambda: (k,))
        return n * next(it), taken

    assert jax.jit(f)(1) == (4, [1, 2, 3]) == f(1)


def test_a_loop_whose_test_becomes_traced_does_not_take_twice():
    def f(n):
        it, taken, go = iter([1, 2, 3, 4, 5]), [], True

        def body():
            nonlocal go
            taken.extend(itertools.islice(it, 1))
            go = n > 3

        while_loop(lambda: go, body, lambda: (go,))

    with pytest.raises(StagingError, match=r"'it' \(list_iterator\) is advanced"):
        jax.jit(f)(1)


def test_nothing_is_held_back_where_nothing_is_staged():
    it = iter([1, 2, 3])
    if_stmt(True, lambda: next(it), nothing)
    assert if_exp(False, nothing, lambda: type(it)) is type(iter([])) and next(it) == 2


@pytest.mark.parametrize("wrapped", [lambda it: it, enumerate, lambda it: zip(it, it), lambda it: (x for x in it)])
def test_a_shared_iterator_is_not_left_by_a_traced_jump(wrapped):
    def f(n):
        it, go = iter([1, 2, 3, 4]), True

        def body(_):
            nonlocal go
            go = n > 3

        for_loop(wrapped(it), body, lambda: (go,), test=lambda: go)
        return len(list(it))

    assert f(1) < 4
    with pytest.raises(StagingError, match="leaves an iterator that is used elsewhere"):
        jax.jit(f)(1)


def test_the_order_of_an_ordered_dict_is_part_of_it():
    def f(n):
        d = OrderedDict(a=1, b=2)

        def body():
            journal.touch_container(d)
            d.move_to_end("a")

        if_stmt(n > 0, body, nothing)
        return list(d)

    assert f(1) == ["b", "a"]
    with pytest.raises(StagingError, match="same keys in different orders"):
        jax.jit(f)(1)


class Source:
    def __init__(self):
        self.items = iter([1, 2, 3])


ITEMS = iter([1, 2, 3])
DEEP = {"sources": [Source()]}


def take_from_a_global():
    return list(ITEMS)


def list_of_an_attribute(x):
    source = Source()
    if x > 0:
        list(source.items)
    return len(list(source.items))


def loop_over_an_attribute(x):
    source = Source()
    if x > 0:
        for _ in source.items:
            break
    return len(list(source.items))


def membership_in_an_item(x):
    held = [iter([1, 2, 3])]
    if x > 0:
        x = x + (2 in held[0])
    return x, len(list(held[0]))


def unpacking_of_a_tuples_item(x):
    held = (iter([1, 2, 3]), 1)
    if x > 0:
        a, b, c = held[0]
    return len(list(held[0]))


def star_of_a_dicts_item(x):
    held = {"g": (k for k in range(3))}
    if x > 0:
        x = x + max(*held["g"])
    return x, len(list(held["g"]))


def items_given_to_a_list(x):
    source, found = Source(), []
    if x > 0:
        found.extend(source.items)
    else:
        found.extend([1, 2, 3])
    return len(list(source.items))


def iterator_of_a_nested_function(x):
    it = iter([1, 2, 3])

    def take():
        return list(it)

    if x > 0:
        take()
    return len(take())


def iterator_of_a_global_function(x):
    if x > 0:
        take_from_a_global()
    return len(take_from_a_global())


def iterator_deep_in_a_global(x):
    if x > 0:
        sum(DEEP["sources"][0].items)
    return len(list(DEEP["sources"][0].items))


def attribute_in_a_loop(x):
    source, i = Source(), 0
    while i < x:
        list(source.items)
        i += 1
    return len(list(source.items))


class Crowd:
    def __init__(self):
        self.items = iter([1, 2, 3])
        self.many = [[Box(i) for i in range(900)] for _ in range(3)]


class Box:
    def __init__(self, i):
        self.i = i


def attribute_beside_thousands_of_objects(x):
    crowd = Crowd()
    if x > 0:
        list(crowd.items)
    return len(list(crowd.items))


def bound_method_of_an_iterator(x):
    number = itertools.count().__next__
    if x > 0:
        x = x + number()
    return x, number()


def bound_method_in_a_loop(x):
    number, i = itertools.count().__next__, 0
    while i < x:
        i += 1 + number()
    return i, number()


def copied_iterator(x):
    it = iter([1, 2])
    if x > 0:
        x = x + next(copy.copy(it))
    return x, next(it)


def iterator_that_is_set(x):
    it = iter([1, 2, 3])
    if x > 0:
        it.__setstate__(2)
    return next(it)


def item_of_a_flat_iterator(x):
    flat = np.arange(3.0).flat
    if x > 0:
        x = x + flat[1]
    return x, next(flat)


ADVANCING = [
    item_of_a_flat_iterator,
    list_of_an_attribute,
    loop_over_an_attribute,
    membership_in_an_item,
    unpacking_of_a_tuples_item,
    star_of_a_dicts_item,
    items_given_to_a_list,
    iterator_of_a_nested_function,
    iterator_of_a_global_function,
    iterator_deep_in_a_global,
    attribute_in_a_loop,
    attribute_beside_thousands_of_objects,
    bound_method_of_an_iterator,
    bound_method_in_a_loop,
    copied_iterator,
    iterator_that_is_set,
]


@pytest.mark.parametrize("fn", ADVANCING, ids=lambda fn: fn.__name__)
def test_iterators_in_attributes_and_containers(fn):
    with pytest.raises(StagingError, match=r"\(.*\) is advanced inside a staged statement"):
        ag.jit(fn)(1.0)
    assert type(ITEMS) is type(DEEP["sources"][0].items) is type(iter([]))


def made_in_the_branch(x):
    if x > 0:
        source = Source()
        it = iter([4, 5])

        def take():
            return next(it)

        x = x + take() + sum(source.items) + take()
    return x


def kept_beside_what_a_branch_writes(x):
    source = Source()
    found = [source.items, 1.0]
    if x > 0:
        found[1] = x
        source.count = 2
    else:
        source.count = 3
    return found[1], source.count, len(list(found[0])), found[0] is source.items


@pytest.mark.parametrize("fn", [made_in_the_branch, kept_beside_what_a_branch_writes])
def test_iterators_that_a_branch_leaves_alone(fn):
    for x in (2.0, -1.0):
        assert jax.tree.map(float, ag.jit(fn)(x)) == jax.tree.map(float, fn(x))


def number_by_default(x):
    numbered = dataclasses.field(default_factory=itertools.count().__next__)
    event = dataclasses.make_dataclass("Event", ["time", ("number", int, numbered)])
    y = event(x).time if x > 0 else x
    return y, event(x).number


def random_by_default(x):
    drawn = dataclasses.field(default_factory=random.Random(1).random)
    event = dataclasses.make_dataclass("Event", ["time", ("weight", float, drawn)])
    y = event(x).time if x > 0 else x
    return y, event(x).weight


def finalizer_in_a_branch(x):
    source, seen = Source(), []
    end = weakref.finalize(source, seen.append, 1)
    if x > 0:
        end()
    return end.alive


STATE = {
    number_by_default: "the default of Event.number comes from a count, and an object is made inside a staged statement",
    random_by_default: r"random\(\) draws from a Random inside a staged statement",
    finalizer_in_a_branch: r"finalize\(\) may change a finalize inside a staged statement",
}


@pytest.mark.parametrize("fn", STATE, ids=lambda fn: fn.__name__)
def test_state_that_cannot_be_put_back(fn):
    with pytest.raises(StagingError, match=STATE[fn]):
        ag.jit(fn)(1.0)
