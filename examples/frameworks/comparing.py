"""What a program computes beside a reference, and how long both take.

Shared by the examples of this folder; each of them prints the table that `compare` writes.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Wall-clock seconds of one call, until its arrays are there, and its result."""
    start = time.perf_counter()
    result = jax.block_until_ready(call())
    return time.perf_counter() - start, result


def compare(reference: Callable[[], Any], program: Callable[[], Any], name: str, repeats: int = 3) -> Any:
    """Print the times of a reference and of a compiled program, and how far their results are apart.

    Args:
        reference: computes the same in another way.
        program: calls what was compiled; it was not called before.
        name: what the reference is.
        repeats: later calls of the program, whose median is printed and compared.

    Returns:
        What the program returned.
    """
    reference_time, expected = seconds(reference)
    first_time, result = seconds(program)
    time_later = statistics.median(seconds(program)[0] for _ in range(repeats))
    print(f"  {name:<24} {reference_time * 1e3:10.2f} ms")
    print(f"  {'compiled, first call':<24} {first_time * 1e3:10.2f} ms   convert, trace, compile and run")
    print(
        f"  {'compiled, later calls':<24} {time_later * 1e3:10.2f} ms   {reference_time / time_later:.0f} times as fast"
    )
    print(f"  largest difference of the two results: {difference(result, expected):.1e}")
    return result


def difference(left: Any, right: Any) -> float:
    """The largest absolute difference between the numbers of two results of the same structure."""
    gaps = jax.tree.map(
        lambda x, y: np.max(np.abs(np.asarray(x, float) - np.asarray(y, float)), initial=0.0), left, right
    )
    return max(jax.tree.leaves(gaps))
