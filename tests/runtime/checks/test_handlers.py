"""Which handlers wait for an exception of a traced condition: those of the `try` bodies that run, as converted code says."""

import contextlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import jax
import pytest

import autograph as ag
from autograph.runtime.checks.handlers import would_catch
from autograph.runtime.tracing.context import handled

CAUGHT = "is raised under a traced condition, and a handler around it would catch it"


def checked(n: Any) -> Any:
    if n > 1:
        raise ValueError("big")
    return n


def items(kind: Any) -> Iterator[int]:
    try:
        yield 1
        yield 2
    except kind:
        yield 3


@ag.jit
def in_a_try(n):
    try:
        return checked(n)
    except ValueError:
        return -1


@ag.jit
def in_a_try_for_groups(n):
    try:
        n = checked(n)
    except* ValueError:
        n = -1
    return n


@ag.jit
def behind_generators_that_are_left_in_any_order(n):
    first, second = items(KeyError), items(TypeError)
    taken = next(first)
    try:
        taken += next(second)
        first.close()
        second.close()
        return checked(n) + taken
    except ValueError:
        return -1


def checked_items(n: Any) -> Iterator[Any]:
    try:
        yield 1
        yield checked(n)
    except ValueError:
        yield 3


@ag.jit
def in_a_try_of_a_generator(n):
    return sum([*checked_items(n)])


@pytest.mark.parametrize(
    "fn",
    [in_a_try, in_a_try_for_groups, behind_generators_that_are_left_in_any_order, in_a_try_of_a_generator],
    ids=lambda fn: fn.__name__,
)
def test_a_handler_that_waits_is_refused(fn: Any) -> None:
    with pytest.raises(ag.StagingError, match=CAUGHT):
        fn(0)


def test_the_handlers_of_a_generator_do_not_wait_while_it_is_suspended() -> None:
    forgotten = []

    @ag.jit
    def f(n):
        total = 0
        for k in items(ValueError):
            total += k * checked(n)
        forgotten.append(items(ValueError))
        return total + next(forgotten[-1]) * checked(n)

    assert f(1) == 4 and not would_catch(ValueError())
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="ValueError: big"):
        f(2)


def test_no_handler_waits_where_no_body_of_a_try_runs() -> None:
    @ag.jit
    def f(n):
        taken = next(items(ValueError))
        try:
            taken += 1
        except ValueError:
            return checked(n)
        else:
            return checked(n) + taken
        finally:
            checked(n)

    assert f(0) == 2


def test_handlers_of_other_exceptions_do_not_count() -> None:
    @ag.jit
    def f(n):
        total = 0
        for k in items(KeyError):
            try:
                total += k * checked(n)
            except (KeyError, TypeError):
                total = -1
        return total

    assert f(1) == 3


def test_what_no_name_says_may_be_anything() -> None:
    with handled(lambda: nowhere):  # type: ignore[name-defined]  # noqa: F821  # a name that does not exist
        assert would_catch(KeyError()) and would_catch(KeyError(), by_name=True)
    with handled(lambda: (KeyError, (Exception,))), contextlib.nullcontext():
        assert would_catch(TypeError()) and not would_catch(TypeError(), by_name=True)
    assert not would_catch(KeyError())


def test_handlers_of_a_converted_file_wait_as_well() -> None:
    text = ag.to_code(in_a_try.__wrapped__)
    module = ModuleType("converted")
    vars(module).update(ag__=ag.runtime, checked=checked)
    exec(text, vars(module))
    with pytest.raises(ag.StagingError, match=CAUGHT):
        jax.jit(vars(module)["in_a_try"])(0)
