"""Arithmetic on truth values: Python's bools are integers, JAX's are not.

A comparison of Python's numbers is a weakly typed bool when it is traced, one of arrays is not. What joins such bools, or `True`
and `False`, is noted. So `(a > b) + (c > d)` of
numbers counts, and of arrays it is what JAX makes of two bools, as in plain Python.

>>> import jax, jax.numpy as jnp
>>> sign = jax.jit(lambda a: bool_op("-", a > 0, a < 0))
>>> int(sign(-3)), bool_op("-", True), bool_op("+", jnp.bool_(True), jnp.bool_(True)).dtype.name
(-1, -1, 'bool')
"""

from __future__ import annotations

import operator
import weakref
from typing import Any

import jax.numpy as jnp

from autograph.jax_internals import convert_weak
from autograph.runtime.staging import is_traced
from autograph.runtime.types import type_of

_BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
_BITWISE = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_UNARY = {"+": operator.pos, "-": operator.neg, "~": operator.invert}


_noted: dict[int, weakref.ref[Any]] = {}


def note(x: Any) -> None:
    """Takes note of a traced bool that is one of Python's, though JAX has no weak type for it: a join of `True` and `False`."""
    if is_traced(x):
        key, table = id(x), _noted
        table[key] = weakref.ref(x, lambda reference: _forget(table, key, reference))


def _forget(table: dict[int, weakref.ref[Any]], key: int, reference: weakref.ref[Any]) -> None:
    if table.get(key) is reference:
        del table[key]


def bool_op(sign: str, *operands: Any) -> Any:
    """`x + y`, `-x`, ...: of Python's bools as integers."""
    if are_of_python(*operands):
        if sign in _BITWISE and len(operands) == 2:
            result = _BITWISE[sign](*operands)
            note(result)
            return result
        operands = tuple(convert_weak(x, jnp.result_type(int)) if is_traced(x) else int(x) for x in operands)
    operation: Any = (_UNARY if len(operands) == 1 else _BINARY | _BITWISE)[sign]
    return operation(*operands)


def are_of_python(*operands: Any) -> bool:
    """Whether all operands stand for bools of Python's, and one of them is traced."""
    return any(map(is_traced, operands)) and all(map(is_of_python, operands))


def is_of_python(x: Any) -> bool:
    """Whether `x` stands for a bool of Python's."""
    if not is_traced(x):
        return type(x) is bool
    kind = type_of(x)
    if kind.dtype != bool or kind.shape:
        return False
    known = _noted.get(id(x))
    return kind.weak or (known is not None and known() is x)
