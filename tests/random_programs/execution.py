"""Runs one program as plain Python and converted, and says how the two compare.

An outcome is one of `equal`, `refused` (an error of our own family: allowed, counted), `WRONG` (another answer: never
allowed), `crash` (any other exception), `timeout`, `skip` (plain Python itself fails on every input).
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import itertools
import pathlib
import signal
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import autograph as ag
from autograph.errors import AutoGraphError
from tests.programs.harness import Raised, difference, outcome, staged_on_plain_values

Inputs = tuple[int, int, float, list[int]]
_numbers = itertools.count()


class TimedOut(BaseException):
    """Not an `Exception`: neither user handlers nor JAX's may take it."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a program compares.

    Args:
        kind: see the module.
        detail: what differs, or the error's text.
        category: detail without the program's own names and numbers, to count and to compare while shrinking.
    """

    kind: str
    detail: str = ""
    category: str = ""


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise `TimedOut` in the block after so many seconds (main thread only, as signals are)."""

    def stop(*_: object) -> None:
        raise TimedOut

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


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


def compare(text: str, inputs: Sequence[Inputs], folder: pathlib.Path, *, plain: bool = False) -> Outcome:
    """Run the program plainly and converted on each of the inputs.

    Args:
        plain: compare on plain values (converted, and the staged body) instead of under `ag.jit`.
    """
    try:
        module = load(text.replace("ag.range", "range") if plain else text, folder)  # ag.range asks for arrays
        module.program  # noqa: B018
    except Exception as error:  # happens to candidates while shrinking
        return Outcome("skip", f"{type(error).__name__}: {error}", "does not load")
    try:
        with time_limit(2):
            expected = [outcome(lambda i=i: _plain_python(module.program, i)) for i in inputs]
    except TimedOut:
        return Outcome("skip", "plain Python does not end")
    finally:
        sys.modules.pop(module.__name__)
    usable = [(i, e) for i, e in zip(inputs, expected, strict=True) if plain or _comparable(e)]
    if not usable:
        return Outcome("skip", str(expected[0]), str(expected[0]))
    try:
        with time_limit(60), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _compare_plain(module.program, usable) if plain else _compare_traced(module.program, usable)
    except TimedOut:
        return Outcome("timeout")


def _comparable(expected: Any) -> bool:
    """Whether the compiled program owes this outcome (not the error for a name that this path leaves unbound)."""
    return not isinstance(expected, Raised) or isinstance(expected.error, (AssertionError, ValueError))


def _plain_python(fn: Callable[..., Any], args: Inputs) -> Any:
    a, b, x, xs = args
    return fn(a, b, x, np.array(xs, np.int32))


def _compare_traced(fn: Callable[..., Any], usable: Sequence[tuple[Inputs, Any]]) -> Outcome:
    jitted = ag.jit(fn)
    for (a, b, x, xs), wanted in usable:
        got = outcome(lambda a=a, b=b, x=x, xs=xs: jitted(jnp.int32(a), jnp.int32(b), jnp.float32(x), jnp.array(xs)))
        verdict = _judge(wanted, got, "promoted", (a, b, x, xs))
        if verdict is not None:
            return verdict
    return Outcome("equal")


def _compare_plain(fn: Callable[..., Any], usable: Sequence[tuple[Inputs, Any]]) -> Outcome:
    for run in (ag.convert(fn), staged_on_plain_values(fn)):
        for args, wanted in usable:
            got = outcome(lambda run=run, args=args: _plain_python(run, args))
            verdict = _judge(wanted, got, "exact", args)
            if verdict is not None:
                return verdict
    return Outcome("equal")


def _judge(wanted: Any, got: Any, types: str, args: Inputs) -> Outcome | None:
    if isinstance(got, Raised) and not isinstance(wanted, Raised):
        text = f"{type(got.error).__name__}: {got.error}"
        if isinstance(got.error, AutoGraphError):
            return Outcome("refused", text, _category(got.error))
        return Outcome("crash", text + "\n" + "".join(traceback.format_exception(got.error)), _category(got.error))
    found = difference(wanted, got, types=types)
    return None if found is None else Outcome("WRONG", f"on {args!r}: {found}", "another answer")


def _category(error: BaseException) -> str:
    """The error without names, numbers and places: `variable 'w3'` and `variable 'a'` are the same refusal."""
    line = str(error).strip().splitlines()[0] if str(error).strip() else ""
    words, quoted = [], False
    for piece in line.replace("`", "'").split("'"):
        words.append("…" if quoted else "".join("#" if c.isdigit() else c for c in piece))
        quoted = not quoted
    return f"{type(error).__name__}: {''.join(words)}"[:160]


def forget_compiled_programs() -> None:
    """Let go of the compiled programs of finished comparisons: thousands of them would fill the memory."""
    jax.clear_caches()
