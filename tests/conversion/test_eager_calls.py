"""Calls where nothing is traced: functions handed to JAX's transforms are converted, others are called natively."""

import functools
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph as ag
from autograph import converters
from autograph.code.registry import Role, known
from autograph.conversion import eager_calls, pipeline


@pytest.fixture(autouse=True)
def plain_staged_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(converters, "apply_passes", lambda tree, context: tree, raising=False)


roles: list[Any] = []


def loss(x: Any) -> Any:
    entry = known(sys._getframe().f_code)
    roles.append(entry and entry.role)
    return x * x


def fill(x: Any) -> Any:
    x[0] = 7
    return x


def fills(x: Any) -> Any:
    return fill(x)


def harmless(x: Any) -> Any:
    return x


def recursive(x: Any, n: int) -> Any:
    return fill(x) if n == 0 else recursive(x, n - 1)


class Model:
    def loss(self, x: Any) -> Any:
        return loss(x)


# Each program hands `loss` to a transform in another way.
def by_module(x: Any) -> Any:
    return jax.grad(loss)(x)


def by_import(x: Any) -> Any:
    return lax.map(loss, jnp.stack([x, x]))[0]


def by_keyword(x: Any) -> Any:
    return jax.vmap(fun=loss, in_axes=0)(x[None])[0]


def in_a_list(x: Any) -> Any:
    return lax.switch(1, [loss, loss], x)


def in_an_inner_call(x: Any) -> Any:
    return jax.jit(jax.vmap(loss))(x[None])[0]


def as_a_parameter(x: Any, f: Any = loss) -> Any:
    return jax.jit(f)(x)


def in_a_partial(x: Any) -> Any:
    return jax.jit(functools.partial(loss))(x)


def in_a_nested_function(x: Any) -> Any:
    def inner(y: Any) -> Any:
        return jax.jit(loss)(y)

    return inner(x)


def in_a_comprehension(x: Any) -> Any:
    return [jax.jit(f)(x) for f in (loss,)][0]


jitted = jax.jit(loss)
mapped = jax.vmap(jitted)
jitted_sum = jax.jit(jnp.sum)


# These call what was handed to a transform when the module was loaded.
def handed_over_before(x: Any) -> Any:
    return jitted(x)


def under_two_transforms(x: Any) -> Any:
    return mapped(x[None])[0]


def handed_over_twice(x: Any) -> Any:
    return jax.grad(jitted)(x)


HANDED = [
    handed_over_before,
    under_two_transforms,
    handed_over_twice,
    by_module,
    by_import,
    by_keyword,
    in_a_list,
    in_an_inner_call,
    as_a_parameter,
    in_a_partial,
    in_a_nested_function,
    in_a_comprehension,
]


@pytest.mark.parametrize("fn", HANDED, ids=lambda fn: fn.__name__)
def test_functions_for_transforms_are_converted(fn: Any) -> None:
    jax.clear_caches()
    roles.clear()
    assert ag.convert(fn)(jnp.asarray(3.0)) == fn(jnp.asarray(3.0))
    assert Role.STAGED in roles


@pytest.mark.parametrize("fn", HANDED, ids=lambda fn: fn.__name__)
def test_not_without_recursion(fn: Any) -> None:
    jax.clear_caches()
    roles.clear()
    ag.convert(fn, recursive=False)(jnp.asarray(3.0))
    assert set(roles) == {None}


def test_the_same_converted_function_each_time() -> None:
    traces = []

    def body(x: Any) -> Any:
        traces.append(x)
        return x

    def run(x: Any, f: Any) -> Any:
        return jax.jit(f)(x)

    for _ in range(3):
        ag.convert(run)(1.0, loss)
    roles.clear()
    ag.convert(run)(1.0, loss)
    assert roles == []  # JAX knows it already


def test_a_name_of_a_comprehension_is_not_the_global_one() -> None:
    def apply(fs: Any, x: Any) -> Any:
        return [fill(x) for fill in fs]

    converted = ag.convert(apply)
    assert converted([harmless], 1) == [1]
    assert eager_calls._ROUTES not in converted.__code__.co_consts


def routed(fn: Callable[..., Any]) -> bool:
    return any(type(c) is eager_calls.Routes for c in pipeline.convert_function(fn).__code__.co_consts)  # type: ignore[arg-type]


def test_callees_that_assign_elements_are_routed_others_are_called_natively() -> None:
    def direct(x: Any) -> Any:
        return fill(x)

    def indirect(x: Any) -> Any:
        return fills(x)

    def below(x: Any) -> Any:
        return defined_below(x)

    def plain(x: Any) -> Any:
        return harmless(x) or len(x) or sys.getsizeof(x)

    for fn in (direct, indirect, below):
        assert routed(fn)
        assert ag.convert(fn)(jnp.zeros(2))[0] == 7
        assert ag.convert(fn)([0, 0]) == [7, 0]
    assert not routed(plain)
    assert routed(recursive) and ag.convert(recursive)(jnp.zeros(2), 3)[0] == 7


def test_a_function_that_is_not_defined_yet() -> None:
    import linecache

    name = "<forward>"
    text = "import autograph as ag\n@ag.convert\ndef f(x):\n    return g(x)\ndef g(x):\n    x[0] = 7\n    return x\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    assert space["f"](jnp.zeros(1))[0] == 7


def test_jitted_functions_of_the_user_are_routed_those_of_libraries_are_called_natively() -> None:
    def indirect(x: Any) -> Any:
        return handed_over_before(x)

    def library(x: Any) -> Any:
        return jnp.sin(x) + jitted_sum(x)

    roles.clear()
    jax.clear_caches()
    assert ag.convert(indirect)(3.0) == 9.0
    assert routed(indirect) and not routed(library)
    assert Role.STAGED in roles


def test_a_routed_name_may_be_anything_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    def direct(x: Any) -> Any:
        return fill(x)

    converted = ag.convert(direct)

    class Unhashable:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, x: Any) -> str:
            return "called"

    monkeypatch.setitem(globals(), "fill", Unhashable())
    assert converted(1) == "called"


def test_marked_functions_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    @ag.do_not_convert
    def marked(x: Any) -> Any:
        return loss(x)

    monkeypatch.setitem(globals(), "loss_of_test", marked)

    def run(x: Any) -> Any:
        return jax.jit(loss_of_test)(x)  # type: ignore[name-defined]  # noqa: F821

    roles.clear()
    assert ag.convert(run)(2.0) == 4.0 and roles == [None]


def defined_below(x: Any) -> Any:
    x[0] = 7
    return x
