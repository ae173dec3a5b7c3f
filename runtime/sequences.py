"""Comparing tuples and lists that hold traced values: element by element, as Python compares them.

>>> import jax
>>> f = jax.jit(lambda x: (compare((x, 2), "==", (3, 2)), compare([x, 5], "<", [3, x])))
>>> [bool(b) for b in f(3)], [bool(b) for b in f(2)]
([True, False], [False, True])
>>> compare((1, 2), "<", (1, 3)), compare((1, 2), "==", [1, 2])
(True, False)
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from jax import lax

from autograph.runtime.primitives import predicate
from autograph.runtime.staging import is_traced

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def compare(left: Any, symbol: str, right: Any) -> Any:
    """`left <symbol> right`."""
    if not _both_sequences(left, right) or not _holds_traced(left, right):
        return OPERATORS[symbol](left, right)
    if symbol == "==":
        return _equal(left, right)
    if symbol == "!=":
        equal = _equal(left, right)
        return lax.bitwise_not(equal) if is_traced(equal) else not equal
    # The first pair that differs decides; where none does, the lengths.
    result: Any = OPERATORS[symbol](len(left), len(right))
    for a, b in reversed(list(zip(left, right, strict=False))):
        result = _choose(_equal(a, b), result, functools.partial(compare, a, symbol, b))
    return result


def compare_by(symbol: str, left: Any, right: Any) -> Any:
    """The same with the symbol first."""
    return compare(left, symbol, right)


def _both_sequences(left: Any, right: Any) -> bool:
    kinds = (type(left), type(right))
    return kinds == (tuple, tuple) or kinds == (list, list)


def _holds_traced(*values: Any) -> bool:
    return any(is_traced(x) or (type(x) in (tuple, list) and _holds_traced(*x)) for x in values)


def _equal(left: Any, right: Any) -> Any:
    if left is right:
        return True
    if not _both_sequences(left, right):
        found = left == right
        return predicate(found) if is_traced(found) else bool(found)
    if len(left) != len(right):
        return False
    result: Any = True
    for a, b in zip(left, right, strict=True):
        result = _choose(_equal(a, b), result, lambda: False)
        if result is False:
            return False
    return result


def _choose(test: Any, yes: Any, no: Callable[[], Any]) -> Any:
    """`yes if test else no()`, of truth values."""
    if not is_traced(test):
        return yes if test else no()
    other = no()
    yes, other = (predicate(x) if is_traced(x) else bool(x) for x in (yes, other))
    if other is False:
        return test if yes is True else False if yes is False else lax.bitwise_and(test, yes)
    return lax.bitwise_or(lax.bitwise_and(test, yes), lax.bitwise_and(lax.bitwise_not(test), other))
