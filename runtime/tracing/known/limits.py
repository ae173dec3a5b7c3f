"""The errors for numbers that are not known in each iteration: one where copies of the body help, others where they do not.

>>> for kind in (int, float):
...     print(by_array(kind))
begin with the array `jnp.int32(0)`, with which the program computes, in 32 bits
begin with the array `jnp.float32(0)`, with which the program computes, in 32 bits
"""

from __future__ import annotations

from autograph.runtime.tracing.known import evaluation
from autograph.runtime.tracing.refusals import refusal

_PAGE = "too-many-numbers"


def needs_number(why: str) -> Exception:
    """Makes the error that ends the attempt to stage a loop over Python numbers."""
    what = f"the loop needs its number while the program is traced: {why}"
    return refusal(what, instead="use an array there", page="unrolled-loop")


def sum_of_bools(names: dict[int, str]) -> Exception:
    """Makes the error for `+` of bools, computed from variables one of which holds floats of two classes."""
    of = f"computed from {' and '.join(map(repr, names.values()))}" if names else "that a loop computes"
    return refusal(
        f"a sum of bools {of} is an int in some iterations and a bool in the rest",
        why="a variable holds NumPy's float in some iterations and Python's in others, and NumPy adds bools otherwise "
        "(`True + np.True_` is `True`)",
        instead="make one of the bools an int: `int(u > 0.4)`",
        page="sum-of-bools",
    )


def too_many(what: str, instead: str) -> Exception:
    """Makes the error."""
    return refusal(
        what,
        why=f"Python computes numbers ahead for at most {evaluation.MOST_CELLS:,} iterations, with "
        f"{evaluation.MOST_CALLS:,} calls of a function like `math.sin`, or a second of other operations",
        instead=instead,
        page="too-many-numbers",
    )


def too_many_of(names: dict[int, str], is_int: bool, why: str) -> Exception:
    """Makes the error for a number that is computed from variables; `is_int`: from ints, to an int."""
    of = f"computed from {' and '.join(map(repr, names.values()))}" if names else "that a loop computes"
    return too_many(
        f"a number {of} is not known in each iteration: {why}",
        instead="compute with the array `jnp.int32(i)`, in the program and in 32 bits"
        if is_int
        else "compute with the array `jnp.float32(i)`, in the program and in 32 bits",
    )


def too_many_elements(why: str) -> Exception:
    """Makes the error for a number that is computed from elements of a list or of an array of NumPy."""
    return too_many(
        f"a number computed from the elements of a list or a NumPy array is not known in each iteration: {why}",
        instead="take the elements of the array `jnp.asarray(xs)`, in 32 bits",
    )


def by_array(kind: type) -> str:
    """Returns the remedy for a variable that is computed from iteration to iteration."""
    if kind is bool:
        return "begin with the array `jnp.bool_(False)`, with which the program computes"
    if kind is float:
        return "begin with the array `jnp.float32(0)`, with which the program computes, in 32 bits"
    return "begin with the array `jnp.int32(0)`, with which the program computes, in 32 bits"


def is_too_many(error: BaseException) -> bool:
    """Whether an error is one of these: then the loop is not tried in another way."""
    return getattr(error, "page", "") == _PAGE
