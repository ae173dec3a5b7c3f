"""What depth and length cost: conversion plus trace time of nested ifs and loops, against the same in `lax` by hand.

python benchmarks/nesting.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import generated
import jax
from measure import once_each, seconds, table

import autograph as ag
from autograph.conversion.pipeline import staged

DEPTHS = [1, 2, 4, 6, 8, 10, 12]
LENGTHS = [625, 1250, 2500, 5000]


def maker(fresh: Callable[[], Callable[..., Any]], *arguments: Any) -> Callable[[], Callable[[], Any]]:
    """Makes functions that convert and trace a program that no cache has seen."""

    def make() -> Callable[[], Any]:
        fn = fresh()
        jax.clear_caches()
        return lambda: jax.make_jaxpr(fn)(*arguments) and None

    return make


def compare(text: str, by_hand: Callable[..., Any], *arguments: Any) -> tuple[float, float, float]:
    """Seconds of conversion plus trace, of trace alone, and of the trace of `lax` by hand."""

    def converted_before() -> Callable[..., Any]:
        fn = generated.function(text)
        staged(fn)
        return ag.convert(fn)

    makers = [
        maker(lambda: ag.convert(generated.function(text)), *arguments),
        maker(converted_before, *arguments),
        maker(lambda: lambda *a: by_hand(*a), *arguments),
    ]
    both, trace, hand = once_each(makers)
    return both, trace, hand


def by_depth(
    title: str, text: Callable[[int], str], by_hand: Callable[[int], Callable[..., Any]], *arguments: Any
) -> str:
    rows, ratios = [], []
    for depth in DEPTHS:
        both, trace, hand = compare(text(depth), by_hand(depth), *arguments)
        ratios.append(both / hand)
        rows.append(
            (
                str(depth),
                f"{both * 1e3:.1f}",
                f"{trace * 1e3:.1f}",
                f"{hand * 1e3:.1f}",
                f"{both / hand:.2f}",
                f"{trace / hand:.2f}",
            )
        )
    print(table((title, "convert + trace ms", "trace ms", "lax ms", "ratio", "trace ratio"), rows), end="\n\n")
    return f"{title} at depth {DEPTHS[-1]} {ratios[-1]:.2f}"


def in_a_row() -> str:
    rows, ratio = [], 0.0
    for count in (25, 50, 100):
        both, trace, hand = compare(generated.ifs_in_a_row(count), generated.conds_in_a_row(count), 1.0)
        ratio = both / hand
        rows.append(
            (
                str(count),
                f"{both * 1e3:.1f}",
                f"{trace * 1e3:.1f}",
                f"{hand * 1e3:.1f}",
                f"{ratio:.2f}",
                f"{trace / hand:.2f}",
            )
        )
    print(table(("ifs in a row", "convert + trace ms", "trace ms", "lax ms", "ratio", "trace ratio"), rows), end="\n\n")
    return f"100 ifs in a row {ratio:.2f}"


def by_length() -> str:
    rows, per_line = [], []
    for lines in LENGTHS:
        fn = generated.function(generated.long_function(lines))
        start = time.process_time()
        staged(fn)
        spent = time.process_time() - start
        per_line.append(spent / lines)
        rows.append((str(lines), f"{spent * 1e3:.0f}", f"{spent / lines * 1e6:.0f}"))
    print(table(("lines of one function", "conversion ms", "µs a line"), rows), end="\n\n")
    growth = per_line[-1] / per_line[0]
    return f"conversion {per_line[-1] * 1e6:.0f} µs a line, {LENGTHS[-1]} lines over {LENGTHS[0]} {growth:.2f}"


def main() -> None:
    seconds(lambda: jax.make_jaxpr(ag.convert(generated.function(generated.nested_ifs(1))))(1.0) and None)
    last = [
        by_depth("ifs", generated.nested_ifs, generated.nested_conds, 1.0),
        by_depth("loops", generated.nested_whiles, generated.nested_while_loops, 1.0, 3),
        by_depth(
            "loops whose sum starts as an int",
            lambda d: generated.nested_whiles(d, "0"),
            generated.nested_while_loops,
            1.0,
            3,
        ),
        in_a_row(),
        by_length(),
    ]
    print("ratios to lax by hand: " + "; ".join(last))


if __name__ == "__main__":
    main()
