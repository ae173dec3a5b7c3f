"""Numbers that are an `int` on one path and a `float` on another: a program has one type for both, and Python one for each.

Only a question for the type tells them apart (`isinstance(x, float)`, `type(x)`). It is refused where the answers differ.

>>> import jax
>>> def f(n):
...     x = note_kinds(n * 1.5, kinds_of(n) | kinds_of(2.5))
...     return print(sorted(kind.__name__ for kind in kinds_of(x + 1))) or x
>>> _ = jax.make_jaxpr(f)(3)
['float', 'int']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from autograph.jax_internals import origin
from autograph.runtime.tracing.array_types import python_type
from autograph.runtime.tracing.facts import Facts
from autograph.runtime.tracing.families import NUMBERS
from autograph.runtime.tracing.refusals import a, refusal
from autograph.runtime.tracing.staging import is_tracer

T = TypeVar("T")

_kinds: Facts[frozenset[type]] = Facts()
noted = _kinds._notes
"""What is not empty where there are such numbers: whether it is, is asked without a call."""
_DEEPEST = 8  # operations that are followed back
_KEEPING = frozenset("abs add add_any convert_element_type copy integer_pow max min mul neg rem select_n sub".split())
"""The operations whose result is of the type of their operands, in Python."""


def note_kinds(x: Any, kinds: frozenset[type]) -> Any:
    """Takes note of the types that a traced number may have, if these are several; returns the number."""
    return _kinds.note(x, kinds) if len(kinds) > 1 else x


def kinds_of(x: Any, depth: int = _DEEPEST) -> frozenset[type]:
    """The types that a number may have in Python; none where it is no Python number."""
    if type(x) in NUMBERS:
        return frozenset((type(x),))
    if not is_tracer(x) or not getattr(x.aval, "weak_type", False) or x.shape:
        return frozenset()
    if (found := _kinds.of(x)) is not None:
        return found
    kind = python_type(x.dtype)
    made = origin(x) if noted and depth else None
    if made is not None and made[0] in _KEEPING:
        operands = made[1][1:] if made[0] == "select_n" else made[1]
        kinds = frozenset[type]().union(*(kinds_of(operand, depth - 1) for operand in operands))
        if max(map(NUMBERS.index, kinds), default=-1) == NUMBERS.index(kind):
            return kinds
    return frozenset((kind,))


def kinds_of_sides(*sides: tuple[Any, Any]) -> frozenset[type]:
    """Returns the types that a join of numbers may have; each has its dtype beside it, and a NumPy number counts as Python's."""
    return frozenset[type]().union(*(kinds_of(x) or (python_type(dtype),) for x, dtype in sides))


def answer(x: Any, question: str, ask: Callable[[type], T]) -> T:
    """Says what is so for each type that a number may have.

    Raises:
        StagingError: the types have different answers.
    """
    kinds = sorted(kinds_of(x), key=NUMBERS.index)
    answers = [ask(kind) for kind in kinds]
    if any(one != answers[0] for one in answers):
        names = " on one path and ".join(a(kind.__name__) for kind in kinds)
        raise refusal(
            f"{question} asks for the type of a number that is {names} on another",
            why="only the running program knows the path, and its numbers have one type for both",
            instead="make it a float on every path (`float(a)`), or keep a flag of your own (`is_given = a > b`)",
            page="type-of-a-joined-number",
        )
    return answers[0]
