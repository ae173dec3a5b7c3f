"""`ag.Variable`: an array that compiled functions read and write, in the order of the program.

Outside of compiled functions a variable holds an array. While `ag.function` traces a function, the first use of a variable makes
a *cell*: its value begins as a further input of the program, and what it holds at the end is a further result. Writes to the cell
are announced like writes to any attribute, so branches and loops join them. Such a program can be saved, and a call that fails
leaves the variable as it was.

Other programs (`ag.jit`, `jax.jit`, `lax.scan`) have no further results to give it: the first that uses a variable puts its array
into one of JAX's mutable references (`jax.new_ref`), which all programs read and write from then on.

>>> import jax.numpy as jnp
>>> counter = Variable(0)
>>> counter.assign_add(2).value, counter.dtype, counter.shape
(Array(2, dtype=int32), dtype('int32'), ())
"""

from __future__ import annotations

import contextlib
import keyword
import operator
import threading
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.errors import boundary
from autograph.functions import references, updates
from autograph.functions.cells import Tracing, is_in_region, tracing
from autograph.jax_internals import (
    STAYS,
    closed_over,
    equation_of,
    is_tracing,
    literal_value,
    maps_lanes,
    open_traces,
    variable_of,
)
from autograph.runtime.checks import messages
from autograph.runtime.tracing.refusals import refusal

_MOVING = threading.Lock()
"""Held while an array moves into a reference, and while one is written that may move."""


class Variable:
    """An array that functions of `ag.function` read, and change with `assign`, `assign_add` and `assign_sub`.

    It may be captured, passed as an argument (by reference), or be an attribute or an item of any object. It keeps its shape and
    dtype. In arithmetic, comparisons and tests it stands for its value, and `variable[i]` is an element of that; `range`, `int`
    and functions of JAX are given `variable.value`.

    >>> import autograph as ag
    >>> total = ag.Variable(0.0)
    >>> @ag.function
    ... def add(x):
    ...     if x > 0:
    ...         total.assign_add(x)
    ...     return total.value
    >>> float(add(2.0)), float(add(-1.0)), float(total.value)
    (2.0, 2.0, 2.0)

    Args:
        initial_value: an array, or a number or nested lists of numbers. In a function that makes the variable on its first call
            also what operations make of these, as `jnp.zeros(3)`.
        dtype: *static*; that of the variable, where it is not that of the value.
        name: *static*; for signatures and messages.
    Raises:
        StagingError: each trace of a function makes it anew: make it once, outside or on the first call.
    """

    __slots__ = ("__weakref__", "_array", "_reference", "aval", "name")

    @boundary
    def __init__(self, initial_value: Any, *, dtype: Any = None, name: str | None = None) -> None:
        self.name = name or "Variable"
        if is_in_region():
            raise refusal(
                f"{self.name} is made in a branch or a loop that is decided when the program runs",
                why="the function makes it while it is traced, which is once, whatever the program does then",
                instead="make it in `__init__`, or before the statement (`self.v = ag.Variable(...)`), and `assign` there",
                page="variable-in-a-branch",
            )
        if isinstance(initial_value, Variable):
            initial_value = initial_value.value
        with jax.ensure_compile_time_eval():
            value = jnp.asarray(constant(initial_value), dtype)
        if isinstance(value, jax.core.Tracer):
            raise refusal(
                "a Variable is made of a traced value",
                why="its first value must be there before the compiled program runs",
                instead="give it what depends on no argument, as `jnp.zeros(shape)`, and `assign` the traced value",
                page="variable-of-a-traced-value",
            )
        self._array: Any = _strong_now(value)
        self._reference: Any = None
        self.aval = jax.typeof(self._array)
        Tracing.has_variables = True
        if (inside := tracing()) is not None:
            inside.made.append(self)
            inside.put_key()
        elif references.is_recorded():
            raise refusal(
                f"{self.name} is made in a function that JAX compiles",
                why="it would be made once, while the function is traced, and keep its value from one call to the next",
                instead="make it outside, or use an array: `total = jnp.zeros(())`",
                page="variable-made-in-a-program",
            )

    @property
    def held(self) -> Any:
        """The array that it holds between two programs."""
        array = self._array
        if array is not None:
            return array
        with references.held_by_jax(self.name):
            return self._reference[...]

    @property
    def value(self) -> jax.Array:
        """The array that it holds; a traced one in a function that is being compiled."""
        inside = tracing()
        return self.at_once() if inside is None else inside.cell(self).value

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, which never changes."""
        return self.aval.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype, which never changes."""
        return self.aval.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @boundary
    def assign(self, value: Any) -> Variable:
        """Writes a value of the variable's shape, cast to its dtype where that is of the same kind or a wider one.

        Returns:
            the variable, so that calls can be chained.
        Raises:
            StagingError: the shape or the kind of numbers is another one, an integer does not fit, or the value could not leave
                the trace.
        """
        new = updates.as_array(self.name, self.dtype, value.value if isinstance(value, Variable) else value)
        if new.shape != self.shape:
            raise refusal(
                f"{self.name} of shape {self.shape} is assigned a value of shape {new.shape}",
                why="a variable keeps its shape",
                instead="make a variable of that shape, or reshape the value",
                page="variable-of-another-shape",
            )
        updates.check_kind(self.name, self.dtype, new.dtype)
        new = _strong(new if new.dtype == self.dtype else new.astype(self.dtype))
        inside = tracing()
        if isinstance(new, jax.core.Tracer):
            new = jax.lax.stop_gradient(new)  # also for a derivative that is taken of the whole program
        if inside is None:
            self.take(new)
        else:
            inside.write(self, new)
        return self

    @boundary
    def assign_add(self, delta: Any) -> Variable:
        """`assign(value + delta)`."""
        return self._updated(operator.add, delta)

    @boundary
    def assign_sub(self, delta: Any) -> Variable:
        """`assign(value - delta)`."""
        return self._updated(operator.sub, delta)

    def _updated(self, op: Callable[..., Any], delta: Any) -> Variable:
        given = delta if isinstance(delta, Variable) else updates.as_array(self.name, self.dtype, delta)
        with contextlib.nullcontext() if tracing() else updates.LOCK:
            return self.assign(op(self, given))

    def at_once(self) -> Any:
        """Returns the array that it holds: now, or where JAX records a program when that runs."""
        if not references.is_recorded():
            return self.held
        references.check_use(self.name)
        return self._referred()[...]

    def take(self, value: Any) -> None:
        """Holds another array from now on: now, or where JAX records a program when that runs.

        Raises:
            StagingError: as `check_take`.
        """
        self.check_take(value)
        if references.is_recorded():
            self._referred()[...] = value
            return
        with _MOVING:
            if self._reference is None:
                self._array = value
                return
        with jax.core.eval_context(), references.held_by_jax(self.name):  # under `vmap` or `grad`: a value of no trace
            self._reference[...] = value

    def check_take(self, value: Any) -> None:
        """Refuses a value of a transform's, and what JAX cannot do with a reference."""
        is_recorded = references.is_recorded()
        if isinstance(value, jax.core.Tracer) and (not is_recorded or any(map(maps_lanes, open_traces()))):
            raise refusal(
                f"{self.name} is written under a transform of JAX's that is outside of the compiled function",
                why="its value would be one of the trace: one for each lane of a `vmap`, say",
                instead="use the transform in the compiled function, and write the variable with what it returns",
                page="variable-under-an-outer-transform",
            )
        if is_recorded:
            references.check_use(self.name, is_write=True)

    def _referred(self) -> Any:
        """Returns the JAX reference, which holds the array from the first use on."""
        with _MOVING:
            if self._reference is None:
                with jax.core.eval_context():
                    self._reference = jax.new_ref(self._array)
                self._array = None
            return self._reference

    def __jax_array__(self) -> jax.Array:
        return self.value

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray[Any, Any]:
        return np.asarray(self.value).__array__(*args, **kwargs)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        values = [x.value if isinstance(x, Variable) else x for x in inputs]
        is_traced = any(isinstance(x, jax.core.Tracer) for x in values)
        return getattr(getattr(jnp, ufunc.__name__) if is_traced else ufunc, method)(*values, **kwargs)

    def __repr__(self) -> str:
        held = f"{self.dtype}{list(self.shape)}" if is_tracing() else repr(self.held)
        return f"<Variable {self.name!r} {held}>"

    @boundary
    def __format__(self, spec: str) -> str:
        return messages.format_of(self.value, spec)

    @boundary
    def __getitem__(self, index: Any) -> Any:
        return self.value[index]

    @boundary
    def __len__(self) -> int:
        return len(self.value)

    @boundary
    def __iter__(self) -> Any:
        return iter(self.value)

    @boundary
    def __deepcopy__(self, memo: Any = None) -> Variable:
        return Variable(self.value, name=self.name)

    def __reduce__(self) -> Any:
        return _restored, (self.held, self.name)

    __copy__ = __deepcopy__
    __hash__ = object.__hash__


# A class that says how its objects are made is not taken apart by branches and loops: the value is in the cell of the trace.
setattr(Variable, "__new__", object.__new__)  # noqa: B010  # a type checker would not know what the class makes


def constant(x: Any) -> Any:
    """Returns the array that a traced value is at every call, where operations made it of nothing but numbers and arrays.

    Returns any other value, and what is not traced, unchanged.

    >>> jax.make_jaxpr(lambda x: constant(jnp.zeros(2) + 1) * x)(3.0).consts
    [Array([1., 1.], dtype=float32)]
    """
    if not isinstance(x, jax.core.Tracer):
        return x
    made = equation_of(x)
    if made is None:
        known = (value for value in (literal_value(x), closed_over(x)) if value is not None)
        outer = next(known, None)
        return x if outer is None else constant(outer)
    values = [constant(operand) for operand in made.in_tracers]
    if made.primitive in STAYS or made.effects or any(isinstance(value, jax.core.Tracer) for value in values):
        return x
    with jax.ensure_compile_time_eval():
        results = made.primitive.bind(*values, **made.params)
    return results[made.outvars.index(variable_of(x))] if made.primitive.multiple_results else results


def _restored(value: Any, name: str) -> Variable:
    return Variable(value, name=name)


def _strong_now(value: Any) -> Any:
    with jax.ensure_compile_time_eval():
        return _strong(value)


def _strong(value: Any) -> Any:
    """Returns the array without JAX's mark of a Python number: what is added to it later does not change its dtype."""
    return jax.lax.convert_element_type(value, value.dtype) if getattr(value.aval, "weak_type", False) else value


def _arithmetic() -> None:
    unary = ("neg", "pos", "abs", "invert")
    binary = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")
    for name in ("eq", "ne", "lt", "le", "gt", "ge", *binary):
        symbol = getattr(operator, f"__{name}__")
        setattr(Variable, f"__{name}__", _operator(symbol))
        if name in binary:
            setattr(Variable, f"__r{name}__", _operator(symbol, swapped=True))
            setattr(Variable, f"__i{name}__", _assignment(name))
    for name in unary:
        setattr(Variable, f"__{name}__", _of_value(getattr(operator, f"__{name}__")))
    conversions: dict[str, Callable[[Any], Any]] = {"bool": _truth, "int": int, "float": float, "complex": complex}
    for name, conversion in {**conversions, "index": operator.index}.items():
        setattr(Variable, f"__{name}__", _of_value(conversion))


def _operator(symbol: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[[Variable, Any], Any]:
    @boundary
    def method(self: Variable, other: Any) -> Any:
        value = other.value if isinstance(other, Variable) else other
        return symbol(value, self.value) if swapped else symbol(self.value, value)

    return method


def _truth(value: Any) -> Any:
    """Returns a bool, traced where the value is: converted code calls `__bool__` by its name."""
    return value.reshape(()) != 0 if isinstance(value, jax.core.Tracer) and value.size == 1 else bool(value)


def _of_value(conversion: Callable[[Any], Any]) -> Callable[[Variable], Any]:
    return boundary(lambda self: conversion(self.value))


def _assignment(name: str) -> Callable[[Variable, Any], Any]:
    symbol = name + "_" * keyword.iskeyword(name)
    method = {"add": "assign_add(x)", "sub": "assign_sub(x)"}.get(name, f"assign(operator.{symbol}(v.value, x))")

    @boundary
    def assign_by_operator(self: Variable, other: Any) -> Any:
        raise refusal(
            f"{self.name} stands on the left of an assignment operator (`__i{name}__`)",
            why="Python would bind the name to another object, and the variable would stay as it is",
            instead=f"write `v.{method}`",
            page="assignment-operator-on-a-variable",
        )

    return assign_by_operator


_arithmetic()
