"""Runs one program as plain Python and converted, and says how the two compare.

An outcome is one of `equal`, `refused` (an error of our own family: allowed, counted), `by design` (the same, of a program that
says that it is to be expected), `WRONG` (another answer: never allowed), `crash` (any other exception), `timeout`, `skip` (plain
Python itself fails on every input).
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import itertools
import pathlib
import re
import signal
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

import autograph as ag
from autograph.errors import AutoGraphError
from autograph.runtime.jaxprs import checks, passes
from tests.programs.harness import Raised, difference, outcome, staged_on_plain_values

Inputs = tuple[int, int, float, list[int]]
DEFECT = "this is a defect of the library"
"""An error of our family that is no refusal."""
MARK = re.compile(r"^# refused: ", re.MULTILINE)
"""The line of a program that is to be refused, or to give the same answer."""
_numbers = itertools.count()

passes.STRICT = True  # what each pass leaves is checked, and no mistake is hidden


class TimedOut(BaseException):
    """Not an `Exception`: neither user handlers nor JAX's may take it."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a program compares.

    Args:
        kind: see the module.
        detail: what differs, or the error's message.
        category: detail without the program's own names and numbers, to count and to compare while shrinking.
    """

    kind: str
    detail: str = ""
    category: str = ""


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise `TimedOut` in the block after so many seconds of computing, or ten times as many on the clock.

    A busy machine is no hang. In the main thread only, as signals are.
    """

    def stop(*_: object) -> None:
        raise TimedOut

    previous = [signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(10 * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        for number, handler in zip((signal.SIGPROF, signal.SIGALRM), previous, strict=True):
            signal.signal(number, handler)


def load(text: str, folder: pathlib.Path) -> types.ModuleType:
    """Import the program from a file of its own: conversion reads the source of a function from its file."""
    name = f"random_program_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def compare(
    text: str,
    inputs: Sequence[Inputs],
    folder: pathlib.Path,
    *,
    plain: bool = False,
    lanes: bool = False,
    function: bool = False,
    patience: int = 60,
) -> Outcome:
    """How the program compares; see `_compare`, whose arguments these are."""
    outcome = _compare(text, inputs, folder, How(plain, lanes, function), patience)
    is_expected = outcome.kind == "refused" and MARK.search(text)
    return dataclasses.replace(outcome, kind="by design") if is_expected else outcome


class How(NamedTuple):
    """How programs are compared.

    Attributes:
        plain: on plain values (converted, and the staged body) instead of under `ag.jit`.
        lanes: under `vmap` as well, on all inputs at once.
        function: under `ag.function` instead, which raises what Python raises.
    """

    plain: bool = False
    lanes: bool = False
    function: bool = False


def _compare(text: str, inputs: Sequence[Inputs], folder: pathlib.Path, how: How, patience: int) -> Outcome:
    """Run the program plainly and converted on each of the inputs; `patience` are the seconds until it is given up."""
    plain = how.plain
    try:
        module = load(text.replace("ag.range", "range") if plain else text, folder)  # ag.range asks for arrays
        module.program  # noqa: B018
    except Exception as error:  # happens to candidates while shrinking
        return Outcome("skip", f"{type(error).__name__}: {error}", "does not load")
    try:
        with time_limit(2):
            expected = [outcome(lambda i=i: _plain_python(_fresh(module).program, i)) for i in inputs]
    except TimedOut:
        return Outcome("skip", "plain Python does not end")
    finally:
        sys.modules.pop(module.__name__)
    usable = [(i, e) for i, e in zip(inputs, expected, strict=True) if plain or _comparable(e, module)]
    if not usable:
        return Outcome("skip", str(expected[0]), str(expected[0]))
    try:
        with time_limit(patience), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if plain:
                return _compare_plain(module, usable)
            if hasattr(module, "left"):
                verdicts = (_compare_traced(_fresh(module).program, [pair], how) for pair in usable[:2])
                return next((verdict for verdict in verdicts if verdict.kind != "equal"), Outcome("equal"))
            found = _compare_traced(module.program, usable, how)
            return _compare_lanes(module.program, usable) if how.lanes and found.kind == "equal" else found
    except TimedOut:
        return Outcome("timeout")
    except (checks.BrokenPass, checks.Mistake) as error:
        text = f"{type(error).__name__}: {error}"
        return Outcome("crash", text + "\n" + "".join(traceback.format_exception(error)), category_of(text))


def _fresh(module: types.ModuleType) -> types.ModuleType:
    """The module, or where it has a `left` itself again as it was when it was loaded: `program` returns what is left as well.

    `left()` gives what the program may have written in its module, where a value of a trace that is over has no number.
    """
    if not hasattr(module, "left"):
        return module
    assert module.__spec__ is not None and module.__spec__.loader is not None
    again = importlib.util.module_from_spec(module.__spec__)
    module.__spec__.loader.exec_module(again)
    return again


def _left(fn: Callable[..., Any]) -> Any:
    """What the program left in its module, if it tells."""
    tell = fn.__globals__.get("left", lambda: None)
    return jax.tree.map(lambda x: "traced" if isinstance(x, jax.core.Tracer) else x, tell())


def _comparable(expected: Any, module: types.ModuleType) -> bool:
    """Whether the compiled program owes this outcome: of exceptions two kinds, and those that it says it `owes`."""
    owed = AssertionError, ValueError, *(getattr(module, "owes", tuple)() or ())
    return not isinstance(expected, Raised) or isinstance(expected.error, owed)


def _plain_python(fn: Callable[..., Any], args: Inputs) -> Any:
    a, b, x, xs = args
    return fn(a, b, x, np.array(xs, np.int32)), _left(fn)


def _compare_traced(fn: Callable[..., Any], usable: Sequence[tuple[Inputs, Any]], how: How) -> Outcome:
    jitted = ag.function(fn) if how.function else ag.jit(fn)
    for (a, b, x, xs), wanted in usable:
        got = outcome(
            lambda a=a, b=b, x=x, xs=xs: (
                jitted(np.int32(a), np.int32(b), np.float32(x), np.array(xs, np.int32)),
                _left(fn),
            )
        )
        verdict = _judge(wanted, got, "promoted", (a, b, x, xs))
        if verdict is None and how.function and isinstance(wanted, Raised) and isinstance(got, Raised):
            verdict = _judge(*(_parts(raised.error) for raised in (wanted, got)), "promoted", (a, b, x, xs))
        if verdict is not None:
            return verdict
    return Outcome("equal")


def _parts(error: BaseException) -> tuple[str, Any]:
    return type(error).__name__, list(error.args)


def _compare_lanes(fn: Callable[..., Any], usable: Sequence[tuple[Inputs, Any]]) -> Outcome:
    """All inputs for which Python returns, each in a lane of `vmap`."""
    returned = [(args, wanted) for args, wanted in usable if not isinstance(wanted, Raised)]
    if not returned:
        return Outcome("equal")
    columns = zip(*(args for args, _ in returned), strict=True)
    stacked = [np.array(c, t) for c, t in zip(columns, (np.int32, np.int32, np.float32, np.int32), strict=True)]
    got = outcome(lambda: jax.jit(jax.vmap(ag.convert(fn)))(*stacked))
    for lane, (args, wanted) in enumerate(returned):
        result = got if isinstance(got, Raised) else (jax.tree.map(lambda x, lane=lane: x[lane], got), _left(fn))
        verdict = _judge(wanted, result, "promoted", args)
        if verdict is not None:
            return verdict
    return Outcome("equal")


def _compare_plain(module: types.ModuleType, usable: Sequence[tuple[Inputs, Any]]) -> Outcome:
    for make in (ag.convert, staged_on_plain_values):
        for args, wanted in usable:
            run = outcome(lambda make=make: make(_fresh(module).program))
            got = run if isinstance(run, Raised) else outcome(lambda run=run, args=args: _plain_python(run, args))
            verdict = _judge(wanted, got, "exact", args)
            if verdict is not None:
                return verdict
    return Outcome("equal")


def _judge(wanted: Any, got: Any, types: str, args: Inputs) -> Outcome | None:
    try:
        found = difference(wanted, got, types=types)
    except jax.errors.TracerArrayConversionError:
        found = "a value of a trace that is over"
    if found is None:
        return None
    if isinstance(got, Raised):
        text = f"{type(got.error).__name__}: {got.error}"
        if DEFECT in text:
            return Outcome("crash", text, category_of(text))
        if isinstance(
            got.error, AutoGraphError
        ):  # also where Python raises something on these arguments: nothing was run
            return Outcome("refused", text, category_of(text))
        if not isinstance(wanted, Raised):
            return Outcome("crash", text + "\n" + "".join(traceback.format_exception(got.error)), category_of(text))
    return Outcome("WRONG", f"on {args!r}: {found}", "another answer")


def category_of(text: str) -> str:
    """The first line of an error without names, numbers and places: `variable 'w3'` and `variable 'a'` are one refusal."""
    return _without_names(text.strip().partition("\n")[0])[:160]


def reason_of(text: str) -> str:
    """The beginning of the reason that an error of ours gives."""
    lines = [line.strip() for line in text.splitlines()]
    return " ".join(next((_without_names(line) for line in lines if line.startswith("why: ")), "").split()[:5])


def _without_names(line: str) -> str:
    words, quoted = [], False
    for piece in line.replace("`", "'").split("'"):
        words.append("…" if quoted else "".join("#" if c.isdigit() else c for c in piece))
        quoted = not quoted
    return "".join(words)


def forget_compiled_programs() -> None:
    """Let go of the compiled programs of finished comparisons: thousands of them would fill the memory."""
    jax.clear_caches()
