"""The public functions on everything that can be decorated."""

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from autograph import directives
from autograph.code.registry import known
from autograph.conversion import pipeline


def is_converted(fn: Any) -> bool:
    return known(fn.__code__) is not None


def sign(x: Any) -> Any:
    if x > 0:
        return 1
    elif x < 0:
        return -1
    return 0


class Model:
    scale = 2

    def __init__(self, bias: int) -> None:
        self.bias = bias

    @ag.convert
    def method(self, x: Any) -> Any:
        return x * self.scale + self.bias

    @ag.convert
    @staticmethod
    def static_above(x: Any) -> Any:
        return x + 1

    @staticmethod
    @ag.convert
    def static_below(x: Any) -> Any:
        return x + 1

    @ag.convert
    @classmethod
    def class_above(cls, x: Any) -> Any:
        return x * cls.scale

    @classmethod
    @ag.convert
    def class_below(cls, x: Any) -> Any:
        return x * cls.scale

    @ag.convert
    @property
    def doubled(self) -> Any:
        return self.bias * 2

    @ag.convert
    @functools.cached_property
    def tripled(self) -> Any:
        return self.bias * 3

    @ag.jit
    @staticmethod
    def jitted_static(x: Any) -> Any:
        return x + 1

    @functools.partial(ag.jit, static_argnums=0)
    def jitted(self, x: Any) -> Any:
        return x + self.bias

    @ag.convert(recursive=False)
    def alone(self, x: Any) -> Any:
        return x

    def plain(self, x: Any) -> Any:
        return x + self.bias

    def __call__(self, x: Any) -> Any:
        return x - self.bias


def test_methods_and_descriptors_keep_their_kind() -> None:
    model = Model(3)
    assert model.method(2) == 7 and is_converted(Model.method)
    assert Model.static_above(1) == model.static_above(1) == Model.static_below(1) == 2
    assert model.class_above(4) == Model.class_above(4) == Model.class_below(4) == 8
    assert model.doubled == 6 and is_converted(inspect.getattr_static(Model, "doubled").fget)
    assert model.tripled == 9 and model.__dict__["tripled"] == 9
    assert int(Model.jitted_static(1)) == int(model.jitted_static(1)) == 2
    assert int(model.jitted(4)) == 7
    assert model.alone(5) == 5
    for name in ("static_above", "class_above", "jitted_static"):
        assert isinstance(inspect.getattr_static(Model, name), (staticmethod, classmethod))


def test_bound_methods_partials_and_objects_keep_what_they_hold() -> None:
    model = Model(3)
    bound = ag.convert(model.plain)
    assert bound(1) == 4 and bound.__self__ is model and is_converted(bound.__func__)
    assert ag.convert(ag.convert(model.plain)) == bound  # before the class of an object is converted in place
    part = ag.convert(functools.partial(Model.plain, model, x=5))
    assert part() == 8 and isinstance(part, functools.partial) and is_converted(part.func)
    called = ag.convert(model, recursive=False)
    assert called(10) == 7 and called.__self__ is model  # type: ignore[attr-defined]


@dataclasses.dataclass
class Layer:
    """A class that compares by what it holds, so that its objects have no hash."""

    weight: Any

    def __call__(self, x: Any) -> Any:
        return self.apply(x) + self.weight

    def apply(self, x: Any) -> Any:
        if x > 0:
            return x * self.weight
        return -x


def test_a_model_is_still_the_model() -> None:
    layer = Layer(2.0)
    assert ag.convert(layer) is layer
    assert [float(jax.jit(layer.apply)(x)) for x in (3.0, -3.0)] == [6.0, 3.0]
    assert [float(jax.jit(lambda x: layer(x))(x)) for x in (3.0, -3.0)] == [8.0, 5.0]
    assert float(ag.jit(layer)(-3.0)) == 5.0


def test_lambdas_decorators_with_and_without_arguments() -> None:
    assert ag.convert(lambda x: x + 1)(1) == 2
    assert ag.convert()(sign)(3) == 1
    assert ag.convert(recursive=False)(sign)(-3) == -1
    assert ag.convert(sign) is ag.convert(sign) is not ag.convert(sign, recursive=False)
    assert int(ag.jit(inline=True)(sign)(3)) == 1
    assert ag.do_not_convert()(sign) is sign
    pipeline.UNCONVERTED.discard(sign)


def test_jit_of_a_cached_function_needs_no_hash_of_traced_values() -> None:
    @ag.jit
    @functools.lru_cache
    def lowered(x: Any) -> Any:
        if x > 0:
            return x - 1
        return x

    assert (lowered(5), lowered(-5)) == (4, -5)


def test_a_cached_function_takes_traced_values_of_every_transform() -> None:
    @functools.lru_cache
    def lowered(x: Any) -> Any:
        if x > 0:
            return x - 1
        return x

    class Model:
        @functools.cache  # noqa: B019  # as it is written
        def lowered(self, x: Any) -> Any:
            return lowered(x)

    converted = ag.convert(lowered)
    for fn in (converted, ag.convert(functools.partial(lowered)), ag.convert(Model().lowered)):
        assert (jax.jit(fn)(5), jax.jit(fn)(-5)) == (4, -5)
    xs = jnp.array([5.0, -5.0])
    assert jax.vmap(converted)(xs).tolist() == [4.0, -5.0] and jax.grad(converted)(5.0) == 1.0
    for given in (lowered, converted):
        assert ag.jit(lambda xs, given=given: jax.vmap(given)(xs))(xs).tolist() == [4.0, -5.0]
    assert (converted(5), converted(5), converted.cache_info().hits) == (4, 4, 1)


def test_wrapped_and_cached_functions() -> None:
    @ag.convert
    @functools.lru_cache(maxsize=7)
    def cached(x: int) -> int:
        return x

    assert cached(1) == 1 and cached.cache_info().currsize == 1 and cached.cache_info().maxsize == 7

    def logged(fn: Any) -> Any:
        @functools.wraps(fn)
        def wrapper(*args: Any) -> Any:
            return fn(*args)

        return wrapper

    wrapper = ag.convert(logged(sign))
    assert wrapper(2) == 1 and wrapper.__wrapped__ is sign and wrapper.__name__ == "sign"


def test_jitted_functions_are_built_again_with_their_options() -> None:
    @functools.partial(jax.jit, static_argnames=("n",), donate_argnums=0, inline=True)
    def power(x: Any, n: int) -> Any:
        return x**n

    again = ag.convert(power)
    assert type(again) is type(power) and is_converted(again.__wrapped__)
    assert float(again(jnp.float32(2.0), n=3)) == 8.0 == float(again(jnp.float32(2.0), 3))
    info, before = again._jit_info, power._jit_info
    for name in ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "inline", "keep_unused"):
        assert getattr(info, name) == getattr(before, name), name
    assert ag.convert(again) is again


def test_jitted_functions_whose_options_cannot_be_read_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    from autograph.conversion import callables

    monkeypatch.setattr(callables, "jit_options", lambda jitted: None)
    jitted = jax.jit(sign)
    with pytest.warns(ag.AutoGraphWarning, match="options of its jax.jit cannot be read"):
        assert ag.convert(jitted) is jitted


def test_jit_is_the_object_of_jax() -> None:
    jitted = ag.jit(sign)
    assert type(jitted) is type(jax.jit(sign)) and jitted.__name__ == "sign"
    assert inspect.signature(jitted) == inspect.signature(sign)
    assert int(jitted.lower(1.0).compile()(1.0)) == 1
    assert jitted.__wrapped__ is ag.convert(sign)
    with pytest.raises(TypeError):
        ag.jit(sign, no_such_option=True)


def test_what_is_under_a_transform_stays_and_calls_converted_code() -> None:
    def absolute(x: Any) -> Any:
        return x if x > 0 else -x

    slope = jax.grad(absolute)
    assert ag.convert(slope) is slope
    assert ag.jit(slope)(-2.0) == -1.0 and ag.jit(jax.vmap(slope))(jnp.array([3.0, -2.0])).tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    "target,match",
    [
        (Model, "class `Model` cannot be converted as a whole"),
        (3, "'int' object is not callable"),
    ],
)
def test_what_cannot_be_converted_is_refused(target: Any, match: str) -> None:
    with pytest.raises(ag.ConversionError, match=match):
        ag.convert(target)


def test_library_functions_come_back_as_they_are() -> None:
    for fn in (len, jnp.sin, abs, dict.get):
        assert ag.convert(fn) is fn


def test_a_function_without_source_is_refused() -> None:
    space: dict[str, Any] = {}
    exec("def f(x): return x", space)
    with pytest.raises(ag.SourceError, match="cannot find the source of `f`"):
        ag.convert(space["f"])
    assert pipeline.staged(space["f"]) is space["f"]


def test_to_graph_is_convert() -> None:
    assert ag.to_graph(sign) is ag.convert(sign)


def test_marked_functions_and_classes_stay_as_they_are() -> None:
    @ag.do_not_convert
    def marked(x: Any) -> Any:
        return x

    @ag.do_not_convert
    class Marked:
        def method(self) -> None: ...

        @staticmethod
        def static() -> None: ...

        @property
        def value(self) -> int:
            return 1

    for fn in (marked, Marked.method, Marked.static, inspect.getattr_static(Marked, "value").fget):
        assert pipeline.staged(fn) is fn is pipeline.convert_function(fn)
    assert is_converted(ag.convert(marked))  # the user's word


@pytest.mark.parametrize("around", [jax.vmap, lambda f: jax.jit(jax.vmap(f))])
def test_what_a_library_made_of_a_function_stays_as_it_is_when_it_is_marked(around: Any) -> None:
    def inner(x: Any) -> Any:
        return x if x > 0 else -x

    marked = ag.do_not_convert(around(inner))
    xs = jnp.array([1.0, -2.0])
    with pytest.raises(ag.StagingError, match="asks whether a traced value is true"):
        ag.jit(lambda xs: marked(xs))(xs)
    with pytest.raises(jax.errors.TracerBoolConversionError):
        marked(xs)
    assert ag.jit(marked)(xs).tolist() == [1, 2]  # the user's word


def test_the_switch_for_eager_running() -> None:
    seen = []

    @ag.jit
    def f(x: Any) -> Any:
        seen.append(isinstance(x, jax.core.Tracer))
        return x + 1

    f(1)
    f(1)
    assert seen == [True] and not ag.functions_run_eagerly()
    with ag.run_functions_eagerly(True):
        assert ag.functions_run_eagerly()
        f(1)
        with ag.run_functions_eagerly(False):
            f(1)
        f(1)
    assert seen == [True, False, False] and not ag.functions_run_eagerly()
    ag.run_functions_eagerly(True)
    f(1)
    ag.run_functions_eagerly(False)
    f(1)
    assert seen == [True, False, False, False]


def test_the_switch_leaves_jaxs_own_setting_alone() -> None:
    with jax.disable_jit():
        with ag.run_functions_eagerly(True):
            pass
        assert jax.config.jax_disable_jit
    assert not jax.config.jax_disable_jit


def test_range_is_pythons_on_plain_values() -> None:
    for bounds in ((5,), (2, 5), (10, 0, -3), (0, 10, -1), (jnp.int32(3),)):
        ours, plain = ag.range(*bounds), range(*map(int, bounds))
        assert list(ours) == list(plain) and len(ours) == len(plain) and list(reversed(ours)) == list(reversed(plain))
        assert (2 in ours) == (2 in plain)
    assert ag.range(5) == ag.range(0, 5) and hash(ag.range(5)) == hash(range(5)) and ag.range(5)[2] == 2
    assert repr(ag.range(1, 5)) == "autograph.range(1, 5)"
    for wrong, error in (((), TypeError), ((1, 2, 3, 4), TypeError), ((1, 2, 0), ValueError), ((1.5,), AttributeError)):
        with pytest.raises((error, TypeError)):
            list(ag.range(*wrong))


def test_loop_options_do_nothing_in_plain_python() -> None:
    assert ag.set_loop_options(maximum_iterations=3) is None
    with pytest.raises(TypeError):
        ag.set_loop_options(3)  # type: ignore[misc]
    assert ag.range is directives.range


def test_types_are_complete() -> None:
    def typed(x: int, *, y: str = "") -> float:
        return float(x)

    if typing.TYPE_CHECKING:
        converted: Callable[..., float] = ag.convert(typed)
        assert converted is not None
    assert set(ag.__all__) == {name for name in dir(ag) if name in ag.__all__}
    for name in ag.__all__:
        assert getattr(ag, name) is not None
