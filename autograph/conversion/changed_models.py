"""Models of Flax NNX that JAX hands to a function as copies: a warning where the function changes one and does not return it.

`jax.jit` knows a model as the arrays in it, and makes another one of them for the function. What the function writes to that one
is lost, in silence, unless the function returns it; `nnx.jit` writes it back. Flax is not imported here: where the program has not
imported it, no argument is a model.

>>> changed_places(["x"], (1.0,))(None)
[]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FrameType
from typing import Any

import jax

from autograph.code.linking import parameters
from autograph.errors import AutoGraphWarning, is_of_jax, shown_name
from autograph.jax_internals import equation_of, variable_of

_warned: set[tuple[str, str, int]] = set()
_CONSTANTS = (bool, int, float, complex, str, type(None))
_SHOWN = 3  # places that a warning names


def watch(code: CodeType, arguments: Sequence[Any], caller: FrameType | None) -> Callable[[Any], None] | None:
    """Returns what is to be called with a function's results where a JAX transform called it; None for any other call.

    Args:
        code: that of the user's function.
        arguments: of all its parameters.
        caller: the frame that called the function. One of Flax's writes back what the function changed.
    """
    defined = code.co_filename, code.co_qualname, code.co_firstlineno
    if defined in _warned or caller is None or not is_of_jax(caller.f_code):
        return None
    changed = changed_places(parameters(code), arguments)

    def warn(result: Any) -> None:
        found = changed(result)
        if found:
            _warned.add(defined)
            text = _said(code.co_name, found)
            warnings.warn_explicit(text, AutoGraphWarning, shown_name(code.co_filename), code.co_firstlineno)

    return warn


def _said(name: str, places: Sequence[str]) -> str:
    shown = ", ".join(f"`{place}`" for place in places[:_SHOWN]) + (", ..." if places[_SHOWN:] else "")
    whose = " and ".join(dict.fromkeys(f"`{place.replace('[', '.').partition('.')[0]}`" for place in places))
    return (
        f"{name}() changes {whose} and does not return what is new ({shown}): JAX gives the function a copy of a model, and the "
        f"caller's stays as it was; write `nnx.jit(ag.convert({name if name.isidentifier() else 'f'}))`, which writes it back, or "
        "return the model, and go on with what is returned"
    )


def changed_places(names: Sequence[str], arguments: Sequence[Any]) -> Callable[[Any], list[str]]:
    """Returns a function that names where models among arguments have changed since, except what the result given then holds.

    A state of NNX is no model: who takes one apart means to return what is new.
    """
    nnx = sys.modules.get("flax.nnx")
    models: list[tuple[str, Any]] = []
    kinds, states = (_kinds(nnx, name) for name in (("Pytree", "Variable"), ("State",)))
    for name, value in zip(names, arguments, strict=True):
        parts, _ = jax.tree_util.tree_flatten_with_path(value, is_leaf=lambda x: isinstance(x, (*kinds, *states)))
        models += [(name + jax.tree_util.keystr(path), part) for path, part in parts if isinstance(part, kinds)]
    before, attributes = _parts(models), _attributes(models, kinds)

    def kept(result: Any) -> list[Any]:
        """Returns the models in a result, and what `nnx.split` makes of one."""
        whole = jax.tree.leaves(result, is_leaf=lambda x: type(x).__name__ == "GraphDef")
        return [*whole, *(model for _, model in _models_in("", result, kinds))]

    def changed(result: Any) -> list[str]:
        after = _parts(models)
        found = [place for place in {**before, **after} if not _is_same(before.get(place), after.get(place))]
        returned = {id(leaf) for leaf in jax.tree.leaves(result)} if found else ()
        found = [place for place in found if id(after.get(place)) not in returned]
        for place, (model, value) in _attributes(models, kinds).items():
            old = attributes.get(place, (model, None))[1]
            if not {type(old), type(value)}.isdisjoint(_CONSTANTS) and (type(old), repr(old)) != (type(value), repr(value)):
                found += [] if any(type(x) is type(model) or type(x).__name__ == "GraphDef" for x in kept(result)) else [place]
        return list(dict.fromkeys(found))

    return changed


def _models_in(name: str, value: Any, kinds: tuple[type, ...]) -> Iterator[tuple[str, Any]]:
    """Yields the models that a value is or holds, each with its place."""
    parts, _ = jax.tree_util.tree_flatten_with_path(value, is_leaf=lambda x: x is not value and isinstance(x, kinds))
    if isinstance(value, kinds):
        yield name, value
    for path, part in parts:
        if isinstance(part, kinds) and part is not value:  # a variable that JAX traces as one value is its own leaf
            yield from _models_in(name + jax.tree_util.keystr(path), part, kinds)


def _attributes(models: Sequence[tuple[str, Any]], kinds: tuple[type, ...]) -> dict[str, tuple[Any, Any]]:
    """Returns the attributes of the models by their places, each with its model: of numbers and strings JAX makes constants."""
    return {
        f"{place}.{attribute}": (model, value)
        for name, root in models
        for place, model in _models_in(name, root, kinds)
        for attribute, value in getattr(model, "__dict__", {}).items()
    }


def _kinds(nnx: Any, names: Sequence[str]) -> tuple[type, ...]:
    """Returns the classes of these names in a module; older versions of Flax lack some."""
    return tuple(kind for name in names if isinstance(kind := getattr(nnx, name, None), type))


def _parts(models: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    return {
        (name + jax.tree_util.keystr(path)).removesuffix(".value"): leaf
        for name, model in models
        for path, leaf in jax.tree_util.tree_flatten_with_path(model)[0]
    }


def _is_same(before: Any, after: Any) -> bool:
    """Whether a value is an earlier one, also where a compiled function in between took it and gave it back as it is."""
    while after is not before:
        made = equation_of(after)
        compiled = None if made is None else made.params.get("jaxpr")
        inner: Any = getattr(compiled, "jaxpr", compiled)
        if inner is None or len(inner.outvars) != len(made.outvars) or len(inner.invars) != len(made.in_tracers):
            return False  # not such a function: the kernel of a `pallas_call` writes its results
        result = inner.outvars[made.outvars.index(variable_of(after))]
        if result not in inner.invars:
            return False
        after = made.in_tracers[inner.invars.index(result)]
    return True
