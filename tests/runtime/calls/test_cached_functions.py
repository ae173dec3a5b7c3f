"""Functions under `functools.cache`: what they read may not change between two calls whose order only the program knows."""

import functools
import operator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph import StagingError

RATE = 1


class Box:
    def __init__(self, value):
        self.value = value
        self.seen = 0


@functools.cache
def with_a_global(a):
    return a * RATE


def reads_a_variable_of_a_branch(x):
    k = 1

    @functools.cache
    def f(a):
        return a * k

    if x > 0:
        k = 2
        f(3)
    return f(3)


def reads_a_variable_of_a_loop(x):
    k, total = 0, 0

    @functools.cache
    def f(a):
        return a * k

    while total < x:
        k += 1
        total += f(3)
    return total


def reads_a_traced_variable_that_is_assigned_again(x):
    k = x

    @functools.cache
    def f(a):
        return a * k

    first = f(3)
    k = x + 1
    return first + f(3) if x > 0 else f(3)


def is_called_again_with_another_rate(x):
    k = 1

    @functools.cache
    def f(a):
        return a * k

    first = f(x)
    k = 2
    return first + f(x)


def reads_an_attribute_of_a_branch(x):
    box = Box(1)

    @functools.cache
    def f(a):
        return a * box.value

    if x > 0:
        box.value = 5
        f(2)
    return f(2)


def reads_what_is_written_behind_it_in_a_loop(x):
    box, total = Box(1), 0

    @functools.cache
    def f(a):
        return a * box.value

    for _ in range(x):
        total += f(2)
        box.value += 1
    return total


def reads_a_list_of_a_loop(x):
    numbers, total = [1], 0

    @functools.cache
    def f(a):
        return a * numbers[0]

    while total < x:
        total += f(2)
        numbers[0] += 1
    return total


def reads_a_global_of_a_loop(x):
    global RATE
    total = 0
    while total < x:
        total += with_a_global(2)
        RATE += 1
    return total


class Circle:
    def __init__(self):
        self.radius = 2.0

    @functools.cache  # noqa: B019  # a cached method is what is tried
    def area(self):
        return self.radius * 2

    @functools.cache  # noqa: B019  # a cached method is what is tried
    def __getitem__(self, k):
        return self.radius * k

    @property
    @functools.cache  # noqa: B019  # a cached method is what is tried
    def width(self):
        return self.radius * 5


def reads_its_object_behind_a_branch(x):
    circle = Circle()
    if x > 0:
        circle.radius = x
        x = x + circle.area()
    circle.radius = 9.0
    return x + circle.area()


def entry_of_a_branch(x):
    k = 1

    @functools.cache
    def f(a):
        return a * k

    y = f(3) if x > 0 else 0
    k = 2
    return y, f(3)


CHANGING = {
    reads_a_variable_of_a_branch: "k",
    reads_a_variable_of_a_loop: "k",
    reads_a_traced_variable_that_is_assigned_again: "k",
    is_called_again_with_another_rate: "k",
    reads_an_attribute_of_a_branch: "<Box>.value",
    reads_what_is_written_behind_it_in_a_loop: "<Box>.value",
    reads_a_list_of_a_loop: "numbers",
    reads_a_global_of_a_loop: "RATE",
    reads_its_object_behind_a_branch: "<Circle>.radius",
    entry_of_a_branch: "k",
}


@pytest.mark.parametrize("fn", CHANGING, ids=lambda fn: fn.__name__)
def test_what_it_reads_changes(fn):
    with pytest.raises(StagingError, match=f"is kept by functools.cache, and reads {CHANGING[fn]}, which changes"):
        ag.jit(fn)(3)
    assert RATE == 1


def test_under_an_eager_vmap_it_is_the_same():
    with pytest.raises(StagingError, match="is kept by functools.cache, and reads k, which changes"):
        jax.vmap(ag.convert(entry_of_a_branch))(jnp.array([1.0, -1.0]))


def test_what_it_does_not_read_may_change():
    def fn(x):
        box, total = Box(1), 0

        @functools.cache
        def f(a):
            return a * box.value + x

        for _ in range(x):
            total += f(2)
            box.seen += 1
        return total + f(x), box.seen

    for x in (3, 0):
        assert ag.jit(fn)(x) == fn(x)


def clears_a_cache_in_a_branch(x):
    k = 1

    @functools.cache
    def f(a):
        return a * k

    f(3)
    k = 2
    if x > 0:
        f.cache_clear()
    return f(3)


def counts_the_calls_of_a_branch(x):
    @functools.cache
    def f(a):
        return a * 2

    y = f(4) if x > 0 else f(3)
    return y, f.cache_info().misses


def test_what_a_cache_knows_cannot_be_changed_or_asked():
    with pytest.raises(StagingError, match=r"cache_clear\(\) changes a _lru_cache_wrapper inside a staged statement"):
        ag.jit(clears_a_cache_in_a_branch)(3)
    with pytest.raises(StagingError, match=r"cache_info\(\) counts the calls of f\(\)"):
        ag.jit(counts_the_calls_of_a_branch)(3)


def test_a_cache_outside_of_staged_statements_is_pythons():
    def fn(x):
        @functools.cache
        def f(a):
            return a * 2

        hits = f(3) - f(3) + f.cache_info().hits
        f.cache_clear()
        return hits + 1 if x > 0 else hits, f.cache_info().currsize

    for x in (3, -3):
        assert ag.jit(fn)(x) == fn(x)


def counts_by_another_call(call):
    def fn(x):
        seen = []

        @functools.cache
        def f(k):
            seen.append(k)
            return k

        if x > 0:
            call(f)
        f(3)
        return len(seen)

    return fn


def around_another_callable(make):
    def fn(x):
        box = Box(1)

        def f(k):
            box.seen += 1
            return k

        g = functools.cache(make(f))
        if x > 0:
            g(3)
        g(3)
        return box.seen

    return fn


class Called:
    def __init__(self, f):
        self.f = f

    def __call__(self, k):
        return self.f(k)

    def method(self, k):
        return self.f(k)


WRITING = {
    "called in the branch": counts_by_another_call(lambda f: f(3)),
    "__call__": counts_by_another_call(lambda f: f.__call__(3)),
    "operator.call": counts_by_another_call(lambda f: operator.call(f, 3)),
    "map": counts_by_another_call(lambda f: list(map(f, [3]))),
    "partial": around_another_callable(functools.partial),
    "object": around_another_callable(Called),
    "method": around_another_callable(lambda f: Called(f).method),
}


@pytest.mark.parametrize("fn", WRITING.values(), ids=WRITING)
def test_it_writes(fn):
    with pytest.raises(StagingError, match=r"\(\) is kept by functools.cache, and changes "):
        ag.jit(fn)(3)


def full_cache(x):
    @functools.lru_cache(maxsize=1)
    def g(k):
        return [k]

    first = g(1)
    y = g(2)[0] if x > 0 else x
    g(1).append(9)
    return y, len(first)


def one_iterator(x):
    @functools.cache
    def items(k):
        return iter([k, k + 1])

    y = next(items(1)) if x > 0 else 0
    return y, next(items(1))


def counter(k):
    n = 0

    def count():
        nonlocal n
        n += k
        return n

    return count


def closures_of_traced_values(x):
    make = functools.cache(counter)
    return make(x)(), make(x)()


def property_in_a_branch(x):
    circle, y = Circle(), 0.0
    if x > 0:
        y = circle.width
    circle.radius = 9.0
    return y, circle.width


def item_in_a_branch(x):
    circle, y = Circle(), 0.0
    if x > 0:
        y = circle[2]
    circle.radius = 9.0
    return y, circle[2]


SHARED = {
    full_cache: r"g\(\) is kept by functools.lru_cache, which is full, and returns a list",
    one_iterator: r"items\(\) is kept by functools.cache, and returns a list_iterator",
    closures_of_traced_values: r"counter\(\) is kept by functools.cache, and returns a function with traced values",
    property_in_a_branch: r"Circle.width\(\) is kept by functools.cache, and called without a call in the source",
    item_in_a_branch: r"Circle.__getitem__\(\) is kept by functools.cache, and called without a call in the source",
}


@pytest.mark.parametrize("fn", SHARED, ids=lambda fn: fn.__name__)
def test_what_it_returns_is_one_object_for_all(fn):
    with pytest.raises(StagingError, match=SHARED[fn]):
        ag.jit(fn)(3)


def test_methods_and_tables_are_computed():
    def fn(x):
        @functools.lru_cache
        def table(n):
            return np.arange(n)

        make, circle = functools.cache(counter), Circle()
        y = circle.area() * table(5)[2] + make(1)() if x > 0 else x
        return y + circle.area() + table(5).sum(), make(1)()

    for x in (3.0, -3.0):
        assert ag.jit(fn)(x) == fn(x)


class Loud(functools.partial):
    def __call__(self, *args):
        return super().__call__(*args) + 100


def test_the_call_of_a_base_is_that_of_the_base():
    def fn(x):
        loud = Loud(lambda a: a + 1 if a > 0 else a)
        return loud(x) + loud.__call__(x) + functools.partial(lambda a: -a if a > 0 else a).__call__(x)

    for x in (3, -3):
        assert ag.jit(fn)(x) == fn(x)
