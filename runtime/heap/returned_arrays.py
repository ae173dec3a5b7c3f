"""Arrays that a `return` left in a variable: what runs after it is no matter of theirs.

A `return` inside a loop or a branch keeps its value in `return_value` and sets a flag. The value is read only where the flag is
set, and what stands behind the `return` runs only where it is not: an array that is written there is another one for the value,
although they share elements in NumPy.

>>> import jax, jax.numpy as jnp
>>> from autograph import convert
>>> def f(n, x):
...     if n > 0:
...         for i in range(n):
...             if i > 2:
...                 return x
...         x[0] = 5.0
...     return x
>>> print(jax.jit(convert(f))(9, jnp.ones(2)), jax.jit(convert(f))(1, jnp.ones(2)))
[1. 1.] [5. 1.]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from autograph.runtime.heap import array_versions, array_views
from autograph.runtime.tracing import dead_results
from autograph.runtime.tracing.predicates import note_predicate
from autograph.runtime.tracing.recorded import alias_of
from autograph.runtime.tracing.refusals import RETURNED
from autograph.runtime.tracing.staging import is_tracer
from autograph.runtime.tracing.variables import Variable
from autograph.runtime.values.merge import Template, slots_of

_FLAG = re.compile(r"return_\d*")


def own_slots(templates: Sequence[tuple[str, Template]], table: list[Any], known: Sequence[Any]) -> list[int]:
    """The slots of a `return_value` alone; an array there that is another variable's as well gets a tracer of its own.

    Args:
        templates: the name and the template of all that a statement leaves.
        table: what the slots stand for.
        known: the statement's results and what it reads; a result that is there twice is another variable's as well.
    """
    if not any(name.startswith(RETURNED) for name, _ in templates):
        return []
    others = {
        k % len(table) for name, template in templates if not name.startswith(RETURNED) for k in slots_of(template)
    }
    found = {k for name, template in templates if name.startswith(RETURNED) for k in slots_of(template)}
    own = []
    for k in found:
        x = table[k]
        if k % len(table) not in others and is_tracer(x) and x.ndim and not array_versions.is_superseded(x):
            count = sum(x is other for other in known)
            if count > 1 and (alias := alias_of(x)) is not None:
                array_views.note_shared(alias, [x])
                table[k], count = alias, 1
            if count == 1:
                own.append(k)
    return own


def note_returned(variables: Iterable[Variable], arrays: Iterable[Any]) -> None:
    """Notes that nobody reads the arrays of a `return_value` where its flag, which is one of the variables, is not set."""
    flags = [v.get() for v in variables if _FLAG.fullmatch(v.name)]
    if len(flags) == 1:
        for x in arrays:
            dead_results.flags.note(x, note_predicate(flags[0]))
