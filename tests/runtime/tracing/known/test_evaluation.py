"""Rows of numbers: `evaluate` gives what a call of the function gives for each iteration, or says that it does not know."""

import math
import operator
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograph.runtime.tracing.known.evaluation import NotKnown, Row, choice, evaluate, row_of

ONE: list[Callable[..., Any]] = [
    operator.not_, bool, float, int, math.floor, math.ceil, math.trunc, round, math.sqrt, operator.neg, operator.pos, abs, math.sin, str,
]  # fmt: skip
TWO: list[Callable[..., Any]] = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.lt, operator.le,
    operator.gt, operator.ge, operator.eq, operator.ne, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift,
    min, max, math.hypot, math.gcd, pow, math.copysign,
]  # fmt: skip
OF_NUMPY: list[Callable[..., Any]] = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.lt, operator.eq, min, max,
    np.add, np.hypot, np.maximum,
]  # fmt: skip


def numbers(rng: random.Random, kind: type, n: int) -> list[Any]:
    """Makes numbers of one kind: small ones, and those at which 64 bits end."""
    if kind is bool:
        return [rng.random() < 0.5 for _ in range(n)]
    if kind is int:
        size = rng.choice([9, 10**6, 2**40, 2**64])
        return [rng.randint(-size, size) for _ in range(n)]
    special = [0.0, -0.0, math.inf, math.nan, 2.5, -0.5] if rng.random() < 0.5 else [1.5, -2.0]
    return [rng.choice([*special, rng.uniform(-5, 5), rng.uniform(-1e20, 1e20)]) for _ in range(n)]


def arguments(rng: random.Random, fn: Any, count: int, kinds: list[Any]) -> tuple[list[Any], list[list[Any]]]:
    """Makes arguments, some of which are the same in all iterations, and the column of each."""
    n = rng.choice([1, 2, 7])
    args: list[Any] = []
    columns: list[list[Any]] = []
    for place in range(count):
        kind = rng.choice(kinds)
        column = numbers(rng, int if kind is np.int32 else float if issubclass(kind, np.floating) else kind, n)
        if place == 1 and fn in (operator.lshift, operator.pow, pow) and kind is int:
            column = [x % 70 for x in column]
        if issubclass(kind, np.generic):
            column = [kind(x % 1000) for x in column]
        is_same = place == 1 and rng.random() < 0.5
        columns.append([column[0]] * n if is_same else column)
        args.append(column[0] if is_same else row_of(column))
    return args, columns


def called(fn: Any, columns: list[list[Any]]) -> Any:
    """Calls a function for each iteration; returns the exception where it raises one."""
    try:
        return [fn(*column) for column in zip(*columns, strict=True)]
    except Exception as error:
        return error


def same(a: Any, b: Any) -> bool:
    """Whether two numbers are the same, of one class; 0.0 is not -0.0."""
    return type(a) is type(b) and (
        a == b and (a != 0 or math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_row_holds_what_python_computes(seed: int) -> None:
    rng = random.Random(seed)
    known = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2000):
            functions = rng.choice([ONE, TWO])
            fn = rng.choice(functions)
            args, columns = arguments(rng, fn, 1 if functions is ONE else 2, [int, int, float, bool])
            known += compare(fn, args, columns)
    assert known > 1000


def test_a_row_of_numpys_numbers_holds_what_numpy_computes() -> None:
    rng = random.Random(5)
    known = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(1500):
            fn = rng.choice(OF_NUMPY)
            args, columns = arguments(rng, fn, 2, [np.float64, np.float32, np.int32, int, float])
            known += compare(fn, args, columns)
    assert known > 700


def compare(fn: Any, args: list[Any], columns: list[list[Any]]) -> bool:
    """Compares the row with Python's numbers; whether it is known."""
    wanted = called(fn, columns)
    try:
        found = evaluate(fn, args)
    except NotKnown:
        is_of_one_kind = not isinstance(wanted, Exception) and len(set(map(type, wanted))) == 1
        assert not (is_of_one_kind and isinstance(wanted[0], int | float)), (fn, columns, wanted)
        return False
    assert not isinstance(wanted, Exception), (fn, columns, wanted)
    values = list(found.values) if issubclass(found.kind, np.generic) else found.values.tolist()
    assert found.kind is type(wanted[0]), (fn, columns)
    assert all(map(same, values, wanted)), (fn, columns, values, wanted)
    return True


def test_only_the_iterations_count_in_which_the_code_runs() -> None:
    index = Row(np.arange(4), int)
    with pytest.raises(NotKnown, match="ZeroDivisionError"):
        evaluate(operator.truediv, [1, index])
    found = evaluate(operator.truediv, [1, index], lambda shape: np.arange(4) > 0)
    assert found.values[1:].tolist() == [1.0, 0.5, 1 / 3]


def test_the_loops_of_a_nest_have_an_axis_each() -> None:
    outer, inner = Row(np.arange(3), int), Row(np.arange(2).reshape(2, 1), int)
    assert evaluate(operator.mul, [outer, inner]).values.tolist() == [[0, 0, 0], [0, 1, 2]]
    assert evaluate(choice, [evaluate(operator.lt, [outer, 1]), inner, 7]).values.tolist() == [[0, 7, 7], [1, 7, 7]]


def test_too_many_numbers_are_not_known() -> None:
    index = Row(np.arange(1 << 21), int)
    with pytest.raises(NotKnown, match="calls of a Python function"):
        evaluate(math.sin, [index])
    with pytest.raises(NotKnown, match="iterations"):
        evaluate(operator.mul, [index, index._replace(values=np.arange(3).reshape(3, 1))])


@pytest.mark.parametrize(
    ("values", "constant"), [([0.0, 0.0], 0.0), ([0.0, -0.0], None), ([math.nan, math.nan], math.nan)]
)
def test_a_number_that_all_iterations_share(values: list[float], constant: float | None) -> None:
    found = row_of(values).constant()
    assert found is constant or repr(found) == repr(constant)
