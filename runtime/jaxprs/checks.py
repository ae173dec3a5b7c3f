"""What must hold after each pass over a loop or a conditional: a broken program is reported by the pass that broke it.

>>> import jax
>>> from autograph.jax_internals import trace_region
>>> from autograph.runtime.jaxprs.binding import Traced
>>> region = Traced(*trace_region(lambda: [jax.numpy.ones(2)], (), "branch"))
>>> other = Traced(*trace_region(lambda: [jax.numpy.ones(3)], (), "branch"))
>>> checked(lambda conditional: conditional._replace(true_branch=other), Conditional(True, region, region))
Traceback (most recent call last):
    ...
autograph.runtime.jaxprs.checks.BrokenPass: <lambda> left regions whose types differ: float32[2] and float32[3]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import jax

from autograph.jax_internals import check_jaxpr
from autograph.runtime.jaxprs.loop import Bind, Conditional, Loop
from autograph.runtime.jaxprs.rules import every, held

_Statement = TypeVar("_Statement", Loop, Conditional)


class BrokenPass(BaseException):
    """A pass left something that is no program. No handler of the program catches this, and no other attempt to stage a loop."""


class Mistake(BaseException):
    """The library itself failed with an error that the user's code may raise, too. No handler and no other attempt catches this."""


MISTAKES = (AttributeError, NameError, TypeError, AssertionError, IndexError, KeyError)
"""Exceptions that a mistake in the library raises: another attempt to stage the loop may give the right answer, and hide it."""


def checked(rewrite: Callable[[_Statement], _Statement], statement: _Statement) -> _Statement:
    """Returns what a pass makes of a loop or a conditional.

    Raises:
        BrokenPass: it fails, an equation reads what is not defined or is of another type, regions do not fit together, or the
            effects are not those from before, in their order. The message names the pass.
    """
    name, effects = rewrite.__name__, _effects(statement.regions)  # a pass may write to the regions that it is given
    try:
        rewritten = rewrite(statement)
    except MISTAKES as error:
        raise BrokenPass(f"{name} failed: {error}") from error
    _check(rewritten, name)
    if (left := _effects(rewritten.regions)) != effects:
        raise BrokenPass(f"{name} left the effects {left} of {effects}")
    return rewritten


def bind_checked(bind: Bind, name: str, test: Any, body: Any, init: Any) -> list[Any]:
    """Calls `bind`, and checks first the loop that the form of this name gives to it."""
    _check(Loop(test, body, list(init), name, []), name)
    return bind(test, body, init)


def _check(statement: Loop | Conditional, name: str) -> None:
    for region in statement.regions:
        try:
            check_jaxpr(region.jaxpr)
        except Exception as error:
            raise BrokenPass(f"{name} left a region that is no program: {error}") from error
    first, *others = _ends(statement)
    for other in others:
        if other != first:
            raise BrokenPass(f"{name} left regions whose types differ: {', '.join(first)} and {', '.join(other)}")


def _ends(statement: Loop | Conditional) -> list[list[str]]:
    """Returns rows of types that must be equal: what branches leave; what a loop takes, leaves and begins with."""
    if isinstance(statement, Conditional):
        return [_types(branch.jaxpr.outvars) for branch in statement.regions]
    test, body = (region.jaxpr for region in statement.regions)
    start = [jax.typeof(x).str_short() for x in statement.init]
    return [_types(body.invars), _types(test.invars), _types(body.outvars), start]


def _types(atoms: Iterable[Any]) -> list[str]:
    return [v.aval.str_short() for v in atoms]


def _effects(regions: Iterable[Any]) -> list[list[str]]:
    """Returns the operations with effects of each region, in their order."""
    each = (every(region.jaxpr.eqns) for region in regions)
    return [[f"{eqn.primitive.name} {eqn.params}" for eqn in eqns if eqn.effects and not held(eqn)] for eqns in each]
