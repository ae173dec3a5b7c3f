"""`statistics` on traced numbers: means, medians and deviations, which Python computes in exact fractions.

Of floats a program computes them in floats, as `sum` does. Of integers alone `mean` and `variance` are an `int` where the result
is whole and a `float` where it is not, which no program can be: they are refused.

>>> import jax, statistics
>>> f = jax.jit(lambda x: [counterpart(g)([x, 1.0, 4.0]) for g in (statistics.mean, statistics.median, statistics.pvariance)])
>>> [float(part) for part in f(4.0)]
[3.0, 4.0, 2.0]
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from autograph.runtime.sequences import selection
from autograph.runtime.sequences.comparison import may_be_traced
from autograph.runtime.tracing.array_types import scalar, type_of
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_array_like


def counterpart(f: Any) -> Callable[..., Any] | None:
    """What does the same as `f` of `statistics` on traced values, and is `f` on others; None for other functions."""
    name = getattr(f, "__name__", "")
    staged = _FUNCTIONS.get(name) if getattr(f, "__module__", None) == "statistics" else None
    if staged is None or getattr(sys.modules.get("statistics"), name, None) is not f:
        return None
    itself: Any = f

    def call(data: Any, *args: Any, **kwargs: Any) -> Any:
        if may_be_traced(data):
            data = list(data)
            if all(map(_is_number, data)) and not (args or kwargs) and len(data) >= _AT_LEAST.get(name, 1):
                return staged(data, name)
        return itself(data, *args, **kwargs)

    return call


def _is_number(x: Any) -> bool:
    return is_array_like(x) and not type_of(x).shape


def _integers(data: list[Any]) -> bool:
    return not any(jnp.issubdtype(type_of(x).dtype, jnp.floating) for x in data)


def _of_floats(data: list[Any], name: str) -> list[Any]:
    if _integers(data):
        raise refusal(
            f"statistics.{name}() of traced integers is an int or a float",
            why="which of the two depends on their values, and a compiled program has one type",
            instead="make them floats (`[float(x) for x in xs]`), or use `statistics.fmean` or `statistics.stdev`",
        )
    return data


def _fmean(data: list[Any], name: str) -> Any:
    return scalar(builtins.sum(scalar(x, float) for x in data) / len(data), float)


def _mean_square(data: list[Any], count: int) -> Any:
    middle = _fmean(data, "")
    return builtins.sum((scalar(x, float) - middle) ** 2 for x in data) / count


def _variance(data: list[Any], name: str) -> Any:
    return _mean_square(_of_floats(data, name), len(data) - (name == "variance"))


def _stdev(data: list[Any], name: str) -> Any:
    return jnp.sqrt(_mean_square(data, len(data) - (name == "stdev")))


def _median(data: list[Any], name: str) -> Any:
    data = selection.ordered(data)
    upper = data[len(data) // 2]
    if len(data) % 2 == 1 or name == "median_high":
        return upper
    lower = data[len(data) // 2 - 1]
    return lower if name == "median_low" else (lower + upper) / 2


_FUNCTIONS: dict[str, Callable[[list[Any], str], Any]] = {
    "mean": lambda data, name: _fmean(_of_floats(data, name), name),
    "fmean": _fmean,
    "median": _median,
    "median_low": _median,
    "median_high": _median,
    "variance": _variance,
    "pvariance": _variance,
    "stdev": _stdev,
    "pstdev": _stdev,
}
_AT_LEAST = {"variance": 2, "stdev": 2}
