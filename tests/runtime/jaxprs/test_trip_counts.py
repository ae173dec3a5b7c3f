"""Loops whose three numbers XLA knows: where the step is not one, it must not count the iterations, for it counts wrongly."""

import itertools
import operator

import jax
import jax.numpy as jnp
import pytest

from autograph.runtime.operators.while_loops import while_loop

NUMBERS = [(*ends, step) for ends, step in itertools.product(itertools.product((-3, 0, 1), (-2, 1, 4)), (1, 2, 3))]


def iterations(compares, first, last, steps):
    """How often `while compares(i, last)` iterations, and what `i` is behind it; an iteration adds all of `steps`."""
    i, count = first, 0

    def body():
        nonlocal i, count
        for step in steps:
            i = i + step
        count = count + 1

    while_loop(lambda: compares(i, last), body, lambda: (i, count))
    return count, i


def compiled(compares, first, last, steps):
    """The same where it is staged; XLA is told `first`."""
    return jax.jit(lambda: iterations(compares, jnp.full((), first), last, steps))


def program(compares, first, last, steps):
    return str(compiled(compares, first, last, steps).trace().jaxpr)


@pytest.mark.parametrize("compares", [operator.lt, operator.le], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("first", "last", "step"), NUMBERS)
def test_counts_up(compares, first, last, step):
    assert compiled(compares, first, last, [step])() == iterations(compares, first, last, [step])


@pytest.mark.parametrize("compares", [operator.gt, operator.ge], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("first", "last", "step"), NUMBERS)
def test_counts_down(compares, first, last, step):
    assert compiled(compares, -first, -last, [-step])() == iterations(compares, -first, -last, [-step])


def test_two_steps_of_one():
    assert compiled(operator.lt, 0, 5, [1, 1])() == (3, 6)


@pytest.mark.parametrize(
    ("compares", "first", "last", "step"),
    [(operator.lt, 2, 3, -1), (operator.le, 3, 5, -1), (operator.ge, 250, 250, 1), (operator.gt, 255, 0, 1)],
)
def test_counters_that_come_back(compares, first, last, step):
    expected = iterations(compares, jnp.uint8(first), last, [step])
    assert (
        jax.jit(lambda n: iterations(compares, jnp.full((), jnp.uint8(first)), last, [step])[0] + n)(0) == expected[0]
    )


def test_only_what_may_be_counted_wrongly_is_hidden():
    for compares, first, last, steps in (
        (operator.lt, 0, 5, [1]),
        (operator.gt, 5, 0, [-1]),
        (operator.ne, 0, 6, [2]),
        (operator.lt, 0.0, 5.0, [2.0]),
    ):
        assert "optimization_barrier" not in program(compares, first, last, steps)
    assert program(operator.lt, 0, 5, [2]).count("optimization_barrier") == 1
