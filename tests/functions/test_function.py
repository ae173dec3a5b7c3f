"""`ag.function` by the rows of behaviours that TensorFlow's users know: calls, traces, the eager switch, side effects."""

from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import gc
import inspect
import re
import runpy
import threading
import traceback
import types
import warnings
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from tests.profiling import calls_made


def relu(x: Any) -> Any:
    """The larger of x and 0."""
    if x > 0:
        return x
    return 0


class Scale:
    """A model that is no pytree."""

    factor = 3.0

    def __call__(self, x: Any, *, times: int = 1) -> Any:
        for _ in range(times):
            x = x * self.factor if x > 0 else x
        return x

    @ag.function
    def method(self, x: Any) -> Any:
        return x * self.factor

    @ag.function
    @staticmethod
    def static(x: Any) -> Any:
        return -x if x > 0 else x

    @ag.function
    @classmethod
    def of_class(cls, x: Any) -> Any:
        return x * cls.factor


def test_the_code_of_what_ag_function_decorates_is_shown() -> None:
    class Model:
        @ag.function
        def step(self, x: Any) -> Any:
            return x if x > 0 else -x

    for decorated in (Model.step, Model().step):
        assert "ag__.if_exp(x > 0, lambda: x, lambda: -x)" in ag.to_code(decorated)
    assert "def relu(x" in ag.to_code(ag.function(relu))


def test_row_1_direct_call_and_decorator_with_and_without_arguments() -> None:
    @ag.function
    def bare(x: Any) -> Any:
        return relu(x)

    @ag.function(reduce_retracing=True)
    def configured(x: Any) -> Any:
        return relu(x)

    for g in (ag.function(relu), bare, configured, ag.function()(relu)):
        assert float(g(jnp.float32(2))) == 2 and float(g(jnp.float32(-2))) == 0


def test_row_2_looks_like_the_python_function() -> None:
    g = ag.function(relu)
    assert g.__wrapped__ is relu and g.__name__ == "relu" and g.__doc__ == relu.__doc__
    assert inspect.signature(g) == inspect.signature(relu)
    for count in range(3):
        assert repr(g) == f"<ag.function relu(x: 'Any') -> 'Any': {('0 traces', '1 trace', '2 traces')[count]}>"
        g(count)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Scale().method(jnp.float32(2)),
        lambda: Scale.method(Scale(), jnp.float32(2)),
        lambda: ag.function(Scale())(jnp.float32(2)),
        lambda: ag.function(Scale().__call__)(jnp.float32(2)),
        lambda: Scale.of_class(jnp.float32(2)),
        lambda: Scale().of_class(jnp.float32(2)),
        lambda: -3 * Scale.static(jnp.float32(2)),
        lambda: -3 * Scale().static(jnp.float32(2)),
    ],
)
def test_row_2_methods_static_and_class_methods_and_models(call: Callable[[], Any]) -> None:
    assert float(call()) == 6


def test_row_2_a_pytree_model_is_an_argument_so_its_arrays_are_inputs() -> None:
    @jax.tree_util.register_pytree_node_class
    class Dense:
        def __init__(self, w: Any) -> None:
            self.w = w

        def tree_flatten(self) -> Any:
            return (self.w,), None

        @classmethod
        def tree_unflatten(cls, _: Any, children: Any) -> Any:
            return cls(*children)

        @ag.function
        def __call__(self, x: Any) -> Any:
            return self.w @ x

    x = jnp.ones(2)
    assert float(Dense(jnp.ones(2))(x)) == 2 and float(Dense(5 * jnp.ones(2))(x)) == 10
    assert Dense.__call__.tracing_count == 1  # type: ignore[attr-defined]


def test_row_3_functions_that_are_called_are_part_of_the_program() -> None:
    @ag.function
    def inner(x: Any, y: Any, b: Any) -> Any:
        x = x @ y
        return x + b if b > 0 else x

    @ag.function
    def outer(x: Any) -> Any:
        return inner(x, jnp.array([[2.0], [3.0]]), jnp.float32(4.0)) if x.ndim else x

    assert outer.tracing_count == 0
    x = jnp.array([[1.0, 2.0]])
    assert float(outer(x)[0, 0]) == 12.0 and inner.tracing_count == 0 and outer.tracing_count == 1


def test_row_5_without_conversion() -> None:
    @ag.function(autograph=False)
    def f(x: Any) -> Any:
        return x if x > 0 else -x

    with pytest.raises(jax.errors.TracerBoolConversionError):
        f(jnp.float32(1))


def test_row_6_a_number_beside_a_traced_value_takes_its_dtype() -> None:
    @ag.function
    def simple_relu(x: Any) -> Any:
        if x > 0:
            return x
        return 0

    found = [simple_relu(jnp.array(value)) for value in (1, 0, -1)]
    assert [int(x) for x in found] == [1, 0, 0] and {x.dtype for x in found} == {np.dtype("int32")}
    assert simple_relu(jnp.float32(-1)).dtype == np.float32


def test_row_7_the_guide_s_conditional_is_two_traces() -> None:
    @ag.function
    def f(x: Any) -> Any:
        if jnp.sum(x) <= 1:
            return x * x
        return x - 1

    assert float(f(jnp.array(1.0))) == 1.0 and f(jnp.array([5.0, 5.0])).tolist() == [4.0, 4.0]
    assert f.tracing_count == 2


@pytest.mark.filterwarnings("ignore:.*traced 7 times")
def test_row_11_python_values_specialise_and_arrays_do_not() -> None:
    seen = []

    @ag.function
    def f(x: Any) -> Any:
        seen.append("traced" if isinstance(x, jax.Array) else repr(x))
        return jnp.asarray(x)

    for x in (2, 3, 2, 2.0, True, "no"[:0] or None, (1, 2), (1, 2), [1, 2], 0.0, -0.0, float("nan"), float("nan")):
        f(x) if x is not None else None
    assert seen == ["2", "3", "2.0", "True", "(1, 2)", "[1, 2]", "0.0", "-0.0", "nan"]
    for number in (2, 3, 4):
        f(jnp.float32(number))
        f(np.float32(number))
    assert f.tracing_count == 10


def test_row_11_hashable_objects_by_equality_others_by_identity_and_weakly() -> None:
    class Point:
        def __init__(self, x: float) -> None:
            self.x = x

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Point) and self.x == other.x

        def __hash__(self) -> int:
            return hash(self.x)

    class Unhashable(Point):
        __hash__ = None  # type: ignore[assignment]

    @ag.function
    def f(point: Any, x: Any) -> Any:
        return point.x * x

    x = jnp.float32(2)
    assert [float(f(Point(n), x)) for n in (1.0, 1.0, 2.0)] == [2, 2, 4] and f.tracing_count == 2
    one, same = Unhashable(3.0), Unhashable(3.0)
    assert [float(f(p, x)) for p in (one, same, one)] == [6, 6, 6] and f.tracing_count == 4
    is_there = weakref.ref(one)
    del one
    gc.collect()
    assert is_there() is None and len(f.concrete_functions) == 3 and f.tracing_count == 4
    assert float(f(Unhashable(5.0), x)) == 10  # which may stand where the other one stood


@dataclasses.dataclass(frozen=True)
class Settings:
    by: Any


@pytest.mark.parametrize(
    "values",
    [
        [{1, 2}, {1, 2, 3}],
        [deque([1, 2]), deque([2, 1]), deque([2, 1], 2)],
        [Counter("ab"), Counter("aab")],
        [bytearray(b"a"), bytearray(b"b")],
        [slice(0, 2), slice(0, 3)],
        [range(0, 3, 2), range(0, 4, 2)],
        [np.array(["a", "b"]), np.array(["a", "c"])],
        [frozenset({0.0}), frozenset({-0.0})],
        [Settings(1), Settings(True), Settings(1.0), Settings(-0.0), Settings(0.0)],
        [Decimal("1"), Decimal("1.0")],
        [1j, -1j, complex(0.0, -0.0)],
        [{1: "x"}, {True: "x"}, {1.0: "x"}],
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_row_11_values_are_told_apart_by_what_they_hold(values: list[Any]) -> None:
    @ag.function
    def f(value: Any, x: Any) -> Any:
        return x + len(repr(value))

    x = jnp.int32(0)
    for value in values:
        for same in (value, copy.deepcopy(value)):
            assert int(f(same, x)) == len(repr(value))
    assert f.tracing_count == len(values)


@pytest.mark.slow
def test_row_11_a_set_is_iterated_in_its_own_order() -> None:
    def digits(values: Any, x: Any) -> Any:
        for value in values:
            x = x * 7 + value
        return x

    numbers = [range(0, 17 * n, 17) for n in range(1, 30)]
    sets = [set(some) for some in numbers] + [set(reversed(some)) for some in numbers]
    assert any(list(one) != list(one.copy()) for one in sets)
    for one in sets:
        assert ag.function(digits)(one, jnp.int32(0)) == digits(one, jnp.int32(0))


@pytest.mark.parametrize("value", [{1}, deque([1]), bytearray(b"a"), Counter("a")], ids=lambda value: type(value).__name__)
def test_row_11_a_container_that_changes_between_calls(value: Any) -> None:
    @ag.function
    def size(value: Any, x: Any) -> Any:
        return x * len(value)

    @ag.function
    def itself(value: Any, x: Any) -> Any:
        return value

    assert int(size(value, jnp.int32(1))) == 1 and itself(value, jnp.int32(1)) is value
    value.update({"b": 1}) if isinstance(value, Counter) else value.add(2) if isinstance(value, set) else value.append(2)
    assert int(size(value, jnp.int32(1))) == 2 and itself(value, jnp.int32(1)) is value


def test_a_partial_of_a_function_is_one_too() -> None:
    scaled, by = ag.function(lambda v, x: v * x), ag.Variable(2.0)
    assert float(ag.function(functools.partial(scaled, by))(jnp.float32(3))) == 6


def test_row_12_the_same_types_never_trace_again() -> None:
    traced = []

    @ag.function
    def my_relu(x: Any) -> Any:
        traced.append(str(x))
        return jnp.maximum(0.0, jnp.asarray(x))

    for _ in range(3):
        my_relu(jnp.float32(5.5))
        my_relu([1, -1])
        my_relu(jnp.array([3.0, -3.0]))
        my_relu(x=jnp.float32(1.5))
    assert len(traced) == my_relu.tracing_count == 3


def test_row_13_signatures_are_listed() -> None:
    least = ag.Variable(0.0, name="least")

    @ag.function
    def my_relu(x: Any, /, scale: Any = 1, *, named: Any = None) -> Any:
        return jnp.maximum(0.0 if named is None else least.value, jnp.asarray(x)) * scale

    my_relu(jnp.float32(5.5))
    my_relu([1, -1], scale=2, named="text")
    assert my_relu.pretty_printed_concrete_signatures() == (
        "my_relu\n"
        "Input Parameters:\n"
        "  x (POSITIONAL_ONLY): ShapeDtypeStruct(shape=(), dtype=float32)\n"
        "  scale (POSITIONAL_OR_KEYWORD): 1\n"
        "  named (KEYWORD_ONLY): None\n"
        "Output Type:\n"
        "  ShapeDtypeStruct(shape=(), dtype=float32)\n"
        "Captures:\n"
        "  None\n"
        "\n"
        "my_relu\n"
        "Input Parameters:\n"
        "  x (POSITIONAL_ONLY): [1, -1]\n"
        "  scale (POSITIONAL_OR_KEYWORD): 2\n"
        "  named (KEYWORD_ONLY): 'text'\n"
        "Output Type:\n"
        "  ShapeDtypeStruct(shape=(2,), dtype=float32)\n"
        "Captures:\n"
        "  least: float32[]"
    )


def test_calls_of_every_form_bind_as_python_does() -> None:
    def f(a: Any, b: Any = 2.0, *rest: Any, c: Any = 3.0, **more: Any) -> Any:
        return a + 10 * b + 100 * sum(rest) + 1000 * c + 10000 * sum(more.values())

    g = ag.function(f)
    one, two = jnp.float32(1), jnp.float32(2)
    for _ in range(2):
        for args, kwargs in [
            ((one,), {}),
            ((one, two), {}),
            ((one, two, one, two), {"c": two}),
            ((one,), {"c": one, "b": two}),
            ((), {"a": one, "z": two, "y": one}),
            ((one, 2), {"z": 3}),
        ]:
            assert float(g(*args, **kwargs)) == float(f(*args, **kwargs))
    count = g.tracing_count
    g(one, c=two, b=one)
    g(one, b=one, c=two)
    assert g.tracing_count == count


def test_a_wrapper_has_its_own_parameters_or_those_that_it_hands_on() -> None:
    def add(x: Any, y: Any = 2) -> Any:
        return x + y

    @functools.wraps(add)
    def added(x: Any) -> Any:
        return add(x, 5)

    @functools.wraps(add)
    def handed(*args: Any, **kwargs: Any) -> Any:
        return add(*args, **kwargs)

    @functools.wraps(add)
    def less(*args: Any) -> Any:
        return add(*args, 5)

    one = jnp.float32(1)
    assert float(ag.function(added)(one)) == 6
    with pytest.raises(TypeError, match=r"add\(\) takes 1 positional argument but 2 were given$"):
        ag.function(added)(one, one)
    counted = ag.function(handed)
    assert float(counted(one, 2)) == float(counted(x=one)) == float(counted(one, y=2)) == 3 and counted.tracing_count == 1
    with pytest.raises(TypeError, match=r"says that its signature is \(x.*, and takes other arguments\n"):
        ag.function(less)()
    assert float(ag.function(lambda self, args=1: self + args)(self=one)) == 2


def plain(x: Any, y: Any = 1, /, *, key: Any) -> Any:
    return x


class Holder:
    """Methods of every kind, with arguments that are missing."""

    def method(self, x: Any, y: Any) -> Any:
        return x

    @staticmethod
    def static(x: Any) -> Any:
        return x

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return x

    def __call__(self, x: Any) -> Any:
        return x


class Compiled(Holder):
    """The same under `ag.function`."""

    method = ag.function(Holder.method)
    static = staticmethod(ag.function(Holder.static))
    of_class = classmethod(ag.function(Holder.of_class.__func__))  # type: ignore[attr-defined]  # typeshed: a callable


@pytest.mark.parametrize(
    ("called", "same"),
    [
        (plain, ag.function(plain)),
        (lambda x: x, ag.function(lambda x: x)),
        (functools.partial(plain, 1, key=2), ag.function(functools.partial(plain, 1, key=2))),
        (Holder().method, Compiled().method),
        (Holder.static, Compiled.static),
        (Holder.of_class, Compiled.of_class),
        (Holder(), ag.function(Holder())),
    ],
)
@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), ((1, 2, 3, 4), {}), ((), {"x": 1}), ((1,), {"z": 2}), ((1,), {"x": 2, "y": 1})]
)
def test_wrong_arguments_raise_the_error_of_python(called: Any, same: Any, args: Any, kwargs: Any) -> None:
    try:
        called(*args, **kwargs)
    except TypeError as error:
        expected = str(error)
    else:
        return
    # Since Python 3.13 a class method binds what it wraps itself: the other methods of that get no class.
    is_bound_by_python = isinstance(same, types.MethodType)
    for refused in (same,) if is_bound_by_python else (same, same.get_concrete_function):
        with pytest.raises(TypeError) as caught:
            refused(*args, **kwargs)
        assert str(caught.value) == expected
        assert caught.value.__context__ is None
        assert len(traceback.extract_tb(caught.value.__traceback__)) == 1


def test_row_18_many_traces_warn_once_with_the_argument_and_the_cure() -> None:
    @ag.function
    def power(x: Any, n: Any) -> Any:
        return x**n

    with pytest.warns(ag.AutoGraphWarning, match=r"power\(\) was traced 7 times; 'n' was 0, 1, 2, ...: pass an array") as caught:
        for n in range(12):
            power(jnp.float32(2), n)
    assert len(caught) == 1 and caught[0].filename == __file__


def test_row_18_for_containers_the_cure_is_another() -> None:
    size = ag.function(lambda values, x: x * len(values))
    with pytest.warns(ag.AutoGraphWarning, match=r"'values' was \{0\}, .*: pass what changes as arrays"):
        for n in range(1, 9):
            size(set(range(n)), jnp.float32(1))


@dataclasses.dataclass
class Plain:
    """Compared by identity: it has no hash."""

    x: float


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((jnp.ones((1,) * n) for n in range(9)), r"'v' was float32\[\], float32\[1\], .*: pass arrays of one number of axes"),
        ((jnp.ones(n) for n in range(1, 9)), r"'v' was float32\[1\], .*: give the function `reduce_retracing=True`"),
        (([1.0] * n for n in range(9)), r"'v' had nothing, \[0\], \[0\] \[1\], .*: pass containers .* of one length"),
        (({str(n): jnp.float32(1)} for n in range(9)), r"'v' had \['0'\], \['1'\], .*: pass containers with the same keys"),
        (("a" * n for n in range(9)), "'v' was '', 'a', 'aa', ...: pass one of a few strings"),
        ((Plain(n) for n in range(9)), "'v' was a Plain that is gone, .*: pass the same object each time"),
        ([lambda: None for _ in range(9)], "'v' was <function .*: pass the same object each time"),
    ],
)
def test_row_18_the_cure_fits_what_changes(values: Iterable[Any], expected: str) -> None:
    f = ag.function(lambda v, x: x)
    with pytest.warns(ag.AutoGraphWarning, match=expected) as caught:
        for value in values:
            f(value, jnp.float32(1))
            del value  # a program is made for it, and goes with it
    assert len(caught) == 1


def test_row_18_objects_of_a_method_come_and_go_without_a_word() -> None:
    class Scale:
        def __init__(self, by: float) -> None:
            self.by = by

        @ag.function
        def __call__(self, x: Any) -> Any:
            return self.by * x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [float(Scale(by)(jnp.float32(2))) for by in range(9)] == [2.0 * by for by in range(9)]


class Mode(enum.Enum):
    FAST = 1


@ag.function
def show(*values: Any, **named: Any) -> None:
    for value in (*values, *named.values()):
        print(value)


def test_row_19_python_values_print_as_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    known = (7, 2.5, -0.0, True, None, "text", b"bytes", 1j, Mode.FAST, (1, "a"), [1, -1], {"a": 2.0}, {3}, range(2))
    show(*known, named=2.5)
    assert capsys.readouterr().out.splitlines() == [*map(str, known), "2.5"]


def test_row_19_arrays_print_as_tracers_with_shape_and_dtype(capsys: pytest.CaptureFixture[str]) -> None:
    show(jnp.ones(3), jnp.ones((2, 4), jnp.int32), np.ones(2, np.float32), np.float32(1), jnp.array(True), (jnp.ones(2), 7))
    tracer = r"\w*Tracer.(\w+\[[\d,]*\])[^,]*"  # versions of JAX show it in two ways
    *alone, pair = capsys.readouterr().out.splitlines()
    matches = [re.fullmatch(tracer, text) for text in alone]
    assert [found and found[1] for found in matches] == ["float32[3]", "int32[2,4]", "float32[2]", "float32[]", "bool[]"]
    inside = re.fullmatch(rf"\({tracer}, 7\)", pair)
    assert inside is not None and inside[1] == "float32[2]"


@pytest.mark.parametrize("compile_", [ag.function, ag.jit])
def test_row_20_the_eager_switch_is_read_at_every_call(compile_: Any) -> None:
    seen: list[Any] = []

    @compile_
    def f(x: Any, *, parts: Any = None) -> Any:
        seen.append("traced" if isinstance(x, jax.core.Tracer) else parts if parts else x)
        return x if x > 0 else -x

    x, parts = jnp.float32(-2), [jnp.float32(1)]
    f(x), f(x)
    assert seen == ["traced"] and ag.functions_run_eagerly() is False
    ag.run_functions_eagerly(True)
    try:
        assert ag.functions_run_eagerly() is True
        assert float(f(x)) == float(f(x)) == f(-2) == 2 and f(x, parts=parts) == 2
        assert seen[1] is seen[2] is x and type(seen[3]) is int and seen[4] is parts
        with ag.run_functions_eagerly(False):
            f(x)
        assert len(seen) == 5
        f(x)
    finally:
        ag.run_functions_eagerly(False)
    assert seen[5:] == [x] and ag.functions_run_eagerly() is False
    f(x)
    assert len(seen) == 6
    with ag.run_functions_eagerly(True):
        f(x)
    f(x)
    assert seen[6:] == [x]


def test_row_20_also_of_concrete_functions_methods_and_variables() -> None:
    seen = []

    class Counter:
        def __init__(self) -> None:
            self.total = ag.Variable(0.0)

        @ag.function
        def add(self, x: Any) -> Any:
            seen.append(str(x))
            self.total.assign_add(x)
            return self.total.value

    counter, x = Counter(), jnp.float32(2)
    concrete = counter.add.get_concrete_function(x)
    with ag.run_functions_eagerly(True):
        assert float(concrete(x)) == 2 and float(counter.add(x)) == 4 and float(Counter().add(x)) == 2
    assert float(counter.add(x)) == 6
    assert seen[1:] == ["2.0"] * 3 and counter.add.tracing_count == 1


@pytest.mark.parametrize("is_concrete", [False, True])
def test_row_20_also_under_a_transform(is_concrete: bool, capsys: pytest.CaptureFixture[str]) -> None:
    @ag.function
    def f(x: Any) -> Any:
        print("x is", x)
        return x * x if x > 0 else -x

    x = jnp.float32(3)
    called = f.get_concrete_function(x) if is_concrete else f
    capsys.readouterr()
    with ag.run_functions_eagerly(True):
        assert float(jax.grad(called)(x)) == 6
    assert re.fullmatch(r"x is \w*Tracer.*\b3\.0.*\n", capsys.readouterr().out)  # once, and with its number


def test_row_21_print_runs_at_each_trace_and_ag_print_at_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    @ag.function
    def f(x: Any) -> Any:
        print("Traced with", x)
        ag.print("Executed with", x)
        return x

    for x in (1, 1, 2):
        f(x)
    jax.effects_barrier()
    text = capsys.readouterr().out
    assert text == "Traced with 1\nExecuted with 1\nExecuted with 1\nTraced with 2\nExecuted with 2\n"


def test_row_21_the_guide_s_print_compiled_and_eager(capsys: pytest.CaptureFixture[str]) -> None:
    @ag.function
    def error(true: Any, predicted: Any) -> Any:
        print("Calculating MSE!")
        return jnp.mean((true - predicted) ** 2)

    x = jnp.arange(3.0)
    for _ in range(3):
        error(x, x)
    assert capsys.readouterr().out.count("Calculating") == 1
    with ag.run_functions_eagerly(True):
        for _ in range(3):
            error(x, x)
    assert capsys.readouterr().out.count("Calculating") == 3


def test_row_22_python_side_effects_happen_at_trace_time() -> None:
    @ag.function
    def buggy(iterator: Any) -> Any:
        return jnp.asarray(next(iterator))

    numbers = iter([0, 1, 2])
    assert [int(buggy(numbers)) for _ in range(3)] == [0, 0, 0]
    numbers = iter([0, 1, 2, 3])
    with ag.run_functions_eagerly(True):
        assert [int(buggy(numbers)) for _ in range(3)] == [0, 1, 2]


calls = 0


def test_row_22_writes_to_lists_and_globals_happen_once_for_each_trace_which_is_told(caplog: pytest.LogCaptureFixture) -> None:
    sizes = []

    @ag.function
    def note(x: Any) -> Any:
        global calls
        calls += 1
        sizes.append(x.size)
        return x

    ag.set_verbosity(2)
    try:
        for size in (2, 2, 3, 3, 2):
            note(jnp.ones(size))
    finally:
        ag.set_verbosity(0)
    assert sizes == [2, 3] and calls == 2
    assert [text[-10:] for text in caplog.messages if text.startswith("tracing")] == ["float32[2]", "float32[3]"]


def test_row_23_what_nobody_uses_is_not_compiled() -> None:
    def unused(x: Any) -> Any:
        jnp.linalg.inv(jnp.zeros((2, 2)))  # would be the most of the program
        return x

    g = ag.function(unused)
    text = g.get_concrete_function(jnp.float32(1)).graph.optimized_hlo()
    assert "custom-call" not in text and float(g(jnp.float32(1))) == 1


def test_row_23_writes_and_checks_are_kept_where_nothing_is_returned() -> None:
    seen = ag.Variable(0.0)

    @ag.function
    def note(x: Any) -> None:
        assert x != 0, f"x is {x}"
        seen.assign_add(x)

    for x in (2.0, 3.0):
        assert note(jnp.float32(x)) is None
    with pytest.raises(AssertionError, match="x is 0.0"):
        note(jnp.float32(0))
    assert float(seen.value) == 5


def test_results_that_are_no_arrays_come_back_as_themselves() -> None:
    class Color(enum.Enum):
        RED = 1

    @ag.function
    def f(x: Any) -> Any:
        return {"name": "abc", "twice": 2 * x, "none": None, "color": Color.RED, "count": 3}

    for _ in range(2):
        found = f(jnp.float32(2))
        assert found["name"] == "abc" and found["none"] is None and found["color"] is Color.RED
        assert float(found["twice"]) == 4 and int(found["count"]) == 3


def test_under_the_transforms_of_jax() -> None:
    @ag.function
    def f(x: Any) -> Any:
        return x * x if x > 0 else -x

    assert float(jax.grad(f)(3.0)) == 6 and float(jax.grad(f)(-3.0)) == -1
    assert jax.vmap(f)(jnp.array([-1.0, 2.0])).tolist() == [1, 4]
    assert float(jax.jit(f)(3.0)) == 9 and float(ag.jit(lambda x: f(x) + 1)(3.0)) == 10
    assert float(jax.jvp(f, (3.0,), (1.0,))[1]) == 6


def test_threads_share_the_programs() -> None:
    @ag.function
    def f(x: Any) -> Any:
        return x if x > 0 else -x

    found: list[float] = []
    threads = [threading.Thread(target=lambda: found.append(float(f(jnp.float32(-3))))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3.0] * 8 and f.tracing_count == 1


def test_a_function_keeps_none_of_its_arguments() -> None:
    @ag.function
    def f(x: Any) -> Any:
        return x + 1

    x = jnp.ones(3)
    f(x)
    there = weakref.ref(x)
    del x
    gc.collect()
    assert there() is None


def test_functions_and_their_variables_go_with_the_last_reference() -> None:
    def made(text: str) -> list[Any]:
        total = ag.Variable(0.0)

        @ag.function
        def f(x: Any) -> Any:
            assert x > 0
            return total.assign_add(x).value, text

        f(jnp.float32(2))
        return [weakref.ref(f), weakref.ref(total)]

    kept = [there for text in ("a", "b") for there in made(text)]
    gc.collect()
    assert [there() for there in kept] == [None] * 4


def test_a_type_of_array_is_a_value_in_a_call() -> None:
    zeros = ag.function(lambda spec: jnp.zeros(spec.shape, spec.dtype))
    assert zeros(jax.ShapeDtypeStruct((2,), "int32")).dtype == "int32" and zeros(jax.ShapeDtypeStruct((3,), "int32")).shape == (3,)


def test_errors_of_the_body_are_the_user_s() -> None:
    @ag.function
    def f(x: Any) -> Any:
        raise KeyError("k")

    with pytest.raises(KeyError):
        f(jnp.float32(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KeyError):
            f(jnp.float32(1))


def negative_root(x: Any) -> Any:
    assert x < 100, f"{x:.1f} is large"
    if x < 0:
        raise ValueError(f"no root of {x}")
    return jnp.sqrt(x)


def test_failed_checks_raise_the_user_s_exception_at_the_call() -> None:
    f = ag.function(negative_root)
    for _ in range(2):
        assert float(f(jnp.float32(4))) == 2
        with pytest.raises(ValueError, match="^no root of -4.0$") as caught:
            f(jnp.float32(-4))
        assert type(caught.value) is ValueError and caught.value.args == ("no root of -4.0",)
        last = list(caught.traceback)[-1]
        assert last.path == Path(__file__) and str(last.statement).strip() == 'raise ValueError(f"no root of {x}")'
        with pytest.raises(AssertionError, match="200.0 is large"):
            f(jnp.float32(200))
    assert "callback" not in f.get_concrete_function(jnp.float32(1)).graph.stablehlo()


def test_deferred_checks_raise_with_the_next_call() -> None:
    count = ag.Variable(0)

    @ag.function(checks="deferred")
    def f(x: Any) -> Any:
        count.assign_add(1)
        return negative_root(x)

    f(jnp.float32(4))
    f(jnp.float32(-4))
    assert int(count.value) == 1
    with pytest.raises(ValueError, match="no root of -4.0"):
        f(jnp.float32(4))
    f(jnp.float32(4))
    assert int(count.value) == 2  # a call that raises writes nothing


def test_a_deferred_check_that_no_call_follows_is_shown_when_the_function_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: shown.append(unraisable.exc_value))
    f = ag.function(negative_root, checks="deferred")
    f(jnp.float32(-4))
    del f
    gc.collect()
    assert [repr(error) for error in shown] == ["ValueError('no root of -4.0')"]


def test_without_checks_nothing_is_checked() -> None:
    f = ag.function(negative_root, checks=False)
    assert np.isnan(f(jnp.float32(-4))) and float(f(jnp.float32(400))) == 20
    assert "callback" not in f.get_concrete_function(jnp.float32(1)).graph.stablehlo()


def test_checks_in_a_call_under_a_transform_are_those_of_jit() -> None:
    f = ag.function(negative_root)
    with pytest.raises(Exception, match="no root of -4.0"):
        jax.block_until_ready(jax.vmap(f)(jnp.array([4.0, -4.0])))


@pytest.mark.parametrize("write", [lambda d: d.update(a=d["a"] + 1), lambda d: d.pop("a"), lambda d: d.update(b=1)])
def test_an_argument_that_the_body_changes_is_refused_and_not_forgotten(write: Callable[[Any], Any]) -> None:
    @ag.function
    def f(d: Any) -> Any:
        write(d)
        return len(d)

    with pytest.raises(ag.StagingError, match=r"f\(\) changes its argument: d\['[ab]'\]"):
        f({"a": jnp.float32(1)})
    with ag.run_functions_eagerly(True):
        f(d := {"a": jnp.float32(1)})
    assert d != {"a": 1}


@pytest.mark.parametrize("value", [{1}, deque([1]), bytearray(b"a")], ids=lambda value: type(value).__name__)
def test_a_set_or_queue_that_the_body_changes_is_refused(value: Any) -> None:
    @ag.function
    def f(value: Any, x: Any) -> Any:
        value.add(2) if isinstance(value, set) else value.append(2)
        return x

    before = copy.copy(value)
    with pytest.raises(ag.StagingError, match=r"f\(\) changes its argument: value is another value"):
        f(value, jnp.float32(1))
    assert value == before


@pytest.mark.parametrize("statement", ["items[i]", "items.pop(i)", "del items[i]", "items[i] = 0", "items[i] += 1"])
def test_an_index_out_of_range_is_named_as_python_does(statement: str, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(f"def f(i):\n    items = [1, 2, 3]\n    {statement}\n    return sum(items)\n")
    namespace = runpy.run_path(str(tmp_path / "m.py"))
    f = ag.function(namespace["f"])
    for i in (-4, -1, 2, 3):
        try:
            expected = namespace["f"](i)
        except IndexError as error:
            with pytest.raises(IndexError) as caught:
                f(jnp.int32(i))
            assert type(caught.value) is IndexError and caught.value.args == error.args
        else:
            assert int(f(jnp.int32(i))) == expected


def test_a_traced_value_that_would_stay_in_an_object_is_refused() -> None:
    log: list[Any] = []

    class Model:
        last: Any = None

        @ag.function
        def __call__(self, x: Any) -> Any:
            self.last = x * 2
            return x

    @ag.function
    def noted(x: Any) -> Any:
        log.append(x)
        return x

    model = Model()
    for call, place in ((model, "model.last"), (noted, "log")):
        with pytest.raises(ag.StagingError, match=f"'{place}' keeps a traced value when the trace"):
            call(jnp.float32(1))
    assert log == [] and model.last is None


def test_a_decorator_may_add_arguments_that_have_defaults_and_is_told_what_to_do_about_others() -> None:
    def scaled(a: Any, x: Any, by: int = 1) -> Any:
        return a * x * by

    def adds(keep: bool, *first: Any, **more: Any) -> Any:
        @functools.wraps(scaled)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return scaled(*first, *args, **kwargs, **more)

        if not keep:
            del wrapper.__wrapped__  # type: ignore[attr-defined]  # `wraps` adds it, and no type says so
        return wrapper

    x = jnp.float32(3)
    by_ten = ag.function(adds(True, by=10))
    assert float(by_ten(2.0, x)) == float(by_ten(a=2.0, x=x)) == 60 and by_ten.tracing_count == 1
    with pytest.raises(TypeError, match=r"scaled\(\) says .* takes other arguments\n(.|\n)*`del wrapper.__wrapped__` in"):
        ag.function(adds(True, 2.0))(x)
    assert float(ag.function(adds(False, 2.0))(x)) == 6


def test_keys_and_static_fields_that_are_equal_numbers_of_other_types_have_programs_of_their_own() -> None:
    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Scaled:
        x: Any
        by: Any = dataclasses.field(metadata={"static": True})

    by_key = ag.function(lambda d: {key: value * key for key, value in d.items()})
    by_field = ag.function(lambda s: s.x * s.by)
    for _ in range(2):
        for number in (1, True, 1.0):
            [(key, value)] = by_key({number: jnp.int32(2)}).items()
            assert type(key) is type(number) and value.dtype == (jnp.int32(2) * number).dtype
            assert by_field(Scaled(jnp.int32(2), number)).dtype == value.dtype
    assert by_key.tracing_count == by_field.tracing_count == 3
    for keys in (np.int64(1), 1), (np.str_("a"), "a"):
        itself = ag.function(lambda d: d)
        assert [type(*itself({key: jnp.int32(2)})) for key in keys] == [type(key) for key in keys]
    concrete = by_key.get_concrete_function({1: ag.TensorSpec([], jnp.int32)})
    with pytest.raises(TypeError, match=r"'d\[True\]' of <lambda>\(\) is int32\[\] where nothing is expected"):
        concrete({True: jnp.int32(2)})


def test_a_list_in_the_place_of_an_array_is_told_to_be_made_one() -> None:
    @ag.function(input_signature=[ag.TensorSpec([None], jnp.int32)])
    def f(x: Any) -> Any:
        return 2 * x

    for fn in (f, f.get_concrete_function()):
        with pytest.raises(ValueError, match=r"'x' of f\(\) is a container where int32\[None\] is expected\n(.|\n)*jnp.asarray\(x"):
            fn([1, 2])
        assert fn(jnp.asarray([1, 2])).tolist() == [2, 4]


def test_a_look_at_the_checks_is_one_step_of_a_call() -> None:
    """No tree of results is made anew, and no option is looked up: both are known when the program is traced."""

    @ag.function
    def root(x: Any) -> Any:
        assert x >= 0, "negative"
        return {"root": jnp.sqrt(x)}

    x = jnp.float32(4.0)
    assert root(x) == {"root": 2.0}
    package, of_jax = str(Path(ag.__file__).parent), ag.jax_internals.__file__  # older JAX is asked by a function of ours
    calls = calls_made(lambda: root(x), lambda path: path.startswith(package) and path != of_jax)
    assert calls == 4  # the call, its outcome and the look at that
    with pytest.raises(AssertionError, match="negative"):
        root(-x)


@dataclasses.dataclass(frozen=True)
class Scales:
    values: Any


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Scaled:
    x: Any
    by: Scales = dataclasses.field(metadata={"static": True})


EQUAL = [((2,), (2.0,)), ((1,), (True,)), (((3, (4,)),), ((3.0, (4,)),)), (Decimal("1"), Decimal("1.0"))]


@pytest.mark.parametrize("values", EQUAL)
def test_row_10_equal_numbers_of_other_types_inside_objects_have_their_own_programs(values: Any) -> None:
    first, second = map(Scales, values)
    assert first == second

    def shown(scales: Any) -> str:
        return repr(scales.values)

    f = ag.function(lambda scales, x: shown(scales))
    g = ag.function(lambda scaled: shown(scaled.by))
    h = ag.function(lambda table: [shown(key) for key in table])
    x = jnp.float32(1)
    for scales in (first, second, first):
        assert f(scales, x) == shown(scales) == g(Scaled(x, scales)) and h({scales: x}) == [shown(scales)]
    assert f.tracing_count == g.tracing_count == h.tracing_count == 2


def test_row_12_the_warning_comes_where_sizes_are_opened_too() -> None:
    f = ag.function(lambda x, n: x * n, reduce_retracing=True)
    with pytest.warns(ag.AutoGraphWarning, match=r"'n' was 0, 1, 2, ...: pass an array") as warned:
        for n in range(20):
            f(jnp.float32(1), n)
    assert len(warned) == 1


def test_traces_for_objects_that_are_gone_are_counted() -> None:
    f = ag.function(lambda g, x: g(x))
    for _ in range(3):
        f(lambda x: x, jnp.ones(1))
    gc.collect()
    assert f.tracing_count == 3 and not f.concrete_functions


def test_row_11_variables_among_the_arguments_are_freed_with_their_programs() -> None:
    f = ag.function(lambda v, x: v.assign_add(x).value)
    g = ag.function(lambda vs, x: vs[0] + vs[1].assign(x).value)
    there = []
    for _ in range(3):
        v, w = ag.Variable(1.0), ag.Variable(2.0)
        there += [weakref.ref(v), weakref.ref(w)]
        assert [float(f(v, jnp.float32(1))) for _ in range(2)] == [2, 3]
        assert [float(g([v, w], jnp.float32(1))) for _ in range(2)] == [4, 4] and float(w) == 1
    del v, w
    gc.collect()
    assert not any(reference() for reference in there) and not f.concrete_functions


def root(x: Any) -> Any:
    if x < 0:
        raise ValueError(f"{x} is negative")
    return x**0.5


TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: jax.grad(f)(-1.0),
    "value_and_grad": lambda f: jax.value_and_grad(f)(-1.0),
    "vmap": lambda f: jax.vmap(f)(jnp.array([4.0, -1.0, -2.0])),
    "jvp": lambda f: jax.jvp(f, (-1.0,), (1.0,)),
    "vjp": lambda f: jax.vjp(f, -1.0),
    "linearize": lambda f: jax.linearize(f, -1.0),
    "hessian": lambda f: jax.hessian(f)(-1.0),
    "vmap(grad)": lambda f: jax.vmap(jax.grad(f))(jnp.array([4.0, -1.0])),
    "grad(vmap)": lambda f: jax.grad(lambda xs: jax.vmap(f)(xs).sum())(jnp.array([4.0, -1.0])),
    "vmap(vmap)": lambda f: jax.vmap(jax.vmap(f))(jnp.array([[4.0, 1.0], [4.0, -1.0]])),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_row_13_a_check_under_a_transform_raises_at_the_call(transform: str) -> None:
    with pytest.raises(ValueError) as caught:
        TRANSFORMS[transform](ag.function(root))
    assert type(caught.value) is ValueError and str(caught.value) == "-1.0 is negative"


def test_row_13_transforms_of_a_function_with_checks_and_variables() -> None:
    count = ag.Variable(0)

    @ag.function
    def f(x: Any) -> Any:
        count.assign_add(1)
        return root(x)

    assert float(jax.grad(f)(4.0)) == 0.25 and int(count) == 1
    with pytest.raises(ValueError, match="is negative"):
        jax.grad(f)(-4.0)
    assert int(count) == 1
    assert jax.vmap(ag.function(root))(jnp.array([4.0, 9.0])).tolist() == [2, 3]


def test_a_derivative_rule_with_a_check_in_its_function_is_kept() -> None:
    @jax.custom_jvp
    def known(x: Any) -> Any:
        assert x > 0
        return x

    known.defjvps(lambda tangent, result, x: 100 * tangent)
    assert float(jax.grad(ag.function(lambda x: known(x)))(1.0)) == 100
