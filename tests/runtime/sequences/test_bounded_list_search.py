"""Searches, orders and parts of lists whose length is known when the program runs: all as Python's lists do it."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

LISTS = [[], [7], [2, 7, 7, 0], [5, 5, 5, 5, 5], [9, 1, 8, 2, 7, 3]]
PAIRS = [[], [(1, 2.0)], [(1, 2.0), (0, 5.0), (1, -2.0), (1, 2.0)]]


def grown(values: Any, count: Any) -> list[Any]:
    """A list of the first rows of arrays, of unknown length in a compiled program."""
    out: list[Any] = []
    i = 0
    while i < count:
        ag.set_loop_options(maximum_iterations=6)
        out.append(values[i] if not isinstance(values, tuple) else (values[0][i], values[1][i]))
        i += 1
    return out


def sliced_writes(xs: list[Any]) -> list[Any]:
    xs[1:3] = [4, 4, 4]
    xs[:1] = xs
    xs[9:] = []
    return xs


def deletes(xs: list[Any]) -> list[Any]:
    del xs[1:3]
    del xs[-1]
    return xs


def sorts(xs: list[Any]) -> list[Any]:
    ys = sorted(xs, reverse=True)
    xs.sort()
    xs.append(1)
    return [xs, ys]


def reverses(xs: list[Any]) -> list[Any]:
    xs.reverse()
    xs.append(1)
    return xs + xs[::-1]


def removes(xs: list[Any]) -> list[Any]:
    xs.remove(7)
    return xs


def alone(xs: list[Any]) -> list[Any]:
    """Neither list sees what is done to the other."""
    ys = xs[:]
    ys.append(3)
    xs.insert(0, 4)
    zs = ys * 2
    zs += xs
    return [xs, ys, zs]


def median(xs: list[Any]) -> Any:
    ordered, half = sorted(xs), len(xs) // 2
    return ordered[half] if len(xs) % 2 else (ordered[half - 1] + ordered[half]) / 2


def selection(xs: list[Any]) -> list[Any]:
    out: list[Any] = []
    while len(xs) > 0:
        ag.set_loop_options(maximum_iterations=6)
        least = xs.index(min(xs))
        out.append(xs[least])
        del xs[least]
    return out


USES: list[Callable[[list[Any]], Any]] = [
    sliced_writes, deletes, sorts, reverses, removes, alone, median, selection,
    lambda xs: xs[1:], lambda xs: xs[::-1], lambda xs: xs[-3:-1], lambda xs: xs[: len(xs) // 2], lambda xs: xs[1::2], lambda xs: xs[8:2],
    lambda xs: xs.index(7), lambda xs: xs.index(7, 2), lambda xs: xs.index(7, -3, 3), lambda xs: xs.count(7), lambda xs: xs.count(7.0),
    lambda xs: xs == [2, 7, 7, 0], lambda xs: xs == xs[::-1], lambda xs: xs != [7], lambda xs: xs == [], lambda xs: [5] * 5 == xs,
    lambda xs: [0, *[1]] + xs, lambda xs: xs * 3, lambda xs: 0 * xs, lambda xs: 7 in xs, lambda xs: "a" in xs, lambda xs: (7,) in xs,
    lambda xs: xs.index((7, 7)), lambda xs: np.array(xs), lambda xs: jnp.array(xs[1:]).sum(),
]  # fmt: skip
OF_PAIRS: list[Callable[[list[Any]], Any]] = [
    lambda xs: sorted(xs), lambda xs: sorted(xs, reverse=True), lambda xs: xs[::-1], lambda xs: (1, 2.0) in xs,
    lambda xs: xs.count((1, 2)), lambda xs: xs.index((1, -2.0)), lambda xs: xs == [(1, 2.0)], lambda xs: 1 in xs, lambda xs: xs + xs,
    lambda xs: np.array(xs).reshape(-1, 2) if not isinstance(xs, ag.BoundedList) else np.array(xs),
]  # fmt: skip


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """What a call returns, as lists of numbers, or the class and message of what it raises."""
    try:
        return plain(f(*args))
    except (ValueError, IndexError, jax.errors.JaxRuntimeError) as error:
        return next((text for text in ("not in list", "out of range") if text in str(error)), repr(error))


def plain(x: Any) -> Any:
    if isinstance(x, list | tuple | ag.BoundedList):
        return [plain(part) for part in x]
    return np.asarray(x).tolist()


@pytest.mark.parametrize("number", range(len(USES)))
def test_as_pythons_lists(number: int) -> None:
    use = USES[number]
    program = ag.jit(lambda values, count: use(grown(values, count)))
    for values in LISTS:
        room = jnp.zeros(6, int).at[: len(values)].set(jnp.array(values, int))
        assert outcome(program, room, len(values)) == outcome(use, list(values)), values


@pytest.mark.parametrize("number", range(len(OF_PAIRS)))
def test_of_tuples(number: int) -> None:
    use = OF_PAIRS[number]
    program = ag.jit(lambda a, b, count: use(grown((a, b), count)))
    for values in PAIRS[1:]:
        room = np.zeros((2, 6), np.float32)
        room[:, : len(values)] = np.array(values).T
        assert outcome(program, jnp.array(room[0], int), jnp.array(room[1]), len(values)) == outcome(use, list(values)), values


def test_lanes_of_a_map_and_derivatives() -> None:
    def weighted(values: Any, count: Any) -> Any:
        xs = sorted(grown(values, count), reverse=True)[:3]
        total, k = values[0] * 0, 1
        for x in xs:
            total, k = total + k * x, k + 1
        return total

    values = jnp.array([3.0, 9.0, 1.0, 7.0, 2.0, 5.0])
    for count in range(7):
        wanted = sum(k * x for k, x in enumerate(sorted(values[:count].tolist(), reverse=True)[:3], 1))
        assert float(ag.jit(weighted)(values, count)) == wanted
    counts = jnp.arange(7)
    lanes = jax.vmap(ag.convert(weighted), (None, 0))(values, counts)
    assert lanes.tolist() == [float(ag.jit(weighted)(values, count)) for count in range(7)]
    assert jax.grad(ag.jit(weighted))(values, 4).tolist() == [3.0, 1.0, 0.0, 2.0, 0.0, 0.0]


def test_floats_in_order() -> None:
    """Zeros of both signs are equal, so that they keep their order."""
    program = ag.jit(lambda values, count: sorted(grown(values, count)))
    got = list(program(jnp.array([0.0, np.inf, -0.0, -np.inf, 1.5, 9.0]), 5))
    assert [str(float(x)) for x in got] == ["-inf", "0.0", "-0.0", "1.5", "inf"]
