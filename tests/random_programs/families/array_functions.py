"""Functions and methods of NumPy's arrays with the arguments that NumPy alone takes: lists, keywords, methods of ufuncs.

>>> "np." in write(random.Random(0))
True
"""

from __future__ import annotations

import random
from textwrap import indent

_CALLS = [
    "np.{f}.reduce(r)", "np.{f}.accumulate(r)[i]", "np.{f}.outer(r, xs)[i, 0]", "np.{f}.reduceat(r, [0, {k}])[0]",
    "np.{f}.reduce(r[{k}:])",
    "np.{f}.reduce(np.reshape(r, (2, -1)), axis={d})[0]", "np.{f}.reduce(np.{f}.outer(r, r), axis=None)", "np.{f}.outer(r, {k})[i]",
    "r.take([0, {k}])[i]", "r.repeat([1, 2, 0, {k}])[{k}]", "np.sort(r, kind='stable')[i]", "r.argsort(kind='stable')[0]",
    "r.copy(order='F')[i]",
    "np.round(r, -{k})[i]", "r.compress([True, False, True, True])[{k} - 1]", "int(r[i] in r.reshape(2, 2))",
    "np.choose([0, 1, 1, 0], [r, xs])[{k}]", "r.astype(float, order='C')[i]", "np.triu(r)[{d}, {k}]", "r.dot([1, {k}, 0, 2])",
    "np.ravel(r, order='K')[{k}]", "np.{f}(r, xs, dtype=np.int32)[i]", "r.sum(where=[True, False, True, {d} > 0])",
    "np.zeros_like(r, order='C')[i]",
    "np.r_[r, {k}, b][i + 3]", "np.c_[r, xs][i, {d}]", "np.r_[1:{k}, xs][i]", "functools.reduce(np.{f}, [r, xs, r])[i]",
    "np.concatenate((r, xs), casting='unsafe')[{k}]", "np.searchsorted(np.sort(r), [{k}, 0])[i]", "r.round(-1)[{k}]",
]  # fmt: skip
_UFUNCS = ["add", "maximum", "minimum", "fmax", "fmin", "bitwise_or", "bitwise_and", "bitwise_xor", "gcd"]
_ARRAYS = ["xs", "abs(xs)", "xs + 1", "xs[::-1]", "xs % 5", "np.sort(xs)"]


def write(rng: random.Random) -> str:
    """One program."""

    def call() -> str:
        return rng.choice(_CALLS).format(f=rng.choice(_UFUNCS), k=rng.randint(1, 3), d=rng.randint(0, 1))

    def statement() -> str:
        form = rng.random()
        if form < 0.5:
            return f"p = p + {call()}"
        if form < 0.7:
            return f"if {call()} > {rng.randint(-3, 3)}:\n    p += {rng.randint(1, 5)}\nelse:\n    p = p - {call()}"
        if form < 0.85:
            return f"for k in range({rng.randint(1, 3)}):\n    i = k % 2\n    p = p + {call()} % 100"
        return f"r = {rng.choice(_ARRAYS)}"

    lines = [
        f"r = {rng.choice(_ARRAYS)}",
        "i, p = abs(b) % 2, a",
        *(statement() for _ in range(rng.randint(2, 5))),
        "return p, r",
    ]
    return f"import functools\n\nimport numpy as np\n\n\ndef program(a, b, x, xs):\n{indent(chr(10).join(lines), '    ')}\n"
