"""Which arrays share elements in NumPy: rows, slices and other views, and what they are views of.

It is read off the program that is being traced: `a[0]` is a slice of `a` without an axis, `a.T` a transposition. What copies
in NumPy is another operation here (arithmetic, `copy`, indices that are arrays).

>>> import jax, jax.numpy as jnp
>>> _ = jax.eval_shape(lambda a: print([b.shape for b in bases(a.T[0])]), jnp.zeros((2, 3)))
[(2,), (1, 2), (3, 2), (2, 3)]
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph.jax_internals import closed_over, open_traces, origin, trace_of, variable_of
from autograph.runtime.recorded import equations_after, wrapped
from autograph.runtime.staging import is_tracer

_MOST = 16
_VIEWS = frozenset({"slice", "dynamic_slice", "squeeze", "reshape", "transpose", "rev", "split"})
_COPIES = frozenset({"_take", "take"})


def note_shared(x: Any, others: Iterable[Any]) -> None:
    """Notes that `x` may share elements with each of some other arrays."""
    if is_tracer(x) and x.ndim:
        for other in others:
            if other is not x and is_tracer(other) and other.ndim:
                _note(x, other)
                _note(other, x)


def _note(x: Any, other: Any) -> None:
    key, found = id(x), _shared.get(id(x))
    if found is None or found[0]() is not x:
        found = _shared[key] = weakref.ref(x, lambda _: _shared.pop(key, None)), []
    found[1].append(weakref.ref(other))


_shared: dict[int, tuple[weakref.ref[Any], list[weakref.ref[Any]]]] = {}


def shared_with(x: Any) -> list[Any]:
    """The arrays that may share elements with `x` because a traced test chose."""
    found = _shared.get(id(x))
    if found is None or found[0]() is not x:
        return []
    return [other for ref in found[1] if (other := ref()) is not None]


def is_outer(x: Any, depth: int) -> bool:
    """Whether an array is older than the `depth` innermost traces."""
    return is_tracer(x) and trace_of(x) in open_traces()[depth:]


def bases(x: Any) -> list[Any]:
    """The array, what it is a view of, what that is a view of, and so on; what it may be, where a traced test chose."""
    found = {id(x): x}
    pending = [x]
    while pending and len(found) < _MOST:
        one = pending.pop()
        for other in (*_as_used(_chain(_innermost(one)), one), *shared_with(one)):
            if id(other) not in found:
                found[id(other)] = other
                pending.append(other)
    return list(found.values())


def live_views(x: Any) -> list[Any]:
    """The rows, slices and other views of an array that the program may still hold."""
    inner = _innermost(x)
    variables, made, used = {id(variable_of(inner))}, [], []
    for trace in open_traces():
        for eqn in equations_after(trace, getattr(inner, "parent", None)):
            place = _source(eqn.primitive.name, eqn.in_tracers, eqn.params)
            if place is not None:
                operand = eqn.in_tracers[place]
                if id(variable_of(operand)) in variables or closed_over(operand) is inner:
                    variables.update(map(id, eqn.outvars))
                    made.append(eqn)
            used += [t for t in eqn.in_tracers if t.ndim]
        if trace is trace_of(inner):
            break
    inside = {
        id(eqn.in_tracers[0].parent) for eqn in made if eqn.primitive.name == "squeeze"
    }  # nobody's but the squeeze's
    made = [eqn for eqn in made if eqn.outvars[0].aval.ndim and id(eqn) not in inside]
    if not made:
        return []
    of = set(map(id, made))
    found = [t for t in used if id(t.parent) in of]
    consumed = {id(t.parent) for t in found}
    unused = [eqn for eqn in made if id(eqn) not in consumed]
    if unused:
        found += [t for t in gc.get_referrers(*unused) if isinstance(t, type(inner))]
    return _as_used(list({id(t): t for t in found}.values()), x)


def _innermost(x: Any) -> Any:
    while (inner := wrapped(x)) is not None:
        x = inner
    return x


def _chain(x: Any) -> list[Any]:
    found: list[Any] = []
    while x is not None and len(found) < _MOST:
        if (x := _base(x)) is not None:
            found.append(x)
    return found


def _base(x: Any) -> Any:
    made = origin(x)
    if made is None:
        return closed_over(x)
    place = _source(*made)
    return None if place is None else made[1][place]


def _as_used(found: list[Any], like: Any) -> list[Any]:
    """The tracers by which the program knows these values of the innermost trace.

    A derivative keeps operands for its backward pass: these stay valid, and the tracers around them are meant.
    """
    if not found or not hasattr(like, "primal"):
        return found
    return [x for x in gc.get_referrers(*found) if type(x) is type(like)]


def _source(name: str, operands: Any, params: Any) -> int | None:
    """Which operand an operation gives a view of, or None."""
    if name in ("jit", "pjit"):
        return _source_inside(params)
    if name == "broadcast_in_dim":
        is_view = len(operands) == 1 and operands[0].size == np.prod(params["shape"])
    elif name == "gather":  # by numbers, or by one for each lane of `vmap`; not by an array of indices
        is_view = operands[1].ndim == 1 or not params["dimension_numbers"].collapsed_slice_dims
    else:
        is_view = name in _VIEWS
    return 0 if is_view else None


def _source_inside(params: Any) -> int | None:
    """The same of a function of JAX's own, where it does nothing else."""
    jaxpr = params["jaxpr"].jaxpr
    if params.get("name") in _COPIES or len(jaxpr.outvars) != 1:
        return None
    made_by = {v: eqn for eqn in jaxpr.eqns for v in eqn.outvars}
    v = jaxpr.outvars[0]
    while not hasattr(v, "val") and v in made_by:
        eqn = made_by[v]
        place = _source(eqn.primitive.name, [o.aval for o in eqn.invars], eqn.params)
        if place is None:
            return None
        v = eqn.invars[place]
    return next((k for k, invar in enumerate(jaxpr.invars) if invar is v), None)
