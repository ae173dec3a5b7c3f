"""What the tests on the way decide of a comparison: in the branch behind `x > 0`, neither `x > 0` nor `-x > 0` is a question.

So the recursion of `return -f(-x)` behind `if x < 0` ends, and that of `gcd(b, a)` behind `if a < b`. Two ways lead to it: what a
path says of the same two operands, or of the same operations on them, and the interval that it leaves for an expression. The
ends of an interval are rounded as the operation on them is, which keeps their order; where integers may wrap around, nothing
is known.

>>> import jax
>>> def f(x):
...     print(decided(-x > 0, implied_by(x > 0, True)), decided(1 - x < 0.5, implied_by(x < 0.5, True)))
...     print(decided(x < 3, implied_by(x < 2, False)))
...     return x
>>> _ = jax.make_jaxpr(f)(3.0)
False False
None
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autograph.jax_internals import closed_over, literal_value, origin
from autograph.runtime.tracing import integer_ranges
from autograph.runtime.tracing.families import NUMBERS
from autograph.runtime.tracing.staging import is_traced

_HOLD = {"eq": "=", "ne": "<>?", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
"""The relations of two numbers for which a comparison is true; `?` is that of a NaN to any number."""
_MIRRORED = str.maketrans("<>", "><")
_DEEPEST = 8  # operations that are followed back


class Implied(NamedTuple):
    """What a test implies of two scalars, since it came out as it did.

    Attributes:
        keys: what tells the two from others (`_signed`).
        relations: those that they can have.
        numbers: of each expression in it that is compared with a number: its key, that number, and the relations.
        names_number: whether the test compares with a number.
        pair: the two.
    """

    keys: tuple[Any, Any]
    relations: frozenset[str]
    numbers: list[tuple[tuple[int, Any], Any, frozenset[str]]]
    names_number: bool
    pair: tuple[Any, Any]


class _Compared(NamedTuple):
    left: Any
    right: Any
    relations: frozenset[str]


class Interval(NamedTuple):
    """The numbers that a scalar can be: both ends are among them."""

    low: Any
    high: Any
    may_be_nan: bool = False


def implied_by(test: Any, holds: bool) -> list[Implied]:
    """What a test of scalars implies where it comes out so.

    A test is a comparison, or one of several: `a and b` that was true implies both.
    """
    return [_implied(one) for one in _read(test, holds)]


def _implied(one: _Compared) -> Implied:
    both = (one, _Compared(one.right, one.left, _mirrored(one.relations)))
    numbers = [
        (_signed(found.left), found.right, found.relations)
        for side in both
        if _is_number(side.right) and side.right == side.right
        for found in _solved(side)
    ]
    names_number = _is_number(one.left) or _is_number(one.right)
    return Implied((_signed(one.left), _signed(one.right)), one.relations, numbers, names_number, (one.left, one.right))


def decided(test: Any, path: list[Implied]) -> bool | None:
    """What a test of scalars comes to where the tests of a path imply this; None if unknown.

    Of several comparisons, `a and b` is false where one of them is.
    """
    name, operands = _operation(test)
    if name in ("and", "or"):
        each = [decided(operand, path) for operand in operands]
        ends = name == "or"
        return ends if ends in each else None if None in each else not ends
    if name == "not":
        truth = decided(operands[0], path)
        return None if truth is None else not truth
    compared = next(_read(test, True), None)
    if compared is None:
        return None
    possible = frozenset("<=>?")
    left, right = _signed(compared.left), _signed(compared.right)
    for one in path:
        if one.keys == (left, right):
            possible &= one.relations
        elif one.keys == (right, left):
            possible &= _mirrored(one.relations)
    is_number_known = any(one.names_number for one in path)
    if is_number_known or operands[0].dtype.kind != "f":  # an integer's interval may be known without a test
        known = _Known(path)
        possible &= _relations(known.of(compared.left), known.of(compared.right))
    return True if possible <= compared.relations else None if possible & compared.relations else False


def bounds_behind(x: Any, path: list[Implied]) -> integer_ranges.Bounds | None:
    """Returns bounds of an integer, which the tests of a path imply if nothing wraps around: who relies on them checks again."""
    return _Supposed(path).bounds(_root(x))


def _operation(test: Any) -> tuple[str, Any]:
    """The name and the operands of the operation that made a test; no name where that is not known."""
    made = origin(test) if is_traced(test) and not test.shape and test.dtype == bool else None
    if made is not None and made[0] == "convert_element_type" and made[1][0].dtype == bool:
        return _operation(made[1][0])  # `bool(a > b)`
    return ("", ()) if made is None else made[:2]


def _read(test: Any, holds: bool) -> Iterator[_Compared]:
    """The comparisons that tell something where a test comes out so: two scalars each, and how they can be related."""
    pending = [(test, holds)]
    while pending:
        test, holds = pending.pop()
        name, operands = _operation(test)
        if name == "not":
            pending.append((operands[0], not holds))
        elif name == ("and" if holds else "or"):
            pending += [(operand, holds) for operand in reversed(operands)]
        elif name in _HOLD and np.dtype(operands[0].dtype).kind in "iuf":
            left, right = map(_root, operands)
            true = frozenset(_HOLD[name])
            yield _Compared(left, right, true if holds else frozenset("<=>?") - true)


def _mirrored(relations: Iterable[str]) -> frozenset[str]:
    return frozenset("".join(relations).translate(_MIRRORED))


def _root(x: Any, depth: int = _DEEPEST) -> Any:
    """Follows a scalar back to the outermost trace, through conversions that change no number; returns a number if it is known."""
    while is_traced(x):
        made = origin(x)
        if (number := literal_value(x)) is not None:
            return np.asarray(number).item()
        if made is not None and made[0] in ("convert_element_type", "copy") and _is_wider(made[1][0].dtype, x.dtype):
            x = made[1][0]
        elif (outer := closed_over(x)) is not None:
            x = outer
        else:
            return x if made is None else _folded(x, *made[:2], depth)
    return x.item() if isinstance(x, np.generic) else x


def _folded(x: Any, name: str, operands: Any, depth: int) -> Any:
    """Computes a recorded operation on known numbers; returns `x` where one is unknown or the result wraps around."""
    kind = np.dtype(x.dtype)
    if not depth or name not in _OPERATIONS or kind.kind not in "iuf":
        return x
    numbers = []
    for operand in operands:
        number = _root(operand, depth - 1)
        if not _is_number(number):
            return x
        numbers.append(Interval(number, number))
    if kind.kind == "f":
        result = _rounded(_OPERATIONS[name], numbers, kind)
        return result.low if result.low == result.high and not result.may_be_nan else x
    low, _ = _OPERATIONS[name](*numbers)
    return low if np.iinfo(kind).min <= low <= np.iinfo(kind).max else x


def _is_number(x: Any) -> bool:
    """Whether an operand is a number that the program names; to read an array's would be to wait for it."""
    return type(x) in NUMBERS


def _is_wider(before: Any, after: Any) -> bool:
    """Whether a conversion changes no number."""
    return before.kind == after.kind and np.can_cast(before, after)


def _signed(x: Any, depth: int = _DEEPEST) -> tuple[int, Any]:
    """A sign, and what tells the number that it stands before from others: the same operations on the same scalars are one.

    Signs are taken out of what does not wrap around: `-q * (a - b)` is `q * (b - a)`, except for the sign of a zero.
    """
    if _is_number(x):
        return 1, (type(x), x)
    made = origin(x) if is_traced(x) and depth else None
    if made is None or made[0] not in _OPERATIONS or any(operand.shape for operand in made[1]):
        return 1, id(x)
    name, operation = made[0], (made[0], str(x.dtype))
    (sign, a), *others = (_signed(_root(operand), depth - 1) for operand in made[1])
    if x.dtype.kind == "f" or (x.dtype.kind == "i" and x.weak_type):
        if name == "neg":
            return -sign, a
        if name == "mul":
            return sign * others[0][0], (*operation, *_ordered(a, others[0][1]))
        if name == "sub" and sign == others[0][0]:
            first, second = _ordered(a, others[0][1])
            return sign if first == a else -sign, (*operation, first, second)
    operands = [(sign, a), *others]
    return 1, (*operation, *(operands if name == "sub" else _ordered(*operands)))


def _ordered(*keys: Any) -> tuple[Any, ...]:
    return tuple(sorted(keys, key=repr))


def _relations(a: Interval, b: Interval) -> frozenset[str]:
    """The relations that numbers of two intervals can have."""
    possible = {
        "<": a.low < b.high,
        ">": a.high > b.low,
        "=": a.low <= b.high and b.low <= a.high,
        "?": a.may_be_nan or b.may_be_nan,
    }
    return frozenset(relation for relation, is_possible in possible.items() if is_possible)


_ANY = Interval(-math.inf, math.inf, True)


class _Known:
    """The intervals that the tests of a path leave."""

    def __init__(self, path: list[Implied]) -> None:
        self.numbers = [found for one in path for found in one.numbers]
        self.found: dict[int, Interval] = {}

    def of(self, x: Any, depth: int = _DEEPEST) -> Interval:
        if _is_number(x):
            return Interval(x, x) if x == x else _ANY
        if id(x) not in self.found:
            self.found[id(x)] = self._behind_tests(x, self._computed(x, depth))
        return self.found[id(x)]

    def _behind_tests(self, x: Any, found: Interval) -> Interval:
        sign, key = _signed(x)
        others = set()
        for (one_sign, one), number, relations in self.numbers:
            if one != key:
                continue
            if sign != one_sign:
                number, relations = -number, _mirrored(relations)
            low = -math.inf if "<" in relations else number if "=" in relations else _next(number, x, 1)
            high = math.inf if ">" in relations else number if "=" in relations else _next(number, x, -1)
            found = Interval(max(found.low, low), min(found.high, high), found.may_be_nan and "?" in relations)
            if "=" not in relations:
                others.add(number)
        while found.low in others and found.low < found.high:
            found = found._replace(low=_next(found.low, x, 1))
        while found.high in others and found.low < found.high:
            found = found._replace(high=_next(found.high, x, -1))
        return found

    def _computed(self, x: Any, depth: int) -> Interval:
        """The interval that a scalar has by its type, by what is known of it, and by what it is computed from."""
        kind = np.dtype(getattr(x, "dtype", object))
        if kind.kind == "f":
            every = _ANY
        elif kind.kind not in "iu":
            return _ANY
        else:
            bounds, limits = integer_ranges.range_of(x), np.iinfo(kind)
            every = Interval(*(bounds or (int(limits.min), int(limits.max))))
        made = origin(x) if depth else None
        operation = None if made is None else _OPERATIONS.get(made[0])
        if made is None or operation is None:
            return every
        operands = [self.of(_root(operand), depth - 1) for operand in made[1]]
        if kind.kind == "f":
            return _rounded(operation, operands, kind)
        low, high = operation(*operands)
        if not x.weak_type and not (limits.min <= low and high <= limits.max):
            return every  # it may wrap around; Python's numbers do not
        return Interval(max(low, every.low), min(high, every.high))


class _Supposed(_Known):
    """The same, of integers that do not wrap around; tests of one against another tell of both."""

    def __init__(self, path: list[Implied]) -> None:
        super().__init__(path)
        pairs = [_Compared(*one.pair, one.relations) for one in path]
        pairs += [_Compared(one.right, one.left, _mirrored(one.relations)) for one in pairs]
        self.pairs = [found for one in pairs for found in _solved(one, wraps=False)]

    def bounds(self, x: Any, depth: int = _DEEPEST) -> integer_ranges.Bounds | None:
        """Returns the interval of an integer, as ints; None of other values."""
        if type(x) is not int and not (is_traced(x) and not x.shape and x.dtype.kind in "iu"):
            return None
        low, high, _ = self.of(x, depth)
        return math.ceil(low), math.floor(high)

    def of(self, x: Any, depth: int = _DEEPEST) -> Interval:
        if id(x) in self.found or _is_number(x):
            return super().of(x)
        self.found[id(x)] = Interval(*integer_ranges.ANY)  # for a test that asks of `x` again
        found = self._behind_tests(x, self._computed(x, depth))
        for one in self.pairs:
            if depth and _signed(one.left) == _signed(x):
                other, more = self.of(one.right, depth - 1), "=" not in one.relations
                low = found.low if "<" in one.relations else other.low + more
                high = found.high if ">" in one.relations else other.high - more
                found = Interval(max(found.low, low), min(found.high, high))
        self.found[id(x)] = found
        return found

    def _computed(self, x: Any, depth: int) -> Interval:
        def of(operand: Any) -> integer_ranges.Bounds | None:
            return self.bounds(_root(operand), depth - 1) if depth else None

        return Interval(*integer_ranges.supposed_range(x, of))


def _solved(one: _Compared, depth: int = _DEEPEST, wraps: bool = True) -> Iterator[_Compared]:
    """Returns a comparison, and what follows from it for the integer inside: `i == 4` from `i - 1 == 3`.

    Args:
        wraps: whether integers may wrap around.
    """
    yield one
    made = origin(one.left) if depth and is_traced(one.left) and one.left.dtype.kind in "iu" else None
    if made is None or made[0] not in ("add", "sub"):
        return
    left, right = map(_root, made[1])
    sign = 1 if made[0] == "add" else -1
    if not _is_number(one.right):
        return
    if _is_number(right) and (not wraps or _is_unbounded(left)):
        yield from _solved(_Compared(left, one.right - sign * right, one.relations), depth - 1, wraps)
    elif _is_number(left) and (not wraps or _is_unbounded(right)):
        found = _Compared(right, sign * (one.right - left), one.relations)
        yield from _solved(found if sign > 0 else found._replace(relations=_mirrored(one.relations)), depth - 1, wraps)


def _is_unbounded(x: Any) -> bool:
    """Whether an integer is a Python one, or so small that a sum with it does not wrap around."""
    return bool(x.weak_type) or integer_ranges.range_of(x) is not None


def _next(number: Any, x: Any, step: int) -> Any:
    """The number before or after another one, of those that `x` can be."""
    kind = np.dtype(x.dtype)
    return number + step if kind.kind != "f" else float(np.nextafter(kind.type(number), kind.type(step * math.inf)))


def _rounded(operation: Callable[..., Any], operands: list[Interval], kind: np.dtype[Any]) -> Interval:
    """The interval of an operation on floats: its ends are rounded as each of its results is."""
    with np.errstate(all="ignore"):
        low, high = operation(*(Interval(kind.type(one.low), kind.type(one.high)) for one in operands))
    if low != low or high != high:
        return _ANY  # it makes a NaN of infinities
    may_be_nan = any(one.may_be_nan for one in operands) or _makes_nan(operation, operands)
    return Interval(float(low), float(high), may_be_nan)


def _makes_nan(operation: Callable[..., Any], operands: list[Interval]) -> bool:
    """Whether an operation on ends of the intervals is a NaN: the difference of two infinities."""
    with np.errstate(all="ignore"):
        ends = itertools.product(*((one.low, one.high) for one in operands))
        results = (operation(*(Interval(np.float64(x), np.float64(x)) for x in each)) for each in ends)
        return any(number != number for pair in results for number in pair)


def _product(a: Interval, b: Interval) -> tuple[Any, Any]:
    products = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    if any(x != x for x in products) or any(_spans_zero(x) and math.isinf(y.high - y.low) for x, y in ((a, b), (b, a))):
        return math.nan, math.nan
    return min(products), max(products)


def _spans_zero(x: Interval) -> bool:
    return bool(x.low <= 0 <= x.high)


_OPERATIONS: dict[str, Callable[..., tuple[Any, Any]]] = {
    **integer_ranges.OPERATIONS,
    "neg": lambda a: (-a.high, -a.low),
    "mul": _product,
    "abs": lambda a: (0 * a.low if _spans_zero(a) else min(abs(a.low), abs(a.high)), max(abs(a.low), abs(a.high))),
}
"""By operation, the ends of the interval of its results."""
