"""Exceptions of arithmetic where no jump leads to the handler, and programs that pay nothing."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.analyses import fallible
from autograph.runtime.library import arithmetic_errors


def ratio(a: Any, b: Any) -> Any:
    return a / b


def nested_ratio(a: Any, b: Any) -> Any:
    return sum(ratio(a, d) for d in (b, b + 1))


def in_place(a: Any, b: Any) -> Any:
    a /= b
    return a


def named(fn: Callable[..., Any]) -> Callable[..., Any]:
    def safe(a: Any, b: Any) -> Any:
        try:
            return fn(a, b)
        except ZeroDivisionError:
            return -1.0

    return safe


def wide(fn: Callable[..., Any]) -> Callable[..., Any]:
    def safe(a: Any, b: Any) -> Any:
        try:
            return fn(a, b)
        except Exception:
            return -1.0

    return safe


class Length:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __truediv__(self, other: Any) -> Any:
        return self.value / other

    @property
    def inverse(self) -> Any:
        return 1 / self.value


CALLED = [
    ratio,
    nested_ratio,
    in_place,
    lambda a, b: a / b,
    lambda a, b: functools.partial(ratio, a)(b),
    lambda a, b: [x % b for x in (a, a)][0],
    lambda a, b: list(map(lambda x: x // b, [a]))[0],
    lambda a, b: Length(a) / b,
    lambda a, b: Length(b).inverse,
    lambda a, b: operator.truediv(a, b),
    lambda a, b: functools.reduce(operator.floordiv, [a, b]),
]


@pytest.mark.parametrize("fn", CALLED)
def test_a_handler_that_names_the_exception_refuses_it_in_what_is_called(fn: Callable[..., Any]) -> None:
    with pytest.raises(ag.StagingError, match="ZeroDivisionError is raised under a traced condition"):
        ag.jit(named(fn))(6.0, 2.0)


@pytest.mark.parametrize("fn", CALLED)
def test_a_handler_for_everything_makes_the_program_fail(fn: Callable[..., Any]) -> None:
    compiled = ag.jit(wide(fn))
    assert float(compiled(6.0, 2.0)) == pytest.approx(wide(fn)(6.0, 2.0))
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="ZeroDivisionError: "):
        jax.block_until_ready(compiled(6.0, 0.0))


def test_operators_and_properties_in_the_try_itself() -> None:
    def divided(a: Any, b: Any) -> Any:
        try:
            return Length(a) / b
        except ZeroDivisionError:
            return -1.0

    def inverse(a: Any) -> Any:
        length = Length(a)
        try:
            return length.inverse
        except ArithmeticError:
            return -1.0

    def optional(a: Any, b: Any) -> Any:
        if a // b > 2:
            return a

    def optional_in_a_try(a: Any, b: Any) -> Any:
        try:
            found = optional(a, b)
            return 0 if found is None else found
        except ZeroDivisionError:
            return -1

    for program, args in ((divided, (1.0, 0.0)), (inverse, (0.0,)), (optional_in_a_try, (7, 2))):
        with pytest.raises(ag.StagingError, match="ZeroDivisionError is raised under a traced condition"):
            ag.jit(program)(*args)


def test_divisors_that_are_known_ask_nothing() -> None:
    def halves(a: Any) -> Any:
        return sum(a / k for k in (1, 2, 4)) + jnp.arange(3.0) / a

    assert str(jax.make_jaxpr(ag.convert(lambda a: wide(lambda a, _: halves(a))(a, 0)))(1.0)) == str(
        jax.make_jaxpr(ag.convert(halves))(1.0)
    )


def test_a_try_that_cannot_catch_it_changes_nothing() -> None:
    def plain(a: Any, b: Any) -> Any:
        return a // b + math.sqrt(a)

    def tried(a: Any, b: Any) -> Any:
        try:
            return a // b + math.sqrt(a)
        except (KeyError, StopIteration):
            return 5.0

    assert str(jax.make_jaxpr(ag.convert(tried))(7, 2)) == str(jax.make_jaxpr(ag.convert(plain))(7, 2))
    assert "failed" not in ag.to_code(tried)


def test_a_function_of_another_trace_is_refused_where_its_exception_is_named() -> None:
    def make(k: Any) -> Callable[..., Any]:
        def inner(x: Any, _: Any) -> Any:
            return x / k

        return inner

    def program(a: Any, b: Any) -> Any:
        return named(make(b))(a, b)

    with pytest.raises(ag.StagingError, match="ZeroDivisionError is raised under a traced condition"):
        ag.jit(program)(6.0, 2.0)


@pytest.mark.parametrize("name", sorted({what for what in fallible.KINDS if what.startswith("math.")}))
def test_functions_of_math_raise_where_the_tests_say(name: str) -> None:
    """For all arguments at the edges of domains: a test is true exactly where Python raises its class."""
    fn = getattr(math, name.removeprefix("math."), None)
    if fn is None:
        pytest.skip("this version of Python has no such function")
    integral = name in ("math.comb", "math.factorial", "math.isqrt", "math.perm")
    values: list[Any] = (
        [-2, -1, 0, 1, 5] if integral else [-math.inf, -2.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 1e5, math.inf, math.nan]
    )
    two = name in ("math.comb", "math.perm", "math.pow", "math.fmod", "math.remainder")
    if name == "math.ldexp":
        cases = [(x, k) for x in values for k in (-3, 2, 5000)]
    else:
        cases = [(x, y) for x in values for y in values] if two else [(x,) for x in values]
    columns = [np.array(column) for column in zip(*cases, strict=True)]
    found = {
        kind: np.asarray(jax.jit(jax.vmap(functools.partial(_failed, kind, name)))(*columns))
        for kind in fallible.KINDS[name]
    }
    for index, args in enumerate(cases):
        try:
            fn(*args)
            expected = set()
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            expected = {type(error).__name__}
        raised = {kind for kind, fails in found.items() if fails[index]}
        if "OverflowError" not in expected | raised:  # the floats of arrays are shorter than Python's
            assert raised == expected, args


def _failed(kind: str, name: str, *args: Any) -> Any:
    return jnp.asarray(arithmetic_errors.failed(kind, name, args))


def test_gradients_go_through_the_branch_that_is_taken() -> None:
    def root(x: Any) -> Any:
        try:
            return math.sqrt(x) * 2
        except ValueError:
            return x * 3

    def reciprocal(r: Any) -> Any:
        try:
            return 1 / r
        except ZeroDivisionError:
            return r * 5.0

    for fn, at, slope in ((root, 9.0, 1 / 3), (root, -1.0, 3.0), (reciprocal, 0.0, 5.0), (reciprocal, 2.0, -0.25)):
        gradient = jax.grad(ag.convert(fn))
        assert float(gradient(at)) == pytest.approx(slope)
        assert float(jax.jit(gradient)(at)) == pytest.approx(slope)


def test_the_tables_agree() -> None:
    arithmetic = {what: kinds for what, kinds in fallible.KINDS.items() if what != "next"}  # which says so by itself
    assert {(kind, what) for what, kinds in arithmetic.items() for kind in kinds} == set(arithmetic_errors._TESTS)
    for what, kinds in arithmetic.items():
        for kind in kinds:
            assert isinstance(arithmetic_errors.failure(kind, what, (1, 2)), fallible.CLASSES[kind])


def test_floating_point_errors_are_refused_by_name() -> None:
    def divided(a: Any, b: Any) -> Any:
        try:
            with np.errstate(divide="raise"):
                return a / b
        except FloatingPointError:
            return -1.0

    with pytest.raises(ag.StagingError, match="`np.errstate` asks for a `FloatingPointError`"):
        ag.jit(divided)(1.0, 0.0)
