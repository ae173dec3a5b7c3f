"""What a compiled program cannot return: a string, a class, a function, an object of a class that is no pytree.

JAX refuses these after the function has returned, and knows neither the line nor what to write. So the outermost call looks at
its result where JAX's own frame takes it: only there a result surely becomes one of a program. `jax.grad(f, has_aux=True)`
gives back whatever the function returns beside the value, and code between may use a string.

>>> import jax, autograph as ag
>>> try:
...     ag.jit(lambda x: {"name": "total", "value": x})(1.0)
... except ag.StagingError as error:
...     print(str(error).splitlines()[0])
<lambda>() returns a string, 'total', at ['name']
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType
from typing import Any

import jax
import numpy as np

from autograph.code.nodes import walk_outside
from autograph.code.source import Source
from autograph.errors import Location, StagingError, is_of_jax
from autograph.jax_internals import maps_lanes, records_jitted
from autograph.runtime.checks.swallowed import note_handlers, refuse_noted, swallowed
from autograph.runtime.checks.traced_strings import is_of_traced
from autograph.runtime.heap.outliving import ending_traces, traces_in
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.refusals import a
from autograph.runtime.values import choices

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_NUMBERS = (jax.Array, np.ndarray, float, complex)
_WHY = "what a compiled program returns are arrays and numbers, and tuples, lists, dicts and other pytrees of them"
_OBJECT = (
    "return what it holds in a tuple, list or dict, or make its class a pytree (`jax.tree_util.register_dataclass`)"
)


def expect_result() -> None:
    """Begins an outermost call, whose result `check` looks at."""
    note_handlers()


def check(source: Source, result: Any, caller: FrameType | None, takes_choices: bool) -> None:
    """Refuses what an outermost call must not return to its caller.

    Args:
        source: of the function that returns it.
        result: what it returns.
        caller: the frame that takes it.
        takes_choices: whether the caller takes one of several strings or functions that the program chooses.
    """
    if swallowed.value:
        refuse_noted()
    if progress.has_choices and not takes_choices:
        choices.refuse_returned(source.code.co_name, return_of(source), result)
    refuse_foreign(source, result, caller)


def refuse_foreign(source: Source, result: Any, caller: FrameType | None) -> None:
    """Refuses a result that JAX, where it is the caller, could not make one of its program."""
    try:
        leaves = jax.tree_util.tree_leaves(result, _is_iterator)
    except ValueError:
        if is_given_to_a_program(caller):
            raise without_order(source.code.co_name, return_of(source)) from None
        return
    if all(map(_is_of_programs, leaves)) or not is_given_to_a_program(caller):
        return
    for path, leaf in jax.tree_util.tree_leaves_with_path(result, _is_iterator):
        if not _is_of_programs(leaf):
            part = f" at {jax.tree_util.keystr(path)}" if path else ""
            what, instead = _described(leaf)
            comma = "," * bool(part and "," in what)
            text = f"{source.code.co_name}() returns {what}{comma}{part}"
            raise StagingError(text, at=return_of(source), why=_WHY, instead=instead, page="returned-value-of-python")


def without_order(name: str, at: Location | None) -> StagingError:
    """Returns the refusal of a dict that JAX takes for no tree."""
    return StagingError(
        f"{name}() returns a dict whose keys have no order",
        at=at,
        why="JAX orders the values of a dict by its keys, and these cannot be compared",
        instead="use keys of one type, such as strings alone",
        page="returned-value-of-python",
    )


def return_of(source: Source) -> Location:
    """Returns the only `return` of a function that has a value; where there are several, its first line."""
    node = source.node
    body = [] if isinstance(node, ast.Lambda) else node.body
    found = [each for each in walk_outside(_SCOPES, *body) if isinstance(each, ast.Return) and each.value]
    return Location(source.filename, found[0].lineno if len(found) == 1 else node.lineno)


def is_given_to_a_program(caller: FrameType | None) -> bool:
    """Whether what a function returns to `caller` becomes a result of a program, or of the lanes of `jax.vmap`."""
    if caller is None or not is_of_jax(caller.f_code):
        return False
    ended, _ = ending_traces(caller)
    return bool(ended) and (records_jitted(ended[0]) or maps_lanes(ended[0]))


def _is_iterator(x: Any) -> bool:
    return isinstance(x, Iterator)  # JAX warns of one that it takes for a leaf by itself


def _is_of_programs(leaf: Any) -> bool:
    if isinstance(leaf, _NUMBERS):
        return True
    if isinstance(leaf, int):
        return _fits(leaf)
    try:
        jax.typeof(leaf)
    except (TypeError, ValueError):  # JAX has either for what is none
        return False
    return True  # an open size, a reference


def _fits(number: int) -> bool:
    bounds = np.iinfo(jax.dtypes.canonicalize_dtype(int))
    return bool(bounds.min <= number <= bounds.max)


def _described(leaf: Any) -> tuple[str, str]:
    """Says what a leaf is, and what to write instead."""
    if is_of_traced(leaf):
        return "a string with a traced value in it", "return the value, and make the string from what the call returns"
    if isinstance(leaf, int):
        return (
            f"the integer {leaf}",
            "return it as a float (`float(n)`), or set `jax.config.update('jax_enable_x64', True)`",
        )
    instead = (
        _OBJECT
        if traces_in([leaf])
        else "decorate it with `@ag.function`, which returns this too, or return numbers alone"
    )
    if isinstance(leaf, str | bytes):
        return f"{'a string' if isinstance(leaf, str) else 'bytes'}, {leaf!r}", instead
    if isinstance(leaf, np.generic):
        return f"a number of type numpy.{type(leaf).__name__}", "convert it to a type that JAX has, such as `np.uint64(n)`"
    if isinstance(leaf, type):
        return f"a class, {leaf.__qualname__}", instead
    kind = a(type(leaf).__qualname__)
    return (kind, instead) if callable(leaf) or isinstance(leaf, range | np.dtype) else (f"{kind} object", _OBJECT)
