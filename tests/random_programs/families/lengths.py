"""Arrays whose length is known when the program runs: slices with traced bounds, masks, what is computed of them and written.

Lengths are 0, 1, at the bound and beyond it; NaN and infinities stand among the elements and behind them. In half of the programs
arrays are made of sizes, for which the program shows a bound, or does not.

>>> any("while len(y) > 1:" in write(random.Random(k)) for k in range(40))
True
>>> any("ag.at_most(" in write(random.Random(k)) for k in range(40))
True
"""

from __future__ import annotations

import random
from typing import Any

import autograph as ag

_HELPERS = """\
import jax.numpy as jnp
import numpy as np
import autograph as ag
from tests.random_programs.families.lengths import fit

def owes():
    return (IndexError,)

bounded = ag.convert(lambda m: m, bounds={"m": 4})

def keep(s, r):
    r = np.where(np.isnan(r), 7.25, np.clip(r, -50, 50))
    return s * 0.5 + r

def seen(s, t):
    return s * 0.5 + np.clip(np.where(t == t, t, 0), -9, 9).sum()

def part(t, k):
    return t[:k]

def part_size(m):
    if m > 5:
        raise ValueError("large")
    return m

def total(t):
    c = 0.0
    for v in t:
        c = keep(c, v)
    return c

"""
_STARTS = [
    "xs / 2", "np.where(xs > 5, np.inf, xs / 2)", "np.where(xs > 4, np.nan, xs / 4)", "np.where(xs < 0, -np.inf, xs)",
    "np.where(xs > a, np.nan, np.inf)", "np.where(xs > 3, np.nan, np.inf)", "xs * x", "xs + 0", "xs * 3 - 4",
    "np.arange(4) - a",
]  # fmt: skip
_KNOWN = "np.array([1.5, np.nan, 0.0, -np.inf, 2.0, 0.5])"
_BOUNDS = [
    "k", "k", "k", "a", "b", "-k", "j", "max(k - 2, 0)", "b - a", "len(f) - k", "min(k + 1, 9)", "j + 1",
]  # fmt: skip
_TESTS = [
    "{o} > {v}", "{o} < {v}", "{o} >= {o}", "{o} == {v}", "~({o} > {v})", "({o} > {v}) & ({o} < 3)", "np.isnan({o})",
    "{o} != {o}",
]  # fmt: skip
_SLICES = [
    "[:{p}]", "[:{p}]", "[{p}:]", "[{p}:]", "[{p}:{q}]", "[{p}:{q}]", "[1:{p}]", "[{p}:-1]", "[::-1]", "[{p}::2]",
    "[:{p}:2]", "[:{p}][1:]", "[{p}:][:-1]", "[{p}:{q}:2]", "[{p}::-1]", "[:{p}:-1]", "[{p}:{q}:-1]", "[{p}:{q}:-2]",
    "[:{p}][-2:]", "[:{p}][{q}:]", "[{p}:][::-1]", "[{p}:][:3]",
]  # fmt: skip
_OF_MATRIX = [
    "A[j, :{p}]", "A[{p}:, j]", "A[:{p}, j]", "A[j, {p}:{q}]", "A[A > {v}]", "A[j][:{p}]", "A[:{p}, :2].sum(axis=1)",
    "A[{p}:, {q}:].sum(axis=0)", "A[j, :{p}] @ A[:{p}, :]", "A[:, :{p}] @ f[:{p}]", "A[:{p}, j:j + 2][:, 0]",
    "A[j, A[0] > {v}]", "A[{p}:, 1:].T[0]", "A[xs > {v}][:, j]", "A[:, :{p}].mean(axis=1)",
]  # fmt: skip
_VALUES = [
    "{o} + {v}", "{v} - {o}", "{o} * -1", "{o} / 2", "np.clip({o} ** 2, -50, 50)", "-{o}", "abs({o})",
    "np.clip({o} + {w}, -50, 50)", "np.clip({o} * {w}, -50, 50)", "{w} - {o} * 0.5",
    "np.clip({o} + {o}[::-1], -50, 50)", "np.sqrt(abs({o}))", "np.where({o} > {v}, {o}, {w})",
    "np.where({o} > {v}, {o}, 0)", "np.maximum({o}, {w})", "np.minimum({o}, {v})", "1 / {o}", "np.sort({o})",
    "np.unique({o})", "np.cumsum({o}).clip(-50, 50)", "np.clip({o}.cumsum(), -50, 50)",
    "np.concatenate([{o}, y])[:{p}]", "np.append({o}, {v})[:{p}]", "np.diff({o}[:{p}])", "np.flatnonzero({o} > {v})",
    "np.nonzero({o})[0]", "np.where({o} > {v})[0]", "np.flip({o})", "{o}.copy()", "{o}.astype(float)",
    "np.exp(-abs({o}))", "np.clip({o}, -1, 2)", "np.outer({o}, {o}).sum(axis=0).clip(-50, 50)",
    "{o}[np.flatnonzero({o} > {v})]", "np.zeros_like({o})", "np.ones_like({o}) * {v}", "np.round({o} * 0.5)",
    "np.compress({o} > {v}, {o})", "np.floor({o})", "{o}[{m}]", "{o}[{m}][:{p}]", "{o}{s}", "{o}{s}", "part({o}, {p})",
    "{o}.clip(0, 3)", "np.isfinite({o}) * {v}", "fit(f[:{p}], f[{q}:]) + f[{q}:]", "f[1:k] * fit(f[:k - 1], f[1:k])",
    "f[f > {v}] + f[f > {v}] * 2", "np.array({o})", "{o} - {o}.mean()", "np.hstack([{o}, z])[{p}:{q}]", "{o}.ravel()",
    "np.hypot({o}, {v})", "np.argwhere({o} > {v})[:, 0]", "f[np.flatnonzero({o} > {v})]", "{o} > {v}",
    "{o}[np.argsort({o})]", "np.isin({o}, [{v}, 1.5])", "np.isin(f, {o})",
    "np.roll({o}, {p})", "np.tile({o}, 2)[:{p}]", "np.repeat({o}, 2)", "np.stack([{o}, {o} * 2]).sum(axis=0)",
    "np.searchsorted(np.sort({o}), [{v}, 1.0])", "A[:{p}, :3][A[:{p}, :3] > {v}]", "np.diag(A[:{p}, :{q}])",
    "np.triu(A[:{p}, :]).sum(axis=1)", "np.linalg.norm(A[:{p}], axis=1)", "np.einsum('ij->i', A[:{p}, :{q}])",
    "np.sort(A[:{p}], axis=0)[:, j]", "np.cumsum(A[:, :{p}], axis=1)[j]", "np.array([v * 2 for v in {o} if v > {v}])",
]  # fmt: skip
_NUMBERS = [
    "{o}.sum()", "np.sum({o})", "np.clip({o}, -3, 3).prod()", "np.max({o})", "{o}.min()", "{o}.max()", "np.argmax({o})",
    "{o}.argmin()", "{o}.mean()", "np.mean({o})", "np.std({o})", "{o}.var()", "np.median({o})", "np.linalg.norm({o})",
    "{o} @ {o}", "np.dot({o}, {w})", "{o}[0]", "{o}[-1]", "{o}[:k][j]", "{o}[:k][j - 1]", "len({o})", "{o}.shape[0]",
    "{o}.size", "np.any({o} > {v})", "({o} > {v}).all()", "np.count_nonzero({o})", "sum({o})", "total({o})",
    "{o}[len({o}) - 1]", "max({o}.sum(), 0)", "({o} > {v}).sum()", "np.size({o})", "np.sum({o}, axis=0)",
    "{o}.sum(axis=-1)", "np.var({o}, ddof=1)", "np.shape({o})[0]", "np.inner({o}, {o})", "np.amin({o})",
    "{o}[{o}.argmax()]", "np.vdot({o}, {o})", "np.nonzero({o})[0].sum()", "np.abs({o}).max()", "{o}{s}.sum()",
    "np.einsum('i,i->', {o}, {w})", "np.trace(A[:{p}, :{q}])", "({v} in {o})", "max({o}, default={v})", "sum([v * v for v in {o}])",
    "len([v for v in {o} if v > {v}])", "sum(sorted({o}))", "len(list({o}))",
]  # fmt: skip
_WRITES = [
    "f[:{p}] = {v}", "f[{p}:] = {v}", "f[{p}:{q}] += {v}", "f[:{p}] *= -1", "f[{m}] = {v}", "f[{m}] *= -1",
    "f[{m}] -= {v}", "f[{m}] = 1 - f[{m}]", "f[:k] = fit(y, f[:k])", "f[:k] -= fit(y, f[:k])",
    "f[{m}] = fit(y, f[{m}])", "f[{p}::2] = {v}", "f[{p}:{q}] = f[{p}:{q}] * -1", "f[:k] = f[:k][::-1]",
    "f[1:k] = f[:k - 1]", "A[j, :{p}] = {v}", "A[{p}:, j] *= -1",
    "A[j:, j:] -= np.clip(np.outer(A[j:, j], A[j, j:]), -9, 9)", "A[A > {v}] = x", "A[j + 1:, j] /= 2",
    "A[:{p}, j] = A[j, :{p}]", "A[j, :{p}] += A[0, :{p}]", "A[A < {v}] += 1", "A[:{p}, :] = {v}", "A[j, j:] += {v}",
    "f[j] = y.sum()", "f[np.flatnonzero({m})] = {v}", "f[:{p}] -= f[:{p}].mean()", "f[:{p}][0] = {v}",
    "f[{p}:][:2] = {v}", "A[j][:{p}] = {v}", "f[{m}] = f[{m}][::-1]",
]  # fmt: skip
_THROUGH = [
    "y = f[:{p}]\ny[0] = {v}", "y = f[{p}:]\ny += {v}", "y = f[:{p}]\nf[0] = {v}", "y = A[j, :{p}]\ny[:2] = {v}",
    "y = f[{m}]\ny[0] = {v}", "z = y\ny = y + 1", "z = y\ny *= -1", "z = y.copy()\ny[0] = {v}",
    "y = f[:{p}].copy()\ny[-1] = {v}\ny += 1", "y = f[{m}]\nf[:] = {v}", "y[:{p}] = {v}", "y[y > {v}] = 0",
    "y[1:] = y[:-1]", "y[y > {v}] *= -1", "y = f[:k] * 1\ny[j] = {v}", "y[::2] = {v}",
    "y = f[f > {v}]\nf[f > {v}] = 0", "y -= fit(z, y) * 0.5", "y -= {v}", "y[y != y] = 0", "y = y[:{p}]\ny += 1",
    "z = y[::-1]\ny[0] = {v}", "y = f[:{p}] * 1\ny[j] += {v}",
]  # fmt: skip
_BLOCKS = [
    "if a > b:", "if y.sum() > 1:", "if len(y) > 2:", "if k > 1:", "for j in ag.range(3):", "for q in ag.range(3):",
    "for q in range(40):\n    if q > k:\n        break", "for q in ag.range(k):", "for v in y:",
    "y = y[:k]\nwhile len(y) > 1:\n    y = y[1:-1]", "y = y[:k]\nwhile len(y) > 2:\n    y = y[:-1]",
    "for j in ag.range(2):\n    y = A[j, j:k]", "while k > 0:\n    k -= 1", "for v in f[:k]:",
    "for q in range(len(y)):", "for q in ag.range(j):\n    y = y[1:]", "for q in ag.range(j):\n    y = y[y > q]",
    "while len(y) > 2:\n    y = y[1:-1]", "for q in ag.range(2):\n    y = y[::-1] if k > q else f[:k]",
]  # fmt: skip
_SIZES = [
    "n = min({p}, 4)", "n = abs(a) % 5", "n = np.clip({p}, 0, 4)", "n = a\nassert n <= 4", "n = b\nassert 0 <= n < 5",
    "n = ag.at_most(a, 4)", "n = b\nif n > 4:\n    raise ValueError('large')", "n = max(min(a, 5), 0)",
    "n = a\nag.at_most(n, 5)", "n = a + 1\nassert a <= 3", "n = bounded(a)", "n = a - b\nassert a < 4 and b > -3",
    "n = part_size(b)", "n = a if a < 5 else 4", "n = len(y)", "n = k // 2 + 1\nassert k < 6", "n = a",
]  # fmt: skip
"""The last one shows no bound: an array of that size is refused, except in a branch that does."""
_MADE = [
    "np.zeros(n)", "np.ones(n) * {v}", "np.full(n, {v})", "np.arange(n)", "np.arange({i}, n)", "np.arange(n, {i}, -1)",
    "np.arange({i}, n + 2, 2)", "np.linspace(0, 2, n)", "np.linspace(x, 1, n, endpoint=False)", "np.full((n, 2), {v})[:, 1]",
    "np.eye(n).sum(axis=0)", "np.zeros((n, n), int).sum(axis=1)", "np.identity(n) @ np.arange(n)", "np.ones((3, n))[j]",
    "np.zeros_like(f, shape=n)", "jnp.ones(n) - 1", "jnp.arange(n) * 0.5", "np.arange(n)[::-1]", "np.eye(n, 3, k=j)[:, 1]",
    "np.arange(n - 2, n + 1)", "np.zeros(n + 1)[1:]", "np.ones(max(n - 1, 0))", "np.full((2, n), [[1], [2]]).sum(axis=0)",
]  # fmt: skip
_OF_SIZES = [
    "if n <= 4:", "if 0 < n < 4:", "if n < 5 and a > b:", "for n in range(k):", "for n in range(min(a, 4)):",
    "for n in ag.range(3):",
]  # fmt: skip


@ag.do_not_convert
def fit(y: Any, z: Any) -> Any:
    """The operand `y`; fails where known lengths differ, also where NumPy would repeat what happens to have one element."""
    lengths = {x.shape[0] for x in (y, z) if type(x.shape[0]) is int}
    if len(lengths) > 1:
        raise ValueError("their lengths differ")
    return y


_AT_INDEX = ("[0]", "[-1]", "[j]", "[j - 1]", "f[np", "[{o}.arg", "}) - 1]")
"""In what may fail with an IndexError: which of two kinds of errors comes first is not promised."""
_OF_LENGTHS = ("max", "min", "{w}", "fit", "- 1]", "median")


def write(rng: random.Random) -> str:
    """One program: an array, two of its parts, and some statements that compute with them or write."""
    failing = rng.choice([_AT_INDEX, _OF_LENGTHS])
    values, numbers, writes, through = (
        [text for text in texts if not any(part in text for part in failing)]
        for texts in (_VALUES, _NUMBERS, _WRITES, _THROUGH)
    )
    lines = [
        rng.choice(["k = abs(a) % 6", "k = a % 5", "k = a", "k = max(b, 0)"]), "j = abs(b) % 3", "s = 0.0",
        f"f = {rng.choice([*_STARTS, _KNOWN] if failing is _OF_LENGTHS else _STARTS)}",
        rng.choice(["A = np.outer(xs, xs) / 4", "A = np.outer(xs, xs) + 0", "A = np.outer(xs, np.arange(4)) + x"]),
        rng.choice(["A[1, 2] = np.nan", "A[2, 2] = 0", "s = x"]),
        f"y = {_source(rng)}", f"z = {_source(rng)}",
    ]  # fmt: skip
    if rng.random() < 0.5:
        lines += _filled(rng, rng.choice(_SIZES)).split("\n")
        values, blocks = values + _MADE * 3, _BLOCKS + _OF_SIZES * 2
        made = [(name, _filled(rng, rng.choice(_MADE))) for name in rng.choice(["y", "z", "yz"])]
        if rng.random() < 0.7:
            lines += [line for name, value in made for line in (f"{name} = {value}", f"s = seen(s, {name})")]
        else:
            lines += [rng.choice(_OF_SIZES[:3]), *(f"    s = seen(s, {value})" for _, value in made)]
    else:
        blocks = _BLOCKS
    for _ in range(rng.randint(1, 4)):
        lines += _statement(rng, 2, blocks, values, numbers, writes, through)
    seen = ["y", "z", "f", "s", "A", rng.choice(["len(y)", "y.sum()", "y + 1"])]
    body = "".join(f"    {line}\n" for line in lines)
    mark = "# refused: a view that is written\n" if _may_share(lines) else ""
    return f"{mark}{_HELPERS}def program(a, b, x, xs):\n{body}    return {', '.join(seen)}\n"


def _may_share(lines: list[str]) -> bool:
    """Whether an array is written that may have another name."""
    return any(line.lstrip().startswith(("y[", "y +=", "y -=", "y *=")) for line in lines)


def _source(rng: random.Random) -> str:
    form = rng.random()
    return _filled(rng, rng.choice(_OF_MATRIX) if form < 0.25 else "f{s}" if form < 0.65 else "f[{m}]")


def _statement(rng: random.Random, depth: int, *texts: list[str]) -> list[str]:
    blocks, values, numbers, writes, through = texts
    form = rng.random()
    if depth and form < 0.3:
        head = rng.choice(blocks).split("\n")
        lines = head + ["    " + line for _ in range(rng.randint(1, 2)) for line in _statement(rng, depth - 1, *texts)]
        if head[0].startswith("if") and rng.random() < 0.5:
            lines += ["else:", *("    " + line for line in _statement(rng, depth - 1, *texts))]
        return lines
    if form < 0.5:
        name = rng.choice("yz")
        value = _filled(rng, rng.choice(values)) if rng.random() < 0.75 else _source(rng)
        return [f"{name} = {value}", f"s = seen(s, {name})"]  # nothing is checked that nobody uses
    if form < 0.75:
        return [f"s = keep(s, {_filled(rng, rng.choice(numbers))})"]
    if form < 0.9:
        return _filled(rng, rng.choice(writes)).split("\n")
    return [*_filled(rng, rng.choice(through)).split("\n"), "s = seen(s, y)"]


def _filled(rng: random.Random, text: str) -> str:
    """The text with operands, bounds, numbers, masks and slices."""
    one = rng.choice(["y", "y", "z", "f"])

    def number() -> str:
        return rng.choice(["0", "1", "x", "b", "2", "0.5"])

    mask = rng.choice(_TESTS).format(o="f", v=number())
    other = rng.choice(["y", "z", one])
    part = rng.choice(_SLICES).format(p=rng.choice(_BOUNDS), q=rng.choice(_BOUNDS))
    mask = mask.replace("f", one) if "{o}[{m}]" in text else mask
    fitting = one if other == one else f"fit({other}, {one})"
    first, second = rng.choice(_BOUNDS), rng.choice(_BOUNDS)
    return text.format(o=one, i=rng.choice("01j"), w=fitting, v=number(), p=first, q=second, m=mask, s=part)
