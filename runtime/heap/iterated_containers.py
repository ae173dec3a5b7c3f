"""Dicts, sets and deques that a loop of Python's iterates over, in which a staged branch takes something out.

Python ends such a loop with a `RuntimeError`, or shows an element twice, and that depends on whether the branch is reached. What
is put in is seen when the branch is over: then the container holds more in one branch, which is refused, or in both, and Python
raises. What is taken out and put in again leaves no trace but in the iterator, so it is refused where it happens.

>>> begin_iteration(enumerate({'a': 1})), end_iteration(1)
(1, None)
"""

from __future__ import annotations

import gc
from collections import deque
from typing import Any

from autograph.code.container_effects import of_method
from autograph.runtime.tracing import context
from autograph.runtime.tracing.refusals import a, refusal
from autograph.runtime.values.reachability import walk_objects

_EMPTY: dict[Any, Any] = {}
_VIEWS: list[Any] = [_EMPTY.keys(), _EMPTY.values(), _EMPTY.items()]
_ITERATED: list[Any] = [_EMPTY, *_VIEWS, deque()]
_THROUGH = frozenset(
    {*map(type, [*_VIEWS, *map(iter, [*_ITERATED, set()]), *map(reversed, _ITERATED)]), enumerate, zip, map, filter}
)

_iterated: context.PerThread[list[tuple[int, int]]] = context.PerThread(
    list
)  # by id, with the number of regions around


def begin_iteration(iterable: Any) -> int:
    """Notes that a loop begins to iterate; how many containers that concerns, for `end_iteration`."""
    reached = walk_objects([iterable], lambda x: gc.get_referents(x) if type(x) in _THROUGH else ())
    found = [x for x in reached if isinstance(x, (dict, set, deque))]
    depth = len(context.open_regions())
    _iterated.value += [(id(x), depth) for x in found]
    return len(found)


def end_iteration(count: int) -> None:
    """Forgets as many of them: the loop has ended."""
    if count:
        del _iterated.value[-count:]


def check_iterated(obj: Any, method: str) -> None:
    """Refuses to take something out of a container inside a staged statement, in a loop over it that stands around.

    Raises:
        StagingError: see above.
    """
    if not _iterated.value or not isinstance(obj, (dict, set, deque)):
        return
    effect = of_method(type(obj), method)
    if not effect.writes or (not effect.shrinks and (effect.grows or effect.stores)):
        return
    regions = context.open_regions()
    if any(key == id(obj) and any(not region.is_trial for region in regions[depth:]) for key, depth in _iterated.value):
        kind = type(obj).__name__
        raise refusal(
            f"{a(kind)} is changed inside a staged statement while a loop iterates over it",
            why="Python's loop may then end with a RuntimeError, and whether the statement is reached is only known when the "
            "program runs",
            instead="iterate over a copy: `for x in list(d)`",
            page="changed-while-iterated",
        )
