"""Functions of a library that hold functions of the user's in their cells: the same code around converted functions."""

import copy
import functools
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag

WALKING = """import functools

def walking(f):
    @functools.wraps(f)
    def walk(x):
        return [walk(y) for y in x] if isinstance(x, list) else f(x)
    return walk

def in_turns(f):
    @functools.wraps(f)
    def even(x):
        return [odd(y) for y in x] if isinstance(x, list) else f(x)
    def odd(x):
        return [even(y) for y in x] if isinstance(x, list) else -x
    return even
"""


@pytest.fixture
def walking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "walking_of_the_test.py").write_text(WALKING, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    yield importlib.import_module("walking_of_the_test")
    del sys.modules["walking_of_the_test"]


def test_a_function_that_calls_itself(walking: ModuleType) -> None:
    walk = walking.walking(lambda x: 2 * x if x > 1 else x)
    assert ag.jit(lambda x: walk([x, [x + 1]]))(1.0) == [1.0, [4.0]]


def test_functions_that_call_each_other(walking: ModuleType) -> None:
    even = walking.in_turns(lambda x: 2 * x if x > 1 else x)
    assert ag.jit(lambda x: even([x, [x + 1]]))(1.0) == [-1.0, [4.0]]


def test_a_copy_of_a_jitted_function_is_called_as_it_is():
    copied = copy.deepcopy(jax.jit(lambda x: x + 1))
    assert ag.jit(lambda x: copied(x))(1) == 2
    assert ag.jit(lambda x: copied(x) if x > 0 else x)(1) == 2


@functools.singledispatch
def by_kind(x):
    return -1


@by_kind.register
def _(x: float):
    return x / 2 if x > 1 else x


@by_kind.register
def _(x: jax.Array):
    return x + 100 if x > 1 else x


class Kinds:
    @functools.singledispatchmethod
    def read(self, x):
        return -1

    @read.register
    def _(self, x: jax.Array):
        return x + 100 if x > 1 else x


@pytest.mark.parametrize("value", [3, 5.0, 0.5, jnp.float32(2), jnp.ones(()), [1]])
@pytest.mark.parametrize("call", [by_kind, lambda x: by_kind(x), lambda x: Kinds().read(x)])
def test_single_dispatch_knows_traced_numbers_by_what_type_tells_of_them(call, value):
    assert ag.jit(call)(value) == call(value)


def test_annotations_of_a_function_with_a_derivative_rule_are_no_function_to_convert() -> None:
    @jax.custom_jvp
    def known(x: Any) -> Any:
        if x > 0:
            return x
        return -x

    known.defjvps(lambda tangent, result, x: 100 * tangent)
    f = ag.jit(lambda x: known(x))  # since Python 3.14 `known` has its annotations by a function
    assert float(f(-2.0)) == 2 and float(jax.grad(f)(-2.0)) == 100
