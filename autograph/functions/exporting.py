"""A program of `ag.function` under `jax.export`: its checks are results of the exported program, and fail at its call.

The program gives its results together with the error code, in a pytree node of which JAX makes what the user gets: the results
themselves, or the exception. So `jax.export.Exported.call` raises, here and, where this library is imported, in a process that has
read the export; `jax.jit(exported.call)` has the checks of the program.

The node is for exports alone: the fast path of a jitted function opens what it gave once more, and must find the same leaves.

>>> import autograph as ag
>>> @ag.function
... def root(x):
...     if x < 0:
...         raise ValueError(f"{x} is negative")
...     return x ** 0.5
>>> exported = root.get_concrete_function(ag.TensorSpec([], "float32")).export()
>>> read = jax.export.deserialize(exported.serialize())
>>> read.call(jax.numpy.float32(4.0))
Array(2., dtype=float32)
>>> try: read.call(jax.numpy.float32(-4.0))
... except ValueError as error: print(error)
-4.0 is negative
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from autograph.errors import AutoGraphError
from autograph.functions import error_codes, error_words
from autograph.functions.saving import describe_check
from autograph.jax_dispatch import stage_check
from autograph.runtime.checks import runtime_checks
from autograph.runtime.checks.failures import FailedCheck, Place
from autograph.saved import entries, loader

if TYPE_CHECKING:
    from autograph.functions.programs import Program


class _Results:
    """The results of a program with its error code, on their way to the caller; `checks` says what the code means."""

    def __init__(self, checks: tuple[Any, ...], parts: tuple[Any, Any]) -> None:
        self.checks, self.parts = checks, parts


def _unflatten(checks: tuple[Any, ...], parts: Any) -> Any:
    """Returns the results to the caller, or raises what a failed check says; a node if its parts are types or marks."""
    results, words = parts
    known = jax.lax.stop_gradient(words) if isinstance(words, jax.core.Tracer) else words  # `jax.grad` knows the value
    if isinstance(known, jax.core.Tracer):
        _stage(checks, known)
    elif isinstance(known, jax.Array | np.ndarray):
        error_codes.raise_failed(checks, np.asarray(known))
    else:
        return _Results(checks, parts)
    return results


jax.tree_util.register_pytree_node(_Results, lambda node: (node.parts, node.checks), _unflatten)


def _stage(checks: tuple[Any, ...], words: Any) -> None:
    """Makes the program that is traced fail as the exported one did."""
    for number, check in enumerate(checks, 1):
        failed = FailedCheck.__new__(FailedCheck)  # also of one that guards an index
        vars(failed).update(vars(check.failed), conditions=1, lanes=0, shown=len(check.avals))
        runtime_checks.refuse_to_handle_later(failed.exception(check.avals))
        stage_check(failed, words[0] == number, *error_words.unpacked(check.avals, words[1:]))


@dataclass(frozen=True)
class _ReadCheck:
    """A check of an export that was read: what the exception is, and the types of the values that its message shows."""

    described: entries.Check
    avals: tuple[Any, ...]

    @property
    def failed(self) -> FailedCheck:
        """The check, whose exception is made of values as they come."""
        kind, parts, _ = loader.read_check(asdict(self.described), self.avals)
        place = Place(self.described.file, self.described.line, "exported")
        check = FailedCheck(kind(), place, loader.filled_message(parts, list(map(error_words.OfType, self.avals))), 0)
        check.parts, check._made = tuple(parts), lambda shown: (((loader.filled_message(parts, shown),), (), (), None), None)
        return check

    def exception(self, words: np.ndarray[Any, Any]) -> BaseException:
        """Returns the exception of the function, from the words after the number of the check."""
        return self.failed.exception(error_words.values_of(self.avals, words))


def _serialized(checks: tuple[Any, ...]) -> bytes:
    found = []
    for check in checks:
        described = check.described if isinstance(check, _ReadCheck) else describe_check(check)
        types = [
            [aval.dtype.name, list(aval.shape), bool(getattr(aval, "weak_type", False))]
            if error_words.has_words(aval)
            else ["int32", [0], False]  # no message shows it, and it has no words
            for aval in check.avals
        ]
        found.append([asdict(described), types])
    return json.dumps(found).encode()


def _deserialized(data: bytes | bytearray) -> tuple[_ReadCheck, ...]:
    return tuple(
        _ReadCheck(
            entries.Check(**{**described, "message": tuple(x if isinstance(x, str) else tuple(x) for x in described["message"])}),
            tuple(jax.core.ShapedArray(tuple(shape), jax.numpy.dtype(dtype), weak_type=weak) for dtype, shape, weak in types),
        )
        for described, types in json.loads(bytes(data))
    )


jax.export.register_pytree_node_serialization(
    _Results,
    serialized_name="autograph.functions.Results",
    serialize_auxdata=_serialized,
    deserialize_auxdata=_deserialized,
    from_children=lambda checks, parts: _Results(checks, tuple(parts)),
)


def exported(program: Program, platforms: Sequence[str] | None) -> jax.export.Exported:
    """Returns a program without variables as `jax.export` has it, of the arguments that hold arrays."""
    if program.reads:
        raise AutoGraphError(
            f"the program of {program.function.__name__}() has variables, which an export of JAX cannot hold",
            why="it is a function of arrays alone",
            instead="write it with `ag.save`, which keeps variables",
            page="export-with-variables",
        )
    results = program.results_of
    if results.known:
        is_open = results.may_be_none or bool(results.choices)
        raise AutoGraphError(
            f"{program.function.__name__}() returns what is no array, which an export of JAX cannot hold",
            why="its results are arrays alone: a string, an object, or what only the running program knows to be None is none",
            instead="return arrays" + ("" if is_open else ", or write the function with `ag.save`, which keeps strings"),
            page="export-of-what-is-no-array",
        )
    names = [leaf.parameter for leaf in program.bound.leaves if leaf.is_input]
    for leaf in program.bound.leaves:
        if not leaf.is_input and leaf.parameter in names:
            raise AutoGraphError(
                f"{leaf.name} of {program.function.__name__}() is {leaf.value.get()!r}, which an export of JAX cannot hold",
                why="an argument that holds arrays holds nothing else there; one without arrays is no argument of the export",
                instead="make it an argument of its own, or write the function with `ag.save`, which keeps such values",
                page="export-of-a-mixed-argument",
            )
    run, options = program.lowerable, program.function.options

    def of_arrays(*arguments: Any) -> Any:
        flat = list(run(*jax.tree_util.tree_leaves(arguments)))
        words = flat.pop() if program.checks else None
        results = options.placed(program.results_of.output(flat))
        return results if words is None else _Results(program.checks, (results, words))

    of_arrays.__name__ = of_arrays.__qualname__ = program.function.__name__
    values = program.bound.values(program.specs)
    arguments = (values[i] for i, name in enumerate(program.bound.names) if name in names)
    return jax.export.export(jax.jit(of_arrays), platforms=platforms)(*arguments)
