"""The warning of a loop that is unrolled, so that the program holds a copy of its body for each iteration.

>>> def body(i):
...     pass
>>> with warnings.catch_warnings(record=True) as seen:
...     warnings.simplefilter("always")
...     warn_of_copies(body, TypeError("the number is a key"), 5000)
>>> str(seen[0].message).splitlines()[0]
'this loop of 5,000 iterations is unrolled: the program has as many copies of its body'
"""

from __future__ import annotations

import warnings
from typing import Any

from autograph import errors
from autograph.runtime.carry.messages import UNROLL


class UnrolledLoopWarning(errors.AutoGraphWarning):
    """A loop over a traced array was unrolled because its body cannot be staged."""


def warn_of_copies(loop: Any, reason: Exception, iterations: int | None = None) -> None:
    """Warns once of a loop that the program holds a copy of the body for each iteration of.

    Args:
        loop: its body, or its place.
        reason: why the loop is not staged.
        iterations: how many there are, of a loop over Python numbers.
    """
    where = errors.Location.of(loop)
    sides, instead = (reason.sides, reason.instead) if isinstance(reason, errors.AutoGraphError) else (None, _SAME)
    text = errors.message(
        "this loop is unrolled: its body cannot be staged"
        if iterations is None
        else f"this loop of {iterations:,} iterations is unrolled: the program has as many copies of its body",
        at=where,
        why=str(reason).strip().split("\n")[0],
        sides=sides,
        instead=f"where compile time matters, {(instead or _SAME).removesuffix(UNROLL)}",
        page="loop-over-a-sharded-axis" if getattr(reason, "page", "") == "loop-over-a-sharded-axis" else "unrolled-loop",
    )
    if where is None:
        warnings.warn(text, UnrolledLoopWarning, stacklevel=4)
    else:
        warnings.warn_explicit(
            text, UnrolledLoopWarning, errors.shown_name(where.filename), where.lineno, registry=_warned
        )


_warned: dict[Any, Any] = {}  # what is said of a loop is said once, however often the statements around it are traced
_SAME = "keep the shape and kind of every variable the same from iteration to iteration"
