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
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

import jax

from autograph.runtime.tracing.sharing import outside


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
    inner = {key: [id(r) for r in gc.get_referents(c) if id(r) in counts] for key, c in candidates.items()}
    allocated = set(candidates)
    while True:
        known = dict(counts)
        for key in allocated:
            for other in inner[key]:
                known[other] += 1
        old = {key for key in allocated if outside(candidates, key) > known[key]}
        if not old:
            return allocated
        allocated -= old


def walked(values: Sequence[Any]) -> Iterator[Any]:
    """`values` and what they lead to, through whatever Python refers by; JAX's values lead nowhere."""
    seen: set[int] = set()
    pending = [*values]
    while pending:
        value = pending.pop()
        yield value
        if id(value) in seen or isinstance(value, _LEADS_NOWHERE):
            continue
        seen.add(id(value))
        pending.extend(value.__closure__ or () if isinstance(value, FunctionType) else gc.get_referents(value))


_LEADS_NOWHERE = (jax.core.Tracer, jax.Array, type, ModuleType, CodeType)
