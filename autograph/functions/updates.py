"""What values a variable takes, and that one thread at a time reads a variable and writes it again.

>>> check_kind("v", np.dtype("float32"), np.dtype("int32"))
>>> try: check_kind("v", np.dtype("int32"), np.dtype("float32"))
... except Exception as error: print(str(error).splitlines()[0])
v of dtype int32 is assigned a value of dtype float32
"""

from __future__ import annotations

import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.runtime.tracing.refusals import refusal

LOCK = threading.RLock()
"""Held while a variable is read and written again: by a program, or by `assign_add` outside of one. No trace takes it."""

_KINDS = (np.bool_, jnp.integer, jnp.floating, jnp.complexfloating)


def as_array(name: str, dtype: Any, value: Any) -> Any:
    """Returns an assigned value as an array; integers that Python has are looked at, for a cast would wrap them around.

    >>> as_array("v", np.dtype("int8"), 3).dtype
    dtype('int8')
    >>> try: as_array("v", np.dtype("int8"), 300)
    ... except Exception as error: print(str(error).splitlines()[0])
    v of dtype int8 is assigned 300, which it cannot hold
    """
    numbers = value if isinstance(value, jax.Array) else np.asarray(value)
    if isinstance(numbers, jax.Array) or numbers.dtype.kind not in "iu" or not numbers.size or dtype == np.bool_:
        return jnp.asarray(value)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        for number in (numbers.min(), numbers.max()):
            if not limits.min <= int(number) <= limits.max:
                raise refusal(
                    f"{name} of dtype {dtype} is assigned {number}, which it cannot hold",
                    why=f"its numbers go from {limits.min} to {limits.max}, and a cast would wrap it around",
                    instead="make it of a wider dtype: `ag.Variable(0, dtype=jnp.int32)`",
                    page="variable-and-a-number-that-does-not-fit",
                )
    return jnp.asarray(numbers.astype(dtype))


def check_kind(name: str, dtype: Any, other: Any) -> None:
    """Refuses values of a kind that says more than that of a variable: bools, integers, floats, complex numbers.

    Among integers one that has numbers which the variable's has not.
    """
    first, second = (next((n for n, kind in enumerate(_KINDS) if jnp.issubdtype(x, kind)), -1) for x in (dtype, other))
    if first < second or first == second == 1 and not np.can_cast(other, dtype):
        raise refusal(
            f"{name} of dtype {dtype} is assigned a value of dtype {other}",
            why="a variable keeps its dtype, and the cast would lose what the value says",
            instead=f"make it with a value of that dtype (`ag.Variable({other.type(0).item()})`), or cast: "
            "`v.assign(jnp.asarray(x, v.dtype))`",
            page="variable-of-another-kind",
        )


def note_of_variables(error: BaseException) -> None:
    """Notes on an exception of JAX's what it says of an argument that is no array but stands for one."""
    if isinstance(error, ValueError) and str(error).startswith("Triggering __jax_array__() during"):
        error.add_note(
            "an `ag.Variable`, or a member of an enum that the program chooses, is passed to a function of JAX\n"
            "  instead: pass its array, `v.value`, or its number, `int(member)`"
        )
