"""`functools.cached_property` of classes that traced code defines: what it keeps is a write of the statement that reads it first."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import pytest

import autograph as ag
from autograph.errors import StagingError


def make(v: Any) -> Any:
    class Point:
        def __init__(self, v: Any) -> None:
            self.v = v
            self.asked = 0

        @functools.cached_property
        def double(self) -> Any:
            self.asked = self.asked + 1
            return self.v * 2

    return Point(v)


def in_one_branch(x: Any) -> Any:
    point = make(x)
    y = 0.0
    if x > 0:
        y = point.double
    return y + point.double


def in_a_loop(x: Any) -> Any:
    point = make(x)
    y = 0.0
    for _ in range(jnp.asarray(2)):
        y = y + point.double
    return y


def of_a_class_of_its_own(x: Any) -> Any:
    class Point:
        @functools.cached_property
        def double(self) -> Any:
            return x * 2

    point = Point()
    if x > 0:
        x = point.double
    return x


def left(x: Any) -> Any:
    class Point:
        @functools.cached_property
        @ag.do_not_convert
        def double(self) -> Any:
            return x * 2

    point = Point()
    if x > 0:
        x = point.double
    return x


@pytest.mark.parametrize("fn", [in_one_branch, in_a_loop, of_a_class_of_its_own, left], ids=lambda fn: fn.__name__)
def test_what_one_path_keeps_is_refused(fn: Callable[[Any], Any]) -> None:
    for _ in range(2):
        with pytest.raises(StagingError, match=r"'point.double'") as caught:
            ag.jit(fn)(1.0)
        assert "instead: read it once before the statement" in str(caught.value)


def in_both_branches(x: Any) -> Any:
    point = make(x)
    if x > 0:
        y = point.double
    else:
        y = point.double + 1
    point.v = 7.0
    return y + point.double, point.asked


def before_it(x: Any) -> Any:
    point = make(x)
    z = point.double
    if x > 0:
        z = z + point.double
    for _ in range(3):
        z = z + point.double
    return z, point.asked


def inside_it(x: Any) -> Any:
    if x > 0:
        x = x + make(x).double
    return x


@pytest.mark.parametrize("fn", [in_both_branches, before_it, inside_it], ids=lambda fn: fn.__name__)
def test_what_every_path_keeps_is_kept(fn: Callable[[Any], Any]) -> None:
    for x in (2.0, -2.0):
        assert jnp.allclose(jnp.asarray(ag.jit(fn)(x)), jnp.asarray(fn(x)))
