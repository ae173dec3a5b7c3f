"""Variables of a statement: cells, states of functions, unbound variables."""

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from autograph.errors import StagingError, UndefinedVariableError
from autograph.runtime.operators.unbound_reads import read
from autograph.runtime.tracing.variables import UNSET, State, Undefined, raise_undefined, variables_of

KEPT = {}


def test_cells_are_read_written_and_unbound():
    x, y = 1, [2]
    del y
    first, second = variables_of(lambda: (x, y))
    assert (first.name, second.name) == ("x", "y") and first.get() == 1 and second.get() is UNSET
    first.set(5)
    second.set(None)
    assert (x, y) == (5, None)
    second.set(UNSET)
    second.set(UNSET)
    with pytest.raises(NameError):
        y  # noqa: B018
    y = 3
    assert second.get() == 3


def test_a_state_s_lambda_is_never_called():
    x = 1
    variables_of(lambda: (x, 1 / 0))
    assert variables_of(None) == []


def test_a_state_of_functions():
    values = [1, UNSET]

    def set_state(new):
        values[:] = new

    first, second = variables_of(State(["x", "y"], lambda: tuple(values), set_state))
    assert first.name == "x" and second.get() is UNSET
    second.set(7)
    first.set(UNSET)
    assert values == [UNSET, 7]


def test_read_gives_the_value_or_python_s_error():
    x = [1]
    assert read(lambda: x) is x
    del x
    with pytest.raises(
        UnboundLocalError, match="cannot access local variable 'x' where it is not associated with a value"
    ):
        read(lambda: x)
    with pytest.raises(NameError, match="name 'no_such_global' is not defined"):
        read(lambda: no_such_global)  # noqa: F821


def test_read_explains_an_undefined_variable():
    x = Undefined("x", "variable 'x' has no value when the test is false")
    with pytest.raises(UndefinedVariableError, match="when the test is false") as caught:
        read(lambda: x)
    assert isinstance(caught.value, UnboundLocalError)
    with pytest.raises(UndefinedVariableError):
        raise_undefined(x)


def test_placeholders_are_harmless_to_look_at():
    assert repr(UNSET) == "<unset>" and repr(Undefined("x", "")) == "<undefined x>"
    assert not hasattr(UNSET, "__dict__")


def test_a_closure_that_is_left_keeps_its_variable_joined():
    """`KEPT` is told of by the closure of one branch, through C code that no journal sees."""

    def f(x, ok):
        if ok > 0:
            x = x[:, None]
            jax.tree.map(lambda key: KEPT.__init__({key: lambda: x}), "a")
        else:
            x = x[:1]
        return 0.0

    try:
        with pytest.raises(StagingError, match="different values in 'x'"):
            ag.jit(f)(jnp.arange(3.0), 1.0)
    finally:
        KEPT.clear()
