"""Attributes that an object takes from its class until a loop or a branch writes them: compared with plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import pytest

import autograph as ag


class Walker:
    at = 0.5
    steps = 3

    def walk(self, v: Any) -> None:
        self.at += v
        self.steps += 1


def nest_of_ranges(v: Any) -> Any:
    w = Walker()
    for i in range(40):
        for _ in range(9):
            w.at += v * i
    return w.at


def inner_loop_that_may_be_skipped(v: Any) -> Any:
    w = Walker()
    for i in range(40):
        for _ in range(i):
            w.walk(v)
    return w.at, w.steps


def whiles(v: Any) -> Any:
    w = Walker()
    while v < 5:
        v += 1
        j = 0
        while j < v:
            j += 1
            w.walk(v)
    return w.at, w.steps


def known_while_inside(v: Any) -> Any:
    w = Walker()
    for i in range(40):
        j = i
        while j > 3:
            j //= 2
            w.at += 0.25
    return w.at * v


def branch_in_a_nest(v: Any) -> Any:
    w = Walker()
    for i in range(40):
        for j in range(i % 3):
            if v * j > 0:
                w.walk(v)
    return w.at, w.steps


@pytest.mark.parametrize(
    "f", [nest_of_ranges, inner_loop_that_may_be_skipped, whiles, known_while_inside, branch_in_a_nest]
)
def test_loops_inside_of_others_begin_with_what_the_class_has(f: Callable[[Any], Any]) -> None:
    for v in (1.0, 0.5):
        for found, wanted in zip(jax.tree.leaves(ag.jit(f)(v)), jax.tree.leaves(f(v)), strict=True):
            assert float(found) == wanted
