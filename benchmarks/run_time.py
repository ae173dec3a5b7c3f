"""Natural Python under `ag.jit` against hand-written `lax`: run time, trace time, loops in the jaxpr, equal results.

    python benchmarks/run_time.py [name ...]

A program that fails is a row of its own; nothing is asserted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import jax
from measure import least, mean, once_each, table
from programs import PAIRS, Pair, Shape

import autograph as ag


def as_jax(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(jax.tree.map(jax.numpy.asarray, arguments))


def compiled(pair: Pair) -> tuple[Any, Any]:
    """Both forms under `jit`; the mapped ones as a user writes them."""
    return jax.jit(pair.mapped(ag.convert(pair.python))), jax.jit(pair.mapped(pair.expert))


def tracer(pair: Pair, arguments: tuple[Any, ...]) -> list[Callable[[], Callable[[], Any]]]:
    """Two makers of functions that trace one form for the first time."""

    def natural() -> Callable[[], Any]:
        fn = compiled(pair)[0]
        jax.clear_caches()
        return lambda: fn.trace(*arguments) and None

    def expert() -> Callable[[], Any]:
        fn = compiled(pair)[1]
        jax.clear_caches()
        return lambda: fn.trace(*arguments) and None

    return [natural, expert]


def row(pair: Pair) -> tuple[tuple[str, ...], float, float]:
    arguments = as_jax(pair.arguments())
    natural, expert = compiled(pair)
    shapes = [Shape.of(fn.trace(*arguments).jaxpr) for fn in (natural, expert)]
    pair.check(natural(*arguments), expert(*arguments))
    run, run_expert = least(lambda: natural(*arguments), lambda: expert(*arguments))
    trace, trace_expert = once_each(tracer(pair, arguments))
    texts = (
        pair.name,
        f"{run_expert * 1e6:.0f}",
        f"{run / run_expert:.2f}",
        f"{trace_expert * 1e3:.1f}",
        f"{trace / trace_expert:.2f}",
        str(shapes[0]),
        str(shapes[1]),
    )
    return texts, run / run_expert, trace / trace_expert


def compare(pairs: list[Pair], names: list[str]) -> None:
    """Prints a row for each pair, or for each that is named, and a last line of means."""
    rows, runs, traces, failed = [], [], [], []
    for pair in pairs:
        if names and pair.name not in names:
            continue
        try:
            texts, run, trace = row(pair)
        except Exception as error:
            failed.append(f"{pair.name}: {type(error).__name__}: {error}")
            continue
        rows.append(texts)
        runs.append(run)
        traces.append(trace)
    print(table(("program", "run µs", "ratio", "trace ms", "ratio", "converted", "expert"), rows))
    for text in failed:
        print("FAILED", text)
    if runs:
        print(
            f"run time ratio {mean(runs):.3f} (worst {max(runs):.2f}), trace time ratio {mean(traces):.2f} "
            f"(worst {max(traces):.2f}), programs {len(rows)}, failed {len(failed)}"
        )


if __name__ == "__main__":
    compare(PAIRS, sys.argv[1:])
