"""Loops over ranges whose numbers no integer of the program holds: left in time, failing behind, or refused."""

from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag


def test_the_program_fails_where_the_loop_goes_on_behind() -> None:
    def f(x: Any) -> Any:
        iterations = 0
        for _ in range(2**31 - 5, 10**30):
            iterations += 1
            if iterations > x:
                break
        return iterations

    assert int(ag.jit(f)(2)) == 3
    with pytest.raises(
        (jax.errors.JaxRuntimeError, ValueError, OverflowError),
        match="no integer of the compiled program holds the next number",
    ):
        ag.jit(f)(50).block_until_ready()


@pytest.mark.slow
@pytest.mark.parametrize("count", [10**12, 10**30])
def test_iterators_that_would_be_unrolled_for_ever(count: int) -> None:
    def f(x: Any) -> Any:
        found = x
        for c in iter(range(count)):
            if c > x:
                found = x + 1
                break
        return found

    with pytest.raises(ag.StagingError, match="has no end, or more than 2,000 items"):
        ag.jit(f)(3)


def test_a_body_that_cannot_be_carried_is_refused_and_not_unrolled() -> None:
    def f(x: Any) -> Any:
        out = []
        for c in range(10**12):
            out.append(c)
            if c > x:
                break
        return out

    with pytest.raises(ag.StagingError, match="the contents of the list 'out' cannot be carried by the loop"):
        ag.jit(f)(2)


def test_a_traced_bound_beside_one_that_is_too_large() -> None:
    def f(x: Any) -> Any:
        for c in range(x, 10**25):
            if c > 5:
                return c
        return 0

    with pytest.raises(
        ag.StagingError, match="a range has a traced bound, and 10{25}, which no integer of the program can hold"
    ):
        ag.jit(f)(jnp.int32(2))
