"""Loops over plain `range`, as users of Numba write them: results, first call, and the run beside the same over `ag.range`.

python benchmarks/python_range.py [name ...]

Results are compared with plain Python on small arrays first. Then come the loops of a million iterations: the seconds of the first
call (conversion, trace, compilation, run), the milliseconds of a run, and both as multiples of those over `ag.range`.
"""

from __future__ import annotations

import importlib
import math
import re
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
from measure import least

import autograph as ag

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.loops import Loop, nests, vectors  # noqa: E402  # the package lies beside this script

_ROUNDS = 3


def over_counted_range(module: types.ModuleType, folder: Path) -> types.ModuleType:
    """Returns the module with `ag.range` written for `range`: the conversion reads the source."""
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    copy = folder / f"counted_{module.__name__.rpartition('.')[2]}.py"
    copy.write_text("import autograph as ag\n" + re.sub(r"\brange\(", "ag.range(", source), encoding="utf-8")
    return importlib.import_module(copy.stem)


def own(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the arguments with arrays of their own."""
    return tuple(x.copy() if isinstance(x, np.ndarray) else x for x in arguments)


def differs(loop: Loop) -> bool:
    """Whether a compiled program gives something else than plain Python, on small arrays."""
    arguments = loop.arguments(loop.small)
    got, want = ag.jit(loop.program)(*own(arguments)), loop.program(*own(arguments))
    pairs = zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True)
    return not all(np.allclose(np.asarray(a), np.asarray(b), rtol=2e-4, atol=1e-4) for a, b in pairs)


def first_call(f: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[float, Callable[[], Any]]:
    """Measures the first call of a function compiled anew; returns the seconds, and a call of the program."""
    jax.clear_caches()
    began = time.perf_counter()
    compiled = jax.jit(ag.convert(f)).lower(*arguments).compile()
    jax.block_until_ready(compiled(*arguments))
    return time.perf_counter() - began, lambda: compiled(*arguments)


def measure(loop: Loop, counted: Callable[..., Any]) -> tuple[float, float, float, float]:
    """Measures the first call and the run of a loop, and both as multiples of those of `counted`, over `ag.range`."""
    arguments = tuple(jax.numpy.asarray(x) for x in loop.arguments(loop.size))
    forms = (loop.program, counted)
    firsts: list[list[float]] = [[], []]
    calls: list[Any] = [None, None]
    for _ in range(_ROUNDS):
        for side, f in enumerate(forms):
            seconds, calls[side] = first_call(f, arguments)
            firsts[side].append(seconds)
    first, other = (min(found) for found in firsts)
    run, beside = least(*calls, rounds=10)
    return first, run * 1000, first / other, run / beside


def main() -> None:
    warnings.simplefilter("error", ag.AutoGraphWarning)  # an unrolled loop of a million iterations has no end
    names = sys.argv[1:]
    print(f"{'loop':28} {'first call, s':>14} {'run, ms':>10} {'first, ratio':>13} {'run, ratio':>11}")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        for module in (vectors, nests):
            counted = over_counted_range(module, Path(folder))
            for loop in module.LOOPS:
                if names and loop.name not in names:
                    continue
                if differs(loop):
                    print(f"{loop.name:28} DIFFERS from plain Python")
                    continue
                first, run, *of_range = measure(loop, getattr(counted, loop.name))
                ratios.append(of_range)
                print(f"{loop.name:28} {first:14.2f} {run:10.2f} {of_range[0]:13.2f} {of_range[1]:11.2f}", flush=True)
    means = [math.exp(sum(map(math.log, column)) / len(column)) for column in zip(*ratios, strict=True)]
    print(f"{len(ratios)} loops; geometric means of the ratios: first call {means[0]:.2f}, run {means[1]:.2f}")


if __name__ == "__main__":
    main()
