"""Threads that convert and trace at the same time, one function or several: each gets the program that one thread gets.

Every repetition loads the module anew, so that all of it is converted again: functions, callees, and the methods that
Python calls without a call in the source. Threads switch as often as the interpreter can.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import pytest

import autograph as ag

pytestmark = pytest.mark.slow

TEXT = """
class Money:
    def __init__(self, amount):
        self.amount = amount

    def __add__(self, other):
        if self.amount > 0:
            return Money(self.amount + other)
        return Money(self.amount - other)

    @property
    def capped(self):
        if self.amount > 3:
            return 3.0
        return self.amount


def counted(x):
    total = 0.0
    while total < x:
        total = total + 1
    return total


def first(x):
    return (Money(x) + counted(x)).capped


def second(x):
    money = Money(x)
    for i in range(3):
        if money.capped > i:
            money = money + i
    return (money + counted(x)).amount
"""
REPETITIONS = 100


@pytest.fixture(autouse=True)
def threads_switch_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def load(tmp_path: Path) -> Callable[[], ModuleType]:
    path = tmp_path / "money.py"
    path.write_text(TEXT)

    def fresh() -> ModuleType:
        spec = importlib.util.spec_from_file_location("money", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return fresh


def program(fn: Callable[..., Any]) -> str:
    return str(jax.make_jaxpr(ag.convert(fn))(5.0))


def together(*works: Callable[[], Any]) -> list[Any]:
    """What the functions return, or raise, when each runs in a thread of its own."""
    barrier = threading.Barrier(len(works))
    results: list[Any] = [None] * len(works)

    def run(index: int, work: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            results[index] = work()
        except Exception as error:
            results[index] = error

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.parametrize("names", [("first", "first"), ("first", "second")], ids="-".join)
def test_two_threads_get_the_programs_of_one(load: Callable[[], ModuleType], names: tuple[str, str]) -> None:
    alone = load()
    expected = [program(getattr(alone, name)) for name in names]
    for _ in range(REPETITIONS):
        module = load()
        fns = [getattr(module, name) for name in names]
        assert together(*(functools.partial(program, fn) for fn in fns)) == expected


def test_all_threads_get_one_converted_function(load: Callable[[], ModuleType]) -> None:
    for _ in range(REPETITIONS):
        fn = load().first
        found = together(*[functools.partial(ag.convert, fn)] * 4)
        assert all(each is found[0] for each in found)
