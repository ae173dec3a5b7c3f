"""What the methods of an installed package write to their objects, and the user reads afterwards, is data: plain Python's, or refused.

Nothing tells such a write from what a framework notes for itself: a private flag, a number where `None` was, a new key.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import pytest

import autograph as ag
from autograph.errors import StagingError

HELPERS = """
import collections
import weakref


class Entry:
    def __init__(self, name):
        self.name = name


class Stopping:
    def __init__(self):
        self.should_stop = False
        self._stopped = False
        self._patience = 0
        self.best = None
        self._best = None
        self._waited = 0

    def update(self, x):
        self.should_stop = True
        return x

    def stop(self, x):
        self._stopped = True
        return x

    def improve(self, x):
        self.best = 3
        return x

    def improve_inside(self, x):
        self._best = 3.5
        return x

    def rate(self, x):
        self.rating = 4
        return x

    def wait(self, x):
        self._waited += 1
        return x

    def read(self):
        return (
            float(self.should_stop), float(self._stopped), float(self._waited), -1.0 if self.best is None else self.best,
            -1.0 if self._best is None else self._best, getattr(self, "rating", -1.0),
        )


class Registry:
    def __init__(self, store=None):
        self.entries = {} if store is None else store
        self.seen = set()
        self.order = []
        self.groups = collections.defaultdict(set)
        self.last = None
        self._cache = None
        self._memo = {}
        self._ref = None
        self._entry = Entry("none")

    def register(self, x):
        self.entries["a"] = Entry("a")
        return x

    def name(self, x):
        self.entries["a"] = "word"
        return x

    def unregister(self, x):
        self.entries.pop("first", None)
        return x

    def see(self, x):
        self.seen.add("a")
        return x

    def append(self, x):
        self.order.append("a")
        return x

    def group(self, x):
        self.groups["g"].add("a")
        return x

    def replace(self, x):
        self.entries = {"a": "b", "c": "d", "e": "f"}
        return x

    def clear(self, x):
        self.order = ["begun"]
        return x

    def remember(self, x):
        self.last = Entry("last")
        return x

    def swap(self, x):
        self._entry = Entry("another")
        return x

    def build(self, x):
        if self._cache is None:
            self._cache = Entry("built")
        return x

    def memoize(self, x):
        if "k" not in self._memo:
            self._memo["k"] = ("computed", "for k")
        return x

    def refer(self, x):
        self._ref = weakref.ref(self)
        return x

    def read(self):
        return (
            len(self.entries), len(self.seen), len(self.order), len(self.groups), len(self._memo), len(self._entry.name),
            float(self.last is not None), float(self._cache is not None), float(self._ref is not None),
        )


_names = {}
_seen = set()
_default = None
_flag = False
_stopping = Stopping()
_registry = Registry()


def note(x):
    _names["a"] = "b"
    return x


def see(x):
    _seen.add("a")
    return x


def first_use(x):
    global _default
    if _default is None:
        _default = Entry("default")
    return x


def set_flag(x):
    global _flag
    _flag = True
    return x


def stop(x):
    return _stopping.stop(x)


def register(x):
    return _registry.register(x)


def swap(x):
    return _registry.swap(x)


def reset():
    global _default, _flag
    _default, _flag = None, False
    _names.clear()
    _seen.clear()
    _stopping.__init__()
    _registry.__init__()


def read():
    return (
        len(_names), len(_seen), float(_default is not None), float(_flag), _stopping.read(), _registry.read()
    )
"""

PROGRAMS = """
import helpers_of_the_test


def branch(x):
    helper = MADE
    if x > 0:
        x = helper.METHOD(x)
    return x, helper.read()


def other_branch(x):
    helper = MADE
    if x > 0:
        x = x + 1
    else:
        x = helper.METHOD(x)
    return x, helper.read()


def loop(x):
    helper, n = MADE, 0
    while n < x:
        x = helper.METHOD(x)
        n += 1
    return x, helper.read()


def branch_in_a_loop(x):
    helper, n = MADE, 0
    while n < x + 4:
        if n > x:
            x = helper.METHOD(x)
        n += 1
    return x, helper.read()


def branch_that_returns(x):
    helper = MADE

    def inner(x):
        if x > 0:
            return helper.METHOD(x)
        return x + 1

    return inner(x), helper.read()


def flags(x):
    helper = MADE
    if x > 0:
        x = helper.METHOD(x)
    return x, helper.should_stop, helper._stopped, helper._waited


def a_dict_of_the_users(x):
    store = {"first": "word"}
    registry = helpers_of_the_test.Registry(store)
    if x > 0:
        x = registry.METHOD(x)
    return x, len(store)


STOPPING = helpers_of_the_test.Stopping()


def read_afterwards(x):
    if x > 0:
        x = STOPPING.METHOD(x)
    return x
"""

STOPPING = ["update", "stop", "improve", "improve_inside", "rate", "wait"]
REGISTRY = ["register", "name", "unregister", "see", "append", "group", "replace", "clear", "remember", "swap", "build"]
REGISTRY += ["memoize", "refer"]
MODULE = ["note", "see", "first_use", "set_flag", "stop", "register", "swap"]
WRITES = [("helpers_of_the_test.Stopping()", name) for name in STOPPING]
WRITES += [("helpers_of_the_test.Registry()", name) for name in REGISTRY]
WRITES += [("helpers_of_the_test", name) for name in MODULE]

Make = Callable[..., ModuleType]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Makes the module of a user's programs that call a method of an installed package."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "helpers_of_the_test.py").write_text(HELPERS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(method: str, made: str = "None") -> ModuleType:
        text = PROGRAMS.replace("METHOD", method).replace("MADE", made)
        (tmp_path / "programs_of_the_test.py").write_text(text, encoding="utf-8")
        return importlib.import_module("programs_of_the_test")

    yield make
    for name in ("helpers_of_the_test", "programs_of_the_test"):
        del sys.modules[name]


def is_pythons_or_refused(module: Any, f: Any) -> None:
    """Whether the converted function answers as the plain one does, on both sides of its condition, or is refused by name."""
    reset = module.helpers_of_the_test.reset
    for x in (2.0, -2.0):
        expected = f(x)
        reset()
        try:
            got = ag.jit(f)(x)
        except StagingError as error:
            assert "programs_of_the_test.py" in str(error)
        else:
            assert jax.tree.map(float, got) == jax.tree.map(float, expected)
        reset()


@pytest.mark.parametrize(("made", "method"), WRITES)
def test_it_is_pythons_or_refused(programs: Make, made: str, method: str) -> None:
    module = programs(method, made)
    for f in (module.branch, module.other_branch, module.loop, module.branch_in_a_loop, module.branch_that_returns):
        is_pythons_or_refused(module, f)


@pytest.mark.parametrize("method", ["name", "register", "unregister"])
def test_a_dict_of_the_users_in_it(programs: Make, method: str) -> None:
    module = programs(method)
    is_pythons_or_refused(module, module.a_dict_of_the_users)


@pytest.mark.parametrize("method", STOPPING)
def test_it_is_read_after_the_compiled_program(programs: Make, method: str) -> None:
    module = programs(method)
    before = module.STOPPING.read()
    with pytest.raises(StagingError):
        ag.jit(module.read_afterwards)(2.0)
    assert module.STOPPING.read() == before


@pytest.mark.parametrize("method", ["update", "stop", "wait"])
def test_flags_and_counts_work(programs: Make, method: str) -> None:
    f = programs(method, "helpers_of_the_test.Stopping()").flags
    for x in (2.0, -2.0):
        assert jax.tree.map(float, ag.jit(f)(x)) == jax.tree.map(float, f(x))
