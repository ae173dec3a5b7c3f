"""What `ag.save` writes of a function of `ag.function`: an entry for each of its programs, with variables, checks and open sizes.

>>> import tempfile
>>> import jax.numpy as jnp
>>> import autograph as ag
>>> total = ag.Variable(1.0, name="total")
>>> @ag.function
... def add(x):
...     if x < 0:
...         raise ValueError(f"{x} is negative")
...     return total.assign_add(x)
>>> _ = add(jnp.float32(1.0))
>>> with tempfile.TemporaryDirectory() as folder:
...     ag.save(add, f"{folder}/add.ag")
...     loaded = ag.load(f"{folder}/add.ag")
>>> float(loaded(jnp.float32(3.0))), float(loaded(jnp.float32(0.5)))
(5.0, 5.5)
>>> try: loaded(jnp.float32(-3.0))
... except ValueError as error: print(error)
-3.0 is negative
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax

from autograph.errors import AutoGraphError
from autograph.functions import error_words
from autograph.runtime.tracing.refusals import a
from autograph.saved import entries, saving, trees

if TYPE_CHECKING:
    from autograph.functions.error_codes import Check
    from autograph.functions.programs import Program
    from autograph.functions.variables import Variable


def saved(programs: Sequence[Program], platforms: Sequence[str], instance: Sequence[Any] = ()) -> list[entries.Entry]:
    """Returns the entries of some programs, which share the variables that they have in common.

    Args:
        programs: of one function.
        platforms: for which they are lowered.
        instance: the object that is the first argument, in a sequence: its arrays become constants.
    Raises:
        AutoGraphError: there is none yet, or one takes or returns what no file can hold.
    """
    if not programs:
        raise AutoGraphError(
            "a function of `ag.function` has no program to be saved",
            why="it was never called, so what its arguments are is not known",
            instead="call it, or `get_concrete_function(ag.TensorSpec(...))`, before it is saved",
        )
    names: dict[int, str] = {}
    for program in programs:
        for variable in program.reads:
            _name(variable, names)
    return [_entry(program, platforms, names, instance) for program in programs]


def _name(variable: Variable, names: dict[int, str]) -> None:
    if id(variable) not in names:
        count = sum(name.partition(":")[0] == variable.name for name in names.values())
        names[id(variable)] = f"{variable.name}:{count}" if count else variable.name


def _entry(program: Program, platforms: Sequence[str], names: dict[int, str], instance: Sequence[Any]) -> entries.Entry:
    name = program.function.__name__
    bound = program.bound
    fixed = len(jax.tree_util.tree_leaves(instance)) if instance and program.bound.leaves else 0
    constants = [x for x in jax.tree_util.tree_leaves(list(instance)) if isinstance(x, jax.Array)] if fixed else []
    values = bound.values(program.specs)[len(instance) :]
    parameters = zip(bound.names[len(instance) :], values, strict=True)
    given = {parameter: trees.split(value, f"argument '{parameter}' of {name}") for parameter, value in parameters}
    inputs, specs = {parameter: tree for parameter, (tree, _) in given.items()}, [x for _, leaves in given.values() for x in leaves]
    results = program.results_of
    if results.may_be_none or results.choices:
        what, place, page = "None or a value", "None", "none-or-a-value"
        if results.choices:
            what, place, page = "a choice between strings or functions", "it", "choice-between-strings"
        raise AutoGraphError(
            f"{name}() returns {what}, which only the running program knows",
            why="what a saved function returns has one structure, and arrays alone",
            instead=f"return a number instead of {place}, or a flag beside the value",
            page=page,
        )
    outputs = trees.split(program.results, f"the result of {name}")[0]
    run, count = program.lowerable, len(program.reads)
    places = [next(i for i, read in enumerate(program.reads) if read is written) for written in program.writes]

    def flat(*arrays: Any) -> list[Any]:
        state, left = arrays[:count], iter(arrays[count:])
        given = trees.program_leaves([trees.replaced(value, left) for value in values])
        found = list(run(*constants, *given, *state))
        words = found.pop() if program.checks else None
        new = list(state)
        results = found[: len(found) - len(places)]
        for place, value in zip(places, found[len(results) :], strict=True):
            new[place] = value if words is None else jax.lax.select(words[0] == 0, value, state[place])
        results = trees.split(program.results_of.output(results), name)[1]
        return [*results, *new, *([] if words is None else _shown(program.checks, words))]

    variables = {names[id(variable)]: variable.held for variable in program.reads}
    jitted, types = jax.jit(flat), [*map(spec_of, variables.values()), *specs]
    if jitted.trace(*types).jaxpr.effects:
        raise saving.calls_back(program.function)
    exported = saving.as_exported(program.function, jitted, types, platforms)
    signature = program.function.parameters.signature
    return entries.Entry(
        exported,
        tuple(signature.parameters.values())[len(instance) :],
        inputs,
        outputs,
        variables,
        _described(program.checks),
    )



def spec_of(x: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def _shown(checks: Sequence[Check], words: Any) -> list[Any]:
    """Returns the number of the check that failed, and the values of all checks: those of others mean nothing."""
    values = [value for check in checks for value in error_words.unpacked(check.avals, words[1:])]
    return [words[0], *values]


def _described(checks: Sequence[Check]) -> list[entries.Check]:
    found, start = [], 0
    for check in checks:
        found.append(describe_check(check, start))
        start += len(check.avals)
    return found


def describe_check(check: Check, start: int = 0) -> entries.Check:
    """Returns what is written of a check, whose values are numbered from `start` on."""
    failed, place = check.failed, check.failed.place
    if failed.may_choose:
        raise AutoGraphError(
            f"the message of {a(failed.kind.__name__)} may show a string that the program chooses, which no file can hold",
            at=None if place is None else (place.filename, place.lineno),
            why="a message in a file is made of strings and numbers",
            instead="raise each string in a branch of its own",
            page="chosen-string-in-a-saved-message",
        )
    message = tuple(part if isinstance(part, str) else (part[0] + start, *part[1:]) for part in check.parts)
    base = next(kind for kind in failed.kind.__mro__ if kind.__module__ == "builtins").__name__
    where = ("", 0) if place is None else (os.path.basename(place.filename), place.lineno)
    return entries.Check(failed.kind.__name__, message, *where, base)
