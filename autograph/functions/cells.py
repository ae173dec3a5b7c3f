"""Variables while `ag.function` traces a function: each has a cell, which begins as an input of the program and ends as a result.

    with Tracing() as variables:
        result = body(*inputs)           # `v.value` reads the cell, `v.assign` writes it
    variables.read(), variables.written()
    with_variables_as_inputs(program, len(variables.read()))

JAX keeps the programs that it makes of functions (`jax.jit`, `jax.checkpoint`, the body of `lax.scan`) for other calls, and the
value of a cell is a constant in them. So an object is put into the keys of JAX's caches while a function is traced. Once a program
that JAX keeps has read a variable, another object takes its place as soon as a variable is written, and when the trace ends: what
was kept for the values before is not found again. Where there is no variable in the process, nothing is put there.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

import jax

from autograph.jax_internals import (
    STAYS,
    TRACE_STATE,
    Primitive,
    bind_in,
    notes_of,
    open_traces,
    records_region,
    trace_of,
    with_constants,
)
from autograph.runtime.heap import journal
from autograph.runtime.tracing.context import active
from autograph.runtime.tracing.refusals import refusal

if TYPE_CHECKING:
    from autograph.functions.variables import Variable

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

    has_variables = False
    """Whether a variable was made in this process."""

    def __init__(self) -> None:
        self.cells: dict[int, tuple[Variable, _Cell]] = {}
        self.made: list[Variable] = []
        self.trace = TRACE_STATE.value
        self._keyed: Any = None
        self._outer: Tracing | None = None

    def __enter__(self) -> Tracing:
        self._outer = _state.tracing
        _state.tracing = self
        self.put_key()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        _state.tracing = self._outer
        self._take_key()
        _state.renew_key()

    def put_key(self) -> None:
        """Lets JAX keep programs under a key of this thread that no values of other traces were kept under."""
        self._take_key()
        _state.renew_key()
        if Tracing.has_variables:
            self._keyed = _in_keys()(_state.key)
            self._keyed.__enter__()

    def _take_key(self) -> None:
        if self._keyed is not None:
            self._keyed.__exit__(None, None, None)
            self._keyed = None

    def cell(self, variable: Variable) -> _Cell:
        """Returns what stands for the variable."""
        _state.is_key_used = _state.is_key_used or bool(_programs_inside(self.trace))
        found = self.cells.get(id(variable))
        if found is None:
            start = bind_in(self.trace, _read_p, aval=variable.aval, number=len(self.cells))
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
                f"{variable.name} is written in a function that `jit`, `vmap`, `scan` or another transform of JAX's traces",
                why="its value would be one of that trace: one for each lane, say",
                instead="return the value from that function and assign it outside, leave an inner `jit` out, or write the loop in "
                "Python",
                page="variable-in-a-transform",
            )
        if active():
            journal.touch_attribute(cell, "value")
        cell.value = value
        if _state.is_key_used:
            self.put_key()

    def _is_kept(self, value: Any) -> bool:
        trace = trace_of(value) if isinstance(value, jax.core.Tracer) else self.trace
        return trace is self.trace or records_region(trace)

    def read(self) -> list[Variable]:
        """Returns the variables that are used, in the order of their first use."""
        return [variable for variable, _ in self.cells.values()]

    def written(self) -> list[tuple[Variable, Any]]:
        """Returns the variables that hold another value at the end, each with it."""
        return [(variable, cell.value) for variable, cell in self.cells.values() if cell.value is not cell.start]


@functools.cache
def _in_keys() -> Any:
    return jax.make_user_context(None)


def _inside(outer: Any) -> Iterator[Any]:
    """Returns the traces that have begun since a trace did, and not ended."""
    return itertools.takewhile(lambda trace: trace is not outer, open_traces())


def _programs_inside(outer: Any) -> list[Any]:
    """Returns the programs that JAX records inside of a trace, and no statement of ours."""
    return [trace for trace in _inside(outer) if notes_of(trace) is not None and not records_region(trace)]


def with_variables_as_inputs(closed: Any, count: int) -> Any:
    """Returns the program with `count` further inputs in place of the reads of variables that stand in it."""
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


class _State(threading.local):
    """The function that a thread traces, what it puts into the keys of JAX's caches, and whether values were kept under that."""

    tracing: Tracing | None = None
    is_key_used = False

    def __init__(self) -> None:
        self.key = object()

    def renew_key(self) -> None:
        """Takes another object where values were kept under this one."""
        if self.is_key_used:
            self.key, self.is_key_used = object(), False


_state = _State()


def is_in_region() -> bool:
    """Whether a branch or loop of a function of `ag.function` is traced."""
    return _state.tracing is not None and any(map(records_region, _inside(_state.tracing.trace)))


def tracing() -> Tracing | None:
    """Returns the innermost function of `ag.function` that this thread traces."""
    return _state.tracing
