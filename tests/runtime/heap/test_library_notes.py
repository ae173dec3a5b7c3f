"""What a framework notes in objects of its own is made again where it is needed; what is a value of the program is not lost."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import pytest

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.heap import library_notes

LAYERS = """
import collections


class Scope:
    def __init__(self):
        self.names = {}


class Layer:
    def __init__(self, k):
        self.k = k
        self.scope = None
        self._called = False
        self.calls = 0
        self.kept = {}
        self.sites = collections.OrderedDict()
        self.seen = []
        self.last = None

    def __call__(self, x):
        if self.scope is None:
            self.scope = Scope()
        self.scope.names[type(self).__name__] = self.scope
        self._called = True
        return self.k * x

    def count(self, x):
        self.calls += 1
        return x

    def name(self, x):
        self.kept.setdefault("number", 3)
        return x

    def keep(self, x):
        self.kept["value"] = x
        return x

    def register(self, x):
        self.sites["site"] = object()
        return x

    def append(self, x):
        self.seen.append("word")
        return x

    def remember(self, x):
        self.last = x
        return x


class Bag:
    def __init__(self):
        self.items = {}

    def __len__(self):
        return len(self.items)

    def put(self, key):
        self.items[key] = "there"
"""

NOTES = {"Scope": {"names"}, "Layer": {"scope", "_called", "kept", "sites", "seen"}}


@pytest.fixture
def layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package that is installed, and known as a framework."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "layers_of_the_test.py").write_text(LAYERS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    for kind, names in NOTES.items():
        monkeypatch.setitem(library_notes._NOTES, f"layers_of_the_test.{kind}", frozenset(names))
    yield importlib.import_module("layers_of_the_test")
    del sys.modules["layers_of_the_test"]


def agrees(f: Any) -> bool:
    """Whether the converted function answers as the plain one does, on both sides of its condition."""
    pairs = [(f(x), ag.jit(f)(x)) for x in (2.0, -2.0)]
    return all(jax.tree.map(float, got) == jax.tree.map(float, expected) for expected, got in pairs)


def test_what_is_made_on_first_use_in_a_branch(layers: ModuleType) -> None:
    def f(x: Any) -> Any:
        first, second = layers.Layer(2.0), layers.Layer(3.0)
        if x > 0:
            y = first(x)
        else:
            y = second(x)
        return y + first(x)

    assert agrees(f)


def test_what_is_made_on_first_use_in_a_loop(layers: ModuleType) -> None:
    def f(x: Any) -> Any:
        layer, n = layers.Layer(2.0), 0
        while abs(x) < 50:
            x = layer(x)
            n += 1
        return layer(x), n

    assert agrees(f)


def test_it_is_back_when_the_call_is_over(layers: ModuleType) -> None:
    layer = layers.Layer(2.0)

    def f(x: Any) -> Any:
        return layer(x) if x > 0 else x

    assert float(ag.jit(f)(2.0)) == 4.0
    assert layer.scope is None and layer._called is False


def test_a_number_that_counts_is_a_value(layers: ModuleType) -> None:
    def f(x: Any) -> Any:
        layer = layers.Layer(2.0)
        if x > 0:
            x = layer.count(x)
        return x, layer.calls

    assert agrees(f)


def test_what_an_attribute_holds_of_the_branch_is_a_value(layers: ModuleType) -> None:
    def f(x: Any) -> Any:
        layer = layers.Layer(2.0)
        layer.remember(x)
        if x > 0:
            layer.remember(3 * x)
        return layer.last

    assert agrees(f)


@pytest.mark.parametrize("method", ["name", "keep", "register", "append"])
def test_what_may_be_data_is_refused(layers: ModuleType, method: str) -> None:
    def f(x: Any) -> Any:
        layer = layers.Layer(2.0)
        if x > 0:
            x = getattr(layer, method)(x)
        return x, len(layer.kept), len(layer.sites), len(layer.seen)

    with pytest.raises(StagingError, match=r"test_library_notes.py:\d+\n *if x > 0"):
        ag.jit(f)(2.0)


def test_a_collection_is_the_users(layers: ModuleType) -> None:
    def f(x: Any) -> Any:
        bag = layers.Bag()
        if x > 0:
            bag.put("a")
        return x, len(bag)

    with pytest.raises(StagingError, match="two branches"):
        ag.jit(f)(2.0)
