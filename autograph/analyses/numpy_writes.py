"""Statements that write an array through NumPy: `np.copyto(a, v)`, `np.add.at(a, i, v)`, `np.add(x, y, out=a)`.

>>> import gast
>>> def written(text):
...     call = gast.parse(text, mode="eval").body
...     return getattr(target(call, lambda node: getattr(np, getattr(node, "attr", ""), None)), "id", None)
>>> written("np.copyto(a, v)"), written("np.add.at(b, i, v)"), written("np.add(x, y, out=c)"), written("np.add(x, y)")
('a', 'b', 'c', None)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

WRITERS = frozenset("copyto fill_diagonal place put put_along_axis putmask".split())
"""Functions of NumPy that write their first argument."""


def target(call: Any, meaning: Callable[[Any], Any]) -> Any:
    """Returns the expression of the array that a call of NumPy writes, or None; `meaning` tells what an expression names."""
    func = call.func
    if not isinstance(func, gast.Attribute | gast.Name):
        return None
    of, found = getattr(func, "value", None), meaning(func)
    is_at = getattr(func, "attr", None) == "at" and isinstance(meaning(of), np.ufunc)
    name = getattr(found, "__name__", None)
    if is_at or (name in WRITERS and found is getattr(np, name)):
        return call.args[0] if call.args and not isinstance(call.args[0], gast.Starred) else None
    if not isinstance(found, np.ufunc) and not str(getattr(found, "__module__", "")).startswith("numpy"):
        return None
    out = next((keyword.value for keyword in call.keywords if keyword.arg == "out"), None)
    return None if isinstance(out, gast.Constant | gast.Tuple) else out
