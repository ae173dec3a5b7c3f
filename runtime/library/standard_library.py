"""Functions of the standard library, written in C or for known values, called with traced ones: `bisect`, `heapq`, `functools`.

Where an argument is traced, or a list among them holds a traced value, the same algorithm runs in plain Python, converted
(`algorithms`). With values that are known, every function is itself. Means, medians and deviations, which `statistics` computes in
exact fractions, a program computes of floats in floats, as `sum` does. Of integers alone `mean` and `variance` are an `int` where
the result is whole and a `float` where it is not, which no program can be: they are refused.

>>> import bisect, heapq, jax
>>> def f(x):
...     heap = [3.0, x]
...     library_counterpart(heapq.heapify, heapq.heapify)(heap)
...     return heap, library_counterpart(bisect.bisect_left, bisect.bisect_left)([1.0, 2.0, 3.0], x)
>>> [[float(item) for item in jax.jit(f)(2.5)[0]], int(jax.jit(f)(2.5)[1])]
[[2.5, 3.0], 2]
>>> from statistics import mean, median, pvariance
>>> of = jax.jit(lambda x: [library_counterpart(g, g)([x, 1.0, 4.0]) for g in (mean, median, pvariance)])
>>> [float(part) for part in of(4.0)]
[3.0, 4.0, 2.0]
"""

from __future__ import annotations

import bisect
import builtins
import functools
import heapq
import sys
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph import errors
from autograph.code import library
from autograph.jax_internals import is_tracing
from autograph.runtime.library import algorithms
from autograph.runtime.operators import optional_results
from autograph.runtime.sequences import counted_range, iterables, selection
from autograph.runtime.sequences.comparison import may_be_traced
from autograph.runtime.sequences.ranges import first_number
from autograph.runtime.tracing import host
from autograph.runtime.tracing.array_types import scalar, type_of
from autograph.runtime.tracing.refusals import refusal, user_line
from autograph.runtime.tracing.staging import is_array_like

_PLAIN: dict[Any, Callable[..., Any]] = {
    getattr(module, name): getattr(algorithms, name)
    for module in (bisect, heapq)
    for name in vars(module)
    if name[0] != "_" and hasattr(algorithms, name)
}


def convert_algorithm(algorithm: Any, none_checked: bool = False) -> Callable[..., Any]:
    """A function of `algorithms`, converted; what it cannot do is said of the user's line.

    `none_checked`: the result is tested for `None` (`optional_results`).
    """
    library.claim(algorithms.__file__)
    staged = host.conversion.staged(algorithm)
    if none_checked:
        staged = optional_results.asking(staged)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return staged(*args, **kwargs)
        except errors.StagingError as error:
            _relocate(error)
            raise

    return call


def _relocate(error: errors.StagingError) -> None:
    within, at = error.location, errors.Location.of(user_line())
    if within is not None and at is not None and within.filename == algorithms.__file__:
        old, new = (place.text().replace("\n", "\n  ") for place in (within, at))
        error.args = (str(error.args[0]).replace(old, new, 1),)
        error.location = at


def library_counterpart(f: Any, itself: Callable[..., Any]) -> Callable[..., Any] | None:
    """What does the same as `f` on traced values, and `itself` on others; None for other functions."""
    if f is functools.reduce:
        return functools.partial(_reduce, itself)
    algorithm = _PLAIN.get(f)
    if algorithm is None:
        return _of_statistics(f)

    def call(*args: Any, **kwargs: Any) -> Any:
        if is_tracing() and any(map(may_be_traced, (*args, *kwargs.values()))):
            return convert_algorithm(algorithm)(*args, **kwargs)
        return itself(*args, **kwargs)

    return call


_MISSING: Any = object()


def _reduce(itself: Callable[..., Any], function: Any, iterable: Any, initial: Any = _MISSING, /) -> Any:
    """Over traced arrays and ranges one loop."""
    if type(function) is np.ufunc:
        function = host.calls.converted(function)
    if not iterables.is_staged_iterable(iterable) or type(iterable) in iterables.STAGED:
        return itself(function, iterable, *(() if initial is _MISSING else (initial,)))
    if initial is not _MISSING:
        return convert_algorithm(algorithms.reduce)(function, iterable, initial)
    if type(iterable) is counted_range.range:
        rest = counted_range.range(iterable.start + iterable.step, iterable.stop, iterable.step)
        rest.is_builtin = iterable.is_builtin
        return convert_algorithm(algorithms.reduce)(
            function, rest, first_number(iterable, "reduce() of empty iterable with no initial value")
        )
    if not len(iterable):
        return itself(function, iterable)
    return convert_algorithm(algorithms.reduce)(function, iterable[1:], iterable[0])


# --- statistics ---


def _of_statistics(f: Any) -> Callable[..., Any] | None:
    """What does the same as `f` of `statistics` on traced values, and is `f` on others; None for other functions."""
    name = getattr(f, "__name__", "")
    staged = _FUNCTIONS.get(name) if getattr(f, "__module__", None) == "statistics" else None
    if staged is None or getattr(sys.modules.get("statistics"), name, None) is not f:
        return None
    itself: Any = f

    def call(data: Any, *args: Any, **kwargs: Any) -> Any:
        if is_tracing() and hasattr(type(data), "__next__"):
            data = list(data)
        is_known = not (args or kwargs) or name in _WITH_MORE
        if is_known and any(map(may_be_traced, (data, *args, *kwargs.values()))):
            series = [list(x) for x in (data, *args[:1]) if hasattr(type(x), "__iter__") and getattr(x, "shape", True)]
            if all(_is_number(x) for row in series for x in row) and len(data) >= _AT_LEAST.get(name, 1):
                return staged(series[0], name, *series[1:], *args[len(series) - 1 :], **kwargs)
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
            page="mean-of-integers",
        )
    return data


def _fmean(data: list[Any], name: str, weights: Any = None) -> Any:
    if weights is None:
        return scalar(builtins.sum(scalar(x, float) for x in data) / len(data), float)
    weights = _as_long(name, data, weights)
    return _products(data, weights) / builtins.sum(weights)


def _in_type_of(data: list[Any], number: Any) -> Any:
    """A number in the type of the data, where these are not Python's floats."""
    return number if all(type_of(x).weak for x in data) else lax.convert_element_type(number, jnp.result_type(*data))


def _as_long(name: str, data: list[Any], other: Any) -> list[Any]:
    """The numbers of another series as floats, which are as many."""
    if len(data) != len(other):
        getattr(sys.modules["statistics"], name)([1.0] * len(data), [1.0] * len(other))  # says what is wrong
    return [scalar(x, float) for x in other]


def _products(x: list[Any], y: list[Any]) -> Any:
    return builtins.sum(scalar(a, float) * scalar(b, float) for a, b in zip(x, y, strict=True))


def _about_mean(data: list[Any]) -> list[Any]:
    middle = _fmean(data, "")
    return [scalar(x, float) - middle for x in data]



def _correlation(x: list[Any], name: str, y: Any) -> Any:
    x, y = _about_mean(x), _about_mean(_as_long(name, x, y))
    return _products(x, y) / jnp.sqrt(_products(x, x) * _products(y, y))


def _line(x: list[Any], name: str, y: Any, proportional: bool = False) -> Any:
    y = _as_long(name, x, y)
    across, up = (x, y) if proportional else (_about_mean(x), _about_mean(y))
    slope = _products(across, up) / _products(across, across)
    start = 0.0 if proportional else _fmean(y, "") - slope * _fmean(x, "")
    return sys.modules["statistics"].LinearRegression(slope, start)


def _quantiles(data: list[Any], name: str, n: int = 4, method: str = "exclusive") -> Any:
    sys.modules["statistics"].quantiles([1.0] * len(data), n=n, method=method)  # says what is wrong
    data, found = selection.sort(data), []
    for i in range(1, n):
        if method == "inclusive":
            at, rest = divmod(i * (len(data) - 1), n)
        else:
            at = min(max(i * (len(data) + 1) // n, 1), len(data) - 1) - 1
            rest = i * (len(data) + 1) - (at + 1) * n
        after = data[min(at + 1, len(data) - 1)]
        found.append((data[at] * (n - rest) + after * rest) / n)
    return found


def _mean_square(data: list[Any], count: int) -> Any:
    middle = _fmean(data, "")
    return builtins.sum((scalar(x, float) - middle) ** 2 for x in data) / count


def _variance(data: list[Any], name: str) -> Any:
    return _in_type_of(data, _mean_square(_of_floats(data, name), len(data) - (name == "variance")))


def _stdev(data: list[Any], name: str) -> Any:
    return jnp.sqrt(_mean_square(data, len(data) - (name == "stdev")))


def _median(data: list[Any], name: str) -> Any:
    data = selection.sort(data)
    upper = data[len(data) // 2]
    if len(data) % 2 == 1 or name == "median_high":
        return upper
    lower = data[len(data) // 2 - 1]
    return lower if name == "median_low" else (lower + upper) / 2


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "mean": lambda data, name: _in_type_of(data, _fmean(_of_floats(data, name), name)),
    "fmean": _fmean,
    "median": _median,
    "median_low": _median,
    "median_high": _median,
    "variance": _variance,
    "pvariance": _variance,
    "stdev": _stdev,
    "pstdev": _stdev,
    "covariance": lambda x, name, y: _products(_about_mean(x), _about_mean(_as_long(name, x, y))) / (len(x) - 1),
    "correlation": _correlation,
    "linear_regression": _line,
    "quantiles": _quantiles,
}
_WITH_MORE = frozenset(("fmean", "covariance", "correlation", "linear_regression", "quantiles"))
"""The functions whose other parameters are known here."""

_AT_LEAST = dict.fromkeys(("variance", "stdev", "covariance", "correlation", "linear_regression", "quantiles"), 2)
