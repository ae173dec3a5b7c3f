"""Known numbers that branches leave: one of two numbers, by a test that is known in each iteration.

>>> import jax, autograph as ag
>>> @jax.jit
... @ag.convert
... def f(x):
...     step = 1
...     for i in ag.range(5):
...         step = step * 2 if i % 2 else step + 1
...         x = x + step
...     return x
>>> int(f(0))  # 2 + 4 + 5 + 10 + 11
32
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.jax_internals import emitting
from autograph.runtime.tracing.known.evaluation import PYTHONS, choice
from autograph.runtime.tracing.known.number import (
    KnownTracer,
    bounds_of,
    is_open_number,
    kind_of,
    lifted,
    of_kind,
    sample_of,
)

_EXACT = 1 << 53  # up to here each int is a float


def chosen_number(test: Any, left: Any, right: Any) -> Any:
    """Returns `left if test else right`; `NotImplemented` where not all are known, or they are an int and a bool, say."""
    if type(test) is not KnownTracer:
        return NotImplemented
    kinds = {kind_of(left), kind_of(right)}
    ints = [x for x in (left, right) if kind_of(x) is int and not is_open_number(x)]
    if len(kinds) == 2 and not all(-_EXACT <= bound <= _EXACT for x in ints for bound in bounds_of(x)):
        return NotImplemented
    if np.float64 in kinds and kinds <= {int, float, np.float64}:  # NumPy's has the same bits
        if len(kinds) > 1:
            test.level.note_mixed_floats()
        left, right, kinds = of_kind(np.float64, left), of_kind(np.float64, right), {np.float64}
    are_open = is_open_number(left) or is_open_number(right)
    if kinds == {int, float} and not are_open:  # as the program would, with 64 bits
        left, right, kinds = of_kind(float, left), of_kind(float, right), {float}
    if len(kinds) == 1:
        return lifted(choice, test, left, right)
    if not kinds <= PYTHONS or not are_open:
        return NotImplemented
    kind = float if float in kinds else int
    found = KnownTracer(kind, None, None, test.level, choice, (test, left, right))
    found.sample = kind(choice(*map(sample_of, found.args)))
    return found


def chooser(test: Any, branch: Any) -> Callable[[Any, Any], Any] | None:
    """Makes `chosen_number` for what two branches leave, if their test is known; the number belongs to the trace around them.

    Args:
        branch: the trace of the branch that is traced in that trace.
    """
    around = getattr(branch, "parent_trace", None)
    if type(test) is not KnownTracer or around is None:
        return None

    def choose(left: Any, right: Any) -> Any:
        with emitting(around):
            return chosen_number(test, left, right)

    return choose


def outside(x: Any, branch: Any) -> Any:
    """Returns a known number that a branch computed, for the trace around it; any other value unchanged.

    Args:
        branch: the trace of the branch that is traced in that trace.
    """
    around = getattr(branch, "parent_trace", None)
    if type(x) is not KnownTracer or around is None or x.is_open and x.fn is None:
        return x
    with emitting(around):
        found = KnownTracer(x.kind, x.row, x.bounds, x.level, x.fn, x.args)
    found.sample, found.compute = x.sample, x.compute
    return found
