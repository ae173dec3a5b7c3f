"""The warning on a function that is traced again and again: which argument keeps changing, and what to write.

>>> from autograph.functions.arguments import Parameters
>>> import numpy as np
>>> bounds = [Parameters(lambda x, n: x).bind((np.ones(2), n), {}) for n in range(5)]
>>> print(advice(bounds))
'n' was 0, 1, 2, ...: pass an array (`jnp.asarray(n)`), so that its value is an input of the program
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from autograph.functions.arguments import Bound, Leaf, container_contents

MANY = 6
"""The number of traces after which a function warns."""


def advice(bounds: Sequence[Bound]) -> str:
    """The argument in which the traces differ most, what it was, and the cure."""
    rows = [{leaf.name: leaf for leaf in bound.leaves} for bound in bounds]
    names = list(dict.fromkeys(itertools.chain.from_iterable(rows)))
    seen = {name: list(dict.fromkeys(_shown(row.get(name)) for row in rows)) for name in names}
    name = max(names, key=lambda name: len(seen[name]), default="")
    if not name or len(seen[name]) < 2:
        return "the arguments have another structure each time: pass the same containers with the same keys"
    values = ", ".join(seen[name][:3]) + (", ..." if len(seen[name]) > 3 else "")
    return f"'{name}' was {values}: {_cure(name, [row[name] for row in rows if name in row])}"


def _shown(leaf: Leaf | None) -> str:
    if leaf is None:
        return "left out"
    if not leaf.is_input:
        return f"{leaf.value.get()!r:.40}"
    return f"{leaf.value.dtype}[{','.join(map(str, leaf.value.shape))}]"


def _cure(name: str, leaves: Sequence[Leaf]) -> str:
    if any(leaf.is_input for leaf in leaves):
        shapes = {leaf.value.shape for leaf in leaves if leaf.is_input}
        if len(shapes) > 1:
            return "give the function `reduce_retracing=True`, or an `input_signature` with None for the size that changes"
        return "pass arrays of one dtype"
    values: list[Any] = [leaf.value.get() for leaf in leaves]
    if all(isinstance(value, bool | int | float | complex) for value in values):
        return f"pass an array (`jnp.asarray({name})`), so that its value is an input of the program"
    if any(container_contents(value) is not None for value in values):
        return "pass what changes as arrays: a program is made for what it holds"
    return "pass the same object each time, or give its class `__eq__` and `__hash__`: a program is made for each object"
