"""Fair measurements on a machine that others use too: both sides alternate, and ratios are of medians of one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import jax


def seconds(fn: Callable[[], Any], number: int = 1) -> float:
    """The time of one call, as the mean of `number` calls in a row; results of JAX are waited for."""
    start = time.perf_counter()
    for _ in range(number):
        result = fn()
    jax.block_until_ready(result)
    return (time.perf_counter() - start) / number


def number_for(fn: Callable[[], Any], least: float) -> int:
    """How many calls last at least that many seconds."""
    seconds(fn)  # the first one may compile
    number = 1
    while seconds(fn, number) * number < least:
        number *= 2
    return number


def medians(*fns: Callable[[], Any], rounds: int = 9, least: float = 0.02) -> list[float]:
    """The median time of one call of each function; in every round each is called for `least` seconds."""
    numbers = [number_for(fn, least) for fn in fns]
    times: list[list[float]] = [[] for _ in fns]
    for _ in range(rounds):
        for fn, number, kept in zip(fns, numbers, times, strict=True):
            kept.append(seconds(fn, number))
    return [statistics.median(kept) for kept in times]


def least(*fns: Callable[[], Any], rounds: int = 60, span: float = 0.002) -> list[float]:
    """The least time of one call of each function, in rounds in which each is called for `span` seconds.

    What others do on the machine only adds to a time: the least is disturbed less than the median.
    """
    numbers = [number_for(fn, span) for fn in fns]
    best = [float("inf")] * len(fns)
    for _ in range(rounds):
        for k, (fn, number) in enumerate(zip(fns, numbers, strict=True)):
            best[k] = min(best[k], seconds(fn, number))
    return best


def once_each(makers: list[Callable[[], Callable[[], Any]]], rounds: int = 5) -> list[float]:
    """Median processor seconds of functions that can be timed once only, such as a first trace: made anew each round.

    Conversion and tracing are Python in one thread, so the time of the processor leaves out what others do.
    """
    times: list[list[float]] = [[] for _ in makers]
    for _ in range(rounds):
        for make, kept in zip(makers, times, strict=True):
            fn = make()
            start = time.process_time()
            fn()
            kept.append(time.process_time() - start)
    return [statistics.median(kept) for kept in times]


def mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return statistics.geometric_mean(ratios) if ratios else float("nan")


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Lays out columns, the first to the left and the others to the right.

    >>> print(table(("name", "ratio"), [("gcd", "1.00"), ("collatz", "0.98")]))
    name    | ratio
    gcd     |  1.00
    collatz |  0.98
    """
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    lines = []
    for first, *others in [head, *rows]:
        right = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append(" | ".join([first.ljust(widths[0]), *right]))
    return "\n".join(lines)
