"""Values that nobody reads where a condition holds: a `return_value` in the iterations of a loop that go on.

An `if` that only binds a variable where it leaves the loop gives the variable some value in its other branch as well. Which
one makes no difference, so the loop may keep what it has (`exit_folding`).

>>> import jax
>>> def f(x):
...     y = x + 1
...     note_dead(y, x > 3, True)
...     return print(dead_where(y)[1], dead_where(x)) or y
>>> _ = jax.make_jaxpr(f)(3)
True None
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph.runtime.tracing.facts import Facts
from autograph.runtime.tracing.predicates import shown_by

_dead: Facts[tuple[Any, bool]] = Facts()
flags: Facts[Any] = Facts()
"""The flag of a part of a `return_value`, without which nobody reads it."""


def note_dead(x: Any, condition: Any, value: bool) -> None:
    """Nobody reads `x` where the traced `condition` has that value."""
    _dead.note(x, (condition, value))


def dead_where(x: Any) -> tuple[Any, bool] | None:
    """The condition, and the value of it where nobody reads `x`; None where nothing is known."""
    return _dead.of(x)


def is_dead(x: Any, paths: Iterable[tuple[Any, bool]]) -> bool:
    """Whether nobody reads `x` where tests have these truths: its flag is not set there."""
    flag = flags.of(x)
    return flag is not None and any(one is flag and not truth for path in paths for one, truth in shown_by(*path))
