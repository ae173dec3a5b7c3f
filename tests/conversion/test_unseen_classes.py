"""Objects that only library code, modules or other objects refer to: operators on them write to the heap in arms."""

import collections
import contextvars
import gc
import queue
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

import jax
import pytest

import autograph as ag
from autograph.conversion import unseen_classes

VALUE: contextvars.ContextVar[Any] = contextvars.ContextVar("VALUE")
SETTINGS = types.ModuleType("settings_of_the_user")
SETTINGS.__file__ = __file__


def tally() -> Any:
    """An object of a class that nobody has seen, which counts how often it was used."""

    class Tally:
        n = 0

        def __add__(self, k: Any) -> Any:
            self.n += 1
            return k

        @property
        def used(self) -> int:
            self.n += 1
            return self.n

    return Tally()


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A module of the user's, with a tally in it."""
    monkeypatch.setitem(sys.modules, SETTINGS.__name__, SETTINGS)
    monkeypatch.setattr(SETTINGS, "tally", tally(), raising=False)
    monkeypatch.setattr(SETTINGS, "counts", collections.defaultdict(int), raising=False)
    return SETTINGS


class Waiting:
    """Refers to an object by what a library's function returns."""

    def __init__(self) -> None:
        self.objects: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.objects.put(tally())

    def __call__(self) -> Any:
        found = self.objects.get()
        self.objects.put(found)
        return found


def by_context() -> Callable[[], Any]:
    VALUE.set(tally())
    return lambda: VALUE.get()


def by_reference() -> Callable[[], Any]:
    kept = tally()
    reference = weakref.ref(kept)
    VALUE.set(kept)
    return lambda: reference()


def by_namespace() -> Callable[[], Any]:
    space = types.SimpleNamespace(inner=collections.UserDict(one=tally()))
    return lambda: space.inner["one"]


def by_global_name() -> Callable[[], Any]:
    globals()["HIDDEN"] = tally()
    return lambda: globals()["HID" + "DEN"]


def by_iterator() -> Callable[[], Any]:
    items = weakref.WeakSet[Any]()
    VALUE.set(kept := tally())
    items.add(kept)
    return lambda: next(iter(items))


REACHES = [Waiting, by_context, by_reference, by_namespace, by_global_name, by_iterator]


@pytest.mark.parametrize("reach", REACHES)
def test_operator_in_an_arm(reach: Callable[[], Callable[[], Any]]) -> None:
    get = reach()

    def use(x: Any) -> Any:
        held = get()
        held.n = 0
        if x > 0:
            x = held + x
        if x > 1:
            x = x + held.used
        n, held.n = held.n, 0
        return x, n

    for x in (-1.0, 0.5, 2.0):
        expected = use(x)
        assert jax.tree.map(float, jax.jit(ag.convert(use))(x)) == expected


def test_object_of_a_module(settings: types.ModuleType) -> None:
    def use(x: Any) -> Any:
        import settings_of_the_user as module  # type: ignore[import-not-found]  # a module that only exists while the test runs

        SETTINGS.tally.n = 0
        if x > 0:
            x = SETTINGS.tally + x
        if x > 1:
            x = module.tally + x
        n, settings.tally.n = settings.tally.n, 0
        return x, n

    for x in (-1.0, 0.5, 2.0):
        expected = use(x)
        assert jax.tree.map(float, jax.jit(ag.convert(use))(x)) == expected


class Shared:
    counts: collections.defaultdict[str, int] = collections.defaultdict(int)


class Heir(Shared):
    pass


HEIR = Heir()
REFERENCE: Callable[[], Any] = weakref.ref(HEIR)
PLACES = [
    lambda: SETTINGS.counts,
    lambda: Shared.counts,
    lambda: Heir.counts,
    lambda: HEIR.counts,
    lambda: types.SimpleNamespace(counts=Shared.counts).counts,
    lambda: REFERENCE().counts,
]


@pytest.mark.parametrize("place", PLACES)
def test_missing_key_of_a_default_dict_in_an_arm(settings: types.ModuleType, place: Callable[[], Any]) -> None:
    def use(x: Any) -> Any:
        place().clear()
        if x > 0:
            place()["a"]
        return len(place())

    with pytest.raises(ag.StagingError, match="different values in the contents of a defaultdict"):
        jax.jit(ag.convert(use))(1.0)


def test_classes_are_walked_once_in_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    walks = []
    walk = unseen_classes._new_classes
    monkeypatch.setattr(unseen_classes, "_new_classes", lambda: walks.append(1) or walk())

    @ag.convert
    def inner(x: Any) -> Any:
        return x if x > 0 else -x

    @jax.jit
    def outer(x: Any) -> Any:
        return jax.vmap(inner)(x) + inner(x[0]) + inner(x[1])

    outer(jax.numpy.ones(2))
    assert walks == [1]


def test_a_class_that_is_gone_is_forgotten() -> None:
    seen = weakref.ref(type(tally()))
    unseen_classes.prepare_unseen()
    gc.collect()
    assert seen() is None
