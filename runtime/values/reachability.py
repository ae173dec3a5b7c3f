"""Which objects nothing but our own tables refers to, by CPython's reference counts.

>>> xs, ys = [1], [2]
>>> table = {id(xs): xs, id(ys): ys}
>>> del xs
>>> unreferenced(table, {}) == {key for key, value in table.items() if value == [1]}
True

Only the candidates are looked at, never the heap.
"""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograph.runtime.tracing.families import JAX_ARRAYS
from autograph.runtime.tracing.sharing import references_outside


def unreferenced(candidates: dict[int, Any], holders: dict[int, Any]) -> set[int]:
    """The ids of the `candidates` that nothing refers to but `holders`, `candidates` and other such candidates.

    Both tables are keyed by `id`; the caller holds no further reference to a candidate.
    """
    counts = dict.fromkeys(candidates, 0)
    for holder in holders.values():
        for referent in gc.get_referents(holder):
            if id(referent) in counts:
                counts[id(referent)] += 1
    referent = holder = None
    inner = {key: [k for k in map(id, gc.get_referents(c)) if k in counts] for key, c in candidates.items()}
    allocated = set(candidates)
    while True:
        known = dict(counts)
        for key in allocated:
            for other in inner[key]:
                known[other] += 1
        old = {key for key in allocated if references_outside(candidates, key) > known[key]}
        if not old:
            return allocated
        allocated -= old


def walk_objects(
    roots: Iterable[Any],
    leads: Callable[[Any], Iterable[Any]],
    into: Callable[[Any], bool] = lambda x: True,
    most: int = sys.maxsize,
) -> Iterator[Any]:
    """What `roots` lead to, each once and what is near first.

    Args:
        leads: what an object leads to.
        into: whether an object counts; what does not leads nowhere.
        most: at how many objects the walk ends.
    """
    pending, seen = deque(roots), set[int]()
    while pending and len(seen) < most:
        x = pending.popleft()
        if id(x) not in seen and into(x):
            seen.add(id(x))
            yield x
            pending.extend(leads(x))


def walked(values: Sequence[Any], into: Callable[[Any], bool] = lambda x: True) -> Iterator[Any]:
    """`values` and what they lead to, through whatever Python refers by; JAX's values lead nowhere."""
    return walk_objects(values, _referents, into)


def _referents(x: Any) -> Iterable[Any]:
    if isinstance(x, _LEADS_NOWHERE):
        return ()
    return x.__closure__ or () if isinstance(x, FunctionType) else gc.get_referents(x)


_LEADS_NOWHERE = (*JAX_ARRAYS, type, ModuleType, CodeType)
