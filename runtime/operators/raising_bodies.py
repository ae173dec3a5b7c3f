"""Loops whose every iteration raises: there is one iteration at most, and no state that an iteration passes on.

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

from autograph.runtime.operators import conditionals
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.truth import decider
from autograph.runtime.tracing.variables import Variable


class IterationRaises(Exception):
    """Each iteration of a loop raises: of such a loop there is at most one iteration, and no carry."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


def stage_first_iteration(
    error: BaseException, truth: Any, iteration: Callable[[], None], variables: Sequence[Variable]
) -> None:
    """A loop whose iterations raise: `if truth: iteration()`.

    Args:
        error: what an iteration raised; it holds values of a trace that is over.
        truth: whether there is an iteration.
    """

    def only() -> None:
        iteration()
        raise error

    truth = decider(truth)
    if not is_traced(truth):
        if truth:
            only()
        return
    conditionals.stage_iteration(truth, only, list(variables), iteration)
