"""Views and copies of arrays, taken by all means that NumPy has, and written by an element, `+=`, a method, a function.

>>> any("sort()" in write(random.Random(k)) for k in range(9))
True
"""

from __future__ import annotations

import random

_HELPERS = """\
import functools
import operator

import numpy as np

def put(t, k):
    t[0] = k

def order(t):
    t.sort()

"""
_STARTS = ["xs.reshape(2, 2) + 1", "np.array([[4, a], [b, 1]])", "xs.reshape(2, 2).copy()", "np.zeros((2, 2), int) + a"]
_COPIES = [
    "m.flatten()", "m.astype(m.dtype)", "m.repeat(1, axis=0)", "np.concatenate([m])", "np.reshape(m, 4, copy=True)", "m[[0, 1]]",
    "np.vstack([m])", "m.copy()", "m[[1, 0]][0]", "np.tile(m, 1)", "m[0].flatten()", "m + 0", "np.array(m)", "np.positive(m)",
]  # fmt: skip
_VIEWS = [
    "m[0]", "m[:, 1]", "m[z]", "m[:, z]", "m.T", "m.ravel()", "m.reshape(-1)", "m[1:]", "m[::-1]", "np.diag(m)", "m.diagonal()",
    "np.diagonal(m)", "np.atleast_1d(m, m)[0]", "m[0, ..., 0]", "m[..., 1, 1]", "m[0, ..., z]", "m[:1, :1].squeeze()", "m[None, 0]",
    "np.broadcast_to(m, (2, 2, 2))", "np.broadcast_arrays(m[0], m)[0]", "m[0, :1].reshape(())", "m[0][None, 0]", "np.asarray(m)",
    "m.real", "np.linalg.diagonal(m)", "np.split(m, 2)[1]", "list(m)[1]", "last(m)", "np.einsum('ii->i', m)",
]  # fmt: skip
_NUMBERS = [f"v = {text}" for text in _VIEWS if "..." in text or text.endswith((".squeeze()", "reshape(())"))]
_WRITES = [
    "m[0, 0] = {k}", "m[z] = {k}", "m[1, 1] += {k}", "m[:, z].sort()", "m[1:].sort(axis=0)", "m[0].fill({k})", "m[:, 1].fill({k})",
    "np.copyto(m[0], {k})", "np.add(m, {k}, out=m)", "np.add.at(m, z, {k})", "np.fill_diagonal(m, {k})", "np.put(m, [0, 3], {k})",
    "np.putmask(m, m > 2, {k})", "np.multiply(m[0], {k}, out=m[z])", "np.copyto(m[[0, 1]], {k})",
    "d['m'][1:].sort()", "m[[0, 1]][0] = {k}", "m[[z, 0]][:, 1] += {k}", "m[[1, 0]].sort()", "m.sort(kind='stable')",
]  # fmt: skip
_THROUGH = [
    "np.copyto(v, {k})", "np.add(v, {k}, out=v)",
    "v[...] = {k}", "v += {k}", "v.fill({k})", "put(np.atleast_1d(v), {k})", "w = [v]\nw[0][...] = {k}", "v.sort()",
    "f = v.sort\nf()",
    "(lambda q: q.sort())(v)", "[q.sort() for q in [v]]", "operator.iadd(v, {k})", "functools.reduce(operator.iadd, [v, {k}])",
    "order(v)", "operator.setitem(v, ..., {k})",
]  # fmt: skip
_BLOCKS = ["", "", "if a > b:", "for z in ag.range(2):", "for z in range(2):"]


def write(rng: random.Random) -> str:
    """One program: an array, a view or a copy of it, and writes to either; what they share is refused, or right."""
    pick = rng.choice
    is_copy = rng.random() < 0.4
    lines = [
        "z = abs(a) % 2",
        f"m = {pick(_STARTS)}",
        "d = {'m': m}" if is_copy and rng.random() < 0.2 else "d = {'m': np.ones((2, 2), int) * b}",
    ]
    is_mixed = lines[2] == "d = {'m': m}"
    lines.append(f"v = {pick(_COPIES if is_copy else _VIEWS)}")
    writes = [text for text in _WRITES if not is_mixed or not text.startswith("d")]
    through = _THROUGH if lines[-1] not in _NUMBERS else [text for text in _THROUGH if "sort" not in text and "order" not in text]
    for _ in range(rng.randint(1, 3)):
        texts = through if rng.random() < 0.5 else writes
        block, text = pick(_BLOCKS), pick(texts).format(k=pick(["a", "b", "7"]))
        inside = "".join(f"    {line}\n" for line in text.split("\n")) if block else text
        lines += f"{block}\n{inside}".strip("\n").split("\n") if block else text.split("\n")
        if block.startswith("for"):
            lines.append("z = 1")
    seen = rng.sample(["m", "v + 0", "m.sum()", "d['m']"], 2)
    body = "".join(f"    {line}\n" for line in lines)
    helper = "def last(t):\n    for row in t:\n        pass\n    return row\n\n"
    mark = "# refused: an array may have been written under another name"
    return f"{mark}\n{_HELPERS}{helper}def program(a, b, x, xs):\n{body}    return {', '.join(seen)}\n"
