"""`ag.Variable`: an array that compiled functions read and write, in the order of the program.

Outside of compiled functions a variable holds an array. While `ag.function` traces a function, the first use of a variable makes
a *cell*: its value begins as a further input of the program, and what it holds at the end is a further result. Writes to the cell
are announced like writes to any attribute, so branches and loops join them.

>>> import jax.numpy as jnp
>>> counter = Variable(0)
>>> counter.assign_add(2).value, counter.dtype, counter.shape
(Array(2, dtype=int32), dtype('int32'), ())
"""

from __future__ import annotations

import contextlib
import itertools
import keyword
import operator
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.errors import boundary
from autograph.functions import updates
from autograph.functions.constants import constant
from autograph.jax_internals import (
    STAYS,
    TRACE_STATE,
    Primitive,
    bind_in,
    is_tracing,
    notes_of,
    open_traces,
    records_jitted,
    records_region,
    trace_of,
    with_constants,
)
from autograph.runtime.checks import messages
from autograph.runtime.heap import journal
from autograph.runtime.tracing.context import active
from autograph.runtime.tracing.refusals import refusal

_read_p = Primitive("read_variable")
_read_p.def_abstract_eval(lambda *, aval, number: aval)
STAYS.add(_read_p)


class _Cell:
    """What stands for a variable while a function is traced."""

    __slots__ = ("__weakref__", "start", "value")

    def __init__(self, start: Any) -> None:
        self.start = self.value = start


class Tracing:
    """The variables that a function uses while it is traced: a context manager around the trace of its body."""

    def __init__(self) -> None:
        self.cells: dict[int, tuple[Variable, _Cell]] = {}
        self.made: list[Variable] = []
        self.trace = TRACE_STATE.value
        self._outer: Tracing | None = None

    def __enter__(self) -> Tracing:
        self._outer = _state.tracing
        _state.tracing = self
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        _state.tracing = self._outer

    def cell(self, variable: Variable) -> _Cell:
        """What stands for the variable.

        Raises:
            StagingError: a jitted function inside uses it, whose program JAX keeps for other calls.
        """
        if any(map(records_jitted, _programs_inside(self.trace))):
            raise _in_a_constant(variable, "call the function without its own `jit`")
        found = self.cells.get(id(variable))
        if found is None:
            aval = jax.typeof(variable.held)
            start = bind_in(self.trace, _read_p, aval=aval, number=len(self.cells))
            found = self.cells[id(variable)] = variable, _Cell(start)
        return found[1]

    def write(self, variable: Variable, value: Any) -> None:
        """Gives the variable another value from here on.

        Raises:
            StagingError: the value, or the place of the write, is of a trace that JAX begins and ends inside of this one.
        """
        cell = self.cell(variable)
        if not self._is_kept(value) or _programs_inside(self.trace):
            raise refusal(
                f"{variable.name} is written in a function that `vmap`, `scan` or another transform of JAX's traces",
                why="its value would be one of that trace: one for each lane, say",
                instead="return the value from that function and assign it outside, or write the loop in Python",
            )
        if active():
            journal.touch_attribute(cell, "value")
        cell.value = value

    def _is_kept(self, value: Any) -> bool:
        trace = trace_of(value) if isinstance(value, jax.core.Tracer) else self.trace
        return trace is self.trace or records_region(trace)

    def read(self) -> list[Variable]:
        """The variables that are used, in the order of their first use."""
        return [variable for variable, _ in self.cells.values()]

    def written(self) -> list[tuple[Variable, Any]]:
        """Those that hold another value at the end, each with it."""
        return [(variable, cell.value) for variable, cell in self.cells.values() if cell.value is not cell.start]


def _in_a_constant(variable: Variable, instead: str) -> Exception:
    return refusal(
        f"{variable.name} is used in a function that JAX compiles by itself",
        why="its value would be a constant of the program",
        instead=f"{instead}, or pass `variable.value` as an argument",
    )


class _State(threading.local):
    tracing: Tracing | None = None


_state = _State()


def _inside(outer: Any) -> Iterator[Any]:
    """The traces that have begun since a trace did, and not ended."""
    return itertools.takewhile(lambda trace: trace is not outer, open_traces())


def _programs_inside(outer: Any) -> list[Any]:
    """The programs that JAX records inside of a trace, and no statement of ours."""
    return [trace for trace in _inside(outer) if notes_of(trace) is not None and not records_region(trace)]


def tracing() -> Tracing | None:
    """The innermost function of `ag.function` that this thread traces."""
    return _state.tracing


def with_variables_as_inputs(closed: Any, count: int) -> Any:
    """The program with `count` further inputs in place of the reads of variables that stand in it."""
    jaxpr = getattr(closed, "jaxpr", closed)
    reads = {eqn.params["number"]: eqn.outvars[0] for eqn in jaxpr.eqns if eqn.primitive is _read_p}
    changed = with_constants(
        jaxpr,
        closed.consts,
        invars=[*jaxpr.invars, *(reads[number] for number in range(count))],
        eqns=[eqn for eqn in jaxpr.eqns if eqn.primitive is not _read_p],
        debug_info=None if jaxpr.debug_info is None else _names(jaxpr.debug_info, count),
    )
    return changed if jaxpr is closed else closed.replace(jaxpr=changed)


def _names(info: Any, count: int) -> Any:
    names = info.arg_names
    return info if names is None else info._replace(arg_names=(*names, *("variable",) * count))


class Variable:
    """An array that functions of `ag.function` read, and change with `assign`, `assign_add` and `assign_sub`.

    It may be captured, passed as an argument (by reference), or be an attribute or an item of any object. It keeps its shape and
    dtype. In arithmetic, comparisons, indices and tests it stands for its value; functions of JAX are given `variable.value`.

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

    __slots__ = ("__weakref__", "held", "name")

    @boundary
    def __init__(self, initial_value: Any, *, dtype: Any = None, name: str | None = None) -> None:
        self.name = name or "Variable"
        if _state.tracing is not None and any(map(records_region, _inside(_state.tracing.trace))):
            raise refusal(
                f"{self.name} is made in a branch or a loop that is decided when the program runs",
                why="the function makes it while it is traced, which is once, whatever the program does then",
                instead="make it in `__init__`, or before the statement (`self.v = ag.Variable(...)`), and `assign` there",
            )
        if isinstance(initial_value, Variable):
            initial_value = initial_value.value
        with jax.ensure_compile_time_eval():
            value = jnp.asarray(constant(initial_value), dtype)
            self.held = value if isinstance(value, jax.core.Tracer) else _strong(value)
        if isinstance(self.held, jax.core.Tracer):
            raise refusal(
                "a Variable is made of a traced value",
                why="its first value must be there before the compiled program runs",
                instead="give it what depends on no argument, as `jnp.zeros(shape)`, and `assign` the traced value",
            )
        if _state.tracing is not None:
            _state.tracing.made.append(self)

    @property
    def value(self) -> jax.Array:
        """The array that it holds, a traced one while a function of `ag.function` is traced."""
        inside = _state.tracing
        return self.at_once() if inside is None else inside.cell(self).value

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, which never changes."""
        return self.held.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype, which never changes."""
        return self.held.dtype

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
            StagingError: the shape or the kind of numbers is another one, or the value could not leave the trace.
        """
        new = jnp.asarray(value.value if isinstance(value, Variable) else value)
        if new.shape != self.shape:
            raise refusal(
                f"{self.name} of shape {self.shape} is assigned a value of shape {new.shape}",
                why="a variable keeps its shape",
                instead="make a variable of that shape, or reshape the value",
            )
        updates.check_kind(self.name, self.dtype, new.dtype)
        new = _strong(new if new.dtype == self.dtype else new.astype(self.dtype))
        inside = _state.tracing
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
        with contextlib.nullcontext() if _state.tracing else updates.LOCK:
            return self.assign(op(self, delta))

    def at_once(self) -> Any:
        """The array that it holds, for a program that runs now and is not a part of another.

        Raises:
            StagingError: JAX records a program, in which the array would be a constant.
        """
        if is_tracing() and any(notes_of(trace) is not None for trace in open_traces()):
            raise _in_a_constant(self, "compile the outermost function with `ag.function`")
        return self.held

    def take(self, value: Any) -> None:
        """Holds another array from now on.

        Raises:
            StagingError: it is a value of a trace.
        """
        if isinstance(value, jax.core.Tracer):
            raise refusal(
                f"{self.name} is written under a transform of JAX's that is outside of `ag.function`",
                why="its value would be one of the trace: one for each lane of a `vmap`, say",
                instead="use the transform in a function of `ag.function`, and write the variable with what it returns",
            )
        self.held = value

    def __jax_array__(self) -> jax.Array:
        return self.value

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray[Any, Any]:
        return np.asarray(self.value).__array__(*args, **kwargs)

    def __repr__(self) -> str:
        held = repr(self.held) if _state.tracing is None else f"{self.dtype}{list(self.shape)}"
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

    __copy__ = __deepcopy__
    __hash__ = object.__hash__


# A class that says how its objects are made is not taken apart by branches and loops: the value is in the cell of the trace.
setattr(Variable, "__new__", object.__new__)  # noqa: B010  # a type checker would not know what the class makes


def _strong(value: Any) -> Any:
    """The array without JAX's mark of a Python number: what is added to it later does not change its dtype."""
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
    conversions: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "float": float, "complex": complex}
    for name, conversion in {**conversions, "index": operator.index}.items():
        setattr(Variable, f"__{name}__", _of_value(conversion))


def _operator(symbol: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[[Variable, Any], Any]:
    @boundary
    def method(self: Variable, other: Any) -> Any:
        value = other.value if isinstance(other, Variable) else other
        return symbol(value, self.value) if swapped else symbol(self.value, value)

    return method


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
        )

    return assign_by_operator


_arithmetic()
