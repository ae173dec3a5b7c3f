"""`ag.print`: prints when the program runs, each time and in the order of the program.

>>> import autograph as ag
>>> @ag.function
... def f(x):
...     print("traced with", 1)
...     ag.print("called with", x, sep=": ")
...     return x
>>> _ = f(jnp.float32(2)), f(jnp.float32(3)), jax.effects_barrier()
traced with 1
called with: 2.0
called with: 3.0
"""

from __future__ import annotations

import builtins
from typing import Any

import jax
import jax.numpy as jnp  # noqa: F401  # of the example
import numpy as np

from autograph.errors import boundary
from autograph.functions.arguments import is_input_leaf
from autograph.functions.variables import Variable
from autograph.jax_internals import is_tracing
from autograph.runtime.checks import messages
from autograph.runtime.heap import guarded_iterators


@boundary
def print_(*values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False) -> None:
    """Prints as Python's `print` does, when the compiled program runs: at each call, in order.

    In a branch it prints where the branch is taken, in a loop at each iteration. Under `vmap` it prints for each lane. The program
    calls the host for it, so `jax.export` and `ag.save` refuse it.

    Args:
        values: traced values are shown as NumPy shows them; in lists, tuples, dicts and strings (`f"{x:.3f}"`) as well.
        sep, end, file, flush: *static*; as for `print`.
    """
    values = tuple(_known(value.value if isinstance(value, Variable) else value) for value in values)
    if not is_tracing():
        builtins.print(*values, sep=sep, end=end, file=file, flush=flush)
        return
    between = " " if sep is None else sep
    parts = [part for value in values for part in (between, messages.formatted(value, "", "s"))]
    traced, text = messages.open_message(messages.f_string(*parts[1:]))

    file = guarded_iterators.original(file)  # which is written when the program runs

    def show(*found: Any) -> None:
        known = [np.asarray(value)[()] if is_input_leaf(value) else value for value in found]
        builtins.print(text(known), end=end, file=file, flush=flush)

    jax.debug.callback(show, *traced, ordered=True)


def _known(value: Any) -> Any:
    """Returns the value with the numbers that `jax.grad` knows instead of its tracers."""
    if not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value)):
        return value
    return jax.tree.map(_primal, value)


def _primal(leaf: Any) -> Any:
    found = leaf
    while isinstance(found, jax.core.Tracer) and hasattr(found, "primal"):
        found = found.primal
    return leaf if found is leaf or isinstance(found, jax.core.Tracer) else np.asarray(found, leaf.dtype)[()]
