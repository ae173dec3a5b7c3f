"""Variables of a staged loop's own, which it carries beside the user's.

>>> import jax
>>> from autograph import convert
>>> def f(xs, n):
...     for x in xs:
...         assert n < 5, "in the loop"
...     assert n < 3, "after it"
...     return n
>>> fails = jax.jit(convert(f))
>>> try: _ = fails(jax.numpy.arange(2), 7).block_until_ready()
... except jax.errors.JaxRuntimeError as error: print("in the loop" in str(error), "after it" in str(error))
True False
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.carry.fixed_point import Carry
from autograph.runtime.heap import path_conditions
from autograph.runtime.tracing.truth import truth_value
from autograph.runtime.tracing.variables import CarriesNone


class Hidden:
    """A variable of the loop's own: a counter, or the value of a test that must not run twice."""

    __slots__ = ("name", "value")
    is_optional, carries_none = False, CarriesNone.NEVER

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value

    def get(self) -> Any:
        return self.value

    def set(self, value: Any) -> None:
        self.value = value


class Checked(Hidden):
    """Whether no check of a loop's iterations has failed. Carried only where they make some, which shows when an iteration
    is traced.

    Later checks cannot wait for the number of iterations instead: XLA may know it, and may unroll the loop.
    """

    __slots__ = ("_carry",)

    def __init__(self, carry: Carry) -> None:
        super().__init__("the loop checks", np.bool_(True))
        self._carry = carry
        if carry.assumptions.makes_checks:
            carry.variables.append(self)

    def begin(self) -> None:
        """The checks of an iteration are made where none of an earlier one has failed."""
        if self._carry.assumptions.makes_checks:
            path_conditions.survived(self.value)

    def end(self) -> bool:
        """Notes which checks the iteration passed. Returns whether it must be traced again, with this variable in the carry."""
        holds = path_conditions.passed().holds
        if holds is None:
            return False
        if self._carry.assumptions.makes_checks:
            self.value = holds
            return False
        self._carry.assumptions.makes_checks = True
        self._carry.variables.append(self)
        return True


def note_checks(carry: Carry, results: Sequence[Any]) -> None:
    """Notes for later checks what is known of the checks in a loop, which has left its results, and what to wait for."""
    for variable in carry.variables:
        if type(variable) is Checked:
            path_conditions.survived(variable.value)
    path_conditions.ended_with(results, carry.checks)


class TestedBody:
    """An iteration of a `while` loop whose test was true: its body, and the test of the next. `truth` is what that has given."""

    def __init__(self, test: Callable[[], Any], body: Callable[[], Any]) -> None:
        self.test, self.body = test, body
        self.truth: Any = None
        self.__wrapped__, self.__code__ = body, body.__code__  # the place of the loop, for messages

    def __call__(self, item: Any) -> None:
        self.body()
        self.truth = truth_value(self.test())
