"""Errors that jax.numpy raises and NumPy does not: a refusal that names the function takes their place.

jax.numpy lacks some of NumPy's keywords, methods and types. Its errors for these name no line of the user's, and a handler
of the program would take them for the program's own. So NumPy itself is asked, on arrays of the same shapes and dtypes:
where it returns something, the error was not the program's.

>>> numpy_returns(np.sort, (np.ones(2), 5), {}), numpy_returns(np.sort, (np.ones(2),), {"kind": "stable"})
(False, True)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from autograph.errors import AutoGraphError, StagingError
from autograph.runtime.checks.tracing_errors import is_of_tracing
from autograph.runtime.tracing.array_types import python_type, type_of
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_tracer

_UNKNOWN = (AutoGraphError, jax.errors.JAXTypeError, jax.errors.JAXIndexError)
"""What is raised of a value that is not known, and has been said in the user's terms."""

_LARGEST = 100_000
"""Elements of an array with which NumPy is still asked: more take long."""


def cannot_write(name: str) -> StagingError:
    """The refusal of `out=`."""
    what = f"{name}(out=...) cannot write a traced result into an array"
    return refusal(what, instead="use the returned array", page="numpy-out")


def with_refusal(
    compute: Callable[[], Any], fn: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Returns `compute()`, which stands for `fn(*args, **kwargs)`.

    Raises:
        StagingError: where that raises an error which NumPy's function `fn`, called `name`, does not raise.
    """
    try:
        return compute()
    except Exception as error:
        refuse_if_lacking(fn, name, args, kwargs, error)
        raise


def refuse_if_lacking(
    fn: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> None:
    """Raises the refusal that takes the place of an error of jax.numpy, unless the error is the program's own."""
    if isinstance(error, _UNKNOWN) or is_of_tracing(error) or not numpy_returns(fn, args, kwargs):
        return
    raise lacks(name, str(error)) from error


def lacks(name: str, text: str) -> Exception:
    """The refusal of a call that jax.numpy does not have, in words of its own."""
    line = text.strip().splitlines()[0].rstrip(".") if text.strip() else "it has none"
    return refusal(
        f"{name}() with these arguments has no counterpart in jax.numpy",
        why=f"an argument is traced, and jax.numpy says: {line}",
        instead="write it with jax.numpy, or call it through jax.pure_callback",
        page="numpy-function-without-counterpart",
    )


def numpy_returns(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether NumPy's function returns something for arrays of these shapes and dtypes, and these known values."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            args, kwargs = jax.tree.map(stand_in, (args, kwargs), is_leaf=is_tracer)
            fn(*args, **kwargs)
    except Exception:
        return False
    return True


def stand_in(x: Any) -> Any:
    """Returns a NumPy array for one that is traced, a Python number for a traced one, a copy of an array; else `x` itself."""
    if isinstance(x, np.ndarray):
        return x.copy()
    if callable(x) and not isinstance(x, type):
        raise TypeError("it may do anything")
    if not is_tracer(x):
        return np.asarray(x) if isinstance(x, jax.Array) else x
    found = type_of(x)
    if math.prod(found.shape) > _LARGEST:
        raise ValueError("too large")
    kind = python_type(found.dtype) if found.weak and not found.shape else None
    if kind is not None:
        return kind(1)
    return np.ones(found.shape, found.dtype) if found.dtype.kind in "fc" else np.zeros(found.shape, found.dtype)
