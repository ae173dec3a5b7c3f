"""A variable that may hold `None` or a value, which is known only when the program runs: `best = None` before a search.

Where the branches of a traced `if` leave `None` and a value, or a loop begins with the one and ends with the other, a
variable holds a
`Maybe`: a traced bool that says whether it is `None`, and the value. `is None` is the bool. The value is handed out only
where a test on the way there has shown that there is one; any other use is refused, for Python would compute with `None`.

>>> import jax
>>> from autograph import convert
>>> def largest_even(xs):
...     best = None
...     for x in xs:
...         if x % 2 == 0 and (best is None or x > best):
...             best = x
...     return -1 if best is None else best
>>> f = jax.jit(convert(largest_even))
>>> int(f(jax.numpy.array([3, 4, 8, 5]))), int(f(jax.numpy.array([3, 5, 7])))
(8, -1)

What other tests show of the bool is in their records (`predicates`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from autograph.runtime.tracing.predicates import note_predicate, truth_here
from autograph.runtime.tracing.refusals import quoted, refusal


class Maybe(NamedTuple):
    """`value`, or `None` where `absent` holds. No name but the variable's own refers to one."""

    absent: Any
    value: Any


TESTED: set[str] = set()
"""The names of attributes that code which tests them for `None` has read: these may hold a `Maybe`."""


def is_none(x: Any) -> Any:
    """`x is None`; a traced bool where that is known only when the program runs."""
    if type(x) is not Maybe:
        return x is None
    known = truth_here(x.absent)
    return note_predicate(x.absent) if known is None else known


def some(x: Any, name: str, asked: bool = False) -> Any:
    """The value of the variable `name`; with `asked`, also one that may be `None`: the function's caller tests for it.

    Raises:
        StagingError: it may be `None` when the program runs, and no test on the way here says that it is not.
    """
    if type(x) is not Maybe:
        return x
    known = truth_here(x.absent)
    if known is None and asked:
        return x
    if known is None:
        raise refusal(
            f"variable {quoted(name)} is used where it may be None",
            why="whether it is None is only known when the program runs, and a compiled program computes with numbers",
            instead=f"use it where a test says that it is not (`if {name} is not None:`), or start with a number and a bool of "
            "your own",
            page="none-before-a-loop",
        )
    return None if known else x.value


def settled(x: Any) -> Any:
    """`None` or the value, where it is known which of the two a variable holds."""
    if type(x) is Maybe:
        known = truth_here(x.absent)
        if known is not None:
            return None if known else x.value
    return x


def split_optional(x: Any) -> tuple[Any, Any]:
    """Whether a value is `None`, as a bool that may be traced, and the value where it is not."""
    if type(x) is not Maybe:
        return x is None, x
    return x.absent, None if x.absent is True else x.value
