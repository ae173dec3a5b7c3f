"""What the tests on the way decide of a comparison: it may never differ from what the numbers themselves say."""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.runtime.tracing import comparisons

NUMBERS = [-math.inf, -7.0, -2.0, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 2.0, 3.5, 1e38, math.inf, math.nan, 1e-45, 0.1]
INTEGERS = [-(2**31), -100, -7, -3, -2, -1, 0, 1, 2, 3, 5, 7, 100, 2**31 - 1]
COMPARE = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
EXPRESSIONS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x, lambda x, y: y, lambda x, y: -x, lambda x, y: 1 - x, lambda x, y: x + 2, lambda x, y: x - y,
    lambda x, y: x * 2, lambda x, y: x * 3, lambda x, y: abs(x), lambda x, y: x * x, lambda x, y: x + y, lambda x, y: -y,
]  # fmt: skip


def _test(chosen: random.Random, expressions: list[Any], numbers: list[Any]) -> Callable[[Any, Any], Any]:
    left, right, compare = chosen.choice(expressions), chosen.choice(expressions), chosen.choice(COMPARE)
    number = chosen.choice([n for n in numbers if math.isfinite(n) and abs(n) < 4])
    if chosen.random() < 0.6:
        return lambda x, y: compare(left(x, y), number)
    return lambda x, y: compare(left(x, y), right(x, y))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.uint8, int, float])
def test_what_is_decided_holds_for_all_numbers_that_come_the_same_way(kind: Any) -> None:
    numbers = NUMBERS if issubclass(kind, float | np.floating) else [n for n in INTEGERS if kind is not np.uint8 or 0 <= n < 256]
    chosen, decisions = random.Random(kind.__name__), 0
    values = [kind(n) for n in numbers if kind is not np.float32 or not 0 < abs(n) < 1e-40]
    for _ in range(1000):
        expressions = chosen.sample(EXPRESSIONS, 2)
        tests = [_test(chosen, expressions, numbers) for _ in range(chosen.randint(2, 4))]
        x, y = chosen.choice(values), chosen.choice(values)
        with np.errstate(all="ignore"):
            outcomes = [bool(test(x, y)) for test in tests[1:]]
        found: list[bool | None] = []

        def trace(x: Any, y: Any, tests: Any = tests, outcomes: Any = outcomes, found: Any = found) -> Any:
            asked, *path = [test(x, y) for test in tests]
            implied = [one for test, holds in zip(path, outcomes, strict=True) for one in comparisons.implied_by(test, holds)]
            found.append(comparisons.decided(asked, implied))
            return x

        # Python's numbers are those of the plain program, in which nothing wraps around.
        with jax.enable_x64(kind in (np.float64, float)):
            jax.make_jaxpr(trace)(kind(1), kind(1))
        if found[0] is None:
            continue
        decisions += 1
        with np.errstate(all="ignore"):
            for x in values:
                for y in values:
                    asked, *path = [bool(test(x, y)) for test in tests]
                    assert path != outcomes or asked is found[0], (x, y)
    assert decisions > 40


def symmetric(x: Any) -> Any:
    if x < 0:
        return -symmetric(-x)
    return x * x + 1


def reflected(x: Any) -> Any:
    if x < 0.5:
        return 2 / reflected(1 - x)
    return x + 3


def divisor(a: Any, b: Any) -> Any:
    if a < b:
        return divisor(b, a)
    while b:
        a, b = b, a % b
    return a


def power(x: Any, n: Any) -> Any:
    if n < 0:
        return 1 / power(x, -n)
    result = 1.0
    while n > 0:
        result, n = result * x, n - 1
    return result


def of_two(x: Any, is_upper: Any) -> Any:
    if x > 0 and is_upper:
        return 1 - of_two(-x, not is_upper)
    return 2 * x


def parity(f: Any, k: Any, q: Any) -> Any:
    gain = f - k if q > 0 else k - f
    if q * (f - k) > 0:
        return gain + parity(f, k, -q)
    return abs(f - k) / 10


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (parity, [(3.0, 2.0, 1.0), (3.0, 2.0, -1.0), (2.0, 3.0, 1.0), (2.0, 2.0, 1.0)]),
        (symmetric, [(2.0,), (-2.0,), (0.0,)]),
        (reflected, [(0.25,), (0.5,), (3.0,), (-1.0,)]),
        (divisor, [(12, 18), (18, 12), (7, 7)]),
        (power, [(2.0, 3), (2.0, -3), (2.0, 0)]),
        (of_two, [(1.5, True), (1.5, False), (-1.5, True)]),
    ],
)
def test_recursion_ends_where_the_path_decides_its_test(f: Callable[..., Any], arguments: list[Any]) -> None:
    for values in arguments:
        assert np.isclose(ag.jit(f)(*values), f(*values))
        assert np.isclose(jax.jit(ag.convert(f))(*map(jnp.asarray, values)), f(*values))


def test_a_test_that_was_made_before_is_not_made_again() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            return clipped(x)
        return -1.0

    def clipped(x: Any) -> Any:
        return x if x > 0 else 0.0

    assert str(jax.make_jaxpr(ag.convert(f))(1.0)).count("cond[") == 1
    assert ag.jit(f)(2.0) == 2 and ag.jit(f)(math.nan) == -1


@pytest.mark.parametrize("make", [lambda x, y: x - y, lambda x, y: x + -y, lambda x, y: (x - 1) - y])
def test_the_difference_of_infinities_is_no_number(make: Any) -> None:
    def trace(x: Any, y: Any) -> Any:
        implied = [*comparisons.implied_by(x > 0, True), *comparisons.implied_by(y > 0, True)]
        assert comparisons.decided(abs(make(x, y)) >= 0, implied) is None
        assert comparisons.decided(abs(make(x, 1.0 * x)) >= 0, comparisons.implied_by(x < 3, True)) is None
        return x

    jax.make_jaxpr(trace)(1.0, 1.0)


@pytest.mark.parametrize(
    ("make", "number"),
    [
        (lambda n: n + n, 4), (lambda n: n - n * n, -2), (lambda n: -(n * n), -4), (lambda n: n * 1.5 + n * 2.0, 7.0),
        (lambda n: n * math.inf - n * math.inf, None), (lambda n: n * (2**31 - 1), None),
    ],
)  # fmt: skip
def test_a_recorded_operation_on_known_numbers_is_a_number(make: Any, number: Any) -> None:
    def trace(x: Any) -> Any:
        two = jax.lax.full_like(x, 2)
        (implied,) = comparisons.implied_by(x < make(two), True)
        assert implied.names_number == (number is not None)
        assert number is None or implied.keys[1] == (1, (type(number), number))
        return x

    jax.make_jaxpr(trace)(1)
