"""`and`, `or`, `not`, chained comparisons, `in`: Python's own on values that are known.

On traced values `and` and `or` keep Python's rules: the right side is evaluated only where the left one does not
decide, and the value is the operand that decided (types join as in a conditional expression). In a test only the truth of the
operands counts: there the value is a bool.

Where the right side only combines numbers that exist already (names, constants, `+ - *`, comparisons), evaluating it
can neither fail nor be seen, so `and` of two bools is one bit operation instead of a `cond`, as an expert writes it.

>>> import jax
>>> f = lambda x: and_(x > 0, lambda: x < 10)
>>> [e.primitive.name for e in jax.make_jaxpr(f)(3.0).eqns]
['gt', 'lt', 'and']
>>> and_([], lambda: 1 / 0), or_(0, lambda: 'right'), compare(1, '<', lambda: 3, '<', lambda: 2)
([], 'right', False)
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph.analyses.operators import ARITHMETIC
from autograph.code.registry import names_in
from autograph.runtime.heap import aliases, path_conditions
from autograph.runtime.jaxprs.binding import predicate
from autograph.runtime.operators.conditionals import in_place_of, staged_value
from autograph.runtime.sequences import comparison, membership
from autograph.runtime.sequences.selection import choose
from autograph.runtime.tracing.known import branch_numbers
from autograph.runtime.tracing.known.number import KnownTracer, lifted
from autograph.runtime.tracing.predicates import facts_of, negation, note_truth
from autograph.runtime.tracing.python_bools import is_bool, note_join
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_array_like, is_traced
from autograph.runtime.tracing.truth import truth_value
from autograph.runtime.tracing.variables import StateLike
from autograph.runtime.values import choices

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    **comparison.COMPARISONS,
    "is": lambda a, b: is_(a, b),
    "is not": lambda a, b: is_not(a, b),
    "in": membership.contains,
    "not in": lambda x, container: not_(membership.contains(x, container)),
}


def and_(left: Any, right: Callable[[], Any], state: StateLike = None, **options: Any) -> Any:
    """`left and right()`; see `_joined`."""
    return _joined(True, left, right, state, **options)


def or_(left: Any, right: Callable[[], Any], state: StateLike = None, **options: Any) -> Any:
    """`left or right()`; see `_joined`."""
    return _joined(False, left, right, state, **options)


def _joined(
    on: bool,
    left: Any,
    right: Callable[[], Any],
    state: StateLike,
    unbound: Sequence[str] = (),
    test: bool = False,
    lazy: bool = False,
) -> Any:
    """`left`, or `right()` where the truth of `left` is `on`.

    Args:
        test: only the truth of the value is read: another value with the same truth will do.
        lazy: whether evaluating `right` may fail, cost much or be noticed, even where all its variables are numbers.
    """
    pred = truth_value(left)
    if not is_traced(pred):
        return right() if bool(pred) is on else not on if test else left
    pred = predicate(pred)
    is_total = not lazy and (test or is_traced(left)) and _reads_numbers(right)
    if test:
        left, right = pred, _asked(right)
    if is_total:
        return _combine(lax.bitwise_and if on else lax.bitwise_or, pred, left, right(), on)

    def decided() -> Any:
        return not on if is_bool(left) else left

    if on:
        return staged_value("`and`", pred, right, decided, state, unbound)
    return staged_value("`or`", pred, decided, right, state, unbound)


def _asked(operand: Callable[[], Any]) -> Callable[[], Any]:
    """The truth of an operand."""

    def truth() -> Any:
        pred = truth_value(operand())
        return predicate(pred) if is_traced(pred) else bool(pred)

    return in_place_of(operand, truth)


def _combine(bits: Callable[[Any, Any], Any], test: Any, left: Any, right: Any, right_if: bool) -> Any:
    """The deciding operand, both being known to exist."""
    known = branch_numbers.chosen_number(test, *((right, left) if right_if else (left, right)))
    if known is not NotImplemented:
        return known
    if all(is_bool(x) for x in (left, right)):
        if type(right) is bool:
            return left if right is right_if else right
        sides = (right, left) if right_if else (left, right)
        result = bits(test, right)
        note_join(result, left, right)
        return note_truth(result, facts_of(test, *sides))
    return choose(test, right, left, "`and`") if right_if else choose(test, left, right, "`or`")


def not_(x: Any) -> Any:
    """`not x`."""
    x = truth_value(x)
    if not is_traced(x):
        return not x
    if type(x) is KnownTracer and (known := lifted(operator.not_, x)) is not NotImplemented:
        return known
    test = predicate(x)
    if (truth := path_conditions.known_truth(test)) is not None:
        return not truth
    return negation(test)


def compare(left: Any, *rest: Any, lazy: bool = False) -> Any:
    """`left < middle < right`, written `compare(left, '<', lambda: middle, '<', lambda: right)`.

    Each operand is evaluated at most once, and not at all after a comparison that is false. `lazy`: see `_joined`, of the last one.
    """
    symbol, operand, *more = rest
    right = operand()
    result = _COMPARISONS[symbol](left, right)
    if not more:
        return result
    lazy = lazy or len(more) > 2 or not _is_real_scalar(right)
    return and_(result, in_place_of(more[1], lambda: compare(right, *more, lazy=lazy)), lazy=lazy)


def is_(a: Any, b: Any) -> Any:
    """`a is b`; a traced bool is `True` or `False` by its value, as the Python bool is that it stands for.

    Raises:
        StagingError: one is a container that stands for several, of which the other may be one; or both are traced bools, which
            Python has one object each for, and whose source is taken for a test that is known.
    """
    for x, y in ((a, b), (b, a)):
        if type(y) is bool and is_traced(x) and x.dtype == bool and x.shape == ():
            truth = path_conditions.known_truth(x)
            return truth is y if truth is not None else x if y else not_(x)
    if a is b:
        return True
    if type(a) is choices.Choice or type(b) is choices.Choice:
        return choices.is_same(a, b)
    if is_traced(a) and is_traced(b) and is_bool(a) and is_bool(b):
        raise refusal(
            "`is` between two traced bools",
            why="Python has one `True` and one `False`, so it asks for equal values, which are only known when the program runs",
            instead="compare them by `==` or `!=`",
            page="identity-of-two-bools",
        )
    aliases.check_identity(a, b)
    return False


def is_not(a: Any, b: Any) -> Any:
    """`a is not b`."""
    return not_(is_(a, b))


def in_(x: Any, container: Any) -> Any:
    """`x in container`; a traced bool where an element or `x` is traced."""
    return membership.contains(x, container)


def not_in(x: Any, container: Any) -> Any:
    """`x not in container`."""
    return not_(membership.contains(x, container))


def _reads_numbers(right: Callable[[], Any]) -> bool:
    """Whether all variables of an operand are bound to real numbers: then arithmetic on them can neither fail nor be noticed."""
    right = inspect.unwrap(right)  # the user's, where one of ours stands in its place
    names = right.__globals__
    try:
        values = [cell.cell_contents for cell in right.__closure__ or ()]
        values += [names[name] for name in names_in(right.__code__) - ARITHMETIC]
    except (ValueError, KeyError):  # unbound: Python raises only where the right side is evaluated
        return False
    return all(_is_real_scalar(x) for x in values if x is not sys.modules["autograph.runtime"])


def _is_real_scalar(x: Any) -> bool:
    if not is_array_like(x):
        return False
    if type(x) in (bool, int, float):
        return True  # also one that no array can hold
    aval = jax.typeof(x)
    return not aval.shape and any(jnp.issubdtype(aval.dtype, k) for k in (jnp.bool_, jnp.integer, jnp.floating))
