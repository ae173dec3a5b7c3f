"""Runs one program as plain Python and under `ag.jit`, and says what came of it.

| kind | plain Python | `ag.jit` |
| --- | --- | --- |
| `same` | returns | returns the same: types, dtypes, shapes, values, containers, and what became of the arguments |
| `refused` | returns | an error of the library that names file and line |
| `error both` | raises | raises or refuses |
| `different` | returns | returns something else |
| `error missing` | raises | returns |
| `raw` | returns | an error of JAX, NumPy or Python, or one of the library without a place |
| `documented` | | one of the last three, and `documented` knows it |
| `timeout` | | does not end |
"""

from __future__ import annotations

import ast
import inspect
import pathlib
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import autograph as ag
from autograph.errors import AutoGraphError
from tests.namespaces import arguments
from tests.namespaces.documented import Seen, row_of
from tests.programs.harness import Raised, difference, outcome
from tests.random_programs.execution import DEFECT, Outcome, TimedOut, category_of, load, time_limit

PRELUDE = """\
import functools, heapq, itertools, math, operator, statistics
import numpy as np
import autograph as ag

"""
ALLOWED = ("same", "refused", "error both", "documented")
_PLACE = re.compile(r"random_program_\d+\.py:\d+")


def compare(source: str, name: str, folder: pathlib.Path, *, patience: int = 60, x64: bool = False) -> Outcome:
    """How the program compares; `patience` are the seconds of computing until it is given up."""
    try:
        with time_limit(patience), warnings.catch_warnings(), np.errstate(all="ignore"), jax.enable_x64(x64):
            warnings.simplefilter("ignore")
            return _compare(source, name, folder, x64)
    except TimedOut:
        return Outcome("timeout")


def _compare(source: str, name: str, folder: pathlib.Path, x64: bool) -> Outcome:
    program, letters = _loaded(source, folder)
    wanted, taken = _run(program, letters)
    kept = arguments.fresh()
    changed = [letter for letter, value in zip(letters, taken) if _contents(value) != _contents(kept[letter])]
    changed = [letter for letter in changed if letter not in _returned(source)]
    if changed and not isinstance(wanted, Raised):
        # A compiled program leaves the caller's arrays as they are: what became of them, both return.
        source = re.sub(r"(?m)^( *)return (.*)$", rf"\1return (\2), {', '.join(changed)}", source)
        program, letters = _loaded(source, folder)
        wanted, _ = _run(program, letters)
    got, _ = _run(ag.jit(program), letters)
    return judged(wanted, got, name, source, x64)


def _returned(source: str) -> set[str]:
    """The variables that the program returns as they are."""
    values = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Return)]
    return {item.id for v in values for item in getattr(v, "elts", [v]) if isinstance(item, ast.Name)}


def _loaded(source: str, folder: pathlib.Path) -> tuple[Callable[..., Any], list[str]]:
    module = load(PRELUDE + source, folder)
    sys.modules.pop(module.__name__)
    return module.program, [*inspect.signature(module.program).parameters]


def _run(program: Callable[..., Any], letters: list[str]) -> tuple[Any, list[Any]]:
    values = arguments.fresh()
    taken = [values[letter] for letter in letters]
    return outcome(lambda: program(*taken)), taken


def _contents(value: Any) -> Any:
    return (value.dtype, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)


def judged(wanted: Any, got: Any, name: str, source: str, x64: bool) -> Outcome:
    """What the two outcomes are to each other."""
    if isinstance(wanted, Raised):
        if isinstance(got, Raised):
            return Outcome("error both")
        return _unless_documented("error missing", Seen(name, source, wanted, got, f"{wanted}", x64))
    if isinstance(got, Raised):
        text = f"{type(got.error).__name__}: {got.error}"
        if isinstance(got.error, AutoGraphError) and DEFECT not in text and _PLACE.search(text):
            return Outcome("refused", text, category_of(text))
        return _unless_documented("raw", Seen(name, source, wanted, got, text, x64))
    try:
        found = _other_dtype(wanted, got, x64, "result") or difference(_plainer(wanted), _plainer(got), types="kind")
    except Exception as error:
        found = f"cannot be compared: {type(error).__name__}: {error}"
    if found is None:
        return Outcome("same")
    return _unless_documented("different", Seen(name, source, wanted, got, found, x64))


def _unless_documented(kind: str, seen: Seen) -> Outcome:
    row = row_of(kind, seen)
    if row is not None:
        return Outcome("documented", row, row)
    plain, jitted = (str(v) if isinstance(v, Raised) else repr(v) for v in (seen.wanted, seen.got))
    cause = "" if isinstance(seen.wanted, Raised) or kind == "raw" else f"\n{seen.detail}"
    return Outcome(kind, f"{plain}\n-> {jitted}{cause}", category_of(seen.detail))


def _plainer(value: Any) -> Any:
    """The value with named tuples as tuples: NumPy's and JAX's are classes of the same names."""
    if isinstance(value, dict):
        return {key: _plainer(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (type(value).__name__, value._fields, *map(_plainer, value))
    if type(value) in (list, tuple):
        return type(value)(map(_plainer, value))
    return value


def _other_dtype(expected: Any, actual: Any, x64: bool, where: str) -> str | None:
    """The first number whose dtype is not NumPy's, in words; without `x64` a dtype of 64 bits counts as its namesake of 32."""
    if isinstance(expected, (list, tuple)):
        others = actual if isinstance(actual, (list, tuple)) else ()
        pairs = [(f"{where}[{i}]", e, a) for i, (e, a) in enumerate(zip(expected, others))]
    elif isinstance(expected, dict) and isinstance(actual, dict):
        pairs = [(f"{where}[{k!r}]", e, actual.get(k)) for k, e in expected.items()]
    elif isinstance(expected, (np.ndarray, np.generic)) and isinstance(actual, (np.ndarray, np.generic, jax.Array)):
        width = expected.dtype if x64 else jax.dtypes.canonicalize_dtype(expected.dtype)
        return None if width == actual.dtype else f"{where}: dtype {width} became {actual.dtype}"
    else:
        return None
    found = (_other_dtype(e, a, x64, w) for w, e, a in pairs)
    return next((f for f in found if f is not None), None)
