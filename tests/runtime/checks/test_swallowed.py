"""Code that is not converted makes no answer of the error which says that a value is traced."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from autograph.errors import StagingError

PACKAGE = """
import contextlib
from math import exp


def bounded_exp(x):
    try:
        return exp(x)
    except:
        return 1e30


def many(xs):
    return sum(bounded_exp(x) for x in xs)


def is_number(x):
    try:
        float(x)
    except (TypeError, ValueError):
        return False
    return True


def size(n):
    try:
        return len(range(n))
    except Exception as error:
        said = str(error)
    return -1


def sign(x):
    try:
        if x > 0:
            return 1.0
    except Exception:
        pass
    return -1.0


def suppressed(x):
    y = 0.0
    with contextlib.suppress(TypeError):
        y = float(x)
    return y


def other_error(x):
    try:
        return float(x)
    except TypeError as error:
        raise ValueError("not a number") from error


def known(x):
    try:
        return 2.0 * int("x")
    except ValueError:
        return 2.0 * x
"""
FOR_JAX = """
import jax


def number(x):
    try:
        return float(x)
    except TypeError:
        return x
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Installs a package of that source."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))

    def install(text: str) -> ModuleType:
        (folder / "acme_that_catches.py").write_text(text, encoding="utf-8")
        return importlib.import_module("acme_that_catches")

    yield install
    del sys.modules["acme_that_catches"]


TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "jit": lambda f: ag.jit(f)(2.0),
    "function": lambda f: ag.function(f)(jnp.float32(2.0)),
    "grad": lambda f: jax.grad(ag.convert(f))(2.0),
    "jit of grad": lambda f: jax.jit(jax.grad(ag.convert(f)))(2.0),
    "vmap": lambda f: jax.vmap(ag.convert(f))(jnp.arange(3.0)),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_an_answer_of_the_error_is_refused(package: Any, transform: str) -> None:
    acme = package(PACKAGE)

    def f(x: Any) -> Any:
        return x * acme.bounded_exp(x)

    with pytest.raises(StagingError) as caught:
        TRANSFORMS[transform](f)
    said = str(caught.value)
    assert said.startswith("bounded_exp() handles the error that a value is traced")
    assert "acme_that_catches.py:8\n      return exp(x)" in said and "called at" in said
    assert "ag.install_import_hook('acme_that_catches')" in said


@pytest.mark.parametrize("name", ["is_number", "sign", "suppressed"])
def test_whatever_handles_it(package: Any, name: str) -> None:
    acme = package(PACKAGE)

    @ag.jit
    def f(x: Any) -> Any:
        return x + getattr(acme, name)(x)

    with pytest.raises(StagingError, match=rf"^{name}\(\) handles the error that a value is traced"):
        f(2.0)


def test_in_a_branch_and_in_a_loop(package: Any) -> None:
    acme = package(PACKAGE)

    @ag.jit
    def f(x: Any) -> Any:
        total = 0.0
        for i in ag.range(3):
            if x > i:
                total = total + acme.many([x, x])
        return total

    with pytest.raises(StagingError, match=r"^bounded_exp\(\) handles"):
        f(2.0)


def test_an_index(package: Any) -> None:
    acme = package(PACKAGE)
    with pytest.raises(StagingError, match=r"^size\(\) handles"):
        ag.jit(lambda n: acme.size(n))(3)


def test_what_the_handler_raises_comes_out(package: Any) -> None:
    acme = package(PACKAGE)
    with pytest.raises(Exception, match="not a number|traced"):
        ag.jit(lambda x: acme.other_error(x))(2.0)


def test_other_errors_are_the_programs(package: Any) -> None:
    acme = package(PACKAGE)
    assert ag.jit(lambda x: acme.known(x))(2.0) == 4.0


def test_jaxs_own_handlers_are_right() -> None:
    assert ag.jit(lambda x, k: jnp.roll(x, k))(jnp.arange(3), 1).tolist() == [2, 0, 1]


def test_a_handler_that_names_jaxs_error_is_right(package: Any) -> None:
    acme = package(FOR_JAX)
    assert ag.jit(lambda x: 2.0 * acme.number(x))(3.0) == 6.0

    @ag.do_not_convert
    def number(x: Any) -> Any:
        try:
            return float(x)
        except jax.errors.ConcretizationTypeError:
            return x

    assert ag.jit(lambda x: 2.0 * number(x))(3.0) == 6.0


def test_a_function_that_is_marked() -> None:
    @ag.do_not_convert
    def number(x: Any) -> float:
        try:
            return float(x)
        except TypeError:
            return 0.0

    with pytest.raises(StagingError, match=r"number\(\) handles(.|\n)*drop the mark `ag.do_not_convert`"):
        ag.jit(lambda x: number(x))(3.0)
    assert ag.convert(number)(3.0) == 3.0


def test_a_trace_that_fails_leaves_no_note(package: Any) -> None:
    acme = package(PACKAGE)

    def f(x: Any) -> Any:
        acme.sign(x)
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        ag.jit(f)(2.0)
    assert ag.jit(lambda x: acme.known(x))(2.0) == 4.0


def test_who_handles_the_failure_of_an_earlier_call_is_outside_of_this_one() -> None:
    """The error of the first call is freed, by the garbage collector, while the second one is traced."""

    def failing(x: Any) -> Any:
        for i in ag.range(5):
            x = x + jnp.broadcast_to(1.0, (i,)).sum()
        return x

    def collecting(x: Any) -> Any:
        gc.collect()
        return x + 1

    found = []
    gc.disable()
    try:
        for f in (failing, collecting):
            try:
                found.append(float(ag.jit(f)(1.0)))
            except StagingError as error:
                found.append(str(error).partition("\n")[0])
    finally:
        gc.enable()
    assert found == ["`jnp.broadcast_to(1.0, (i,))` makes an array of a traced size", 2.0]
