"""Functions whose code or defaults are exchanged after they were converted, as `%autoreload 2` does."""

import importlib
import inspect
import pathlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax
import pytest

import autograph as ag
from autograph.conversion import pipeline

OLD = """\
import functools

import autograph as ag


def helper(x, k=1, *, scale=1):
    if x > 0:
        return (x + k) * scale
    return x


def main(x):
    return helper(x) * 2


@ag.convert
def decorated(x):
    if x > 0:
        return x + 1
    return x


class Box:
    def method(self, x):
        if x > 0:
            return x + 1
        return x

    def __add__(self, x):
        if x > 0:
            return x + 1
        return x

    @property
    def value(self):
        return self.method(1)


def use(box, x):
    return box.method(x) + (box + x)
"""
NEW = "# edited\n" + OLD.replace("k=1", "k=10").replace("x + 1", "x + 100").replace("* 2", "* 3")
_ATTRIBUTES = ("__code__", "__defaults__", "__kwdefaults__", "__doc__", "__dict__")


@pytest.fixture
def module(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[types.ModuleType]:
    (tmp_path / "edited_module.py").write_text(OLD)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("edited_module")
    del sys.modules["edited_module"]


def edit(module: types.ModuleType, text: str = NEW) -> None:
    """Writes another source into the module's file, and gives the functions that were imported its code."""
    assert module.__file__ is not None
    pathlib.Path(module.__file__).write_text(text)
    space: dict[str, Any] = {"__name__": module.__name__}
    exec(compile(text, module.__file__, "exec"), space)
    for name in ("helper", "main", "decorated", "use"):
        exchange(getattr(module, name), space[name])
    for name in ("method", "__add__"):
        exchange(getattr(module.Box, name), getattr(space["Box"], name))
    space.clear()  # the functions in it hold the code as well, and this dict


def exchange(old: Any, new: Any) -> None:
    for name in _ATTRIBUTES:
        setattr(old, name, getattr(new, name))


def test_conversions_that_are_made_afterwards(module: types.ModuleType) -> None:
    assert ag.convert(module.main)(1.0) == ag.jit(module.main)(1.0) == 4.0
    edit(module)
    assert ag.convert(module.main)(1.0) == ag.jit(module.main)(1.0) == pipeline.staged(module.main)(1.0) == 33.0
    assert "x + k" in ag.to_code(module.helper) and ag.convert(module.main) is ag.convert(module.main)


def test_conversions_that_were_made_before(module: types.ModuleType) -> None:
    converted, jitted, helper = ag.convert(module.main), ag.jit(module.main), ag.jit(module.helper)
    assert converted(1.0) == jitted(1.0) == 4.0 and helper(1.0) == 2.0
    edit(module)
    assert converted(1.0) == jitted(1.0) == jax.jit(converted)(1.0) == 33.0 and helper(1.0) == 11.0
    assert inspect.signature(converted) == inspect.signature(module.main)
    edit(module, NEW.replace("* 3", "* 5"))
    assert converted(1.0) == jitted(1.0) == 55.0


def test_functions_that_converted_code_calls(module: types.ModuleType) -> None:
    def outer(x: Any) -> Any:
        return module.helper(x) + module.decorated(x)

    assert ag.jit(outer)(1.0) == 4.0
    edit(module)
    assert ag.jit(lambda x: outer(x))(1.0) == 112.0 and outer(1.0) == 112.0


def test_methods_also_those_that_python_calls(module: types.ModuleType) -> None:
    box = module.Box()
    assert ag.jit(module.use, static_argnums=0)(box, 1.0) == 4.0
    edit(module)
    assert ag.jit(module.use, static_argnums=0)(box, 1.0) == module.use(box, 1.0) == 202.0


def test_what_the_decorator_made(module: types.ModuleType) -> None:
    old = module.decorated
    assert old(1.0) == pipeline.staged(old)(1.0) == 2.0
    edit(module)
    assert old(1.0) == pipeline.staged(old)(1.0) == jax.jit(lambda x: old(x))(1.0) == 101.0


def test_defaults_alone(module: types.ModuleType) -> None:
    assert ag.jit(module.helper)(1.0) == 2.0
    module.helper.__defaults__ = (5,)
    assert ag.jit(module.helper)(1.0) == ag.convert(module.helper)(1.0) == ag.jit(module.main)(1.0) / 2 == 6.0
    module.helper.__kwdefaults__ = {"scale": 2}
    assert ag.jit(module.helper)(1.0) == ag.convert(module.helper)(1.0) == ag.jit(lambda x: module.main(x))(1.0) / 2
    assert ag.convert(module.helper)(1.0) == 12.0


def old_code_that_is_held() -> tuple[Callable[[Any], Any], ...]:
    """The enclosing code holds that of both functions."""

    def old(x: Any) -> Any:
        if x > 0:
            return x + 1
        return x

    def new(x: Any) -> Any:
        if x > 0:
            return x + 100
        return x

    def wider(x: Any, y: Any = 1) -> Any:
        return x + y

    return old, new, wider


def test_a_trace_finds_an_exchange_though_the_old_code_is_held() -> None:
    old, new, _ = old_code_that_is_held()
    jitted, converted = ag.jit(old), ag.convert(old)
    assert jitted(1.0) == 2.0
    old.__code__ = new.__code__
    assert jitted(1) == 101 and converted(1.0) == 101.0 and jitted(1.0) == 101.0


def test_a_call_that_bound_its_arguments_is_refused() -> None:
    old, _, wider = old_code_that_is_held()
    jitted = ag.jit(old)
    old.__code__, old.__defaults__ = wider.__code__, wider.__defaults__
    with pytest.raises(ag.ConversionError, match="got other code after it was converted, with another signature"):
        jitted(1.0)
    assert jitted(1.0) == 2.0 and jitted(1.0, 5.0) == 6.0


def test_cells_are_those_of_the_function() -> None:
    def make(k: int) -> Callable[[Any], Any]:
        def old(x: Any) -> Any:
            return x + k if x > 0 else x

        return old

    def make_new(k: int) -> Callable[[Any], Any]:
        def new(x: Any) -> Any:
            return x * k if x > 0 else x

        return new

    one, two = make(3), make(4)
    jitted = ag.jit(one), ag.jit(two)
    one.__code__ = make_new(0).__code__
    assert ag.jit(one)(2.0) == 6.0 and ag.convert(one)(2.0) == 6.0
    assert jitted[1](2.0) == 6.0 and ag.jit(two)(2.0) == 6.0


def test_code_without_source_is_called_as_it_is(module: types.ModuleType) -> None:
    converted = ag.convert(module.main)
    space: dict[str, Any] = {}
    exec("def main(x):\n    return x * 7", space)
    module.main.__code__ = space["main"].__code__
    del space
    with pytest.raises(ag.SourceError):
        converted(1.0)
    assert ag.jit(lambda x: module.main(x))(1.0) == 7.0
