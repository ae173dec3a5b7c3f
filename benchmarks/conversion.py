"""Conversion time as a multiple of `ast.parse` plus `compile` of the same text.

    python benchmarks/conversion.py

`author` is the author's body (what `ag.convert` builds at once), `staged` what the first call under a trace adds.
"""

from __future__ import annotations

import ast
import statistics
import time

import generated
from measure import mean, table

import autograph as ag
from autograph.pipeline import staged

SMALL = """
def program(x):
    if x > 0:
        return x
    return -x
"""
PROGRAMS = [
    ("2 statements", SMALL),
    ("8 nested ifs", generated.nested_ifs(8)),
    ("8 nested loops", generated.nested_whiles(8)),
    ("50 lines", generated.long_function(50)),
    ("200 lines", generated.long_function(200)),
    ("1000 lines", generated.long_function(1000)),
]


def measure(text: str, rounds: int = 7) -> tuple[float, float, float]:
    """Median processor seconds of parse and compile, of the author's body, of the staged body."""
    times: list[tuple[float, float, float]] = []
    for _ in range(rounds):
        fn = generated.function(text)
        start = time.process_time()
        compile(ast.parse(text), "text", "exec")
        compiled = time.process_time()
        converted = ag.convert(fn)
        author = time.process_time()
        staged(converted)
        end = time.process_time()
        times.append((compiled - start, author - compiled, end - author))
    plain, author_time, staged_time = (statistics.median(column) for column in zip(*times, strict=True))
    return plain, author_time, staged_time


def main() -> None:
    rows, totals = [], []
    measure(SMALL)
    for title, text in PROGRAMS:
        plain, author, both = measure(text)
        totals.append((author + both) / plain)
        rows.append((title, f"{plain * 1e3:.2f}", f"{author / plain:.1f}", f"{both / plain:.1f}", f"{totals[-1]:.1f}"))
    print(table(("function", "parse + compile ms", "author ratio", "staged ratio", "sum"), rows))
    print(f"conversion over parse + compile: {mean(totals):.1f} (worst {max(totals):.1f})")


if __name__ == "__main__":
    main()
