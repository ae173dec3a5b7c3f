"""How long a program takes: as plain Python, at its first compiled call, and at later calls.

Shared by the examples; every one of them prints the three lines that `report` writes.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import jax


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Wall-clock seconds of one call, until its arrays are there, and its result."""
    start = time.perf_counter()
    result = jax.block_until_ready(call())
    return time.perf_counter() - start, result


def report(compiled: Callable[..., Any], *args: Any, eager: Callable[[], Any], note: str = "", repeats: int = 5) -> Any:
    """Print the three times and return the compiled program's result.

    Args:
        compiled: a function made by `ag.jit` or `jax.jit` that was not called yet.
        args: its arguments.
        eager: runs the same Python function without compiling it. Often on less input, because plain Python over
            arrays is slow: then `note` says on how much.
        note: what `eager` ran, printed beside its time.
        repeats: later calls whose median is printed.
    """
    eager_time, _ = seconds(eager)
    print(f"  eager       {eager_time * 1e3:11.3f} ms  plain Python{', ' + note if note else ''}")
    first_time, result = seconds(lambda: compiled(*args))
    print(f"  first call  {first_time * 1e3:11.3f} ms  convert, trace and compile, then run")
    later_time = statistics.median(seconds(lambda: compiled(*args))[0] for _ in range(repeats))
    print(f"  later calls {later_time * 1e3:11.3f} ms  median of {repeats}")
    return result
