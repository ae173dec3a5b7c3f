"""Questions for the type of a number that is an int on one path and a float on another."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def of_a_choice(a, b):
    x = a if a > b else 2.5
    return 1 if isinstance(x, float) else 0


def of_a_branch(a, b):
    if a > b:
        x = a
    else:
        x = 2.5
    y = abs(x) + 1
    return 1 if type(y) is int else 0


def of_a_second_choice(a, b):
    x = a if a > b else 2.5
    z = x if b > 0 else 1.5
    return 1 if isinstance(z, int) else 0


def of_a_loop(a, b):
    x = 0
    while a > b:
        x = x + 0.5
        a = a - 1
    return 1 if isinstance(x, float) else 0


def in_a_loop(a, b):
    x, found = 0, 0
    while a > b:
        found += 1 if isinstance(x, float) else 0
        x = x + 0.5
        a = a - 1
    return found


@pytest.mark.parametrize("fn", [of_a_choice, of_a_branch, of_a_second_choice, of_a_loop, in_a_loop])
def test_a_question_with_two_answers_is_refused(fn: Callable[..., Any]) -> None:
    for args in ((3, 1), (np.int32(3), np.int32(1))):
        with pytest.raises(ag.StagingError, match="an int on one path and a float on another"):
            ag.jit(fn)(*args)


def answered(a, b):
    x = a if a > b else 2.5
    y = float(a) if a > b else 2.5
    z = a if a > b else 2
    w = 0.0
    while a > b:
        w = w + 1 if isinstance(w, float) else w
        a = a - 1
    return (
        isinstance(x, (int, float)),
        isinstance(x, complex),
        isinstance(x / 2, float),
        isinstance(y, float),
        type(z) is int,
        isinstance(w, float),
        isinstance(x, str | None),
        isinstance(x * 1j, complex),
    )


def test_a_question_with_one_answer_is_answered() -> None:
    for a, b in ((3, 1), (1, 3)):
        assert [bool(x) for x in ag.jit(answered)(a, b)] == list(answered(a, b))
