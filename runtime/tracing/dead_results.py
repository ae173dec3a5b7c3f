"""Values that nobody reads where a condition holds: a `return_value` in the iterations of a loop that go on.

An `if` that only binds a variable where it leaves the loop gives the variable some value in its other branch as well. Which
one makes no difference, so the loop may keep what it has (`exit_folding`).

>>> import jax
>>> def f(x):
...     y = x + 1
...     note(y, x > 3, True)
...     return print(of(y)[1], of(x)) or y
>>> _ = jax.make_jaxpr(f)(3)
True None
"""

from __future__ import annotations

from typing import Any

from autograph.runtime.tracing.facts import Facts

_dead: Facts[tuple[Any, bool]] = Facts()


def note(x: Any, condition: Any, value: bool) -> None:
    """Nobody reads `x` where the traced `condition` has that value."""
    _dead.note(x, (condition, value))


def of(x: Any) -> tuple[Any, bool] | None:
    """The condition, and the value of it where nobody reads `x`; None where nothing is known."""
    return _dead.of(x)
