"""Convert a file of plain Python with the command line, then compile every function of the result.

    python examples/convert_textbook.py

runs `autograph convert textbook_algorithms.py -o ...` into a temporary folder, imports what it wrote, and compares
each function under `jax.jit` with the original on Python numbers and lists.
"""

import importlib.util
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import textbook_algorithms
from timing import seconds

SORTED = [3 * n * n + n for n in range(40)]
SHUFFLED = [(37 * n + 11) % 101 - 50 for n in range(60)]
CASES = [
    ("greatest_common_divisor", 1_071_428, 462_462),
    ("collatz_steps", 27),
    ("integer_square_root", 2_000_000),
    ("is_prime", 999_983),
    ("is_prime", 999_981),
    ("power_modulo", 7, 560, 561),
    ("fibonacci", 40),
    ("digit_sum", 987_654_321),
    ("is_leap_year", 1900),
    ("is_leap_year", 2024),
    ("horner", [2.0, -6.0, 2.0, -1.0], 3.0),
    ("cube_root", -27.0),
    ("binary_search", SORTED, SORTED[29]),
    ("binary_search", SORTED, 5),
    ("insertion_sort", SHUFFLED, len(SHUFFLED)),
    ("largest_sum", SHUFFLED, len(SHUFFLED)),
    ("sieve", [True] * 200, 200),
]


def convert(source, folder):
    """The module that `autograph convert` makes of the file `source`."""
    target = folder / "textbook_converted.py"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "autograph", "convert", str(source), "-o", str(target)], check=True)
    print(f"converted {source.name} in {time.perf_counter() - start:.2f} s, start of Python and JAX included")
    spec = importlib.util.spec_from_file_location("textbook_converted", target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(result):
    """The result with arrays as Python numbers and lists."""
    return jax.tree.map(lambda leaf: np.asarray(leaf).tolist(), result)


def equal(result, expected):
    """Whether all numbers agree, floats to six digits."""
    return np.allclose(np.hstack([*jax.tree.leaves(result)]), np.hstack([*jax.tree.leaves(expected)]), rtol=1e-6)


def main():
    with tempfile.TemporaryDirectory() as folder:
        converted = convert(Path(textbook_algorithms.__file__), Path(folder))
    print(f"{'times in milliseconds':24} {'Python':>9} {'first':>9} {'later':>9}   result under jax.jit")
    different = 0
    for name, *arguments in CASES:
        arrays = [jnp.asarray(argument) for argument in arguments]
        copies = [list(argument) if isinstance(argument, list) else argument for argument in arguments]
        eager, expected = seconds(lambda: getattr(textbook_algorithms, name)(*copies))  # noqa: B023
        compiled = jax.jit(getattr(converted, name))
        first, result = seconds(lambda: compiled(*arrays))  # noqa: B023
        later, _ = seconds(lambda: compiled(*arrays))  # noqa: B023
        same = equal(result, expected)
        different += not same
        text = str(plain(result))
        shown = text if len(text) < 40 else text[:36] + " ..."
        print(f"{name:24} {eager * 1e3:9.3f} {first * 1e3:9.1f} {later * 1e3:9.3f}   {'' if same else 'WRONG '}{shown}")
    print(f"{len(CASES) - different} of {len(CASES)} results equal Python's")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
