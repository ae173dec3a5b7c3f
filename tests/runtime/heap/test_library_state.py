"""What a library keeps in its modules is what Python leaves there, whichever way a traced condition goes."""

from __future__ import annotations

import collections
import enum
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
from autograph.errors import StagingError
from autograph.runtime.calls.dispatch import converted
from autograph.runtime.operators.conditionals import if_stmt, nothing
from autograph.runtime.tracing import context

ACME = """
import contextlib
import threading

calls = 0
names = []
table = {}
cache = {}
last = None
made = None
STACK = []
_local = threading.local()


class Meta(type):
    pass


class Base(metaclass=Meta):
    made = 0


class Thing(Base):
    __slots__ = ("kind", "v")

    def __init__(self, v):
        self.v = v
        self.kind = Base

    def bump(self, k):
        self.v = self.v + k
        Base.made += 1
        return self.v


class Variable:
    def __init__(self, value):
        self.value = value


WEIGHT = Variable(0.0)


class Recorder:
    current = 0.0
    history = []

    @classmethod
    def record(cls, value):
        cls.current = value

    @staticmethod
    def note(value):
        Recorder.history.append(value)


def record(value):
    Recorder.current = value


def count():
    global calls
    calls += 1
    return calls


def register(name):
    names.append(name)


def note(key, value):
    table[key] = value


def cached(key):
    if key not in cache:
        cache[key] = ("made for", key)
    return cache[key]


def first_use():
    global made
    if made is None:
        made = object()


def keep(value):
    global last
    last = value


def assign(value):
    WEIGHT.value = value


class seed:
    def __init__(self, key):
        self.key = key

    def __enter__(self):
        STACK.append(self)
        return self

    def __exit__(self, *_):
        STACK.pop()


def sample(value):
    for handler in STACK:
        handler.key = handler.key + 1
    return value


class Member:
    def __init__(self):
        names.append("member")
        self.names = names

    def use(self):
        return 1.0


def deep():
    STACK.append("begun")
    try:
        return len(STACK)
    finally:
        STACK.pop()


@contextlib.contextmanager
def within():
    STACK.append("outer")
    try:
        yield
    finally:
        STACK.pop()


@contextlib.contextmanager
def frame(**params):
    if not hasattr(_local, "frames"):
        _local.frames = []
    _local.frames.append(params)
    try:
        yield
    finally:
        _local.frames.pop()


class Numbers:
    def __init__(self, first):
        self.first = first

    def __iter__(self):
        return self

    def __next__(self):
        self.first = self.first + 1.0
        return self.first


def get_state(name):
    return _local.frames[-1][name]


def set_state(name, value):
    _local.frames[-1][name] = value
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package that is installed: what its functions write, they write unheard."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "acme_of_the_test.py").write_text(ACME, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    yield importlib.import_module("acme_of_the_test")
    del sys.modules["acme_of_the_test"]


def agrees(f: Any) -> bool:
    """Whether the converted function answers as the plain one does, on both sides of its condition."""
    pairs = [(f(x), ag.jit(f)(x)) for x in (2.0, -2.0)]
    return all(jax.tree.map(float, got) == jax.tree.map(float, expected) for expected, got in pairs)


def test_a_global_that_a_branch_writes(acme: ModuleType) -> None:
    def f(x: Any) -> Any:
        acme.keep(0.0)
        if x > 0:
            acme.keep(x)
        y = acme.last
        acme.keep(0.0)
        return y

    assert agrees(f)


def test_the_value_of_an_object(acme: ModuleType) -> None:
    def f(x: Any) -> Any:
        acme.assign(1.0)
        if x > 0:
            acme.assign(x * 3)
        else:
            acme.assign(acme.WEIGHT.value + x)
        y = acme.WEIGHT.value
        acme.assign(0.0)
        return y

    assert agrees(f)


def test_an_attribute_of_a_class(acme: ModuleType) -> None:
    def by_function(x: Any) -> Any:
        if x > 0:
            acme.record(3.0)
        else:
            acme.record(4.0)
        y = acme.Recorder.current
        acme.record(0.0)
        return y

    def by_method(x: Any) -> Any:
        acme.Recorder.record(1.0)
        for _ in range(3):
            if x > 0:
                acme.Recorder.record(x + acme.Recorder.current)
        y = acme.Recorder.current
        acme.Recorder.record(0.0)
        return y

    assert agrees(by_function)
    assert agrees(by_method)


def test_a_list_in_a_class(acme: ModuleType) -> None:
    @ag.jit
    def f(x: Any) -> Any:
        if x > 0:
            acme.Recorder.note(1.0)
        return x

    with pytest.raises(StagingError, match="leave different values in the contents of a list"):
        f(1.0)
    assert acme.Recorder.history == []


def test_a_handler_on_a_stack(acme: ModuleType) -> None:
    def f(x: Any) -> Any:
        with acme.seed(0) as handler:
            if x > 0:
                acme.sample(x)
            acme.sample(x)
            if x > 1:
                if x > 3:
                    acme.sample(x)
                acme.sample(x)
        return handler.key

    assert agrees(f)


def test_a_handler_in_loops(acme: ModuleType) -> None:
    def f(x: Any) -> Any:
        with acme.seed(0) as handler:
            i = 0
            while i < x:
                acme.sample(x)
                i = i + 1
            for _ in range(3):
                acme.sample(x)
        return handler.key

    assert agrees(f)


def test_a_frame_in_a_thread_local(acme: ModuleType) -> None:
    def f(x: Any) -> Any:
        with acme.frame(n=0.0):
            if x > 0:
                acme.set_state("n", x)
            return acme.get_state("n")

    assert agrees(f)


def test_a_class_and_slots_that_a_library_writes(acme: ModuleType) -> None:
    def f(x: Any) -> Any:
        thing = acme.Thing(1.0)
        if x > 0:
            thing.bump(x)
        return thing.v

    assert agrees(f)
    assert type(acme.Base.made) is int


def test_a_counter_counts_by_the_branch_and_holds_a_number_afterwards(acme: ModuleType) -> None:
    def f(x: Any) -> Any:
        before = acme.calls
        k = 0
        if x > 0:
            k = acme.count()
        after = acme.count()
        acme.calls = before
        return k - before, after - before

    assert agrees(f)

    @ag.jit
    def g(x: Any) -> Any:
        if x > 0:
            acme.count()
        return x

    g(1.0)
    assert acme.calls == 0


def test_what_is_made_on_first_use_is_there_before(acme: ModuleType) -> None:
    @ag.jit
    def f(x: Any) -> Any:
        if x > 0:
            acme.cached("a")
            acme.first_use()
        else:
            acme.cached("b")
        return x

    with pytest.raises(StagingError, match="on first use"):
        f(1.0)
    assert (acme.cache, acme.made) == ({}, None)
    acme.cached("a"), acme.cached("b"), acme.first_use()
    assert float(f(1.0)) == 1.0


def test_what_cannot_be_joined_is_refused(acme: ModuleType) -> None:
    def registered(x: Any) -> Any:
        if x > 0:
            acme.register("a")
        return x

    def noted(x: Any) -> Any:
        if x > 0:
            acme.note("k", x)
        return x

    def kept(x: Any) -> Any:
        acme.keep(0.0)
        if x > 0:
            acme.keep(x)
        return x

    def assigned(x: Any) -> Any:
        if x > 0:
            acme.assign(x)
        return x

    for f, what in (
        (registered, "leave different values in the contents of a list"),
        (noted, "leave different values in the contents of a dict"),
        (assigned, "'acme_of_the_test.WEIGHT.value' keeps a traced value when the trace of assigned"),
        (kept, "'acme_of_the_test.last' keeps a traced value when the trace of kept"),
    ):
        with pytest.raises(StagingError, match=what):
            ag.jit(f)(1.0)
    assert (acme.names, acme.table, acme.last, acme.WEIGHT.value) == ([], {}, 0.0, 0.0)


def test_a_loop_of_known_length(acme: ModuleType) -> None:
    def f(x: Any) -> Any:
        acme.assign(0.0)
        for i in range(jnp.asarray(3)) if isinstance(x, jax.Array) else range(3):
            acme.assign(acme.WEIGHT.value + i)
        y = acme.WEIGHT.value
        acme.assign(0.0)
        return y

    assert agrees(f)


def test_what_a_wrapper_of_the_standard_library_hides_is_looked_at(acme: ModuleType) -> None:
    @ag.jit
    def f(x: Any) -> Any:
        if x > 0:
            with acme.within():  # the first call into the package, which pushes
                x = x + acme.deep()
        return x

    assert (float(f(1.0)), float(f(-1.0))) == (3.0, -1.0)
    assert acme.STACK == []


def test_what_an_object_enters_before_it_is_used(acme: ModuleType) -> None:
    def f(x: Any) -> Any:
        if x > 0:
            x = x + acme.Member().use()  # which announces the list, with the name in it
        return x, len(acme.names)

    with pytest.raises(StagingError, match="'acme_of_the_test.names'|contents of a list"):
        ag.jit(f)(1.0)
    assert acme.names == []


def test_classes_made_in_a_branch_belong_to_the_module_of_the_function() -> None:
    modules = []

    def f(p: Any) -> Any:
        def body() -> None:
            made = converted(collections.namedtuple)("P", "x y"), converted(enum.Enum)("E", "a b")
            modules.extend(cls.__module__ for cls in made)

        if_stmt(p > 0, body, nothing)
        return p

    jax.jit(f)(1.0)
    assert modules == [__name__, __name__]


def test_a_wrapper_of_jaxs_is_not_taken_for_a_library_of_the_users_module() -> None:
    def loss(x: Any) -> Any:
        return x * x

    watched = []
    gradient = jax.grad(loss)  # whose `__module__` is that of `loss`

    def f(x: Any) -> Any:
        if x > 0:
            x = gradient(x)
            region = context.innermost()
            assert region is not None
            watched.extend(region.watches)
        return x

    assert float(ag.jit(f)(jnp.float32(3.0))) == 6.0
    assert watched == []


@pytest.mark.parametrize("where", ["a variable", "an attribute", "a list", "a subclass", "a partial"])
def test_an_iterator_that_is_written_in_python_is_put_back(acme: ModuleType, where: str) -> None:
    class Own(acme.Numbers):  # type: ignore[misc, name-defined]
        pass

    class Holder:
        pass

    def made(numbers: Any) -> Any:
        if where == "an attribute":
            holder = Holder()
            holder.numbers = numbers  # type: ignore[attr-defined]
            return lambda: holder.numbers  # type: ignore[attr-defined]
        box = [numbers]
        take = functools.partial(next, numbers)
        return (lambda: box[0]) if where == "a list" else (lambda: iter(take, None)) if where == "a partial" else None

    def branch(x: Any) -> Any:
        numbers = Own(x) if where == "a subclass" else acme.Numbers(x)
        get = made(numbers) or (lambda: numbers)
        if x > 0:
            x = x + next(get())
            for number, _ in zip(get(), range(2)):
                x = x + number
        return x, numbers.first

    def loop(x: Any) -> Any:
        numbers = Own(0.0) if where == "a subclass" else acme.Numbers(0.0)
        get, n = made(numbers) or (lambda: numbers), 0
        while x < 5.0:
            x = x + next(get())
            n += 1
        return x, n, next(numbers)

    assert agrees(branch) and agrees(loop)
