"""Loops whose every turn raises: there is one turn at most, and no state that a turn passes on.

>>> import jax
>>> from autograph import convert
>>> @jax.jit
... @convert
... def only_none(n):
...     for k in range(n):
...         raise ValueError("one too many")
...     return n
>>> int(only_none(0)), "while" in str(only_none.trace(0).jaxpr)
(0, False)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.runtime import conditionals
from autograph.runtime.primitives import predicate
from autograph.runtime.staging import is_traced
from autograph.runtime.state import Variable
from autograph.runtime.truth import decider


class TurnRaises(Exception):
    """Each turn of a loop raises: of such a loop there is at most one turn, and no carry."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


def stage_first_turn(error: BaseException, truth: Any, turn: Callable[[], None], variables: Sequence[Variable]) -> None:
    """A loop whose turns raise: `if truth: turn()`.

    Args:
        error: what a turn raised; it holds values of a trace that is over.
        truth: whether there is a turn.
    """

    def only() -> None:
        turn()
        raise error

    truth = decider(truth)
    if not is_traced(truth):
        if truth:
            only()
        return
    conditionals.stage_turn(predicate(truth), conditionals.in_place_of(turn, only), list(variables))
