"""Evaluates a function of Python numbers in each iteration of a loop, by Python's own rules.

A row holds one number for each iteration: a NumPy array of 64 bits, or of Python ints of any size. NumPy computes with a row if the
result surely equals Python's. Any other function is called once for each iteration.

| computed by NumPy | where |
| --- | --- |
| `+ - *` of ints | no result can leave 64 bits |
| `// % /` of ints | no divisor is 0; `/` up to 2**53 |
| `+ - * /` and comparisons of floats | ints beside them are at most 2**53 |
| `& \\| ^ >>`, comparisons, `min`, `max`, `not`, `abs` | ints, floats and bools of one kind |
| a choice of two | of one kind; a float of an int and a float, where the int is at most 2**53 |
| everything on NumPy's own numbers | operators and ufuncs |

>>> import math, operator
>>> index = Row(np.arange(4), int)
>>> evaluate(operator.mul, [index, 0.1]).values.tolist() == [i * 0.1 for i in range(4)]
True
>>> evaluate(operator.pow, [10, evaluate(operator.mul, [index, 9])]).values.tolist()[-1]
1000000000000000000000000000
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.tracing.context import progress

MOST_CELLS = 1 << 22
"""The most numbers that a row may have: a table of as many 32-bit numbers takes 16 MB."""
MOST_CALLS = 1 << 20
"""The most calls of a Python function for one row."""
MOST_CALLS_OF_LOOP = 1 << 23
"""The most calls of Python functions for all rows of a loop and of those inside: they take about two seconds."""

_EXACT = 1 << 53  # up to here each int is a float
_WIDE = 1 << 62  # up to here the sum of two ints fits into 64 bits
Active = Callable[[tuple[int, ...]], Any]
"""Says in which iterations the code that asks runs: a mask of bools in the given shape, or None for all."""


class NotKnown(Exception):
    """A function has no known number in each iteration: it raises, gives other kinds of things, or there are too many."""


class TooMany(NotKnown):
    """There are more iterations, calls or operations than Python computes before the program runs."""


PYTHONS = frozenset((int, float, bool))


def _may_be_known(kind: type) -> bool:
    return kind in PYTHONS or (issubclass(kind, np.generic) and np.dtype(kind).kind in "biuf")


may_be_known: Callable[[Any], bool] = functools.lru_cache(256)(_may_be_known)
"""Whether a class is one of numbers that may be known: Python's or NumPy's, except complex numbers."""


class Row(NamedTuple):
    """One number for each iteration.

    Attributes:
        values: array of int64, float64, bool, a NumPy type, or object for ints of any size. The last axis is that of the outermost
            loop, the one before it that of the loop inside. On an axis of length 1 the number is the same in all iterations.
        kind: the class that each number has in Python.
    """

    values: Any
    kind: type

    def constant(self) -> Any:
        """Returns the number that all iterations share; None where they differ."""
        flat = self.values.reshape(-1)
        first = flat[0]
        if flat.size > 1:
            bits = flat.view(f"u{flat.itemsize}") if flat.dtype.kind == "f" else flat  # -0.0 is not 0.0, NaN is NaN
            if bits[0] != bits[-1] or not (bits == bits[0]).all():
                return None
        return first if issubclass(self.kind, np.generic) or self.values.dtype == object else first.item()

    def bounds(self) -> tuple[int, int] | None:
        """Returns the least and the greatest of ints or bools; None of any other numbers."""
        if self.values.dtype.kind not in "iubO":
            return None
        return int(self.values.min()), int(self.values.max())


def evaluate(fn: Callable[..., Any], args: Sequence[Any], active: Active = lambda shape: None) -> Row:
    """Computes `fn(*args)` in each iteration.

    Args:
        args: rows, and numbers that are the same in all iterations.
        active: asked where the function raises: only the iterations count in which the code runs.
    Raises:
        NotKnown: see there.
    """
    if (of_rows := getattr(fn, "of_rows", None)) is not None:
        return of_rows(args)
    rows = [a for a in args if type(a) is Row]
    shape = np.broadcast_shapes(*(row.values.shape for row in rows))
    if math.prod(shape) > MOST_CELLS:
        raise TooMany(f"there are {math.prod(shape):,} iterations")
    if any(issubclass(a.kind if type(a) is Row else type(a), np.generic) for a in args) or isinstance(fn, np.ufunc):
        computed = _by_numpy(fn, args)
    else:
        values = by_vectors(fn, [a.values if type(a) is Row else np.asarray(a) for a in args])
        computed = None if values is None else Row(values, _KINDS[values.dtype.kind])
    return _one_by_one(fn, args, shape, active) if computed is None else computed


_KINDS = {"b": bool, "i": int, "f": float}


def row_of(numbers: Any, shape: tuple[int, ...] | None = None) -> Row:
    """Makes a row of numbers of one kind.

    >>> row_of([1, 2**70]).values.dtype, row_of([0.5, 1.0]).kind.__name__
    (dtype('O'), 'float')

    Raises:
        NotKnown: they are of several kinds, or no numbers.
    """
    objects = np.empty(len(numbers), object)
    objects[:] = numbers
    kinds = set(map(type, numbers))
    if len(kinds) != 1:
        raise NotKnown(f"it is of several kinds: {', '.join(sorted(kind.__name__ for kind in kinds))}")
    (kind,) = kinds
    shape = (len(numbers),) if shape is None else shape
    if kind is int:
        low, high = min(numbers), max(numbers)
        return Row((objects.astype(np.int64) if -(2**63) <= low and high < 2**63 else objects).reshape(shape), int)
    if kind in (float, bool) or may_be_known(kind):
        return Row(objects.astype(kind).reshape(shape), kind)
    raise NotKnown(f"it is no real number but {kind.__name__}")


def _one_by_one(fn: Callable[..., Any], args: Sequence[Any], shape: tuple[int, ...], active: Active) -> Row:
    """Calls `fn` for each iteration."""
    size = math.prod(shape)
    if size > MOST_CALLS:
        raise TooMany(f"it takes {size:,} calls of a Python function")
    if progress.level is not None:
        progress.calls += size
        if progress.calls > MOST_CALLS_OF_LOOP:
            raise TooMany(f"the loop takes {progress.calls:,} calls of Python functions")
    columns = [_numbers(a, shape) for a in args]
    try:
        return row_of([fn(*numbers) for numbers in zip(*columns, strict=True)], shape)
    except NotKnown:
        raise
    except Exception as error:
        mask = active(shape)
        if mask is None or mask.all():
            raise NotKnown(f"Python raises {type(error).__name__} in an iteration") from None
    where = np.flatnonzero(np.broadcast_to(mask, shape))
    try:
        found = [fn(*(column[k] for column in columns)) for k in where]
    except Exception as error:
        raise NotKnown(f"Python raises {type(error).__name__} in an iteration") from None
    if not found:
        raise NotKnown("it is computed in no iteration")
    numbers = [found[0]] * size
    for k, number in zip(where, found, strict=True):
        numbers[k] = number
    return row_of(numbers, shape)


def _numbers(a: Any, shape: tuple[int, ...]) -> list[Any]:
    """Returns an argument in each iteration, in the class that it has in Python."""
    if type(a) is not Row:
        return [a] * math.prod(shape)
    flat = np.broadcast_to(a.values, shape).reshape(-1)
    return list(flat) if issubclass(a.kind, np.generic) else flat.tolist()


# --- Python's numbers, by NumPy ---

_ARITHMETIC: dict[Any, Any] = {operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply}
COMPARISONS: dict[Any, Any] = {
    operator.lt: np.less, operator.le: np.less_equal, operator.gt: np.greater,
    operator.ge: np.greater_equal, operator.eq: np.equal, operator.ne: np.not_equal,
}  # fmt: skip
_BITS: dict[Any, Any] = {operator.and_: np.bitwise_and, operator.or_: np.bitwise_or, operator.xor: np.bitwise_xor}


def choice(test: Any, a: Any, b: Any) -> Any:
    """`a if test else b`."""
    return a if test else b


def by_vectors(fn: Any, arrays: Sequence[Any]) -> Any:
    """`fn` of arrays of Python's numbers; None where NumPy may not give what Python gives."""
    if any(x.dtype.kind not in "bif" for x in arrays):
        return None
    with np.errstate(all="ignore"):
        if len(arrays) == 1:
            return _of_one(fn, *arrays)
        if len(arrays) == 2:
            return _of_two(fn, *arrays)
    if fn is choice and arrays[0].dtype == bool:
        _, a, b = arrays
        is_float = {a.dtype.kind, b.dtype.kind} == {"i", "f"} and max(_reach(a), _reach(b)) <= _EXACT  # as in a program
        return np.where(*arrays) if is_float or a.dtype == b.dtype else None
    return None


def _of_one(fn: Any, x: Any) -> Any:
    if fn in (operator.not_, bool):
        return x == 0 if fn is operator.not_ else x != 0
    if fn is float and _reach(x) <= _EXACT:
        return x.astype(np.float64)
    if x.dtype.kind == "f":
        if fn in (int, math.floor, math.ceil, math.trunc, round) and np.isfinite(x).all() and np.abs(x).max() < _WIDE:
            rounded = {math.floor: np.floor, math.ceil: np.ceil, round: np.rint}.get(fn, np.trunc)
            return rounded(x).astype(np.int64)
        if fn is math.sqrt and (x >= 0).all():
            return np.sqrt(x)
    elif fn in (int, math.floor, math.ceil, math.trunc, round):
        return x.astype(np.int64)
    elif fn is math.sqrt and _reach(x) <= _EXACT and x.min() >= 0:
        return np.sqrt(x.astype(np.float64))
    if fn not in _SIGNS or _reach(x) >= _WIDE:
        return None
    return _SIGNS[fn](x.astype(np.int64) if x.dtype == bool else x)


_SIGNS: dict[Any, Any] = {operator.neg: np.negative, operator.pos: np.positive, abs: np.abs, operator.abs: np.abs}


def _of_two(fn: Any, x: Any, y: Any) -> Any:
    if fn in _BITS and x.dtype == y.dtype == bool:
        return _BITS[fn](x, y)
    if fn in (min, max):
        # The first one of two that are equal, also of 0.0 and -0.0, and of a NaN.
        return np.where(y > x if fn is max else y < x, y, x) if x.dtype == y.dtype else None
    x, y = (a.astype(np.int64) if a.dtype == bool else a for a in (x, y))
    if "f" in (x.dtype.kind, y.dtype.kind):
        if _reach(x) > _EXACT or _reach(y) > _EXACT:
            return None
        if fn is operator.truediv:
            return np.true_divide(x, y) if (y != 0).all() else None
        ufunc = _ARITHMETIC.get(fn) or COMPARISONS.get(fn)
        return ufunc and ufunc(x, y)

    ufunc, is_exact = _OF_INTS.get(fn, (None, None))
    return ufunc(x, y) if ufunc is not None and is_exact(x, y) else None


def _reach(*xs: Any) -> int:
    """Returns the greatest size of ints; 0 of floats, which have no limit."""
    return max(0 if x.dtype.kind == "f" else max(abs(int(x.min())), abs(int(x.max()))) for x in xs)


def _power_fits(x: Any, y: Any) -> bool:
    return bool(y.min() >= 0) and max(_reach(x), 2) ** min(int(y.max()), 64) < _WIDE


_OF_INTS: dict[Any, Any] = {
    **{fn: (ufunc, lambda x, y: True) for fn, ufunc in (COMPARISONS | _BITS).items()},
    operator.add: (np.add, lambda x, y: _reach(x, y) < _WIDE),
    operator.sub: (np.subtract, lambda x, y: _reach(x, y) < _WIDE),
    operator.mul: (np.multiply, lambda x, y: _reach(x) * _reach(y) < _WIDE),
    operator.floordiv: (np.floor_divide, lambda x, y: (y != 0).all() and _reach(x, y) < _WIDE),
    operator.mod: (np.remainder, lambda x, y: (y != 0).all() and _reach(x, y) < _WIDE),
    operator.truediv: (np.true_divide, lambda x, y: (y != 0).all() and _reach(x, y) <= _EXACT),
    operator.rshift: (lambda x, y: np.right_shift(x, np.minimum(y, 63)), lambda x, y: y.min() >= 0),
    operator.lshift: (np.left_shift, lambda x, y: 0 <= y.min() and y.max() < 62 and _reach(x) << int(y.max()) < _WIDE),
    **dict.fromkeys((operator.pow, pow), (np.power, _power_fits)),
}
"""Functions of two arrays of Python ints, each with whether NumPy gives what Python gives."""


# --- NumPy's numbers ---

_OF_NUMPY: dict[Any, Any] = {
    **_ARITHMETIC, **COMPARISONS, **_BITS, operator.truediv: np.true_divide, operator.floordiv: np.floor_divide,
    operator.mod: np.remainder, operator.neg: np.negative, abs: np.abs, operator.pos: np.positive,
}  # fmt: skip


def _by_numpy(fn: Any, args: Sequence[Any]) -> Row | None:
    """Applies an operator or a ufunc to NumPy's numbers, beside Python's; None where it is to be called for each iteration."""
    ufunc = fn if isinstance(fn, np.ufunc) else _OF_NUMPY.get(fn)
    if ufunc is None:
        return None
    types = [np.dtype(a.kind if type(a) is Row else type(a)) for a in args if _is_numpys(a)]
    own = np.result_type(*types) if types else None
    if own is not None and own.kind != "f" and not all(map(_is_numpys, args)):
        return None  # an int of Python's beside NumPy's ints may be out of bounds
    arrays = []
    for a in args:
        x = a.values if type(a) is Row else a
        if type(a) is Row and x.dtype == object:
            return None
        arrays.append(x.astype(own) if own is not None and type(a) is Row and not _is_numpys(a) else x)
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(ufunc(*arrays))
    except Exception:
        return None  # called for each iteration it says in which one
    return Row(found, found.dtype.type) if found.dtype.kind in "biuf" else None


def _is_numpys(a: Any) -> bool:
    return issubclass(a.kind if type(a) is Row else type(a), np.generic)
