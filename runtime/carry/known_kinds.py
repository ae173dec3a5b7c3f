"""Known numbers whose class an iteration changes: an int that becomes a float, a Python float that becomes a NumPy one.

| what changes | what is done |
| --- | --- |
| the class, in a loop whose length is one number | the first iteration runs alone (`operators.peeling`) |
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
from autograph.runtime.tracing.known.number import kind_of, of_numpy, sample_of
from autograph.runtime.values.merge import Mismatch

_REASON = "in one iteration it is a number of another kind than in the others"


def becoming_numpys(carry: Any, pending: list[Any]) -> list[Any]:
    """Compares the classes of numbers before and after an iteration; makes those that were NumPy's NumPy's again.

    Args:
        pending: see `known_variables.Pending`.
    Returns:
        the Python floats that become NumPy's: the next attempt begins with NumPy's.
    Raises:
        Mismatch: the first iteration may be the only one that changes a class.
    """
    others = [p for p in pending if kind_of(p.out) is not kind_of(p.leaf.init)]
    if not others:
        return []
    first = others[0]
    if not carry.assumptions.is_rest and carry.level.lengths is None:
        raise Mismatch(first.path, sample_of(first.leaf.init), sample_of(first.out), _REASON)
    if not all({kind_of(p.leaf.init), kind_of(p.out)} == {float, np.float64} for p in others):
        if progress.is_tried:
            raise needs_number(f"{first.path} is not known in each iteration: it is of several kinds")
        return []
    found = [p for p in others if kind_of(p.leaf.init) is float]
    ids = {id(p.leaf) for p in others} - {id(p.leaf) for p in found}
    pending[:] = [p._replace(out=of_numpy(p.out)) if id(p.leaf) in ids else p for p in pending]
    for p in found:
        carry.assumptions.slots[p.leaf.key].becomes_numpys = True
    return found
