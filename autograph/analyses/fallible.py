"""Operations that raise for some numbers, where a compiled program has an infinity, a NaN or any integer instead.

>>> KINDS["//"], KINDS["math.sqrt"]
(('ZeroDivisionError',), ('ValueError',))
>>> import math
>>> CALLS[math.log]
'math.log'
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from autograph.code.nodes import SIGNS

OPERATORS = {
    kind: SIGNS[kind.__name__] for kind in (gast.Div, gast.FloorDiv, gast.Mod, gast.Pow, gast.LShift, gast.RShift)
}
"""The signs of the operators that may raise."""

CLASSES: dict[str, type[BaseException]] = {
    "LinAlgError": np.linalg.LinAlgError,
    "OverflowError": OverflowError,
    "StopIteration": StopIteration,
    "ValueError": ValueError,
    "ZeroDivisionError": ZeroDivisionError,
}
"""What they raise, by name."""

_DOMAIN = "acos acosh asin atanh comb cos factorial fmod isqrt log10 log1p log2 perm remainder sin sqrt tan"

KINDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("/", "//", "%", "divmod"), ("ZeroDivisionError",)),
    **dict.fromkeys(("**", "pow"), ("ZeroDivisionError", "OverflowError")),
    **dict.fromkeys(("<<", ">>"), ("ValueError",)),
    **dict.fromkeys(("int", "round", "math.ceil", "math.floor", "math.trunc"), ("ValueError", "OverflowError")),
    **{f"math.{name}": ("ValueError",) for name in _DOMAIN.split()},
    **{f"math.{name}": ("OverflowError",) for name in ("cosh", "exp", "exp2", "expm1", "ldexp", "sinh")},
    **{f"math.{name}": ("ValueError", "OverflowError") for name in ("gamma", "lgamma", "pow")},
    "math.log": ("ValueError", "ZeroDivisionError"),
    **{f"numpy.linalg.{name}": ("LinAlgError",) for name in ("cholesky", "inv", "solve")},
    "next": ("StopIteration",),
}
"""The names of what each raises, in the order in which Python checks."""

CALLS: dict[Any, str] = {
    **{fn: fn.__name__ for fn in (divmod, int, next, pow, round)},
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    **{getattr(np.linalg, name): f"numpy.linalg.{name}" for name in ("cholesky", "inv", "solve")},
    **{
        getattr(math, name.removeprefix("math.")): name
        for name in KINDS
        if name.startswith("math.") and hasattr(math, name.removeprefix("math."))
    },
}
"""The functions among them."""

BY_RESULT = frozenset(name for name in KINDS if name.startswith("numpy."))
"""Those of which only the result tells whether they failed."""


def caught_by(node: Any, meaning: Callable[[Any], Any]) -> frozenset[str]:
    """Returns the names of those classes that the handlers of a `try` may catch; where in doubt, they do.

    Args:
        meaning: the object that an expression names, or what is no class.
    """
    if isinstance(node, gast.TryStar):
        return frozenset(CLASSES)
    return frozenset(name for name in CLASSES if any(_may_match(h.type, name, meaning) for h in node.handlers))


def _may_match(kinds: Any, name: str, meaning: Callable[[Any], Any]) -> bool:
    if kinds is None:
        return True
    if isinstance(kinds, gast.Tuple):
        return any(_may_match(kind, name, meaning) for kind in kinds.elts)
    if isinstance(kinds, gast.Call) and getattr(kinds.func, "attr", "") == "caught":  # `ag__.caught(kinds)`
        return any(_may_match(kind, name, meaning) for kind in kinds.args or [None])
    found = meaning(kinds)
    classes = found if isinstance(found, tuple) else (found,)
    return any(not isinstance(kind, type) or issubclass(CLASSES[name], kind) for kind in classes)
