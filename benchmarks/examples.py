"""The programs of `examples/` under `ag.jit` against hand-written `lax`, as `run_time.py` does it for other programs.

    python benchmarks/examples.py [name ...]

The names are those of functions. The solvers compute in double precision, which their modules switch on: they run in a
process of their own. `--check` only compares results and loops, and fails where they differ; the tests run it.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import jax
from programs import Pair, Shape
from run_time import as_jax, compare, compiled

import autograph as ag

GROUPS = (["solvers"], ["pictures", "models", "words", "textbook"])  # of modules that share a process


def check(pair: Pair) -> None:
    """Raises `AssertionError` unless results and loops are those of plain Python and of the expert."""
    small = pair.plain_arguments()
    pair.check(ag.jit(pair.python)(*as_jax(small)), jax.jit(pair.expert)(*as_jax(small)))
    ours, theirs = (Shape.of(fn.trace(*as_jax(pair.arguments())).jaxpr) for fn in compiled(pair))
    assert (ours.loops, ours.scans) == (theirs.loops, theirs.scans), f"{pair.name}: {ours}; the expert's: {theirs}"


def main(arguments: list[str]) -> int:
    if arguments[:1] != ["--group"]:
        return max(subprocess.run([sys.executable, __file__, "--group", str(k), *arguments]).returncode for k in (0, 1))
    sys.path.append(str(Path(__file__).parent.parent / "examples"))
    modules = [importlib.import_module(f"experts.{name}") for name in GROUPS[int(arguments[1])]]
    pairs = [pair for module in modules for pair in module.PAIRS]
    if arguments[2:] != ["--check"]:
        compare(pairs, arguments[2:])
        return 0
    for pair in pairs:
        check(pair)
        print(pair.name, "ok")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
