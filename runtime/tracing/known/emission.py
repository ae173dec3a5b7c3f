"""Known numbers as values of the program: the first form that fits.

| form | where |
| --- | --- |
| the loop's own counter | the item of a `range` |
| arithmetic on the values of the operands | ints and bools, if all of them and the result are integers of the program |
| `start + step * iteration` | ints that grow evenly, in any number of iterations |
| an element of a table | anything else; the table is converted once, from 64 bits |

The value is recorded where the number was computed, not where it is used, and only once.

>>> import jax, jax.numpy as jnp, autograph as ag
>>> def f(x):
...     for i in ag.range(9):
...         x = x + (i * 2) * (i * 0.1)
...     return x
>>> scan, = (e for e in jax.make_jaxpr(ag.convert(f))(jnp.float32(0)).eqns if e.primitive.name == "scan")
>>> [e.primitive.name for e in scan.params["jaxpr"].eqns]
['dynamic_slice', 'squeeze', 'convert_element_type', 'convert_element_type', 'add', 'add']
"""

from __future__ import annotations

import functools
import operator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph import verbosity
from autograph.jax_internals import convert_weak, emitting, open_traces, trace_of
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.tracing.known.evaluation import COMPARISONS, choice
from autograph.runtime.tracing.recorded import note_emitted, recording_trace
from autograph.runtime.tracing.refusals import refusal

_BITS = frozenset((operator.and_, operator.or_, operator.xor))
_ARITHMETIC: dict[Any, Any] = {
    fn: fn for fn in (*COMPARISONS, *_BITS, operator.add, operator.sub, operator.mul, operator.neg, operator.pos,
                      operator.floordiv, operator.mod, operator.pow, abs)
} | {max: jnp.maximum, min: jnp.minimum, operator.not_: lax.bitwise_not, choice: jnp.where, bool: lambda x: x != 0}  # fmt: skip
"""Functions of Python numbers that the program computes as well, if no operand and no result is too large for its integers."""


def aval_of(kind: type) -> Any:
    """Returns the abstract value of a number: weakly typed as Python's numbers are, which JAX does not say of its bools."""
    key = kind, jax.config.jax_enable_x64  # type: ignore[attr-defined]  # JAX makes it when it is imported
    found = _AVALS.get(key)
    if found is None:
        aval = jax.typeof(kind(0))
        found = _AVALS[key] = aval.update(weak_type=True) if kind is bool else aval
    return found


_AVALS: dict[Any, Any] = {}


def fits_program(bounds: Any) -> bool:
    """Whether the integers of the program hold all numbers between two."""
    limits = _limits(jnp.result_type(int))
    return bounds is not None and limits.min <= bounds[0] and bounds[1] <= limits.max


_limits = functools.cache(jnp.iinfo)


def is_computed(fn: Any, kinds: Any, bounds: Any, result: Any) -> bool:
    """Whether the program may compute the number from its operands.

    Args:
        kinds, bounds: of each operand. result: the bounds of the result.
    """
    if fn is bool:
        return all(map(fits_program, bounds))
    if fn not in _ARITHMETIC or not all(kind in (int, bool) for kind in kinds) or not all(map(fits_program, bounds)):
        return False
    if fn is operator.pow and not 0 <= bounds[1][0] == bounds[1][1] <= 64:
        return False
    if fn in (operator.floordiv, operator.mod) and bounds[1][0] <= 0 <= bounds[1][1]:
        return False
    is_of_bools = all(kind is bool for kind in kinds)
    return fits_program(result) and (
        fn in _BITS or fn in COMPARISONS or fn is choice or fn is operator.not_ or not is_of_bools
    )


def emit(x: Any) -> Any:
    """Makes the value of the program that stands for a known number, where the number was computed."""
    traces = open_traces()
    # A number that a region left is recorded with the iteration. A branch would not do: the one beside it may ask as well.
    candidates = (recording_trace(trace_of(x)), recording_trace(x.level.trace), recording_trace())
    recorder = next(found for found in candidates if any(found is trace for trace in traces))
    with emitting(recorder):
        value = _emitted(x)
        if x.bounds and x.kind is not bool:
            integer_ranges.declare_range(value, *x.bounds)
    note_emitted(recorder, x)
    return value, recorder


def _emitted(x: Any) -> Any:
    if x.is_open:
        return _emitted_open(x)
    if x.kind is int and (x.fn in (None, evenly) or type(x.fn) is Table) and not fits_program(x.bounds):
        raise too_large(x)
    if type(x.fn) is Table:
        return _element(x.fn.numbers, getattr(x.args[0], "value", x.args[0]), x)
    if x.fn is evenly:
        start, step = x.args
        return as_kind(_iteration(x.level) * step + getattr(start, "value", start), x)
    if x.fn is not None:
        operands = [getattr(a, "value", a) if type(a) is type(x) else a for a in x.args]
        return as_kind(_ARITHMETIC[x.fn](*operands), x)
    values = x.row.values
    axes = [axis for axis, size in enumerate(values.shape) if size > 1]
    counters = {axis: x.level.chain()[values.ndim - 1 - axis] for axis in axes}
    line = values.reshape(-1)
    if len(axes) == 1 and x.kind is int and (steps := np.diff(line)).min() == steps.max():
        start, step = int(line[0]), int(steps[0])
        scaled = _iteration(counters[axes[0]])
        scaled = scaled if step == 1 else scaled * step
        return as_kind(scaled + start if start else scaled, x)
    place: Any = None
    for axis in axes:
        k = _iteration(counters[axis])
        place = k if place is None else place * values.shape[axis] + k
    return _element(line, place, x)


def _element(numbers: Any, place: Any, x: Any) -> Any:
    """Reads an element of a table of numbers, of 64 bits, in the program."""
    with np.errstate(over="ignore"):
        table = np.ascontiguousarray(numbers).astype(x.aval.dtype)
    if verbosity.level > 1:
        x.level.tables[id(x)] = x, table.nbytes
    found = lax.dynamic_slice(table, (place,), (1,), allow_negative_indices=False)
    return as_kind(lax.squeeze(found, (0,)), x)


class Table(NamedTuple):
    """Stands for the function of a number that is an element of a table, at an index which the program computes."""

    numbers: Any


def evenly(start: int, step: int) -> int:
    """Stands for the function of a number that is `start` in the first iteration, and grows by `step` in each."""
    raise AssertionError("nothing computes it ahead")


def _emitted_open(x: Any) -> Any:
    """Computes an open number as if it were not known. Where that fails, a zero stands for it and the attempt is repeated."""
    operands = [getattr(a, "value", a) if type(a) is type(x) else a for a in x.args]
    compute = x.compute or _ARITHMETIC.get(x.fn, x.fn)
    if x.kind is int and x.fn in _ARITHMETIC and all(getattr(a, "kind", type(a)) is bool for a in x.args):
        operands = [convert_weak(operand, jnp.result_type(int)) for operand in operands]  # Python's bools are integers
    try:
        return as_kind(jnp.asarray(compute(*operands)), x)
    except Exception:
        level = x.level
        while level is not None:
            level.impossible.append(x)
            level = level.parent
        return as_kind(lax.full((), 0, x.aval.dtype), x)


def _iteration(level: Any) -> Any:
    """Returns the number of the iteration, from 0."""
    start, step = level.start, level.step
    away = level.item if type(start) is int and start == 0 else level.item - start
    if type(step) is int:
        return away if step == 1 else lax.div(away, lax.full_like(away, step))
    return lax.div(away, step.value)


def as_kind(value: Any, x: Any) -> Any:
    """Converts a value to the type in the program that a known number has."""
    aval = x.aval
    if aval.weak_type:
        return convert_weak(value, aval.dtype)
    return lax.convert_element_type(value, aval.dtype)


def too_large(x: Any) -> Exception:
    """Makes the error for a number that no integer of the program holds."""
    low, high = x.bounds
    number = high if not fits_program((0, high)) else low
    wider = ", or jax.config.update('jax_enable_x64', True)" if -(2**63) <= low and high < 2**63 else ""
    return refusal(
        f"a number that this loop computes is {number} in one iteration, which no integer of the program can hold",
        why="integers of a compiled program have 32 bits, or 64 where `jax_enable_x64` is set",
        instead=f"make it a float (`float(n)`){wider}",
        page="range-beyond-integers",
    )
