"""What a trace looks at before it runs: later traces follow the names that code used, and miss no class by that."""

import operator
from collections.abc import Callable
from typing import Any

import jax
import pytest

import autograph as ag
from tests.profiling import calls_made


class Part:
    def __init__(self, weight: float) -> None:
        self.weight = weight


def operand(k: float) -> Any:
    """An object of a class of its own, whose operator needs conversion."""

    class Operand:
        __hash__ = None  # type: ignore[assignment]  # every class is another one

        def __mul__(self, x: Any) -> Any:
            if x > 1:
                return x * k
            return x + k

        __rmul__ = __mul__

    return Operand()


class Model:
    def __init__(self, parts: int) -> None:
        self.rate = 0.5
        self.parts = [Part(1.0) for _ in range(parts)]


def trace(fn: Callable[..., Any], *arguments: Any) -> Any:
    """Runs a new trace of a converted function."""
    return float(jax.jit(lambda x: fn(*arguments, x))(3.0))


def looks(parts: int) -> int:
    """How many calls of Python functions a later trace makes in all of the library."""
    model = Model(parts)

    @ag.convert
    def scaled(x: Any) -> Any:
        while x > 1:
            x = x * model.rate if x > 2 else x - model.rate
        return x

    for _ in range(2):
        jax.make_jaxpr(lambda x: scaled(x))(1.0)
    return calls_made(
        lambda: jax.make_jaxpr(lambda x: scaled(x))(1.0), lambda path: "jax" not in path.replace("jax_internals", "")
    )


def test_parts_that_no_code_names_cost_a_later_trace_nothing() -> None:
    assert looks(20) == looks(2_000)


def test_a_class_behind_a_name_that_was_used() -> None:
    model = Model(1)

    @ag.convert
    def use(x: Any) -> Any:
        return model.parts[0].weight * x

    assert trace(use) == 3.0
    for k in (2.0, 5.0):
        model.parts[0].weight = operand(k)
        assert trace(use) == 3.0 * k


def weigh(model: Any, x: Any) -> Any:
    return model.parts[0].weight * x


def test_a_class_behind_a_name_of_a_function_that_was_not_called_before() -> None:
    model, calls = Model(1), [lambda model, x: x]

    @ag.convert
    def use(x: Any) -> Any:
        return calls[0](model, x)

    assert trace(use) == trace(use) == 3.0
    model.parts[0].weight = operand(2.0)
    calls[0] = weigh
    assert trace(use) == 6.0


@pytest.mark.parametrize("get", [operator.attrgetter("parts"), lambda model: getattr(model, "".join(["par", "ts"]))])
def test_a_class_behind_a_computed_name(get: Callable[[Any], Any]) -> None:
    model, calls = Model(1), [lambda model: [Part(1.0)]]

    @ag.convert
    def use(x: Any) -> Any:
        return calls[0](model)[0].weight * x

    assert trace(use) == trace(use) == 3.0
    model.parts[0].weight = operand(2.0)
    calls[0] = get
    assert trace(use) == 6.0


class Outer:
    def __init__(self) -> None:
        self.inner = Part(1.0)

    def __mul__(self, x: Any) -> Any:
        return self.inner.weight * x


def test_a_class_behind_a_name_of_an_operator() -> None:
    outer = Outer()

    @ag.convert
    def use(x: Any) -> Any:
        return outer * x

    assert trace(use) == trace(use) == 3.0
    outer.inner = Part(operand(2.0))  # type: ignore[arg-type]  # weights may be operands
    assert trace(use) == 6.0
