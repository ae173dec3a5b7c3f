"""What a `for` runs over: lengths, items and slices of staged iterables agree with Python's."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.directives import range as ag_range
from autograph.runtime.sequences.iterables import Enumerate, Filter, Map, Reversed, Zip
from autograph.runtime.sequences.iteration_space import items_of
from autograph.runtime.sequences.loop_items import range_items


def listed(items, length=None):
    """All items, as Python would take them."""
    count = int(items.length) if length is None else length
    order = [count - 1 - k for k in range(count)] if items.backwards else range(count)
    return [items.make(k, [array[at] for array in items.arrays]) for k, at in zip(range(count), order, strict=True)]


def staged_range(*bounds):
    """The numbers of a range whose bounds are traced."""

    def f(*bounds):
        items = items_of(ag_range(*bounds))
        assert not items.is_static
        length = jnp.maximum(items.length, 0)
        return length, [items.make(k, ()) for k in range(12)]

    length, numbers = jax.jit(f)(*bounds)
    return [int(n) for n in numbers[: int(length)]]


BOUNDS = [(5,), (0,), (-3,), (2, 5), (5, 2), (-2, 2), *itertools.product((0, 7, -3), (0, 7, -4), (1, 3, -1, -3))]


@pytest.mark.parametrize("bounds", BOUNDS)
def test_ranges_of_traced_bounds(bounds):
    assert staged_range(*bounds) == list(range(*bounds))
    assert listed(range_items(*((0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1))[:3])) == list(range(*bounds))


@pytest.mark.parametrize(
    "use",
    [
        np.sum, np.argmax, np.mean, np.shape, np.ndim, np.size, np.add.reduce, lambda xs: np.array(xs).size,
        lambda xs: np.array([xs, xs]).size, lambda xs: np.isin(2, xs), lambda xs: np.array_equal(xs, [0, 1, 2]),
        lambda xs: np.array(xs) == 2, lambda xs: np.ones(3) == xs, lambda xs: xs == np.arange(3), lambda xs: np.ones(3) + xs,
        lambda xs: np.isin(jnp.arange(3), xs), lambda xs: jnp.array(xs).size,
    ],
)  # fmt: skip
def test_numpy_makes_no_array_of_one_object(use):
    @ag.jit
    def f(n):
        return use(range(n))

    with pytest.raises(ag.StagingError, match="an array is made of a range with a traced bound"):
        f(3)


def test_numpy_makes_arrays_of_ranges_that_are_known():
    assert np.array(ag_range(1, 4)).tolist() == [1, 2, 3] and np.asarray(ag_range(2), float).dtype == float
    assert (np.sum(ag_range(4)), np.shape([ag_range(2)] * 3), np.iterable(ag_range(2))) == (6, (3, 2), True)

    @ag.jit
    def f(x, n):
        found = np.isin(x, range(2)), np.stack([x, ag.range(3)])
        return *found, np.concatenate([x, range(2)]), np.iterable(range(n)), np.array_equal(x, range(3))

    found, both, longer, is_iterable, is_same = f(np.arange(3), 2)
    assert found.tolist() == [True, True, False] and both.tolist() == [[0, 1, 2]] * 2 and longer.tolist() == [0, 1, 2, 0, 1]
    assert bool(is_iterable) and bool(is_same)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int32", "bool"])
def test_bounds_of_any_integer_type_count_in_python_s_integers(dtype):
    for bounds in ((1,), (0, 1), (1, 0, -1), (100, 0, -30), (120, 127, 3)):
        if dtype == "bool" and max(bounds) > 1 or dtype[0] in "ub" and min(bounds) < 0:
            continue
        assert staged_range(*(np.asarray(b, dtype)[()] for b in bounds)) == list(range(*bounds))
    types = []
    jax.jit(
        lambda n: (
            types.append(jax.typeof(items_of(ag_range(n)).make(0, ())))
            if False
            else types.append(jax.typeof(range_items(n, 10, 1).make(0, ())))
        )
    )(np.asarray(1, dtype)[()])
    assert types[0].dtype == "int32" and types[0].weak_type


@pytest.mark.parametrize(
    "value, text",
    [
        (2.0, "'float' object cannot be"),
        (2j, "'complex' object cannot be"),
        (jnp.ones(2, int), "Only integer scalar arrays"),
    ],
)
def test_bounds_that_are_no_integers(value, text):
    with pytest.raises(TypeError, match=text):
        jax.jit(lambda n: range_items(0, n, 1).length)(value)
    with pytest.raises(TypeError):
        range(value)


def test_a_step_of_zero():
    with pytest.raises(ValueError, match="must not be zero"):
        range_items(0, 5, 0)
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match=r"ValueError: range\(\) arg 3 must not be zero"):
        jax.block_until_ready(jax.jit(lambda n: range_items(0, 5, n).length)(0))


def inside(f, *args):
    """Calls `f` with traced arguments and gives back what it computed from them."""
    seen = []

    def traced(*args):
        result = f(*args)
        seen.append(jax.tree.structure(result))
        return result

    return jax.jit(traced)(*args)


def plain(values):
    return jax.tree.map(lambda x: np.asarray(x).tolist(), values)


XS, YS = jnp.arange(4) * 10, jnp.arange(6) * 0.5


@pytest.mark.parametrize(
    "make, want",
    [
        (lambda xs, ys: xs, lambda xs, ys: list(xs)),
        (lambda xs, ys: Enumerate(xs), lambda xs, ys: list(enumerate(xs))),
        (lambda xs, ys: Enumerate(xs, 5), lambda xs, ys: list(enumerate(xs, 5))),
        (lambda xs, ys: Zip((xs, ys)), lambda xs, ys: list(zip(xs, ys, strict=False))),
        (lambda xs, ys: Zip((ys, xs, range(3))), lambda xs, ys: list(zip(ys, xs, range(3), strict=False))),
        (lambda xs, ys: Reversed(xs), lambda xs, ys: list(reversed(xs))),
        (lambda xs, ys: Zip((Reversed(xs), ys)), lambda xs, ys: list(zip(reversed(xs), ys, strict=False))),
        (lambda xs, ys: Zip((Reversed(ys), xs)), lambda xs, ys: list(zip(reversed(ys), xs, strict=False))),
        (
            lambda xs, ys: Enumerate(Zip((xs, Enumerate(ys)))),
            lambda xs, ys: list(enumerate(zip(xs, enumerate(ys), strict=False))),
        ),
        (
            lambda xs, ys: Map(lambda a, b: a - b, (xs, ys)),
            lambda xs, ys: [a - b for a, b in zip(xs, ys, strict=False)],
        ),
        (lambda xs, ys: Enumerate(ag_range(3, 9, 2), 1), lambda xs, ys: list(enumerate(range(3, 9, 2), 1))),
        (lambda xs, ys: Reversed(ag_range(9, 2, -3)), lambda xs, ys: list(reversed(range(9, 2, -3)))),
        (lambda xs, ys: Zip((xs, xs[:0])), lambda xs, ys: []),
    ],
)
def test_items_are_python_s(make, want):
    assert plain(inside(lambda xs, ys: listed(items_of(make(xs, ys))), XS, YS)) == plain(want(XS, YS))


def test_lengths_that_are_traced():
    def f(xs, n):
        items = items_of(Zip((xs, ag_range(n))))
        return items.length, items_of(Enumerate(ag_range(2, n))).length, items_of(Reversed(ag_range(n))).length

    for n in (2, 9, 0):
        assert [max(int(x), 0) for x in jax.jit(f)(XS, n)] == [min(4, n), max(n - 2, 0), n]


@pytest.mark.parametrize(
    "make",
    [
        lambda xs: [1, 2],
        lambda xs: range(3),
        lambda xs: {1: 2},
        lambda xs: iter([1]),
        lambda xs: Zip((xs, [1, 2])),
        lambda xs: Filter(None, xs),
        lambda xs: Zip((xs, xs[:2]), strict=True),
        lambda xs: Enumerate([1, 2]),
    ],
)
def test_what_python_iterates(make):
    jax.jit(lambda xs: [None, 1][items_of(make(xs)) is not None] or xs)(XS)
    seen = []
    jax.jit(lambda xs: seen.append(items_of(make(xs))))(XS)
    assert seen == [None]


def test_what_was_begun_is_python_s():
    def f(xs):
        pairs = Enumerate(xs)
        next(pairs)
        assert items_of(pairs) is None
        return [x for _, x in pairs]

    assert [int(x) for x in jax.jit(f)(XS)] == [10, 20, 30]
