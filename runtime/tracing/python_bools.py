"""Arithmetic on bools: Python's bools are integers, JAX's are not.

A comparison of Python's numbers is a weakly typed bool when it is traced, one of arrays is not. What joins such bools, or `True`
and `False`, is noted. So `(a > b) + (c > d)` of numbers counts, and of arrays it is what JAX makes of two bools, as in plain
Python. Of a variable that holds the one in some iterations or branches and the other in others, it is refused.

>>> import jax, jax.numpy as jnp
>>> sign = jax.jit(lambda a: bool_op("-", a > 0, a < 0))
>>> int(sign(-3)), bool_op("-", True), bool_op("+", jnp.bool_(True), jnp.bool_(True)).dtype.name
(-1, -1, 'bool')
"""

from __future__ import annotations

import operator
from typing import Any

import jax.numpy as jnp

from autograph.jax_internals import convert_weak
from autograph.runtime.tracing.array_types import type_of
from autograph.runtime.tracing.facts import Facts
from autograph.runtime.tracing.known.number import KnownTracer, lifted
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced

_BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
_BITWISE = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_UNARY = {"+": operator.pos, "-": operator.neg, "~": operator.invert}


class Noted:
    """What is known about a traced bool that JAX has no weak type for, as for a join of `True` and `False`.

    Attributes:
        is_of_python: whether it is a Python bool; else it is that in some iterations or branches, and an array in others.
        is_used: whether something was built on its being a Python bool.
    """

    def __init__(self, is_of_python: bool) -> None:
        self.is_of_python = is_of_python
        self.is_used = False


_noted: Facts[Noted] = Facts()


def note_bool(x: Any, is_of_python: bool = True) -> Noted | None:
    """Takes note of a traced bool that is a Python bool, or sometimes is."""
    if not is_traced(x):
        return None
    found = Noted(is_of_python)
    _noted.note(x, found)
    return found


def note_join(result: Any, *sides: Any) -> None:
    """Takes note of what a bool is that is one of several."""
    if (known := join(*sides)) is not None:
        note_bool(result, known)


def join(*sides: Any) -> bool | None:
    """What is to be noted of one of several values: it is a bool of Python's (True), sometimes is (False); None: nothing."""
    of_python = [is_of_python(x) for x in sides]
    if all(of_python):
        return True
    return False if any(of_python) or any(map(is_doubtful, sides)) else None


def of_python(x: Any) -> Any:
    """Makes a traced bool count as a Python bool: `bool(x)` is not an array. Other names of `x` stay as they are."""
    return convert_weak(x, jnp.dtype(bool)) if is_traced(x) and not is_of_python(x) else x


def is_doubtful(x: Any) -> bool:
    """Whether `x` stands for a bool of Python's sometimes, and sometimes for an array."""
    known = _noted.of(x)
    return known is not None and not known.is_of_python


def bool_op(sign: str, *operands: Any) -> Any:
    """`x + y`, `-x`, ...: of Python's bools as integers."""
    if any(type(x) is KnownTracer and not (x.is_open and x.kind is bool) for x in operands):
        operation: Any = (_UNARY if len(operands) == 1 else _BINARY | _BITWISE)[sign]
        found = lifted(operation, *operands)
        if found is not NotImplemented:
            return found
    if sign in _BITWISE and len(operands) == 2 and all(is_doubtful(x) or is_bool(x) for x in operands):
        result = _BITWISE[sign](*operands)
        if all(is_of_python(x) or is_doubtful(x) for x in operands):  # with an array it is one
            note_join(result, *operands)
        return result
    if are_of_python(*operands):
        operands = tuple(convert_weak(x, jnp.result_type(int)) if is_traced(x) else int(x) for x in operands)
    elif any(map(is_doubtful, operands)) and all(is_doubtful(x) or is_bool(x) for x in operands):
        raise refusal(
            f"`{sign}` of a truth value that is one of Python's at one time and an array at another",
            why="Python counts with its own, and JAX's arrays stay truth values",
            instead="say which is meant: `int(flag)` to count, `and`, `or`, `not` for truth",
            page="bool-of-two-kinds",
        )
    operation = (_UNARY if len(operands) == 1 else _BINARY | _BITWISE)[sign]
    return operation(*operands)


def are_of_python(*operands: Any) -> bool:
    """Whether all operands stand for Python bools, and one of them is traced."""
    return any(map(is_traced, operands)) and all(map(is_of_python, operands))


def is_of_python(x: Any) -> bool:
    """Whether `x` stands for a Python bool."""
    if not is_traced(x):
        return type(x) is bool
    if not is_bool(x):
        return False
    known = _noted.of(x)
    if known is not None and known.is_of_python:
        known.is_used = True
    return type_of(x).weak or (known is not None and known.is_of_python)


def is_bool(x: Any) -> bool:
    """Whether a number is a bool, Python's or a traced one; one that is made of Python's numbers is weakly typed."""
    return type(x) is bool or (is_traced(x) and x.dtype == bool and not x.shape)
