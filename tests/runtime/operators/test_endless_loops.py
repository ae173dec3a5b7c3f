"""Loops that nothing but a failed check ends (`while True: queue.pop()`)."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag


def counts_up(x: Any) -> Any:
    while True:
        x += 1
        assert x < 10, "ten"


def behind_a_test(x: Any) -> Any:
    y = 2 * x
    if x > 2:
        while 1:
            y += 1
            if y > 20:
                raise ValueError("twenty")
    return y


def empties(x: Any) -> Any:
    todo, total = [1, 2] * 3, 0
    while todo and total < x:
        total += todo.pop()
    while True:
        todo.pop()


def may_end(x: Any, last: Any = None) -> Any:
    while True:
        if last is not None:
            return x
        x += 1
        if x > 10:
            raise ValueError("ten")


def probes(x: Any, keys: Any = (-1, -2, -3)) -> Any:
    first = at = x % 3
    while True:
        if keys[at] == 0:
            return at
        at = (at + 1) % 3
        if at == first:
            raise ValueError("the table is full")


def runs_out(x: Any) -> Any:
    todo = list(range(40))
    while True:
        if not todo:
            return x
        x += todo.pop()
        if x > 1000:
            raise ValueError("thousand")


@pytest.mark.parametrize(
    ("f", "message"),
    [(may_end, "ValueError: ten"), (probes, "the table is full"), (counts_up, "AssertionError: ten"), (behind_a_test, "ValueError: twenty"), (empties, "pop from empty list")],
)
def test_a_loop_that_only_a_failed_check_ends(f: Callable[[Any], Any], message: str) -> None:
    with pytest.raises((AssertionError, ValueError, IndexError)):
        f(3)
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match=message):
        jax.block_until_ready(ag.jit(f)(3))
        jax.effects_barrier()


@pytest.mark.slow
def test_a_loop_that_checks_ends_where_python_ends_it() -> None:
    assert ag.jit(lambda x: ag.convert(may_end)(x, 1))(3) == 3
    assert ag.jit(runs_out)(3) == runs_out(3) == 783
    assert ag.jit(lambda x: ag.convert(probes)(x, (-1, 0, 5)))(2) == 1


def test_a_loop_without_an_end_in_a_branch_that_is_not_taken() -> None:
    assert ag.jit(behind_a_test)(1) == 2
    assert jax.vmap(ag.convert(behind_a_test))(jnp.array([0, 2])).tolist() == [0, 4]
