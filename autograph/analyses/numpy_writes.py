"""Calls that write an array through NumPy: `np.copyto(a, v)`, `np.add.at(a, i, v)`, `np.add(x, y, out=a)`, `x.clip(0, 1, out=a)`.

>>> import gast
>>> def written(text):
...     call = gast.parse(text, mode="eval").body
...     found = arrays_written(call, lambda node: getattr(np, getattr(node, "attr", ""), None))
...     return [one.id for one in found]
>>> written("np.copyto(a, v)"), written("np.add.at(b, i, v)"), written("np.add(x, y, out=c)"), written("np.add(x, y)")
(['a'], ['b'], ['c'], [])
>>> written("np.add(x, y, c)"), written("np.divmod(x, y, out=(q, r))"), written("np.sum(m, 0, None, c)")
(['c'], ['q', 'r'], ['c'])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from autograph.analyses.argument_writes import WRITERS

_WITH_OUT = {
    1: "fix isneginf isposinf",
    2: "all amax amin any argmax argmin around choose concat concatenate dot max median min nanargmax nanargmin nanmax nanmedian "
    "nanmin outer ptp round stack",
    3: "accumulate clip compress cumprod cumsum mean nancumprod nancumsum nanmean nanpercentile nanprod nanquantile nanstd nansum "
    "nanvar percentile prod quantile reduce std sum take var",
    4: " ".join(["is_busday reduceat", *(f"fft.{name}" for name in np.fft.__all__ if name.endswith(("fft", "fft2", "fftn")))]),
    5: "busday_count trace",
    6: "busday_offset",
}
PLACES_OF_OUT = {name: slice(place, place + 1) for place, names in _WITH_OUT.items() for name in names.split()}
"""The place of `out` among the positional arguments; the array of a method is the first one."""

METHODS_WITH_OUT = frozenset(
    "all any argmax argmin choose clip compress cumprod cumsum dot max mean min prod ptp round std sum take trace var".split()
)
"""Methods of arrays that take `out`."""

_OF_UFUNCS = frozenset("reduce accumulate reduceat outer".split())

Meaning = Callable[[Any], Any]


def arrays_written(call: Any, meaning: Meaning) -> list[Any]:
    """Returns the expressions of the arrays that a call of NumPy writes; `meaning` tells what an expression names."""
    func = call.func
    if not isinstance(func, gast.Attribute | gast.Name) or any(isinstance(arg, gast.Starred) for arg in call.args):
        return []
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    found = meaning(func)
    if _writes_first(func, found, keywords, meaning):
        return call.args[:1]
    out = keywords.get("out")
    if out is None:
        place = _place_of_out(func, found, meaning)
        positional = call.args[place] if place is not None else []
        return [arg for arg in positional if not isinstance(arg, gast.Constant)]
    if not (is_method(call, meaning) or _is_numpys(found) or _is_of_ufunc(func, meaning)):
        return []
    written = out.elts if isinstance(out, gast.Tuple) else [out]
    return [one for one in written if not isinstance(one, gast.Constant)]


def statement_target(call: Any, meaning: Meaning) -> Any:
    """Returns the expression of the one array that a call writes which is a statement: no other arguments stand behind it."""
    found = arrays_written(call, meaning)
    if getattr(meaning(call.func), "nout", 1) != 1:
        return None
    if len(found) != 1 or (found[0] in call.args[:-1] and found[0] is not call.args[0]):
        return None
    return found[0]


def is_method(call: Any, meaning: Meaning) -> bool:
    """Whether a call with `out=` may be one of a method of an array: `x.clip(0, 1, out=x)`."""
    func = call.func
    is_named = isinstance(func, gast.Attribute) and func.attr in METHODS_WITH_OUT
    return is_named and not _is_numpys(meaning(func)) and not _is_of_ufunc(func, meaning)


def _writes_first(func: Any, found: Any, keywords: dict[str, Any], meaning: Meaning) -> bool:
    if getattr(func, "attr", None) == "at":
        return isinstance(meaning(func.value), np.ufunc)
    name = getattr(found, "__name__", None)
    if name == "nan_to_num":
        is_kept = isinstance(copy := keywords.get("copy"), gast.Constant) and copy.value is False
        return is_kept and found is np.nan_to_num
    return name in WRITERS and found is getattr(np, name)


def _place_of_out(func: Any, found: Any, meaning: Meaning) -> slice | None:
    if isinstance(found, np.ufunc):
        return slice(found.nin, None)
    if _is_of_ufunc(func, meaning):
        return PLACES_OF_OUT.get(func.attr)
    return PLACES_OF_OUT.get(getattr(found, "__name__", "")) if _is_numpys(found) else None


def _is_of_ufunc(func: Any, meaning: Meaning) -> bool:
    return getattr(func, "attr", None) in _OF_UFUNCS and isinstance(meaning(func.value), np.ufunc)


def _is_numpys(found: Any) -> bool:
    return isinstance(found, np.ufunc) or str(getattr(found, "__module__", "")).startswith("numpy")
