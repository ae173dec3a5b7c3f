"""Iterators and files of the enclosing function are not advanced by a piece that is staged."""

import itertools
from collections import OrderedDict

import jax
import pytest

from autograph.errors import StagingError
from autograph.runtime import journal
from autograph.runtime.conditionals import if_exp, if_stmt, nothing
from autograph.runtime.for_loops import for_loop
from autograph.runtime.iterables import Enumerate
from autograph.runtime.loops import while_loop

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
def test_an_arm_does_not_advance(kind, way):
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
    assert not journal.active()


@pytest.mark.parametrize("method", ["read", "readline", "readlines"])
def test_an_arm_does_not_read_a_file(method):
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


def test_what_the_piece_makes_is_its_own():
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


def test_an_iterator_that_an_arm_deletes():
    def f(n):
        it = iter([7, 8])

        def body():
            nonlocal it
            del it

        if_stmt(n > 0, body, body, lambda: (it,))

    jax.jit(f)(1)


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
