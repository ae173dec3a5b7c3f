"""Conversion time as a multiple of `ast.parse` plus `compile` of the same source.

    python benchmarks/conversion.py

`author` is the author's body (what `ag.convert` builds at once), `staged` what the first call under a trace adds. The last
row is a file of many functions, of which each is converted; the file is read and parsed once.
"""

from __future__ import annotations

import ast
import statistics
import time

import generated
from measure import mean, table

import autograph as ag
from autograph.conversion.pipeline import staged

SMALL = """
def program(x):
    if x > 0:
        return x
    return -x
"""
PROGRAMS = [
    ("2 statements", SMALL, 1),
    ("8 nested ifs", generated.nested_ifs(8), 1),
    ("8 nested loops", generated.nested_whiles(8), 1),
    ("50 lines", generated.long_function(50), 1),
    ("200 lines", generated.long_function(200), 1),
    ("1000 lines", generated.long_function(1000), 1),
    ("300 functions of 17 lines", generated.many_functions(300, 17), 300),
]


def measure(source: str, count: int = 1, rounds: int = 7) -> tuple[float, float, float]:
    """Median processor seconds of parse and compile, of the author's bodies, of the staged bodies.

    Args:
        source: a module with the function `program`, or with `program_0` and so on.
        count: how many functions.
        rounds: how often to measure.
    """
    names = ["program"] if count == 1 else [f"program_{k}" for k in range(count)]
    times: list[tuple[float, float, float]] = []
    for _ in range(rounds):
        module = generated.function(source, names[0]).__globals__
        start = time.process_time()
        compile(ast.parse(source), "text", "exec")
        compiled = time.process_time()
        converted = [ag.convert(module[name]) for name in names]
        author = time.process_time()
        for fn in converted:
            staged(fn)
        end = time.process_time()
        times.append((compiled - start, author - compiled, end - author))
    plain, author_time, staged_time = (statistics.median(column) for column in zip(*times, strict=True))
    return plain, author_time, staged_time


def main() -> None:
    rows, totals = [], []
    measure(SMALL)
    for title, text, count in PROGRAMS:
        plain, author, both = measure(text, count)
        totals.append((author + both) / plain)
        ratios = f"{author / plain:.1f}", f"{both / plain:.1f}", f"{totals[-1]:.1f}"
        rows.append((title, f"{plain * 1e3:.2f}", *ratios, f"{(author + both) / text.count(chr(10)) * 1e6:.0f}"))
    print(table(("function", "parse + compile ms", "author ratio", "staged ratio", "sum", "µs a line"), rows))
    print(f"conversion over parse + compile: {mean(totals):.1f} (worst {max(totals):.1f})")


if __name__ == "__main__":
    main()
