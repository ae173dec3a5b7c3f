"""Comparing what holds traced values: tuples, lists, dicts and deques part by part, as Python compares them, and objects.

An operator on two arrays or numbers is the operator itself. Python's own comparison of containers reads the truth of
each pair, and `object.__ne__` that of what `__eq__` returns: here the answer may be traced.

>>> import jax
>>> f = jax.jit(lambda x: (compare_values((x, 2), "==", (3, 2)), compare_values([x, 5], "<", [3, x])))
>>> [bool(b) for b in f(3)], [bool(b) for b in f(2)]
([True, False], [False, True])
>>> compare_values((1, 2), "<", (1, 3)), compare_values((1, 2), "==", [1, 2])
(True, False)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

import numpy as np
from jax import lax

from autograph.runtime.heap import aliases
from autograph.runtime.jaxprs.binding import predicate
from autograph.runtime.sequences import short_circuit
from autograph.runtime.sequences.large_integers import COMPARISONS as OPERATORS
from autograph.runtime.tracing import sizes
from autograph.runtime.tracing.class_lookup import python_method, static_lookup
from autograph.runtime.tracing.families import JAX_ARRAYS, SCALARS
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.truth import truth_value

_METHODS = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "==": "__eq__", "!=": "__ne__"}
_SIMPLE = SCALARS | {np.ndarray}
_SEQUENCES = (tuple, list, deque)
_MISSING: Any = object()
_WHAT = "a comparison of containers"


def compare_values(left: Any, symbol: str, right: Any) -> Any:
    """`left <symbol> right`."""
    if _is_simple(left) and _is_simple(right):
        return OPERATORS[symbol](left, right)
    if sizes.is_size(left) or sizes.is_size(right):
        return sizes.compare_sizes(left, symbol, right)
    kind = _container(type(left), _METHODS[symbol])
    if kind is not None and kind is _container(type(right), _METHODS[symbol]):
        if may_be_traced(left) or may_be_traced(right):
            return _compare_containers(kind, left, symbol, right)
    elif symbol == "!=" and (_negates_equality(type(left)) or _negates_equality(type(right))):
        return _unequal(left, right)
    if symbol in ("==", "!=") and left is not right and _by_identity(type(left)) and _by_identity(type(right)):
        aliases.check_identity(left, right)
    return OPERATORS[symbol](left, right)


def check_search(x: Any, container: Any) -> None:
    """Refuses to look for an object that is equal to itself alone among others of which one may be it.

    Raises:
        StagingError: see `aliases.check_identity`.
    """
    if aliases.any_merged():
        for item in container:
            _check_pair(x, item)


def hashed(x: Any, /) -> int:
    """`hash(x)`; refuses to tell the hash of an object that may be one of several."""
    _check_hash(x)
    return hash(x)


def _check_hash(x: Any) -> None:
    if type(x) is tuple:
        for part in x:  # by itself: since Python 3.14 a tuple keeps its hash, and asks a size in it no more
            _check_hash(part)
    elif sizes.is_size(x):
        hash(x)  # raises in converted code
    elif aliases.any_merged() and _by_identity(type(x)):
        aliases.check_identity(x, x)


def _check_pair(a: Any, b: Any) -> None:
    if type(a) is tuple and type(b) is tuple and len(a) == len(b):
        for x, y in zip(a, b, strict=True):
            _check_pair(x, y)
    elif a is not b and _by_identity(type(a)) and _by_identity(type(b)):
        aliases.check_identity(a, b)


def _by_identity(kind: type) -> bool:
    """Whether objects of a class are equal to themselves alone."""
    return static_lookup(kind, "__eq__") is object.__eq__


def _operator(symbol: str) -> Callable[[Any, Any], Any]:
    def operate(left: Any, right: Any) -> Any:
        return compare_values(left, symbol, right)

    operate.__name__ = operate.__qualname__ = OPERATORS[symbol].__name__
    operate.__doc__ = f"`left {symbol} right`."
    return operate


COMPARISONS = {symbol: _operator(symbol) for symbol in OPERATORS}
lt, le, gt, ge, eq, ne = COMPARISONS.values()


def matches(left: Any, right: Any) -> Any:
    """Whether two values are the same object or equal, as containers compare: a bool, or a traced one."""
    return True if left is right else _truth(compare_values(left, "==", right))


class Undecided(Exception):
    """A comparison needs the truth of a traced value."""


def precedes(left: Any, right: Any) -> bool:
    """`left < right`, where Python knows it: the first pair that differs comes before any traced value.

    Raises:
        Undecided: a traced value decides.
    """
    kind = _container(type(left), "__lt__")
    if kind in _SEQUENCES and kind is _container(type(right), "__lt__"):
        for a, b in zip(left, right, strict=False):
            if not (a is b or _are_equal(a, b)):
                return precedes(a, b)
        return len(left) < len(right)
    return _known(left, "<", right)


def _are_equal(left: Any, right: Any) -> bool:
    kind = _container(type(left), "__eq__")
    if kind in _SEQUENCES and kind is _container(type(right), "__eq__"):
        return len(left) == len(right) and all(a is b or _are_equal(a, b) for a, b in zip(left, right, strict=True))
    return _known(left, "==", right)


def _known(left: Any, symbol: str, right: Any) -> bool:
    """A comparison of no sequences; that of arrays is not even begun, for it would stand in the program."""
    if isinstance(left, JAX_ARRAYS) or isinstance(right, JAX_ARRAYS):
        raise Undecided
    result = _truth(compare_values(left, symbol, right))
    if is_traced(result):
        raise Undecided
    return cast(bool, result)


def may_be_traced(x: Any, around: frozenset[int] = frozenset()) -> bool:
    """Whether comparing `x` may give a traced value: it is one, holds one, or has an `__eq__` of the user's.

    Args:
        around: the ids of the containers that it lies in, of which it may be one.
    """
    if _is_simple(x):
        return is_traced(x)
    kind = type(x)
    if issubclass(kind, _SEQUENCES) or issubclass(kind, dict):
        inside = around | {id(x)}
        parts = dict.values(x) if issubclass(kind, dict) else x
        return len(inside) > len(around) and any(may_be_traced(part, inside) for part in parts)
    return python_method(kind, "__eq__") is not None or (aliases.any_merged() and aliases.is_of_several(x))


def _is_simple(x: Any) -> bool:
    kind = type(x)
    return kind in _SIMPLE or issubclass(kind, JAX_ARRAYS)


def _container(kind: type, method: str) -> type | None:
    """The builtin container whose comparison a class has, if it is one; of dicts only equality is known."""
    for base in (*_SEQUENCES, dict):
        if issubclass(kind, base):
            own = base.__dict__[method]
            return base if static_lookup(kind, method) is own else None
    return None


def _truth(x: Any) -> Any:
    x = truth_value(x)
    return predicate(x) if is_traced(x) else bool(x)


def _not(x: Any) -> Any:
    return lax.bitwise_not(x) if is_traced(x) else not x


def _compare_containers(kind: type, left: Any, symbol: str, right: Any) -> Any:
    if kind is dict and symbol not in ("==", "!="):
        return OPERATORS[symbol](left, right)
    if symbol in ("==", "!="):
        equal = left is right or (_equal_dicts if kind is dict else _equal_sequences)(left, right)
        return equal if symbol == "==" else _not(equal)
    return _ordered(list(left), symbol, list(right), 0)


def _equal_sequences(left: Any, right: Any) -> Any:
    return len(left) == len(right) and _all(zip(left, right, strict=True))


def _equal_dicts(left: Any, right: Any) -> Any:
    if len(left) != len(right):
        return False
    pairs = [(value, dict.get(right, key, _MISSING)) for key, value in dict.items(left)]
    return all(other is not _MISSING for _, other in pairs) and _all(pairs)


def _all(pairs: Iterable[tuple[Any, Any]]) -> Any:
    result: Any = True
    for a, b in pairs:
        same = matches(a, b) if result is True else short_circuit.evaluated(partial(matches, a, b), result, True, _WHAT)
        if same is False:
            return False
        result = _choose(result, same, False)
    return result


def _ordered(left: list[Any], symbol: str, right: list[Any], start: int) -> Any:
    """The first pair that differs decides; where none does, the lengths."""
    for n in range(start, min(len(left), len(right))):
        same = matches(left[n], right[n])
        if same is not True:
            here = partial(compare_values, left[n], symbol, right[n])
            if same is False:
                return here()
            rest = partial(_ordered, left, symbol, right, n + 1)
            return _choose(
                same,
                short_circuit.evaluated(rest, same, True, _WHAT),
                short_circuit.evaluated(here, same, False, _WHAT),
            )
    return OPERATORS[symbol](len(left), len(right))


def _choose(test: Any, yes: Any, no: Any) -> Any:
    """`yes if test else no`, of bools."""
    if not is_traced(test):
        return yes if test else no
    yes, no = _truth(yes), _truth(no)
    if no is False:
        return test if yes is True else False if yes is False else lax.bitwise_and(test, yes)
    return lax.bitwise_or(lax.bitwise_and(test, yes), lax.bitwise_and(lax.bitwise_not(test), no))


# --- `!=` of objects that only define `__eq__` ---

_UNEQUAL = object.__dict__["__ne__"]


def _negates_equality(kind: type) -> bool:
    return python_method(kind, "__eq__") is not None and static_lookup(kind, "__ne__") is _UNEQUAL


def _unequal(left: Any, right: Any) -> Any:
    """`left != right`, by the method of the right side first where its class is derived from the left one's."""
    sides = [(left, right), (right, left)]
    if type(left) is not type(right) and issubclass(type(right), type(left)):
        sides.reverse()
    for a, b in sides:
        found = _asked(a, b)
        if found is not NotImplemented:
            return found
    return left is not right


def _asked(a: Any, b: Any) -> Any:
    kind = type(a)
    if static_lookup(kind, "__ne__") is not _UNEQUAL:
        return cast(Any, kind).__ne__(a, b)
    equal = cast(Any, kind).__eq__(a, b)
    return equal if equal is NotImplemented else _not(_truth(equal))
