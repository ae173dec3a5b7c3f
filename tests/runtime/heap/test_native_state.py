"""Iterators and random generators inside staged statements."""

import random

import jax
import numpy as np
import pytest

from autograph.conversion import pipeline
from autograph.errors import StagingError
from autograph.runtime.calls.dispatch import converted
from autograph.runtime.operators.conditionals import if_exp


@pytest.fixture(autouse=True)
def functions_as_they_are(monkeypatch):
    """The operators alone: nothing is converted."""
    monkeypatch.setattr(pipeline, "staged", lambda f, in_try=False: f)


def in_branch(take):
    return jax.jit(lambda p: if_exp(p > 0, take, lambda: -1))


def test_next_outside_a_staged_statement():
    it = converted(iter)([1, 2])
    assert converted(next)(it) == 1 and jax.jit(lambda x: converted(next)(it) + x)(1) == 3
    assert converted(next)(it, "end") == "end"
    with pytest.raises(StopIteration):
        converted(next)(it)
    with pytest.raises(TypeError, match="'int' object is not an iterator"):
        converted(next)(3)


def test_an_iterator_from_before_is_not_advanced_in_a_branch():
    it = iter([1, 2])
    with pytest.raises(StagingError, match=r"'it' \(list_iterator\) is advanced inside a staged statement") as refused:
        in_branch(lambda: converted(next)(it))(1)
    assert "test_native_state.py:" in str(refused.value)
    assert next(it) == 1


def test_an_iterator_made_in_the_branch_is():
    def take():
        it = converted(iter)([5, 6])
        return converted(next)(it) * 10 + converted(next)(it)

    assert in_branch(take)(1) == 56 and in_branch(take)(0) == -1
    assert in_branch(lambda: converted(next)(y for y in [7, 8] if y > 7))(1) == 8


def test_an_iterator_of_an_outer_branch_is_not_advanced_in_an_inner_one():
    def outer():
        it = converted(iter)([5, 6])
        return in_branch(lambda: converted(next)(it))(1)

    with pytest.raises(StagingError, match="list_iterator"):
        in_branch(outer)(1)


def test_the_user_s_iterator_is_put_back():
    class Counter:
        def __init__(self):
            self.n = 0

        def __next__(self):
            converted(setattr)(self, "n", self.n + 1)
            if self.n > 1:
                raise StopIteration
            return self.n

    def f(p):
        counter = Counter()
        first = if_exp(p > 0, lambda: converted(next)(counter), lambda: -1)
        return first, counter.n

    assert jax.jit(f)(1) == (1, 1) and jax.jit(f)(0) == (-1, 0)
    counter = Counter()
    assert converted(next)(counter) == 1 and converted(next)(counter, "end") == "end"


@pytest.mark.parametrize(
    "draw",
    [
        lambda: converted(random.random)(),
        lambda: converted(random.randint)(1, 6),
        lambda: converted(random.Random(0).gauss)(0, 1),
        lambda: converted(np.random.rand)(),
        lambda: converted(np.random.default_rng(0).normal)(),
    ],
)
def test_random_generators_do_not_draw_in_a_branch(draw):
    draw()
    with pytest.raises(StagingError, match="inside a staged statement"):
        in_branch(draw)(1)
