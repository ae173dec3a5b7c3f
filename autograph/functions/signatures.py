"""What a program takes, in words and as a test: the errors of `input_signature` and of concrete functions.

>>> describe_argument(jax.ShapeDtypeStruct((2, 3), "float32")), describe_argument(7.4)
('float32[2,3]', 'the float 7.4')
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import jax

from autograph import errors
from autograph.functions import symbolic
from autograph.functions.arguments import Bound, Leaf, is_input_leaf
from autograph.functions.variables import Variable

NOTHING, CONTAINER = "nothing", "a container"
"""What messages call an argument that is missing, and one that has leaves where an array is expected."""


class SignatureError(errors.AutoGraphError, ValueError, TypeError):
    """An argument does not fit the signature that a function was given, or was traced for."""


def describe_argument(value: Any) -> str:
    """Returns an argument in a message: the type of an array, another value as itself."""
    if isinstance(value, Variable):
        return f"the variable {value.name}"
    if is_input_leaf(value) or isinstance(value, jax.ShapeDtypeStruct) or hasattr(value, "weak_type"):
        aval = value if hasattr(value, "shape") else jax.typeof(value)
        sizes = re.sub(r"\bnone_\d+", "None", ",".join(map(str, aval.shape)))  # what `Scope` names so
        return f"{aval.dtype}[{sizes}]"
    return f"the {type(value).__name__} {value!r:.60}"


def mismatch(function: str, leaf: Leaf, expected: Any, at: str) -> SignatureError:
    """Returns the error for an argument: its name, what was expected and what was given."""
    value = leaf.value if leaf.is_input else leaf.value.get()
    given, wanted = (x if type(x) is str and x in (NOTHING, CONTAINER) else describe_argument(x) for x in (value, expected))
    what = f"argument '{leaf.name}' of {function}() is {given} where {wanted} is expected"
    if wanted != NOTHING and (isinstance(expected, Variable) or not hasattr(expected, "dtype")):
        return SignatureError(
            what,
            why="a program is for the structure and the values that it was traced with",
            instead="pass what is expected, or leave the signature out: the function itself has a program for each value",
            page="argument-of-another-type",
        )
    typed = f"pass an array of that type (`jnp.asarray({leaf.name}, ...)`)"
    typed = "pass it too" if given == NOTHING else "leave it out" if wanted == NOTHING else typed
    return SignatureError(
        what,
        why=f"{at} fixes the dtype and shape of " + ("the array" if NOTHING not in (given, wanted) else "each array"),
        instead=f"{typed}, or leave the signature out",
        page="argument-of-another-type",
    )


def check_argument(function: str, bound: Bound, specs: Mapping[str, Mapping[str, Any]], at: str) -> None:
    """Raises where an argument is no array of the type that is expected in its place.

    Args:
        specs: what is expected, by parameter and path; other parameters may be anything.
    Raises:
        SignatureError: names the argument, what was expected and what was given.
    """
    sizes: dict[Any, tuple[int, Leaf]] = {}
    given = {(leaf.parameter, leaf.path): leaf for leaf in bound.leaves if leaf.parameter in specs}
    for (parameter, path), leaf in given.items():
        spec = specs[parameter].get(path)
        aval = jax.typeof(leaf.value) if leaf.is_input else None
        if spec is None and "" in specs[parameter]:
            raise mismatch(function, Leaf(parameter, "", CONTAINER), specs[parameter][""], at)
        if spec is None or aval is None or not (symbolic.covers([spec], [aval]) or 0 in aval.shape):
            raise mismatch(function, leaf, NOTHING if spec is None else spec, at)
        for name, size in zip(spec.shape, aval.shape, strict=True):
            seen, first = sizes.setdefault(name, (size, leaf))
            if isinstance(name, symbolic.SIZE) and seen != size:
                raise SignatureError(
                    f"arguments '{first.name}' and '{leaf.name}' of {function}() have sizes {seen} and {size}",
                    why=f"{at} gives both axes one name, '{name}'",
                    instead="pass arrays of one size, or give the axes two names (or None)",
                    page="sizes-that-should-be-one",
                )
    for parameter, parts in specs.items():
        for path, spec in parts.items():
            if (parameter, path) not in given:
                raise mismatch(function, Leaf(parameter, path, NOTHING), spec, at)


def filled(bound: Bound, specs: Mapping[str, Mapping[str, Any]], avals: Sequence[Any]) -> list[Any]:
    """Returns the types of the inputs as they are expected, and those of other parameters as they come."""
    inputs = [leaf for leaf in bound.leaves if leaf.is_input]
    return [specs.get(x.parameter, {}).get(x.path, aval) for x, aval in zip(inputs, avals, strict=True)]
