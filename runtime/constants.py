"""NumPy arrays that a program which is being traced has as constants, and writes to them.

JAX knows a constant by the identity of the array. After `y = x + a`, a write to the NumPy array `a` is not seen by what is
traced later (`x + a` again), or is even seen by what was traced before, where the constant shares the memory of the array.
So such an array is not written any more: the variable gets a copy where nothing else has the array; else the write is refused.

>>> import jax, numpy as np
>>> def f(x):
...     a = b = np.zeros(2, np.float32)
...     first = x + a
...     a = apart(a, unshared=1)
...     a[0] = 5
...     return a is b, first, x + a
>>> jax.jit(f)(1.0)[1:]
(Array([1., 1.], dtype=float32), Array([6., 1.], dtype=float32))
"""

from __future__ import annotations

import weakref
from typing import Any

import jax
import numpy as np

from autograph.jax_internals import is_tracing, open_traces
from autograph.runtime.refusals import names_held, refusal


def apart(x: np.ndarray[Any, Any], unshared: int) -> np.ndarray[Any, Any]:
    """A NumPy array that is about to be written: `x`, or a copy where `x` is a constant of the program and nothing else has it.

    Args:
        unshared: the number of axes up to which `x` is known to nothing but the variable that is bound anew.
    """
    may_be = _is_constant(x) if _IS_SEEN else is_tracing()
    return x.copy() if may_be and x.ndim <= unshared and x.base is None else x


def check(x: Any) -> None:
    """Refuses a write to a NumPy array, or to a view of one, that the program has as a constant.

    Raises:
        StagingError: names the variable.
    """
    array = x.base if type(x) is np.flatiter else x
    while type(array) is np.ndarray:
        if _is_constant(array):
            names = names_held(array) or names_held(x)
            raise refusal(
                f"{repr(names[0]) if names else 'a NumPy array'} is written after the compiled program has read it",
                why="it is a constant of the program, which would not see the write, and other names may refer to the array",
                instead="let the program read a copy (`y = x + a.copy()`), or start from a JAX array: `a = jnp.asarray(a)`",
            )
        array = array.base


def _is_constant(x: np.ndarray[Any, Any]) -> bool:
    if not is_tracing():
        return False
    # Since JAX 0.9.2 a weak reference leads from the array to the constant, as long as that lives; before, a table of the trace.
    if weakref.getweakrefcount(x):
        return True
    return any(id(x) in getattr(getattr(trace, "frame", None), "constid_to_tracer", ()) for trace in open_traces())


_IS_SEEN = jax.__version_info__ >= (0, 9, 2)
"""Whether each constant is found; before, one that only a branch or a loop body reads is not."""
