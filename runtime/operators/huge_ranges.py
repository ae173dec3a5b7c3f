"""Ranges with more numbers than Python's `len` counts, or with numbers that no integer of the compiled program can hold.

`for c in range(1, 10**30)` ends by a jump. Where that is traced, the program counts as far as its integers reach, and fails
if the loop wants to go on.

>>> held(range(1, 10**30)), held(range(7, 0, -1))
(range(1, 2147483647), range(7, 0, -1))
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from autograph import errors
from autograph.runtime.operators import conditionals
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.variables import Variable

MOST_UNROLLED = 100_000
"""So many items may be left of a loop that is unrolled: the program holds each."""


def left(iterator: Any) -> int:
    """How many items an iterator says that it has left; -1 where it does not say."""
    try:
        return operator.length_hint(iterator, -1)
    except OverflowError:
        return sys.maxsize


def held(numbers: range) -> range:
    """The first numbers of a range, as far as integers of the program hold them: most often all."""
    limits = jnp.iinfo(jnp.result_type(int))
    low, high = int(limits.min), int(limits.max)
    if not low <= numbers.start <= high:
        return range(0)
    if low <= numbers.stop <= high:
        return numbers
    return range(numbers.start, high if numbers.step > 0 else low, numbers.step)


def fail_beyond(numbers: range, body: Callable[[Any], Any], variables: list[Variable], test: Callable[[], Any]) -> None:
    """Makes the program fail where a loop wants to go on behind the numbers of a range that it holds."""

    what = f"no integer of the compiled program holds the next number of {numbers}"

    def fail() -> None:
        raise OverflowError(what)

    truth = test()
    if is_traced(truth):
        conditionals.stage_iteration(truth, fail, variables, body)
    elif truth:
        raise errors.StagingError(
            what,
            at=body,
            why="the loop ends on a traced condition, so the program counts, with 32 bits, or 64 where `jax_enable_x64` is set",
            instead="jax.config.update('jax_enable_x64', True), or count in floats with `while`",
        )
