"""What a trace of JAX's has recorded, and what tracers are around.

These read attributes that JAX does not promise. Without them an array is not known to be a row or a slice of another one, and each
check is a conditional by itself.

>>> inner = jax.vmap(lambda x: print(x.shape, wrapped(x).shape))
>>> jaxpr = jax.make_jaxpr(inner)(jax.numpy.zeros((3, 2)))
(2,) (3, 2)
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import jax

from autograph.jax_internals import current_trace, list_of, notes_of, variable_of
from autograph.runtime.tracing.facts import Facts


def wrapped(x: Any) -> Any:
    """The tracer inside one of `vmap` or of a derivative, or None."""
    for name in ("primal", "val"):
        inner = getattr(x, name, None)
        if isinstance(inner, jax.core.Tracer):
            return inner
    return None


def equations_after(trace: Any, first: Any) -> list[Any]:
    """What a trace has recorded since an equation of it, or from the beginning; with `in_tracers`, `outvars` and more."""
    found: list[Any] = []
    try:
        for recorded in reversed(trace.frame.tracing_eqns):
            eqn = (
                recorded() if callable(recorded) else recorded
            )  # a weak reference; before JAX 0.10.2 always a function
            if eqn is not None and eqn is first:
                break
            if hasattr(eqn, "in_tracers"):
                found.append(eqn)
    except AttributeError:
        return []
    return found[::-1]


def last_equation() -> Any:
    """What the current trace has recorded last, which has an effect; of a trace that has `may_be_taken_back`."""
    return current_trace().frame.tracing_eqns[-1]


def take_back(made: Any, may_come_before: Callable[[Any], bool]) -> bool:
    """Removes what was the `last_equation`, which has no results, unless one that was recorded after it must not come before it."""
    trace = current_trace()
    eqns = trace.frame.tracing_eqns
    for at in reversed(range(len(eqns))):
        if eqns[at] is made:
            del eqns[at]
            notes = notes_of(trace) or []
            notes[:] = [(count - (count > at), note) for count, note in notes]
            return True
        later = eqns[at]() if callable(eqns[at]) else eqns[at]
        if later is not None and not may_come_before(later):
            break
    return False


def recording_trace(trace: Any = None) -> Any:
    """Returns the innermost trace that records a program, of those around a trace (the one in progress) and itself; or None."""
    trace = current_trace() if trace is None else trace
    while trace is not None and not hasattr(getattr(trace, "frame", None), "tracing_eqns"):
        trace = getattr(trace, "parent_trace", None)
    return trace


def note_emitted(trace: Any, x: Any) -> None:
    """Notes that the last equations of a trace compute `x.emitted`, which becomes None where they are dropped."""
    emitted = list_of(getattr(trace, "frame", None), "emitted")
    if emitted is not None:
        emitted.append((len(trace.frame.tracing_eqns), x))


def has_emitted(start: Any, end: Any) -> bool:
    """Whether the equations between two marks compute known numbers, which later regions may have read."""
    emitted = None if start is None or end is None else list_of(start[0], "emitted")
    return any(start[1] < at <= end[1] for at, _ in emitted or ())


def alias_of(x: Any) -> Any:
    """Another tracer of the value that `x` stands for, of which other things can be noted; None where none can be made."""
    kind: Any = type(x)
    inner = None if kind.__name__ in _RECORDING else alias_of(wrapped(x)) if wrapped(x) is not None else None
    if kind.__name__ not in _RECORDING and inner is None:
        return None
    made = kind.__new__(kind)
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            descriptor = base.__dict__.get(name)
            if name != "__weakref__" and descriptor is not None:
                with suppress(AttributeError):  # a slot that is empty
                    value = descriptor.__get__(x)
                    descriptor.__set__(made, inner if inner is not None and value is wrapped(x) else value)
    return made


_RECORDING = ("DynamicJaxprTracer", "JitTracer")


copies: Facts[list[Any]] = Facts()
"""Tracers that stand for copies in NumPy, with what they are aliases of (`array_views.copied`)."""


def is_copy_of(x: Any, other: Any) -> bool:
    """Whether `x` is another tracer of the value `other`, for what NumPy makes a copy."""
    return bool(copies) and copies.of(x) is not None and variable_of(x) is variable_of(other) is not None
