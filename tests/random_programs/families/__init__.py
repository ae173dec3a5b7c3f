"""Level 8: small programs of one kind each, as strangers write them.

The other levels mix everything that the language has; a bug that needs three particular statements in a row is met there by
chance or never. Each module of this folder writes one kind of program that somebody's code was found to consist of, with everything
around the pattern varied: what is stored, where it is changed, which loop or branch it stands in, who calls whom.

A family is a module with `write(rng) -> str`: the source of `program(a, b, x, xs)` and of what it needs (`HEADER` of
`grammar` stands before it). Arithmetic is exact in 32 bits there, as on all levels.

>>> print(write(0, "rows").splitlines()[0])
def program(a, b, x, xs):
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.random_programs.families import (
    absences,
    arithmetic_handlers,
    array_functions,
    attributes,
    bounds,
    chained_items,
    changed_kinds,
    closures,
    correlated,
    counted_loops,
    derivatives,
    functions,
    grown_lists,
    guards,
    heaps,
    identities,
    kept_items,
    key_orders,
    lanes,
    lengths,
    loop_checks,
    optionals,
    outside,
    read_arrays,
    rows,
    scratch_arrays,
    searches,
    shared_arrays,
    signatures,
    small_integers,
    stacks,
    strings,
    tables,
    values,
    views,
    wrong_kinds,
)

FAMILIES: dict[str, Callable[[random.Random], str]] = {
    "absences": absences.write,
    "arithmetic_handlers": arithmetic_handlers.write,
    "array_functions": array_functions.write,
    "attributes": attributes.write,
    "bounds": bounds.write,
    "chained_items": chained_items.write,
    "changed_kinds": changed_kinds.write,
    "closures": closures.write,
    "correlated": correlated.write,
    "counted_loops": counted_loops.write,
    "derivatives": derivatives.write,
    "functions": functions.write,
    "grown_lists": grown_lists.write,
    "guards": guards.write,
    "heaps": heaps.write,
    "identities": identities.write,
    "kept_items": kept_items.write,
    "key_orders": key_orders.write,
    "lanes": lanes.write,
    "lengths": lengths.write,
    "loop_checks": loop_checks.write,
    "optionals": optionals.write,
    "outside": outside.write,
    "read_arrays": read_arrays.write,
    "rows": rows.write,
    "scratch_arrays": scratch_arrays.write,
    "searches": searches.write,
    "shared_arrays": shared_arrays.write,
    "signatures": signatures.write,
    "small_integers": small_integers.write,
    "stacks": stacks.write,
    "tables": tables.write,
    "strings": strings.write,
    "values": values.write,
    "views": views.write,
    "wrong_kinds": wrong_kinds.write,
}
"""By name: what writes a program of the family."""

IN_LANES = frozenset({"attributes", "changed_kinds", "kept_items", "lanes", "shared_arrays", "wrong_kinds"})
"""The families whose programs are also run for all inputs at once, under `vmap`."""


def write(seed: int, family: str | None = None) -> str:
    """The source of program number `seed`: of one family, or of each in its turn."""
    name = family or family_of(seed)
    return FAMILIES[name](random.Random(f"{name} {seed}"))


def family_of(seed: int) -> str:
    """The family of program number `seed`, where each has its turn."""
    names = sorted(FAMILIES)
    return names[seed // 8 % len(names)]
