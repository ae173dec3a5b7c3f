"""Loops over `zip`, `reversed`, `enumerate` and `map` of lists of unknown length, which may change meanwhile: as in Python."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag


def kept(x: Any) -> Any:
    return [v for v in x if v > 1]


def neighbours(x: Any) -> Any:
    xs, s = kept(x), 0
    for a, b in zip(xs, xs[1:], strict=False):
        s = s * 3 + a - b
    return s


def backwards(x: Any) -> Any:
    xs, s = kept(x), 0
    for a in reversed(xs):
        s = s * 3 + a
        if a == 5:
            break
    return s


def grows_meanwhile(x: Any) -> Any:
    xs, s = kept(x), 0
    for i, (a, b) in enumerate(zip(xs, x, strict=False)):
        if i < 2:
            xs.append(7)
        s = s * 2 + a * b
    return s, xs


def shrinks_meanwhile(x: Any) -> Any:
    xs, s = kept(x), 0
    for a in reversed(xs):
        if a > 4:
            xs.pop()
        s = s * 2 + a
    return s, xs


def under_two_names(x: Any) -> Any:
    xs, s = kept(x), 0
    ys = xs
    for a, b in zip(xs, ys, strict=False):
        if a == 4:
            ys.pop(0)
        s = s * 3 + a + b
    return s, xs


def twice(x: Any) -> Any:
    """An iterator that is exhausted gives nothing more."""
    xs, s = kept(x), 0
    pairs, items = zip(xs, x, strict=False), reversed(xs)
    for a, b in pairs:
        s += a * b
    for _ in pairs:
        s += 1000
    for a in items:
        s = s * 2 + a
    for _ in items:
        s += 1000
    return s


def of_three(x: Any) -> Any:
    s = 0
    for a, b, c in zip(kept(x), [v for v in x if v < 5], range(3), strict=False):
        s = s * 2 + a * b + c
    return s


def with_an_else(x: Any) -> Any:
    xs, s = kept(x), 0
    for a, b in zip(xs, xs[2:], strict=False):
        if a > b:
            continue
        s += a
    else:
        s += 100
    return s


def lists_of_them(x: Any) -> Any:
    xs = kept(x)
    numbers = list(range(min(x[0], 5)))
    return list(zip(xs, xs[1:], strict=False)), list(reversed(xs)), list(enumerate(xs)), list(map(lambda v: v * v, xs)), numbers, list(xs)


PROGRAMS: list[Callable[[Any], Any]] = [
    neighbours, backwards, grows_meanwhile, shrinks_meanwhile, under_two_names, twice, of_three, with_an_else, lists_of_them,
]  # fmt: skip
ARRAYS = [[3, 1, 4, 1, 5, 9, 2, 6], [1, 1, 0, 1, 0, 0, 1, 0], [5, 1, 4, 1, 1, 1, 2, 1], [0, 1, 0, 1, 1, 1, 2, 1]]


def plain(x: Any) -> Any:
    return [plain(part) for part in x] if isinstance(x, list | tuple) else int(x)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(program: Callable[[Any], Any]) -> None:
    compiled = ag.jit(program)
    for values in ARRAYS:
        assert plain(compiled(jnp.array(values))) == plain(program(np.array(values))), values
