"""A failed check as a number and words of the result: the exception of plain Python, at its line, and no call of the host."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.functions.error_codes import Check, error_of, raise_failed, with_error_code
from autograph.jax_internals import check_jaxpr


def compiled(program: Any) -> tuple[Callable[..., tuple[list[Any], Any]], tuple[Check, ...]]:
    """A traced program as a compiled function, of results and words, and its checks."""
    found = with_error_code(program)
    assert found is not None
    new, checks, _ = found
    check_jaxpr(new.jaxpr)
    run = jax.jit(lambda *xs: jax.core.eval_jaxpr(new.jaxpr, new.consts, *xs))
    assert "callback" not in run.lower(*program.in_avals).as_text()

    def call(*args: Any) -> tuple[list[Any], Any]:
        *results, words = run(*jax.tree.leaves(args))
        return results, np.asarray(words)

    return call, checks


def raised_by(run: Callable[..., Any], *args: Any) -> BaseException | None:
    try:
        run(*args)
    except Exception as error:
        return error
    return None


def place(error: BaseException) -> tuple[str, int | None]:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return last.name, last.lineno


def compare(f: Callable[..., Any], *calls: tuple[Any, ...], transform: Any = lambda f: f) -> None:
    """For each call: the results of plain Python, or its exception at its line."""
    run, checks = compiled(jax.make_jaxpr(transform(ag.convert(f)))(*calls[0]))
    for args in calls:
        expected = raised_by(f, *args)
        results, words = run(*args)
        error = error_of(checks, words)
        if expected is None:
            assert error is None
            for x, y in zip(results, jax.tree.leaves(f(*args)), strict=True):
                np.testing.assert_allclose(x, y, rtol=1e-6)
        else:
            assert error is not None, expected
            assert type(error) is type(expected)
            assert repr(error.args) == repr(expected.args)
            assert str(error) == str(expected)
            assert {k: repr(v) for k, v in vars(error).items()} == {k: repr(v) for k, v in vars(expected).items()}
            assert place(error) == place(expected)


def rooted(x):
    if x < 0:
        raise ValueError(f"{x:.2f} is negative, {x!r} {x}")
    return jnp.sqrt(x)


class Rejected(Exception):
    def __init__(self, value, limit):
        super().__init__(f"{value} is above {limit}")
        self.value, self.limit = value, limit


class Refused(LookupError):
    code = 7

    def __str__(self):
        return f"<{self.args[0]:.1f}>"


def every_kind(x, k):
    if x < 0:
        raise AssertionError(f"{x} is negative")
    if x > 3:
        raise Rejected(x, 3)
    if x == 3:
        raise Refused(x)
    if x == 2:
        raise KeyError(x)
    if x == 1:
        raise OSError(2, "no file")
    if x == 0.5:
        raise StopAsyncIteration
    return [x, x * 2][k]


def test_the_exception_is_that_of_plain_python() -> None:
    compare(rooted, (4.0,), (-1.5,))
    compare(rooted, (jnp.float32(4.0),), (jnp.float32(-1.5),))
    compare(every_kind, *((x, 0) for x in (0.25, -1.0, 4.0, 3.0, 2.0, 1.0, 0.5)), (0.25, 5), (2.0, 5))


class Placed(OSError):
    __slots__ = ("where",)

    def __init__(self, where):
        super().__init__(2, "no file", "name")
        self.where = where


class Made(Exception):
    def __new__(cls, value, limit):
        made = super().__new__(cls, value)
        made.limit = limit
        return made

    def __init__(self, value, limit):
        pass


class Several(ExceptionGroup):
    def derive(self, excs):
        return Several(self.message, excs)


def special(x):
    if x == 1:
        raise Placed(x)
    if x == 2:
        raise StopAsyncIteration(x)
    if x == 3:
        raise SystemExit(x)
    if x == 4:
        raise ImportError(f"{x}", name="n", path="p")
    if x == 5:
        raise Rejected(x, 3) from KeyError(x)
    if x == 6:
        error = ValueError(f"{x}")
        error.add_note(f"twice: {2 * x}")
        raise error
    if x == 7:
        raise UnicodeDecodeError("utf-8", b"ab", 0, 1, "why")
    if x == 8:
        raise Made(x, 3) from None
    if x == 9:
        raise ExceptionGroup("several", [ValueError(f"of {x}"), Several("inside", [Rejected(x, 3), KeyError("k")])])
    return x


def test_what_an_exception_holds_beside_its_arguments() -> None:
    run, checks = compiled(jax.make_jaxpr(ag.convert(special))(0.0))
    names = (
        "where",
        "errno",
        "filename",
        "value",
        "code",
        "name",
        "path",
        "msg",
        "limit",
        "__notes__",
        "object",
        "reason",
        "message",
        "__suppress_context__",
    )
    for x in range(1, 10):
        error = error_of(checks, run(float(x))[1])
        with pytest.raises(BaseException) as caught:  # noqa: PT011  # of nine classes
            special(float(x))
        for name in names:
            assert getattr(error, name, None) == getattr(caught.value, name, None), (x, name)
        assert (type(error), repr(error), str(error)) == (type(caught.value), repr(caught.value), str(caught.value))
        assert repr(error.__cause__) == repr(caught.value.__cause__)
    assert error.subgroup(Rejected).exceptions[0].exceptions[0].value == 9
    assert type(error.exceptions[1]) is Several


def nested(x, n):
    total = 0.0
    for i in ag.range(n):
        k = i
        while k > 0:
            if x > 2:
                if total > 20:
                    raise RuntimeError(f"{total} at {i}, {k}")
            elif k == 3:
                raise KeyError(k)
            assert total < 30, f"{total}"
            total += x * k
            k -= 1
    return total


def large(x):
    if x > 100:
        raise OverflowError(f"{x}")
    return x > 50


def in_a_test(x, step):
    while not large(x):
        x = x * step
        if x == 64:
            raise KeyError(x)
    return x


def test_branches_and_loops() -> None:
    compare(nested, (1.0, 2), (1.0, 5), (3.0, 4), (3.0, 6), (2.0, 4))
    compare(in_a_test, (2.0, 3.0), (2.0, 60.0), (128.0, 2.0), (2.0, 2.0))


def test_an_endless_loop_ends_where_a_check_has_failed() -> None:
    def f(x, n):
        while x > 0:
            if x > n:
                raise ValueError(f"{x}")
            x = x + 1
        return x

    compare(f, (1, 5), (-1, 0))


def test_a_program_without_checks_stays_as_it_is() -> None:
    assert with_error_code(jax.make_jaxpr(ag.convert(lambda x: x + 1 if x > 0 else x))(1.0)) is None


def test_raise_failed_ends_at_the_line_of_the_user() -> None:
    run, checks = compiled(jax.make_jaxpr(ag.convert(rooted))(4.0))
    raise_failed(checks, run(4.0)[1])
    with pytest.raises(ValueError) as caught:
        raise_failed(checks, run(-1.5)[1])
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "rooted"
