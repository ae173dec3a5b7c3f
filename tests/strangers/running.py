"""One call, plain and under `ag.jit`: with every number traced, with lists of numbers as traced arrays, with floats traced only.

Run as a program it works through the cases of one package from a given number on and prints one line of JSON for each way of
each case, so that whoever started it can end it where a case does not end.
"""

from __future__ import annotations

import copy
import importlib
import json
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import autograph as ag
from autograph.code import library
from autograph.errors import AutoGraphError
from tests.random_programs.execution import TimedOut, category_of, reason_of, time_limit
from tests.strangers.harvest import Case, harvest, is_number, is_numbers

WAYS: dict[str, Callable[[Any], bool]] = {
    "numbers": is_number,
    "arrays": lambda x: is_number(x) or is_numbers(x),
    "floats": lambda x: type(x) is float,
}
"""By name: which arguments are traced. What is not stays the Python value."""


def run(case: Case, way: str) -> tuple[str, str]:
    """What came of it (`same`, `refused`, `WRONG`, `error`, `timeout`, `skip`), and why."""
    picked = WAYS[way]
    given = {i: x for i, x in enumerate(case.args)} | case.kwargs
    traced = {key: np.asarray(x) for key, x in given.items() if picked(x)}
    if any(x.dtype == object for x in traced.values()):
        return "skip", "a number of more than 64 bits"
    if not traced or (way == "arrays" and not any(map(is_numbers, given.values()))):
        return "skip", "nothing to trace"
    if way == "floats" and not any(type(x) is int for x in given.values()):
        return "skip", "as with all numbers"
    plain = {key: np.asarray(x) if key in traced and is_numbers(x) else x for key, x in given.items()}

    def call(fn: Callable[..., Any], values: dict[Any, Any]) -> Any:
        return fn(*(values[i] for i in range(len(case.args))), **{key: values[key] for key in case.kwargs})

    try:
        with time_limit(2):
            expected = call(case.function, copy.deepcopy(plain))
    except (Exception, TimedOut) as error:
        return "skip", f"plain: {type(error).__name__}"
    if not _is_numeric(expected):
        return "skip", f"the result is {type(expected).__name__}"
    converted = ag.convert(case.function)
    static = {key: x for key, x in plain.items() if key not in traced}
    try:
        with time_limit(20):
            got = jax.jit(lambda values: call(converted, {**static, **dict(zip(traced, values, strict=True))}))(
                [*traced.values()]
            )
    except TimedOut:
        return "timeout", ""
    except AutoGraphError as error:
        return "refused", f"{category_of(str(error))} | {reason_of(str(error))} | {error}"
    except Exception as error:
        if "\n  why: " in str(error):  # a refusal of the type that plain Python or JAX raises
            return "refused", f"{category_of(str(error))} | {reason_of(str(error))} | {error}"
        return "error", f"{type(error).__name__}: {error}"
    return ("same", "") if _close(expected, got) else ("WRONG", f"{expected!r} became {got!r}")


def _is_numeric(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return all(map(_is_numeric, x))
    if isinstance(x, dict):
        return all(map(_is_numeric, x.values()))
    return (
        x is None
        or isinstance(x, (int, float, complex, np.generic))
        or (isinstance(x, np.ndarray) and x.dtype != object)
    )


def _close(expected: Any, got: Any) -> bool:
    if isinstance(expected, dict):
        return (
            type(got) is type(expected)
            and expected.keys() == got.keys()
            and all(_close(expected[k], got[k]) for k in got)
        )
    if isinstance(expected, (list, tuple)):
        return len(expected) == len(got) and all(map(_close, expected, got))
    if expected is None or got is None:
        return expected is got
    left, right = np.asarray(expected), np.asarray(got)
    return left.shape == right.shape and bool(np.allclose(left, right, rtol=1e-7, atol=1e-12, equal_nan=True))


def main(package: str, start: int, count: int, each: int) -> None:
    """Runs cases `start` to `count`; a line of JSON each."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    module = importlib.import_module(package)
    cases = harvest(module, each)
    for index, case in enumerate(cases[:count]):
        if index < start:
            continue
        library.claim(case.function.__code__.co_filename)  # the standard library is ours to convert, for once
        for way in WAYS:
            print(json.dumps({"index": index, "of": len(cases), "name": case.name, "way": way}), flush=True)
            kind, why = run(case, way)
            print(
                json.dumps({"index": index, "name": case.name, "way": way, "kind": kind, "why": why[:3000]}), flush=True
            )
        jax.clear_caches()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
