"""What may be a view of an array, and what may be done with one.

NumPy says of every expression here whether it is a view: a write through a view changes the array, and a write through a
copy does not. What cannot be written, NumPy says too.

>>> next(written("m[0]", "m"))
'a = m[0]\\nm[:] = x\\nreturn a, m'
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.namespaces import arguments

VIEWS = {
    "m": """
m[0] | m[:, 1] | m[1:] | m[:2, 1:] | m[::-1] | m[..., 0] | m[0, ...] | m[0, ..., 0] | m[None, 0] | m[:, None] | m[()]
    | m[0][1:] | m[:][0] | m[-1]
m.T | m.T[0] | m.mT | m.real | m.swapaxes(0, 1) | m.transpose() | m.transpose(1, 0)[0] | m.view() | m.view(np.int32)
    | m[0].view(np.int32)
m.ravel() | m.ravel("K") | m.T.ravel() | m.reshape(9) | m.reshape(-1)[1:] | m.reshape(1, 9) | m.T.reshape(9)
    | m[0:1].squeeze() | m[0:1, 0:1].reshape(())
m.flatten() | m.copy() | m.astype(m.dtype) | m.astype(np.float32, copy=False) | m.astype(np.float32) | (+m) | (-m) | (m * 1)
    | m.repeat(1, axis=0)
m.diagonal() | m.clip(-9, 9) | m.round(1) | m.conj() | m.take([0, 1], 0) | m.cumsum(0) | m[[0, 1]]
    | m[[0, 1]][:, 0] | m[np.array([0, 1])]
m[q] | m[m > 0] | m[[0, 1], [0, 1]] | m[0:2][[0]] | m[:, [0, 1]] | m[m[0] > 0]
np.diag(m) | np.diagonal(m) | np.linalg.diagonal(m) | np.broadcast_to(m, (2, 3, 3)) | np.broadcast_to(m, m.shape)
    | np.broadcast_arrays(m, f)[0]
np.atleast_1d(m) | np.atleast_2d(m) | np.atleast_3d(m) | np.atleast_1d(m, m)[0] | np.ravel(m) | np.reshape(m, 9)
    | np.reshape(m, 9, copy=True)
np.squeeze(m[0:1]) | np.swapaxes(m, 0, 1) | np.moveaxis(m, 0, 1) | np.rollaxis(m, 1) | np.transpose(m)
    | np.matrix_transpose(m) | np.permute_dims(m, (1, 0))
np.expand_dims(m, 0) | np.flip(m) | np.flip(m, 0) | np.fliplr(m) | np.flipud(m) | np.rot90(m) | np.rot90(m, 2)
    | np.asarray(m) | np.asanyarray(m)
np.array(m) | np.array(m, copy=False) | np.array(m, copy=None) | np.asarray(m, copy=True) | np.ascontiguousarray(m)
    | np.copy(m) | np.require(m)
np.split(m, 3)[0] | np.vsplit(m, 3)[1] | np.hsplit(m, 3)[0] | np.array_split(m, 2)[0] | np.unstack(m)[0]
    | np.concatenate([m]) | np.stack([m])[0]
np.vstack([m]) | np.tile(m, 1) | np.repeat(m, 1, 0) | np.roll(m, 1) | np.real(m) | np.triu(m) | np.nan_to_num(m, copy=False)
    | np.where(True, m, m)
list(m)[0] | [a0 for a0 in m][1] | next(iter(m)) | m.tolist()[0] | np.meshgrid(m[0], m[1])[0]
    | np.meshgrid(m[0], m[1], copy=False)[0]
np.resize(m, (3, 3)) | np.pad(m, 0) | np.delete(m, [], 0) | np.take(m, [0], 0) | np.compress([True, True, True], m, 0)
    | np.sort(m) | np.lib.stride_tricks.sliding_window_view(m[0], 2)
""",
    "f": """
f[0] | f[1:] | f[::-1] | f[...] | f[..., 0] | f[None] | f[:, None] | f[None, 0] | f[0:1].squeeze() | f[:1].reshape(())
    | f[:] | f[-1:] | f[::2]
f.T | f.real | f.reshape(3, 1) | f.reshape(1, 3)[0] | f.ravel() | f.view(np.int32) | f.view(np.uint8) | f[[0, 1]] | f[f > 0]
    | f[p]
np.atleast_1d(f) | np.atleast_2d(f) | np.atleast_2d(f)[0] | np.expand_dims(f, 0) | np.diag(np.diag(f))
    | np.broadcast_to(f, (2, 3))[0] | np.asarray(f)
np.flip(f) | np.trim_zeros(f) | np.split(f, 3)[0] | np.lib.stride_tricks.as_strided(f)
""",
    "z": """
z.real | z.imag | z[1:].real | np.real(z) | np.imag(z) | z.view(np.float32) | z.conj() | z.T | z[0:1] | np.conj(z) | z.real[1:]
""",
    "u": """
u[1:] | u.view(np.int8) | u[::-1] | u.reshape(3, 1) | u.real | u.astype(np.uint8, copy=False) | u.view(np.bool_) | u[u > 5] | u.T
""",
}
"""By the base's letter: expressions of it."""

_WRITES = {"m": "x", "f": "x", "z": "x", "u": "n"}
"""The number that is written."""

PATTERNS = (
    "a = {view}\n{base}[:] = {value}\nreturn a, {base}",
    "a = {view}\n{base}[0] = {value}\nreturn a.sum() + {base}.sum()",
    "a = {view}\na[{at}] = {value}\nreturn {base}, a",
    "a = {view}\na += 1\nreturn {base}, a",
    "{view}[{at}] += 1\nreturn {base}",
    "{view}.sort()\nreturn {base}",
    "{view}.fill(2)\nreturn {base}",
    "a = {view}\nif x > 0:\n    a[{at}] = {value}\nreturn {base}, a",
    "a = {view}\nif x > 0:\n    {base}[:] = {value}\nreturn a, {base}",
    "a = {view}\nfor _ in ag.range(2):\n    a[{at}] = a[{at}] + 1\nreturn {base}, a",
    "a = {view}\nfor _ in ag.range(2):\n    {base}[:] = {base} + 1\nreturn a, {base}",
    "def g0(h):\n    h[{at}] = {value}\ng0({view})\nreturn {base}",
    "h = [{view}]\nh[0][{at}] = {value}\nreturn {base}, h",
    'h = {{"k": {view}}}\nh["k"] += 1\nreturn {base}, h',
    "h = ({view}, 1)\n{base}[:] = {value}\nreturn h",
    "h = {view}.sort\nh()\nreturn {base}",
    "operator.iadd({view}, 1)\nreturn {base}",
    "functools.reduce(operator.iadd, [{view}, 1])\nreturn {base}",
    "(lambda h: h.sort())({view})\nreturn {base}",
    "[h.sort() for h in [{view}]]\nreturn {base}",
    "o = {base} + 1\na = {own}\no[:] = {value}\nreturn a, o",
    "o = {base} + 1\na = {own}\na[{at}] = {value}\nreturn o, a",
)
"""What is done with a view. `{at}` is the first element, `{own}` the same expression of an array that the program made."""


def written(view: str, base: str) -> Iterator[str]:
    """The programs of one view."""
    own = _renamed(view, base)
    fields = {"view": view, "base": base, "value": _WRITES[base], "at": _first(view), "own": own}
    yield from (pattern.format(**fields) for pattern in PATTERNS)


def _renamed(view: str, base: str) -> str:
    return re.sub(rf"\b{base}\b", "o", view)


def _first(view: str) -> str:
    """The index of the first element of what NumPy has there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found: Any = eval(view, {"np": np, **arguments.fresh()})
        except Exception:
            return "0"
    return "0" if np.ndim(found) else "..."
