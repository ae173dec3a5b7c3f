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

from autograph.jax_internals import closed_over, literal_value, open_traces, origin, trace_of, variable_of
from autograph.runtime.heap import array_order
from autograph.runtime.tracing.facts import Facts
from autograph.runtime.tracing.recorded import alias_of, copies, equations_after, wrapped
from autograph.runtime.tracing.staging import is_tracer

_MOST = 16
_MOST_COMPARED = 200
_VIEWS = frozenset(
    "slice dynamic_slice squeeze reshape transpose rev split unstack real imag bitcast_convert_type".split()
)
_COPIES = frozenset({"_take", "take"})


def has_names(x: Any) -> bool:
    """Whether names share a traced value: one with axes, or what stands for a NumPy array without axes."""
    return bool(x.ndim) or _without_axes.of(x) is True


_without_axes: Facts[bool] = Facts()


def note_without_axes(x: Any, before: Any) -> None:
    """Notes that `x` takes the place of `before`, where that is a NumPy array without axes, or stands for one."""
    if type(before) is np.ndarray and not before.ndim or _without_axes.of(before):
        _without_axes.note(x, True)


def view_without_axes(x: Any, of: Any) -> Any:
    """`x`, which NumPy makes a view of an array also where it has no axes: `a[..., 0]` is one, `a[0]` is a number."""
    if is_tracer(x) and not x.ndim and x is not of and is_tracer(of) and has_names(of):
        _without_axes.note(x, True)
        note_shared(x, bases(of))
    return x


def note_read_only(x: Any) -> None:
    """Notes that NumPy does not let `x` be written: `np.diag(m)`, `np.broadcast_to(m, shape)`."""
    _read_only.note(innermost_tracer(x), True)


_read_only: Facts[bool] = Facts()


def check_writable(x: Any) -> None:
    """Raises what NumPy raises where an array is written that is, or is a view of, a read-only one, or a number of an array.

    Raises:
        TypeError: `x` is an element of an array.
        ValueError: `x` is read-only.
    """
    if not x.ndim and not has_names(x) and _chain(innermost_tracer(x)):
        raise TypeError(f"'numpy.{x.dtype}' object does not support item assignment")
    if _read_only and any(map(_read_only.of, (inner := innermost_tracer(x), *_chain(inner)))):
        raise ValueError("assignment destination is read-only")


def copied(x: Any, given: Iterable[Any]) -> Any:
    """`x`, which NumPy makes a copy; another tracer where JAX returns one of the arrays that it was given."""
    if not is_tracer(x) or not x.ndim:
        return x
    if any(x is other for other in given):
        alias = alias_of(x)
        if alias is None:
            return x.copy()
        copies.note(innermost_tracer(alias), [x])  # JAX forgets a constant with its own tracer
        return alias
    copies.note(innermost_tracer(x), [None])
    return x


def _key(x: Any) -> int:
    """Tells the values of the innermost trace apart, and copies from what they were made of."""
    variable = variable_of(x)
    return id(x) if variable is None or copies.of(x) is not None else id(variable)


def note_shared(x: Any, others: Iterable[Any]) -> None:
    """Notes that `x` may share elements with each of some other arrays."""
    if is_tracer(x) and has_names(x):
        for other in others:
            if other is not x and is_tracer(other) and has_names(other):
                for one, another in ((x, other), (other, x)):
                    _note(one, another)
                    if (inner := innermost_tracer(one)) is not one:  # views of it lead there
                        _note(inner, another)


def note_choice(x: Any, others: Iterable[Any]) -> None:
    """Notes that `x` is one of some other arrays: it shares elements with all that they are views of."""
    if is_tracer(x) and has_names(x):
        others = list(others)
        note_shared(x, [base for other in others if is_tracer(other) for base in bases(other)])
        for other in others:
            note_view(x, other)


def note_view(x: Any, other: Any) -> None:
    """Notes that `x` stands for what would be a view of `other`, where that is a NumPy array and not of the program."""
    if isinstance(other, np.ndarray) and other.ndim and is_tracer(x) and x.ndim:
        owners = [other, other.base] if isinstance(other.base, np.ndarray) else [other]
        _in_numpy.note(x, [*(_in_numpy.of(x) or ()), *map(weakref.ref, owners)])


_in_numpy: Facts[list[weakref.ref[Any]]] = Facts()


def views_in_numpy(x: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays of NumPy's of which `x` stands for what would be a view, or that array, and which there still are."""
    return [array for ref in _in_numpy.of(x) or () if (array := ref()) is not None] if _in_numpy else []


def _note(x: Any, other: Any) -> None:
    _shared.note(x, [*(_shared.of(x) or ()), weakref.ref(other)])


_shared: Facts[list[weakref.ref[Any]]] = Facts()


def shared_with(x: Any) -> list[Any]:
    """The arrays that may share elements with `x` because a traced test chose."""
    return [other for ref in _shared.of(x) or () if (other := ref()) is not None]


def is_outer(x: Any, depth: int) -> bool:
    """Whether an array is older than the `depth` innermost traces."""
    return is_tracer(x) and trace_of(x) in open_traces()[depth:]


def bases(x: Any) -> list[Any]:
    """The array, what it is a view of, what that is a view of, and so on; what it may be, where a traced test chose."""
    found = {id(x): x}
    pending = [x]
    while pending and len(found) < _MOST:
        one = pending.pop()
        inner = innermost_tracer(one)
        noted = [*shared_with(one), *(shared_with(inner) if inner is not one else ())]
        for other in (*_as_used(_chain(inner), one), *noted):
            if id(other) not in found:
                found[id(other)] = other
                pending.append(other)
    return list(found.values())


def live_views(x: Any, of: Any = None) -> list[Any]:
    """The rows, slices and other views of an array that the program may still hold; `of`: a view of it, whose lanes are known."""
    return _views_made(x, 0 if of is None else _lanes(x, of))


def _lanes(x: Any, view: Any) -> int:
    """How many axes for lanes a tracer has of which a view was made."""
    one, count = innermost_tracer(view), innermost_tracer(view).ndim - view.ndim
    while one is not None and one is not x:
        made = origin(one)
        if made is not None and made[0] == "gather" and made[1][1].ndim > 1:
            count = len(made[2]["dimension_numbers"].operand_batching_dims)
        one = _base(one)
    return count if one is x else 0


def _views_made(x: Any, lanes_of_inner: int = 0) -> list[Any]:
    inner = innermost_tracer(x)
    own = max(inner.ndim - x.ndim, lanes_of_inner)
    lanes, made, used = {_key(inner): own}, [], []
    for trace in open_traces():
        for eqn in equations_after(trace, getattr(inner, "parent", None)):
            place = _source(eqn.primitive.name, eqn.in_tracers, eqn.params)
            if place is not None:
                operand = eqn.in_tracers[place]
                count = lanes.get(_key(operand), own)
                if operand.ndim > count and (_key(operand) in lanes or closed_over(operand) is inner):
                    if eqn.primitive.name == "gather":
                        count = max(count, eqn.in_tracers[1].ndim - 1)  # an index for each lane
                    lanes.update((id(v), count) for v in eqn.outvars)
                    made.append((eqn, count))
            used += [t for t in eqn.in_tracers if getattr(t, "ndim", 0)]  # a reference has as many as its array
        if trace is trace_of(inner):
            break
    inside = {id(eqn.in_tracers[0].parent) for eqn, _ in made if eqn.primitive.name == "squeeze"}  # the squeeze's alone
    made = [eqn for eqn, count in made if eqn.outvars[0].aval.ndim > count and id(eqn) not in inside]
    if not made:
        return []
    of = set(map(id, made))
    found = [t for t in used if id(t.parent) in of]
    consumed = {id(t.parent) for t in found}
    unused = [eqn for eqn in made if id(eqn) not in consumed]
    if unused:
        found += [t for t in gc.get_referrers(*unused) if is_tracer(t)]
    found = [t for t in found if not copies.of(t)] if copies else found
    return _as_used(list({id(t): t for t in found}.values()), x)


def lies_in(view: Any, parts: Iterable[Any]) -> bool:
    """Whether a view was computed in the same way as one of these views, or from such a one: then it lies within that view."""
    inner, known = innermost_tracer(view), dict[tuple[int, int], bool]()
    return any(_same(innermost_tracer(part), one, known) for part in parts for one in (inner, *_chain(inner)))


def _same(x: Any, other: Any, known: dict[tuple[int, int], bool]) -> bool:
    """Whether two values of the innermost trace were computed in the same way from the same values."""
    pair = id(x), id(other)
    if x is other or not (is_tracer(x) and is_tracer(other)):
        return x is other
    if pair not in known:
        known[pair] = False  # where there are too many to compare
        known[pair] = len(known) < _MOST_COMPARED and _are_same(x, other, known)
    return known[pair]


def _are_same(x: Any, other: Any, known: dict[tuple[int, int], bool]) -> bool:
    number, another = literal_value(x), literal_value(other)
    if number is not None or another is not None:
        return number is not None and another is not None and bool(number == another)
    if variable_of(x) is not None and variable_of(x) is variable_of(other):
        return True
    made, by = origin(x), origin(other)
    if made is None or by is None:
        return closed_over(x) is not None and closed_over(x) is closed_over(other)
    return (
        made[0] == by[0]
        and len(made[1]) == len(by[1])
        and "callback" not in made[0]
        and made[2].keys() == by[2].keys()
        and all(_is_parameter(value, by[2][name]) for name, value in made[2].items())
        and x.aval == other.aval
        and all(_same(*pair, known) for pair in zip(made[1], by[1], strict=True))
    )


def _is_parameter(value: Any, other: Any) -> bool:
    """Whether parameters of two operations are the same; of functions with constants of their own only identical ones are."""
    return value is other or (str(value) == str(other) and not getattr(value, "consts", None))


def are_apart(x: Any, other: Any) -> bool:
    """Whether two views of one array surely have no element in common."""
    (root, box), (other_root, other_box) = _extent(innermost_tracer(x)), _extent(innermost_tracer(other))
    return root is other_root and any(
        low >= stop or start >= high for (low, high), (start, stop) in zip(box, other_box, strict=True)
    )


def _extent(x: Any) -> tuple[Any, list[tuple[int, int]]]:
    """The array that a view was made of, and for each axis of that where the view begins and ends at most."""
    steps = []
    while is_tracer(base := _base(x)):
        steps += [] if (made := origin(x)) is None else [made]
        x = base
    box, axes = [(0, n) for n in x.shape], list[int | None](range(x.ndim))  # along which axis of it each axis runs
    for name, _, params in reversed(steps):
        if name == "slice":
            strides = params["strides"] or (1,) * len(axes)
            for k, (axis, start, stop) in enumerate(
                zip(axes, params["start_indices"], params["limit_indices"], strict=True)
            ):
                if axis is not None:
                    box[axis] = box[axis][0] + start, box[axis][0] + stop
                    axes[k] = axis if strides[k] == 1 else None
        elif name == "dynamic_slice":
            axes = [
                axis if axis is not None and n == box[axis][1] - box[axis][0] else None
                for n, axis in zip(params["slice_sizes"], axes, strict=True)
            ]
        elif name == "squeeze":
            axes = [axis for k, axis in enumerate(axes) if k not in params["dimensions"]]
        elif name == "transpose":
            axes = [axes[k] for k in params["permutation"]]
        elif name == "rev":
            axes = [None if k in params["dimensions"] else axis for k, axis in enumerate(axes)]
        else:
            break
    return x, box


def innermost_tracer(x: Any) -> Any:
    """The tracer inside those of `vmap` and of derivatives."""
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
    if copies and copies.of(x):
        return None
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
    return [x for x in gc.get_referrers(*found) if is_tracer(x) and hasattr(x, "primal")]


def _source(name: str, operands: Any, params: Any) -> int | None:
    """Which operand an operation gives a view of, or None."""
    if name in ("jit", "pjit"):
        return _source_inside(params)
    if name == "broadcast_in_dim":
        is_view = len(operands) == 1 and operands[0].ndim > 0 and operands[0].size == np.prod(params["shape"])
    elif (
        name == "gather"
    ):  # by numbers, by one for each lane of `vmap`, or by steps (JAX 0.8); not by an array of indices
        is_view = (
            operands[1].ndim == 1 or not params["dimension_numbers"].collapsed_slice_dims or params["unique_indices"]
        )
    elif name == "reshape":
        is_view = not (is_tracer(operands[0]) and array_order.is_copied(operands[0], params))
    else:
        is_view = name in _VIEWS
    return 0 if is_view else None


def _source_inside(params: Any) -> int | None:
    """The same of a function of JAX's own, where it does nothing else."""
    jaxpr = params["jaxpr"].jaxpr
    if params.get("name") in _COPIES or len(jaxpr.outvars) != 1:
        return None
    v = jaxpr.outvars[0]
    for eqn in reversed(jaxpr.eqns):
        if any(out is v for out in eqn.outvars):
            place = _source(eqn.primitive.name, [o.aval for o in eqn.invars], eqn.params)
            if place is None:
                return None
            v = eqn.invars[place]
    return next((k for k, invar in enumerate(jaxpr.invars) if invar is v), None)
