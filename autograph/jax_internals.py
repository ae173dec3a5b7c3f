"""The only importer of private JAX names, with `jax_dispatch`; each is guarded, and says what is lost without it.

| name | from | without it |
| --- | --- | --- |
| `Jaxpr`, `Literal`, `Primitive`, ... | `jax._src.core` | `jax.extend.core`, whose package imports Pallas: 15 ms |
| `is_concrete` | a method of `Tracer` | `bool(x)` is tried: 60 times slower, the same answer |
| `TRACE_STATE`, `EAGER` | `jax._src.core` | the staged body always runs: slower, never wrong |
| `trace_region` | `jax._src.interpreters.partial_eval`, `linear_util` | `jax.make_jaxpr`: tracing takes 1.4 times as long |
| `drop_equations` | the frame of the current trace | a dead equation stays in the jaxpr |
| `keep_with_trace` | the frame of the current trace | views of containers (`aliases`) are held until a later trace |
| `notes_of`, `records_region` | the frames of the traces in progress | any of several failing checks is reported |
| `ARRAY_TYPE` | `jax._src.array` | element assignment tests `isinstance(x, jax.Array)` |
| `TRANSPOSES`, `split_jaxpr` | `jax.interpreters.ad`, `partial_eval` | `jax.grad` of a dynamic loop is JAX's error |
| `origin`, `literal_value`, `closed_over` | the same | indices may be negative or out of range; no variable is made in a function |
| `convert_weak` | `jax._src.lax.lax` | an addition of a weak zero does the same |
| `SIZE` | `jax._src.export.shape_poly` | tests of symbolic sizes, and loops over them, are JAX's errors |
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph.code.stack_room import deeper

__all__ = ["ClosedJaxpr", "Jaxpr", "Literal", "Primitive", "check_jaxpr", "jaxpr_as_fun"]

try:
    from jax._src.core import Jaxpr, Literal, Primitive, check_jaxpr, gensym as _gensym, jaxpr_as_fun

    try:
        from jax._src.core import ClosedJaxpr
    except ImportError:  # since JAX 0.11 every jaxpr holds its constants
        ClosedJaxpr = Jaxpr  # type: ignore[misc,assignment]  # one class stands for both
except ImportError:  # pragma: no cover - other JAX versions
    from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Primitive, check_jaxpr, gensym as _gensym, jaxpr_as_fun


def is_concrete(tracer: Any) -> bool:
    """Whether the value of a tracer is known now."""
    try:
        return tracer.to_concrete_value() is not None
    except AttributeError:  # pragma: no cover - other JAX versions
        try:
            return bool(jnp.any(tracer != 0)) or True  # whatever it is, it is known
        except jax.errors.ConcretizationTypeError:
            return False


TRACE_STATE: Any
EAGER: Any
try:
    from jax._src.core import eval_trace as EAGER

    try:
        from jax._src.core import trace_state_strong_ref as TRACE_STATE
    except ImportError:  # before JAX 0.10
        from jax._src.core import trace_ctx as _context

        class _TraceState:
            value = property(lambda self: _context.trace)

        TRACE_STATE = _TraceState()
    if TRACE_STATE.value is not EAGER and not isinstance(TRACE_STATE.value, jax.core.Trace):
        raise ImportError("the trace state has another shape")
except (ImportError, AttributeError):  # pragma: no cover - other JAX versions
    TRACE_STATE, EAGER = SimpleNamespace(value=None), object()  # never eager, so the staged body runs


def is_tracing() -> bool:
    """Whether a JAX trace is in progress in this thread (true as well where that cannot be known)."""
    return TRACE_STATE.value is not EAGER


def current_trace() -> Any:
    """Returns the trace in progress in this thread; a new object each time where that cannot be known."""
    return object() if TRACE_STATE.value is None else TRACE_STATE.value


def bind_in(trace: Any, primitive: Any, **params: Any) -> Any:
    """Returns the result of an operand-less operation that `trace`, which is in progress, records, and not a trace inside it."""
    with _core.set_current_trace(trace):
        return primitive.bind(**params)


def is_of_current_trace(x: Any) -> bool:
    """Whether a tracer was made by the trace in progress (true as well where that cannot be known)."""
    trace = TRACE_STATE.value
    return trace is None or trace_of(x, trace) is trace


def trace_of(tracer: Any, unknown: Any = None) -> Any:
    """Returns the trace to which a tracer belongs, also one that says so to nobody else; `unknown` where that is not known."""
    try:
        return jax.core.Tracer.__dict__["_trace"].__get__(tracer)
    except (KeyError, TypeError, AttributeError):
        return getattr(tracer, "_trace", unknown) if not isinstance(tracer, jax.core.Tracer) else unknown


try:
    from jax._src import core as _core, linear_util as _linear_util
    from jax._src.interpreters.partial_eval import (
        DynamicJaxprTrace as _DynamicJaxprTrace,
        trace_to_jaxpr_dynamic as _trace_to_jaxpr_dynamic,
    )

    TAKES_OPERANDS = _DynamicJaxprTrace.to_jaxpr_tracer.__code__

    # Less its profiler's frame: nesting is limited by Python's stack.
    _trace_to_jaxpr_dynamic = getattr(_trace_to_jaxpr_dynamic, "__wrapped__", _trace_to_jaxpr_dynamic)

    def trace_region(region: Callable[..., Any], in_avals: Sequence[Any], name: str) -> tuple[Jaxpr, list[Any]]:
        """Runs `region(*tracers)` once; returns its jaxpr and the values that it closes over (its `constvars`).

        Args:
            region: returns a flat sequence of JAX values.
            in_avals: one abstract value per argument (`jax.typeof`).
            name: the name of the region in JAX's messages and in the jaxpr's debug information.
        """

        def ended(*args: Any) -> Sequence[Any]:
            try:
                return region(*args)
            except BaseException:
                TRACE_STATE.value.invalidate()  # else its equations keep the constants, and these the trace, for ever
                raise

        debug_info = _core.DebugInfo("autograph", name, None, None)
        with deeper:
            jaxpr, _, consts = _trace_to_jaxpr_dynamic(_linear_util.wrap_init(ended, debug_info=debug_info), in_avals)
        return jaxpr, consts

except ImportError:  # pragma: no cover - other JAX versions

    def trace_region(region: Callable[..., Any], in_avals: Sequence[Any], name: str) -> tuple[Jaxpr, list[Any]]:
        """Runs `region(*tracers)` once; returns its jaxpr and the values that it closes over (its `constvars`)."""

        def named(*args: Any) -> Sequence[Any]:
            return region(*args)

        named.__name__ = named.__qualname__ = name
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=getattr(a, "weak_type", False)) for a in in_avals]
        with deeper:
            closed = jax.make_jaxpr(named)(*specs)
        return closed.jaxpr, list(closed.consts)


def with_constants(jaxpr: Any, consts: Sequence[Any], **changes: Any) -> Any:
    """Returns the jaxpr with other parts, its `constvars` standing for `consts`.

    Since JAX 0.11 a jaxpr holds the values of its constants, and those without a value count as inputs.
    """
    if hasattr(jaxpr, "with_consts"):
        changed = jaxpr.replace(**changes, consts=()) if changes else jaxpr
        return changed.with_consts(consts)
    return jaxpr.replace(**changes) if changes else jaxpr


def scan_operands(consts: int, carry: int, xs: int, ys: int) -> dict[str, Any] | None:
    """Returns the parameters by which a `scan` tells its operands apart, or None where they are kept in an unknown way.

    Without them `lax.scan` is called on the jaxpr, which traces its equations once more.
    """
    try:
        from jax._src.lax.control_flow.loops import ft  # type: ignore[attr-defined]  # JAX 0.11
    except ImportError:
        return {"num_consts": consts, "num_carry": carry}
    try:
        return {
            "ft_in": ft.pack((ft.nones(consts), ft.nones(carry), ft.nones(xs))),
            "ft_out": ft.pack((ft.nones(carry), ft.nones(ys))),
        }
    except (AttributeError, TypeError):  # pragma: no cover - other JAX versions
        return None


def maps_lanes(trace: Any) -> bool:
    """Whether a trace is one of `vmap`, which records in the trace around it."""
    return type(trace).__name__ == "BatchTrace"


def equation_mark() -> Any:
    """Returns a mark for `drop_equations`: where the program of the current trace ends now."""
    trace = TRACE_STATE.value
    while maps_lanes(trace):
        trace = trace.parent_trace
    try:
        (list_of(trace.frame, "taken back") or []).clear()  # what is before the mark stays there
        return trace.frame, len(trace.frame.tracing_eqns)
    except AttributeError:
        return None


def drop_equations(start: Any, end: Any) -> None:
    """Removes what the current trace recorded between two marks; only valid when no value made there is kept."""
    if start is not None and end is not None and start[0] is end[0]:
        frame, first, last = start[0], start[1], end[1]
        emitted = list_of(frame, "emitted") or ()
        if emitted and emitted[-1][0] > last:
            return  # what stands behind may have been made of it
        while emitted and emitted[-1][0] > first:
            emitted.pop()[1].emitted = None
        made = frame.tracing_eqns[first:last] if STAYS else ()
        staying = [x for x in made if getattr(x() if callable(x) else x, "primitive", None) in STAYS]
        frame.tracing_eqns[first:last] = staying
        notes = list_of(frame, "notes")
        if notes:
            fewer = last - first - len(staying)
            notes[:] = [(at - fewer if at > last else at, note) for at, note in notes if not first < at <= last]


def may_be_taken_back() -> list[Any] | None:
    """Returns the notes of an equation that `recorded.take_back` may remove, until a mark is taken; None if nothing is recorded."""
    frame = getattr(TRACE_STATE.value, "frame", None)
    return list_of(frame, "taken back") if hasattr(frame, "tracing_eqns") else None


STAYS: set[Any] = set()
"""The primitives whose equations are never dropped: their values are kept by what `drop_equations` knows nothing of."""


def notes_of(trace: Any) -> list[tuple[int, Any]] | None:
    """Returns the notes of the program that `trace` records, each with the number of equations before it; kept until it ends.

    What is noted among equations that are dropped is forgotten. None where the trace records nothing itself (`vmap`).
    """
    return list_of(getattr(trace, "frame", None), "notes")


def note_of_trace(trace: Any, x: Any) -> None:
    """Notes `x` of the program that `trace` records, where `notes_of` finds it."""
    notes = notes_of(trace)
    if notes is not None:
        notes.append((len(trace.frame.tracing_eqns), x))


def list_of(frame: Any, name: str) -> list[Any] | None:
    """Returns a list that lives as long as the trace with this frame, or None where there can be none."""
    try:
        # A table of the trace's that is dropped when the trace ends, and can carry an attribute.
        return vars(frame.constid_to_tracer).setdefault(name, [])
    except (AttributeError, TypeError):
        return None


def emitting(trace: Any) -> Any:
    """Has `trace`, which is in progress, record what is computed, and not a trace inside it; a context manager."""
    return _core.set_current_trace(trace)


def records_region(trace: Any) -> bool:
    """Whether a trace is one that `trace_region` began."""
    return traced_for(trace) == "autograph"


def records_jitted(trace: Any) -> bool:
    """Whether a trace is that of a jitted function: its program is kept for other calls."""
    return traced_for(trace) in ("jit", "pjit")


def traced_for(trace: Any) -> Any:
    """Returns what a trace records a program for: `jit`, `checkpoint / remat`, ...; None where it does not say."""
    return getattr(getattr(getattr(trace, "frame", None), "debug_info", None), "traced_for", None)


def traces_of(tracers: Sequence[Any]) -> dict[int, Any]:
    """Returns the traces to which tracers belong, by id; calls no function of Python for each of them."""
    found = list(map(getattr(jax.core.Tracer.__dict__.get("_trace"), "__get__", trace_of), tracers))
    return dict(zip(map(id, found), found, strict=True))


def keep_with_trace(x: Any, outermost: bool = False) -> Any:
    """Keeps `x` alive as long as the current trace, or the outermost one, and not longer: `x` holds values of that trace.

    Returns:
        None, or a weak reference to the trace where nothing of the trace's can hold `x`: then the caller keeps it.
    """
    traces = open_traces()
    for candidate in traces[-2:-1] if outermost else traces:  # the last one evaluates
        kept = list_of(getattr(candidate, "frame", None), "kept")
        if kept is not None:
            kept.append(x)
            return None
    return outermost_trace() if outermost else trace_reference()


def trace_reference(trace: Any = None) -> Callable[[], Any]:
    """Returns a weak reference to a trace (the one in progress), where it can be had."""
    trace = TRACE_STATE.value if trace is None else trace
    try:
        return weakref.ref(trace)
    except TypeError:
        return lambda: trace


def trace_of_state(state: Any) -> Any:
    """Returns the trace of what `jax.extend.core.get_opaque_trace_state` returned; None if it is not known, or is gone."""
    return getattr(state, "_trace_ref", lambda: None)()


def open_traces() -> list[Any]:
    """Returns the traces in progress in this thread, innermost first."""
    traces, trace = [], TRACE_STATE.value
    while trace is not None:
        traces.append(trace)
        trace = getattr(trace, "parent_trace", None)
    return traces


def outermost_trace() -> Callable[[], Any]:
    """Returns a weak reference to the outermost trace in progress in this thread; of nothing, where there is none."""
    traces = open_traces()
    return trace_reference(traces[-2]) if traces[1:] else lambda: None  # the last one evaluates


def equation_of(x: Any) -> Any:
    """Returns the operation of the current trace that made a tracer, as JAX records it; None if unknown."""
    made = getattr(x, "parent", None)
    return made if hasattr(made, "in_tracers") else None


def origin(x: Any) -> tuple[str, Any, Any] | None:
    """Returns the name, operands and parameters of the operation of the current trace that made a tracer; None if unknown."""
    return None if (made := equation_of(x)) is None else (made.primitive.name, made.in_tracers, made.params)


def closed_over(x: Any) -> Any:
    """Returns the value of an outer trace that a tracer stands for in an inner one, or None."""
    try:
        value = trace_of(x).frame.constvar_to_val.get(x.val)
    except (AttributeError, TypeError):
        return None
    return getattr(value, "original", value)  # before JAX 0.9.2: beside the array that it became


def variable_of(x: Any) -> Any:
    """Returns the variable of a jaxpr that a tracer becomes, or None."""
    return getattr(x, "val", None)


def literal_value(x: Any) -> Any:
    """Returns the number that a tracer stands for, if it is one that the program names."""
    number = variable_of(x)
    return number.val if isinstance(number, Literal) else None


def convert_weak(x: Any, dtype: Any) -> Any:
    """`x` as a weakly typed value of `dtype` (a Python number's type)."""
    try:
        from jax._src.lax.lax import _convert_element_type
        return _convert_element_type(x, dtype, weak_type=True)
    except (ImportError, TypeError):  # pragma: no cover - other JAX versions
        return lax.add(x, {"b": False, "i": 0, "u": 0, "f": 0.0, "c": 0j}[jnp.dtype(dtype).kind])


SIZE: Any
InconclusiveDimensionOperation: Any
try:
    from jax._src.export.shape_poly import InconclusiveDimensionOperation, _DimExpr as SIZE
except ImportError:  # pragma: no cover - other JAX versions
    SIZE, InconclusiveDimensionOperation = type("SIZE", (), {}), type("InconclusiveDimensionOperation", (Exception,), {})

new_var: Callable[[Any], Any] = _gensym()
"""A fresh variable for a jaxpr, of an abstract value."""

# Reverse mode through loops (`runtime/reverse.py`): the table of JAX's transpose rules and four tools that rules use.
TRANSPOSES: dict[Any, Callable[..., Any]] | None
try:
    from jax._src.interpreters.partial_eval import partial_eval_jaxpr_nounits as _partial_eval_jaxpr
    from jax.interpreters import ad as _ad
    from jax.interpreters.partial_eval import dce_jaxpr as prune_jaxpr  # noqa: F401

    TRANSPOSES, FORWARD_RULES = _ad.primitive_transposes, _ad.primitive_jvps  # JAX exports them nowhere else
    cotangent_array, is_linear, zeros_of = _ad.instantiate_zeros, _ad.is_undefined_primal, _ad.zeros_like_aval

    def split_jaxpr(closed: Any, linear: Sequence[bool], linear_out: Sequence[bool]) -> tuple[Any, list[bool]]:
        """Returns the part of a closed jaxpr that does not depend on the `linear` inputs, and which outputs do depend on them.

        Outputs named in `linear_out` count as dependent. The part's outputs are the independent ones, then others.
        """
        known, _, linear_out, _ = _partial_eval_jaxpr(closed, list(linear), list(linear_out))
        return known, list(linear_out)

except (ImportError, AttributeError):  # pragma: no cover - other JAX versions
    TRANSPOSES = None

ARRAY_TYPE: Any  # the one class of arrays outside traces, so that a test of identity will do
try:
    from jax._src.array import ArrayImpl as ARRAY_TYPE
except ImportError:  # pragma: no cover - other JAX versions
    ARRAY_TYPE = None
