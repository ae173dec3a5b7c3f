"""Known numbers whose class an iteration changes: an int that becomes a float, a Python float that becomes a NumPy one.

| what changes | what is done |
| --- | --- |
| the class, in a loop whose length is one number | the first iteration runs alone (`operators.peeling`) |
| an int that becomes a float, in a loop inside | the variable is that float in each iteration, also in the first |
| a float of Python and one of NumPy, later or in a loop inside | the variable is a NumPy float in each iteration: no bit differs |
| any other class | a loop that is tried is unrolled; any other loop carries the number |

>>> import jax, numpy as np, autograph as ag
>>> weights = np.array([0.1, 0.2])
>>> @jax.jit
... @ag.convert
... def f(x):
...     total = 0.0
...     for i in range(100):
...         total += weights[i % 2]  # a NumPy float from here on
...     return x + int(total * 10**6)
>>> int(f(0))  # with 32 bits it would be 15000001
14999999
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known.limits import needs_number
from autograph.runtime.tracing.known.number import kind_of, of_kind, sample_of
from autograph.runtime.values.merge import Mismatch

_CHANGES = frozenset(((int, float), (int, np.float64), (float, np.float64), (np.float64, float)))
_REASON = "in one iteration it is a number of another kind than in the others"


def new_kinds(carry: Any, pending: list[Any]) -> list[Any]:
    """Compares the classes of numbers before and after an iteration; makes those that were NumPy's NumPy's again.

    Args:
        pending: see `variable_groups.Pending`.
    Returns:
        those that become floats, or NumPy's: the next attempt begins with such a number.
    Raises:
        Mismatch: the first iteration may be the only one that changes a class.
    """
    others = [p for p in pending if kind_of(p.out) is not kind_of(p.leaf.known)]
    if not others:
        return []
    first = others[0]
    if not carry.assumptions.is_rest and carry.level.lengths is None:
        raise Mismatch(first.path, sample_of(first.leaf.init), sample_of(first.out), _REASON)
    if not all((kind_of(p.leaf.known), kind_of(p.out)) in _CHANGES for p in others):
        if progress.is_tried:
            raise needs_number(f"{first.path} is not known in each iteration: it is of several kinds")
        return []
    if any(np.float64 in (kind_of(p.leaf.known), kind_of(p.out)) for p in others):
        carry.level.note_mixed_floats()
    found = [p for p in others if kind_of(p.leaf.known) is not np.float64]
    ids = {id(p.leaf) for p in others} - {id(p.leaf) for p in found}
    pending[:] = [p._replace(out=of_kind(np.float64, p.out)) if id(p.leaf) in ids else p for p in pending]
    for p in found:
        if kind_of(p.out) is np.float64:
            carry.assumptions.slots[p.leaf.key].becomes_numpys = True
    return found
