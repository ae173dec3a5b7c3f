"""Traced numbers that Python knows in each iteration of a staged loop, such as the index and what is computed from it.

A `KnownTracer` is a tracer of a weak scalar, so code that takes a traced number takes it. Python's operators and functions give
another `KnownTracer`, whose numbers Python computes: ints of any size, floats of 64 bits (`evaluation`). It becomes a value of the
program only where JAX takes it for an operand (`emission`).

>>> import jax, jax.numpy as jnp, autograph as ag
>>> @jax.jit
... @ag.convert
... def f(x):
...     for i in ag.range(4):
...         x[i] = i**40 % 1000  # 12157665459056928801 % 1000, for 3
...     return x
>>> f(jnp.zeros(4)).tolist()
[0.0, 1.0, 776.0, 801.0]
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax.core import Tracer

from autograph.jax_internals import TAKES_OPERANDS, TRACE_STATE, open_traces
from autograph.runtime.tracing import context, integer_ranges
from autograph.runtime.tracing.known import emission, evaluation
from autograph.runtime.tracing.known.limits import needs_number, sum_of_bools, too_many_elements, too_many_of
from autograph.runtime.tracing.refusals import user_variables


class KnownTracer(Tracer):
    """See the module.

    An *open* number is one that may be known: it is computed from variables of a loop of which the end of the iteration shows
    whether known numbers alone feed them (`carry.known_variables`). Until then it has no row.

    Attributes:
        fn, args: the function and the operands that make it. A number with a row has them only where the program uses them, too.
        compute: the function that makes an open number in the program, if it is not `fn`.
        kind: its class in Python.
        row: the number in each iteration; None of an open number, and where there are too many iterations to hold them all.
        bounds: the least and the greatest number, of ints and bools; empty of a float that is not open.
        level: the innermost loop from whose iterations it comes.
        emitted: the value of the program that stands for it, and the trace that has recorded it.
        sample: the first number of an open one.
        is_used: whether the program was given an open number.
    """

    __slots__ = ("args", "aval", "bounds", "compute", "emitted", "fn", "is_used", "kind", "level", "row", "sample")

    def __init__(self, kind: type, row: evaluation.Row | None, bounds: Any, level: Any, fn: Any = None, args: Any = ()) -> None:
        self._trace, self.aval, self._line_info = TRACE_STATE.value, emission.aval_of(kind), None
        self.kind, self.row, self.bounds, self.level, self.fn, self.args = kind, row, bounds, level, fn, args
        self.emitted: Any = None
        self.compute: Any = None
        self.sample: Any = None
        self.is_used = False
        if bounds and kind is not bool:
            integer_ranges.declare_range(self, *bounds)

    @property
    def value(self) -> Any:
        """The value of the program that stands for the number."""
        self.is_used = True
        if self.emitted is not None and any(self.emitted[1] is trace for trace in open_traces()):
            return self.emitted[0]
        self.emitted = emission.emit(self)
        return self.emitted[0]

    @property
    def dimension_as_value(self) -> Callable[[], Any]:  # type: ignore[override]  # the base class says that it has none
        """Gives a trace of JAX the value of the program, by the protocol of symbolic sizes; to others it is no size."""
        if sys._getframe(1).f_code is not TAKES_OPERANDS:
            raise AttributeError("dimension_as_value")
        return lambda: self.value

    @property
    def is_open(self) -> bool:
        """Whether the end of the iteration shows whether it is known."""
        return self.row is None and self.bounds is None

    def truth(self) -> Any:
        """Returns the truth of the number: a bool where it is the same in all iterations."""
        if self.kind is bool:
            return self
        found = lifted(bool, self)
        return found if found is not NotImplemented else self.value != 0

    def _short_repr(self) -> str:
        return f"KnownTracer({self.aval})"

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self


def _binary(name: str, fn: Callable[..., Any]) -> None:
    def method(native: Any, swap: bool) -> Any:
        @functools.wraps(native)
        def operate(self: Any, other: Any) -> Any:
            found = lifted(fn, other, self) if swap else lifted(fn, self, other)
            return native(self, other) if found is NotImplemented else found

        return operate

    for swap in (False, True):
        attribute = f"__{'r' * swap}{name}__"
        if (native := getattr(Tracer, attribute, None)) is not None:
            setattr(KnownTracer, attribute, method(native, swap))


def _unary(name: str, fn: Callable[..., Any]) -> None:
    native = getattr(Tracer, f"__{name}__")

    @functools.wraps(native)
    def operate(self: Any, *more: Any) -> Any:
        found = lifted(fn, self, *more)
        return native(self, *more) if found is NotImplemented else found

    setattr(KnownTracer, f"__{name}__", operate)


for _name in "add sub mul truediv floordiv mod pow lshift rshift lt le gt ge eq ne".split():
    _binary(_name, getattr(operator, _name))
for _name in "and", "or", "xor":
    _binary(_name, getattr(operator, f"__{_name}__"))
for _name in "neg", "pos", "abs", "invert":
    _unary(_name, getattr(operator, _name))
_unary("round", round)


def lifted(fn: Callable[..., Any], *args: Any) -> Any:
    """Computes `fn(*args)` in each iteration, as Python does.

    Returns:
        a known number, or a number where it is the same in all iterations; `NotImplemented` where an argument is no known number,
        or the result is none: it raises in an iteration that may be reached, say.
    """
    level: Any = None
    is_open = is_long = False
    for a in args:
        kind = type(a)
        if kind is KnownTracer:
            level = a.level if level is None or a.level.depth > level.depth else level
            if a.row is None:
                is_open, is_long = is_open or a.bounds is None, True
        elif not evaluation.may_be_known(kind):
            return NotImplemented
    if level is None:
        return NotImplemented
    if (fn is operator.add or fn is operator.invert) and _is_of_mixed_floats(level, args):
        raise sum_of_bools(_names_of(args))
    if is_open:
        return _open(level, fn, args)
    if is_long:
        return _by_bounds(level, fn, args, f"there are more than {evaluation.MOST_CELLS:,} iterations")
    try:
        row = evaluation.evaluate(fn, [a.row if type(a) is KnownTracer else a for a in args], runs_in)
        return made(row, level, fn, args)
    except evaluation.TooMany as why:
        return _by_bounds(level, fn, args, str(why))
    except evaluation.NotKnown as why:
        if context.progress.is_tried:
            raise needs_number(str(why)) from None
        return NotImplemented


def _is_of_mixed_floats(level: Any, args: tuple[Any, ...]) -> bool:
    """Whether the operands are bools, some of them NumPy's, which may come from a float that is Python's in some iterations."""
    kinds = set(map(kind_of, args))
    return np.bool_ in kinds and kinds <= {bool, np.bool_} and _mixes_floats(level)


def _mixes_floats(level: Any) -> bool:
    return level is not None and any(one.mixes_floats for one in level.chain())


def is_open_number(a: Any) -> bool:
    """Whether an argument is an open number."""
    return type(a) is KnownTracer and a.is_open


def opened(init: Any, tracer: Any, level: Any) -> KnownTracer:
    """Makes the open number of a variable that holds a number before a loop, and a tracer in its iterations."""
    found = KnownTracer(kind_of(init), None, None, level)
    found.sample, found.emitted = sample_of(init), (tracer, TRACE_STATE.value)
    return found


def bounded(init: Any, bounds: tuple[int, int], tracer: Any, level: Any) -> KnownTracer:
    """Makes the number of a variable that a loop carries, an int or a bool between two numbers."""
    found = KnownTracer(kind_of(init), None, bounds, level)
    found.emitted = tracer, TRACE_STATE.value
    return found


def sample_of(a: Any) -> Any:
    """Returns an argument in the first iteration; where the iterations are too many, some number that it may be."""
    if type(a) is not KnownTracer:
        return a
    if a.row is None:
        return a.sample if a.is_open else a.kind(min(a.bounds[0] + 1, a.bounds[1]) if a.bounds else 1)
    first = a.row.values.reshape(-1)[0]
    return first if issubclass(a.kind, np.generic) or not isinstance(first, np.generic) else first.item()


def _open(level: Any, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """`lifted`, of numbers some of which are open: the first iteration shows the class of the result."""
    try:
        sample = fn(*map(sample_of, args))
    except Exception:  # under a test, say, which does not hold in the first iteration
        try:
            sample = fn(*(kind_of(a)(1) if type(a) is KnownTracer else a for a in args))
        except Exception:
            return NotImplemented
    if not evaluation.may_be_known(type(sample)):
        return NotImplemented
    found = KnownTracer(type(sample), None, None, level, fn, args)
    found.sample = sample
    return found


def standing_for(value: Any, fn: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Returns the open number `fn(*args)`, for which a value of the program stands; the value itself where there is none."""
    found = lifted(fn, *args)
    return stand_for(value, found) if is_open_number(found) else value


def stand_for(value: Any, x: KnownTracer) -> KnownTracer:
    """Has a value of the program stand for an open number; returns the number."""
    x.emitted = value if isinstance(value, Tracer) else emission.as_kind(np.asarray(value), x), TRACE_STATE.value
    return x


def open_variables(x: Any, found: dict[int, KnownTracer] | None = None) -> dict[int, KnownTracer]:
    """Returns the open numbers of variables that an open number is computed from, by id."""
    found = {} if found is None else found
    pending, seen = [x], set()
    while pending:
        one = pending.pop()
        if is_open_number(one) and id(one) not in seen:
            seen.add(id(one))
            if one.fn is None:
                found[id(one)] = one
            pending += one.args
    return found


def made(row: evaluation.Row, level: Any, fn: Any = None, args: tuple[Any, ...] = ()) -> Any:
    """Makes the known number of a row; the number itself where all iterations share one, of one class."""
    number = row.constant()
    if number is not None and not (isinstance(number, np.generic) and _mixes_floats(level)):
        return number
    bounds = row.bounds()
    if fn is not None and not emission.is_computed(
        fn, [kind_of(a) for a in args], [bounds_of(a) for a in args], bounds
    ):
        fn, args = None, ()
    return KnownTracer(row.kind, row, bounds, level, fn, args)


def is_whole(a: Any) -> bool:
    """Whether an argument is a Python int, the same one in all iterations or known in each, of 64 bits at most."""
    return type(a) is int or (type(a) is KnownTracer and a.kind is int and a.row is not None and a.row.values.dtype != object)


def kind_of(a: Any) -> type:
    """Returns the class that a number has in Python."""
    return a.kind if type(a) is KnownTracer else type(a)


def of_kind(kind: type, a: Any) -> Any:
    """Returns a number as a float of Python or of NumPy."""
    if type(a) is not KnownTracer:
        return kind(a)
    found = lifted(kind, a)
    if is_open_number(found):
        found.compute = lambda x: x
    return found


def bounds_of(a: Any) -> Any:
    """Returns the least and the greatest value of an int or a bool, None of any other number."""
    if type(a) is KnownTracer:
        return a.bounds
    return (int(a), int(a)) if type(a) in (int, bool) else None


def _by_bounds(level: Any, fn: Any, args: tuple[Any, ...], why: str) -> Any:
    """`lifted`, in so many iterations that the program alone computes the numbers: ints that surely fit, and bools.

    Raises:
        StagingError: it is another number, and not of a loop over `ag.range`.
    """
    kinds, bounds = [kind_of(a) for a in args], [bounds_of(a) for a in args]
    if all(bounds) and (fn in _OF_ANY or all(kind is int for kind in kinds) or all(kind is bool for kind in kinds)):
        found = _BOUNDS[fn](*bounds) if fn in _BOUNDS else None
        if emission.is_computed(fn, kinds, bounds, found):
            is_test = fn in evaluation.COMPARISONS or fn in (bool, operator.not_)
            return KnownTracer(bool if is_test else kinds[-1], None, found, level, fn, args)
    if level.is_lenient or type(fn) is functools.partial:  # of a container, which the program looks through
        return NotImplemented
    if any(type(a) is KnownTracer and (type(a.fn) is emission.Table or issubclass(a.kind, np.generic)) for a in args):
        raise too_many_elements(why)
    is_int = set(kinds) == {int} and fn in vars(operator).values() and fn is not operator.truediv
    raise too_many_of(_names_of(args), is_int, why)


def _names_of(args: Sequence[Any]) -> dict[int, str]:
    """Returns the user's names of the known numbers that an operation is given, and of those that they are computed from."""
    of = {id(x) for x in _operands(args)}
    return {id(x): name for name, x in user_variables().items() if id(x) in of}


def _operands(args: Sequence[Any]) -> list[KnownTracer]:
    """Collects the known numbers that an operation is given, and those that they are computed from."""
    found: dict[int, KnownTracer] = {}
    pending = [a for a in args if type(a) is KnownTracer]
    while pending:
        x = pending.pop()
        if id(x) not in found:
            found[id(x)] = x
            pending += [a for a in x.args if type(a) is KnownTracer]
    return list(found.values())


def _below(x: tuple[int, int], y: tuple[int, int], most: int) -> tuple[int, int] | None:
    return (0, most) if x[0] >= 0 and y[0] >= 0 else None


_OF_ANY: frozenset[Any] = frozenset((bool, operator.not_, evaluation.choice))
"""Functions that take bools as well as ints."""

_NAMES = {
    operator.add: "add", operator.sub: "sub", operator.mul: "mul", max: "max", min: "min",
    operator.floordiv: "floor_divide", operator.mod: "remainder",
}  # fmt: skip
_BOUNDS: dict[Any, Callable[..., tuple[int, int] | None]] = {
    **dict.fromkeys((*evaluation.COMPARISONS, bool, operator.not_), lambda *each: (0, 1)),
    **dict.fromkeys((abs, operator.abs), lambda x: (max(x[0], -x[1], 0), max(-x[0], x[1]))),
    **dict.fromkeys((operator.or_, operator.xor), lambda x, y: _below(x, y, (1 << max(x[1], y[1]).bit_length()) - 1)),
    operator.and_: lambda x, y: _below(x, y, min(x[1], y[1])),
    operator.neg: lambda x: (-x[1], -x[0]),
    operator.pow: lambda x, y: (x[0] ** y[0], x[1] ** min(y[1], 64)) if min(x[0], y[0]) >= 0 else None,
    evaluation.choice: lambda _, *each: (min(low for low, _ in each), max(high for _, high in each)),
    **{fn: functools.partial(integer_ranges.bounds_of_result, name) for fn, name in _NAMES.items()},
}
"""The least and the greatest of a function's results, of those of its arguments; None where they are not known."""


def stepping(start: Any, step: int, level: Any) -> KnownTracer:
    """Makes the number of a variable that grows by `step` in each iteration of a loop, however many there are."""
    (low, high), far = bounds_of(start), step * (level.length - 1)
    return KnownTracer(int, None, (low + min(far, 0), high + max(far, 0)), level, emission.evenly, (start, step))


def real_of(x: Any) -> Any:
    """Returns the tracer of a variable for which an open number stands; any other value unchanged."""
    return x.emitted[0] if is_open_number(x) and x.fn is None else x


def value_of(x: Any) -> Any:
    """Returns the value of the program for a known number; any other value unchanged."""
    return x.value if type(x) is KnownTracer else x


def runs_in(shape: tuple[int, ...]) -> Any:
    """Says in which iterations the code runs, as the known tests of the open branches say; None: nothing is said."""
    level = context.progress.level
    masks = [one.reached for one in (level.chain() if level else ()) if one.reached is not None]
    for region in context.open_regions():
        test, truth = region.path or (None, None)
        if type(test) is KnownTracer and test.row is not None:
            masks.append(test.row.values == truth)
    if not masks:
        return None
    mask = functools.reduce(np.logical_and, masks)
    extra = tuple(range(mask.ndim - len(shape)))  # loops inside, on which the number does not depend
    mask = mask.any(extra) if extra else mask
    same = tuple(k for k, size in enumerate(shape[len(shape) - mask.ndim :]) if size == 1)
    return np.broadcast_to(mask.any(same, keepdims=True) if same else mask, shape)
