"""What is known about the size of traced integers: items of ranges, places of extremes, and sums and products of these.

An index that is known to lie in an array needs no test of its sign and no test of its range, a step that is known to be
positive no guard against zero. That is most of the work in the innermost loop of many a program.

>>> import jax
>>> def f(i):
...     i = declare_range(i, 1, 9)
...     return print(range_of(i), range_of(i * 2 - 1), range_of(i // 2), range_of(7)) or i
>>> _ = jax.make_jaxpr(f)(3)
(1, 9) (1, 17) (0, 4) (7, 7)

Of an item of `range(a, b)` it is known besides that it is no less than `a`, whatever `a` is: `x[i - a]` needs no test either.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from autograph.jax_internals import closed_over, literal_value, origin
from autograph.runtime.tracing import context, sizes
from autograph.runtime.tracing.array_types import is_integer_type
from autograph.runtime.tracing.facts import Facts
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced

Bounds = tuple[int, int]
_DEEPEST = 12  # operations that are followed back


class Assumed:
    """That a variable of a loop is never less than a number: so it begins; whether iterations leave it so is seen at their end.

    Attributes:
        is_used: whether something was built on that.
    """

    def __init__(self, least: int) -> None:
        self.least = least
        self.is_used = False


_known: Facts[Bounds] = Facts()
_no_less: Facts[tuple[Any, int]] = Facts()
_less: Facts[Any] = Facts()
_assumed: Facts[Assumed] = Facts()
_exact = context.PerThread(bool)  # whether Python's integers are meant


def declare_range(x: Any, low: int, high: int) -> Any:
    """`x`, which is known to lie between two numbers, both included."""
    return _known.note(x, (low, high))


def declare_least(x: Any, least: Any, more: int = 0) -> Any:
    """`x`, which is known not to be less than another integer, traced or not, and a number."""
    return _no_less.note(x, (least, more))


def declare_less(x: Any, than: Any) -> Any:
    """`x`, which is known to be less than another integer, traced or not (`supposed_range`)."""
    return _less.note(x, than)


def assume_least(x: Any, least: int) -> Assumed:
    """Takes for granted that the tracer `x` is no less than a number."""
    assumed = Assumed(least)
    _assumed.note(x, assumed)
    return assumed


def forget(x: Any) -> None:
    """Drops what was assumed of `x`."""
    _assumed.forget(x)


def range_of(x: Any, depth: int = _DEEPEST) -> Bounds | None:
    """The least and the greatest value of an integer scalar, or None where they are not known."""
    if not is_traced(x):
        if sizes.is_size(x):
            least = next((n for n in (1, 0) if sizes.is_known(x, ">=", n)), None)
            return None if least is None else (least, int(jnp.iinfo(jnp.result_type(int)).max))
        return (int(x), int(x)) if isinstance(x, int | np.integer) else None
    return None if x.shape else _of_elements(x, depth)


def _of_elements(x: Any, depth: int) -> Bounds | None:
    """Returns bounds of all elements: of a scalar, and of those that one has in the lanes of a `vmap`."""
    if not is_traced(x):
        return range_of(x)
    if (found := _known.of(x)) is not None:
        return found
    if depth == 0 or not is_integer_type(x.dtype) or x.dtype == bool:
        return (0, 1) if x.dtype == bool else None
    if (number := literal_value(x)) is not None:
        return int(number), int(number)
    if (assumed := _assumed.of(x)) is not None:
        assumed.is_used = True
        return assumed.least, int(jnp.iinfo(x.dtype).max)
    made = origin(x)
    if made is None:
        outer = x.val if hasattr(x, "batch_dim") else closed_over(x)
        return None if outer is None else _of_elements(outer, depth - 1)
    return _result(*made, lambda operand: _of_elements(operand, depth - 1), _limits_of(x.dtype))


class Limits(NamedTuple):
    """The least and the greatest integer of a type."""

    min: int
    max: int


@functools.cache
def _limits_of(dtype: Any) -> Limits:
    return Limits(int(jnp.iinfo(dtype).min), int(jnp.iinfo(dtype).max))


ANY = Limits(-(2**999), 2**999)
"""Bounds of an integer of which nothing is known, and which does not wrap around."""
_NONE = Limits(-(2**9999), 2**9999)
"""The limits of a type without limits: what is computed from such integers lies between them."""


def supposed_range(x: Any, of: Callable[[Any], Bounds | None]) -> Bounds:
    """Returns bounds of a traced integer if nothing that it is computed from wraps around: who relies on them checks again.

    Args:
        of: what gives those of the operands, and of what an item is less than.
    """
    low, high = range_of(x) or ANY
    made = origin(x)
    found = None if made is None else _result(*made, of, _NONE)
    if found is not None:
        low, high = max(low, found[0]), min(high, found[1])
    than = of(_less.of(x))
    return low, high if than is None else min(high, than[1] - 1)


def is_inside(x: Any, size: int) -> bool:
    """Whether an index is known to lie in `range(size)`."""
    bounds = range_of(x)
    return bounds is not None and 0 <= bounds[0] and bounds[1] < size


def is_natural(x: Any) -> bool:
    """Whether an integer is known not to be negative."""
    bounds = range_of(x)
    return (bounds is not None and bounds[0] >= 0) or _is_natural_sum(x)


def _is_natural_sum(x: Any) -> bool:
    """Whether an integer is an item of a range, less what the range begins with, and not negative therefore.

    Sums are taken for those of integers without bounds: where one wraps around, Python's index is out of range.
    """
    terms, number = as_sum(x)
    for item, factor in terms.values():
        known = _no_less.of(item) if factor == 1 else None
        if known is not None:
            of_least, more = as_sum(known[0])
            if _plus(terms, of_least).keys() == {id(item)} and number + more + known[1] >= 0:
                return True
    return False


_Terms = dict[int, tuple[Any, int]]


def as_sum(x: Any, depth: int = _DEEPEST) -> tuple[_Terms, int]:
    """An integer as a sum: tracers by identity with their factors, and a number."""
    number = x if isinstance(x, int | np.integer) else literal_value(x)
    if number is not None:
        return {}, int(number)
    made = origin(x) if depth else None
    if made is not None and made[0] in ("add", "sub"):
        (left, a), (right, b) = (as_sum(operand, depth - 1) for operand in made[1])
        sign = 1 if made[0] == "add" else -1
        return _plus(left, right, sign), a + sign * b
    if made is not None and made[0] in ("convert_element_type", "copy") and np.can_cast(made[1][0].dtype, x.dtype):
        return as_sum(made[1][0], depth - 1)
    outer = closed_over(x) if depth else None
    return ({id(x): (x, 1)}, 0) if outer is None else as_sum(outer, depth - 1)


def distance_of(x: Any, other: Any) -> int | None:
    """Returns how much an integer is more than another one, of two that are computed alike: of `n + 3` and `n - 2`; else None."""
    (terms, number), (others, less) = as_sum(x), as_sum(other)
    return None if _plus(terms, others, -1) else number - less


def _plus(terms: _Terms, others: _Terms, sign: int = 1) -> _Terms:
    total = {key: (x, terms.get(key, (x, 0))[1] + sign * factor) for key, (x, factor) in others.items()}
    return {key: term for key, term in {**terms, **total}.items() if term[1]}


def _result(name: str, operands: Any, params: Any, of: Callable[[Any], Bounds | None], limits: Limits) -> Bounds | None:
    """The bounds of the result of an operation, in the limits of its type; `of` gives those of its operands.

    An integer without an upper bound is one up to the greatest of its type. Of sums and products of such it is not assumed
    that they wrap around: Python's do not.
    """
    if name in ("argmax", "argmin"):
        [axis] = params["axes"]
        size = operands[0].shape[axis]
        return (0, size - 1) if isinstance(size, int) else None
    if name == "select_n":
        operands = operands[1:]
    elif name in ("jit", "pjit") and params.get("name") in ("floor_divide", "remainder"):
        name = params["name"]
    elif name in ("jit", "pjit") and params.get("name") == "clip":
        return _of_clip(params["jaxpr"].jaxpr, operands, of, limits)
    elif name not in _OF_INTEGERS and name not in _BY_ONE:
        return None
    known = [of(x) for x in operands]
    if name in ("max", "min") and any(known):
        known = [bounds or limits for bounds in known]
    if name in _BY_ONE:
        return _remainder(name, known)
    every = [bounds for bounds in known if bounds is not None]
    if len(every) < len(known):
        return None
    found = _OF_INTEGERS[name](*every)
    if found is None or found[0] < limits.min:
        return None
    if found[1] > limits.max:
        is_open = name in ("add", "mul") and any(high >= limits.max for _, high in every)
        return (found[0], limits.max) if is_open else None
    return found


def _of_clip(jaxpr: Any, operands: Any, of: Callable[[Any], Bounds | None], limits: Limits) -> Bounds | None:
    """Returns the bounds of what `jnp.clip` gives: it calls `max` and `min`."""
    known = {id(x): of(operand) for x, operand in zip(jaxpr.invars, operands, strict=True)}
    for eqn in jaxpr.eqns:
        known[id(eqn.outvars[0])] = _result(eqn.primitive.name, eqn.invars, eqn.params, lambda x: known.get(id(x)), limits)
    return known.get(id(jaxpr.outvars[0]))


def declare_extreme(name: str, x: Any, one: Any, other: Any) -> None:
    """Notes the size of `x`, the least (`name` is "min") or the greatest ("max") of two integers."""
    if is_traced(x) and not x.shape and is_integer_type(x.dtype):
        limits = _limits_of(x.dtype)
        known = [range_of(y) or limits for y in (one, other)]
        if (bounds := _OF_INTEGERS[name](*known)) is not None:
            declare_range(x, *bounds)


def bounds_of_result(name: str, *operands: Bounds) -> Bounds | None:
    """Returns the bounds of the result of an operation on two integers, in which nothing wraps around."""
    return _remainder(name, operands) if name in _BY_ONE else _OF_INTEGERS[name](*operands)


def _remainder(name: str, known: Sequence[Bounds | None]) -> Bounds | None:
    """The bounds of what one operand alone keeps small, whatever the other one is: a divisor, or a mask of bits."""
    if name == "and":
        natural = [bounds[1] for bounds in known if bounds is not None and bounds[0] >= 0]
        return (0, min(natural)) if natural else None
    number, by = known
    if by is None or by[0] <= 0:
        return None
    is_natural = name == "remainder" or (number is not None and number[0] >= 0)
    return (0 if is_natural else 1 - by[1]), by[1] - 1


def _product(x: Bounds, y: Bounds) -> Bounds:
    products = [a * b for a in x for b in y]
    return min(products), max(products)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: (x[0] + y[0], x[1] + y[1]),
    "sub": lambda x, y: (x[0] - y[1], x[1] - y[0]),
    "max": lambda *each: (max(x[0] for x in each), max(x[1] for x in each)),
    "min": lambda *each: (min(x[0] for x in each), min(x[1] for x in each)),
}
"""By operation, the least and the greatest of its results, of those of its operands: numbers of any kind."""

_BY_ONE = ("and", "rem", "remainder")
_OF_INTEGERS: dict[str, Callable[..., Bounds | None]] = OPERATIONS | {
    "clamp": lambda low, x, high: (min(max(low[0], x[0]), high[0]), min(max(low[1], x[1]), high[1])),
    **dict.fromkeys(("broadcast_in_dim", "convert_element_type", "copy"), lambda x: x),
    "div": lambda x, y: (x[0] // y[0], x[1] // y[0]) if x[0] >= 0 and y[0] == y[1] > 0 else None,
    "floor_divide": lambda x, y: (x[0] // y[0], x[1] // y[0]) if y[0] == y[1] > 0 else None,
    "mul": _product,
    "neg": lambda x: (-x[1], -x[0]),
    "select_n": lambda *each: (min(low for low, _ in each), max(high for _, high in each)),
}


def exact_integers() -> Any:
    """While it lasts, functions whose results soon outgrow an array's integers are refused on traced numbers.

    The loop that is tried is then unrolled, where its length is known, and its numbers are Python's, which have no limit.
    """
    return context.setting(_exact, value=True)


def check_exact(what: str) -> None:
    """Refuses what only holds of Python's integers, where a loop can be unrolled instead.

    >>> check_exact("math.factorial of a traced number")
    >>> with exact_integers():
    ...     check_exact("math.factorial of a traced number")
    Traceback (most recent call last):
    autograph.errors.StagingError: math.factorial of a traced number
    ...
    """
    if _exact.value:
        raise refusal(
            what,
            why="the loop is staged, and its numbers are those of a compiled program",
            instead="compute the next value from the last one, in floats",
        )
