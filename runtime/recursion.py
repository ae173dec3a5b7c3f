"""Recursion that only a traced condition would end: the program would hold every level of it, so it is refused by name.

>>> import autograph as ag
>>> def factorial(n):
...     return 1 if n <= 1 else n * factorial(n - 1)
>>> try:
...     ag.jit(factorial)(3)
... except ag.StagingError as error:
...     print(str(error).splitlines()[0])
'factorial' calls itself under a traced condition
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import NamedTuple

from autograph import errors
from autograph.runtime import journal


class _Kind(NamedTuple):
    deepest: int  # nested runs of one piece that are taken for endless recursion
    what: str
    why: str


ARM = _Kind(
    64,
    "calls itself under a traced condition",
    "both arms become part of the program, also the one that recurs, so building it would never end",
)
LOOP = _Kind(
    16,
    "calls itself in a loop that ends on a traced condition",
    "the body becomes part of the program also where it takes no turn, so building it would never end",
)
_DEEP = 10  # the same, once Python's own stack is full


@contextmanager
def refused(code: CodeType | None, kind: _Kind) -> Iterator[None]:
    """Within it `code` runs as a piece of the program.

    Raises:
        StagingError: it is running already, more often than programs nest.
    """
    if code is not None and journal.nested(code) >= kind.deepest:
        raise _endless(code, kind)
    try:
        yield
    except RecursionError:
        if code is not None and journal.nested(code) >= _DEEP:
            raise _endless(code, kind) from None
        raise


def _endless(code: CodeType, kind: _Kind) -> errors.StagingError:
    names = [name for name in code.co_qualname.split(".") if name != "<locals>"]
    name = names[-2] if len(names) > 1 else names[-1]
    return errors.StagingError(
        f"'{name}' {kind.what}",
        at=code,
        why=kind.why,
        instead="write a loop, or let a Python value (a static argument) end the recursion",
    )
