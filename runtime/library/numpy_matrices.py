"""Functions of `numpy.linalg`, of polynomials and of truth for which JAX's own give another answer.

| function | JAX's own |
| --- | --- |
| `linalg.eigh`, `eigvalsh`, `hermitian=True` | of a matrix that is not symmetric the mean of both triangles, not one of them |
| `linalg.matrix_rank(a, tol)` | takes the second argument for a relative tolerance |
| `linalg.tensorsolve(axes=...)` | ignores the axes |
| `linalg.vector_norm` of integers | multiplies in their type |
| `linalg.lstsq` | has residuals of a matrix that is not higher than wide |
| `polyfit` of integers | raises |
| `polyder`, `polymul` of integers | floats; `vander` wraps around in a narrow type |
| `reciprocal` of integers | floats |
| `all`, `any` of complex numbers | look at the real parts |
| `trapezoid` of narrow integers | adds in floats |
| `partition`, `argpartition` | know no traced place |
| `argpartition`, `digitize`, `searchsorted` | 32 bits where the program has 64 |

>>> VERSIONS["linalg.eigvalsh"](np.array([[1.0, 9.0], [0.0, 2.0]])).tolist()
[1.0, 2.0]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.checks.guards import guard_index
from autograph.runtime.tracing.staging import holds_traced


def versions_of(names: str, version: Callable[..., Any], *more: Any) -> dict[str, Callable[..., Any]]:
    """Returns the versions of functions of `jax.numpy`, by name: `version`, given JAX's own function and `more` first.

    >>> versions_of("sign", lambda found, unit, x: found(x) * unit, 2)["sign"](-3.0)
    Array(-2., dtype=float32, weak_type=True)
    """
    found = {name: attrgetter(name)(jnp) for name in names.split()}
    return {name: functools.wraps(own, updated=())(functools.partial(version, own, *more)) for name, own in found.items()}


def _from_triangle(a: Any, lower: bool) -> Any:
    """The symmetric matrix of which `a` holds one triangle."""
    half = jnp.tril(a) if lower else jnp.triu(a)
    other = jnp.tril(a, -1) if lower else jnp.triu(a, 1)
    return half + jnp.conj(jnp.swapaxes(other, -1, -2))


@functools.wraps(jnp.linalg.eigh)
def _eigh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803  # NumPy's name of it
    return jnp.linalg.eigh(_from_triangle(_floats(a), UPLO.upper() == "L"))


@functools.wraps(jnp.linalg.eigvalsh)
def _eigvalsh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803  # NumPy's name of it
    return jnp.linalg.eigvalsh(_from_triangle(_floats(a), UPLO.upper() == "L"))


@functools.wraps(jnp.linalg.svd)
def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    a = _from_triangle(_floats(a), True) if hermitian else a
    return jnp.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv, hermitian=hermitian)


@functools.wraps(jnp.linalg.pinv)
def _pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    a = _from_triangle(_floats(a), True) if hermitian else a
    return jnp.linalg.pinv(a, rtol=rcond if rtol is None else rtol, hermitian=hermitian)


@functools.wraps(jnp.linalg.vector_norm)
def _vector_norm(x: Any, /, **options: Any) -> Any:
    return jnp.linalg.vector_norm(_floats(x), **options)


@functools.wraps(jnp.linalg.matrix_rank)
def _matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:  # noqa: N803  # NumPy's
    if tol is not None and rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    a = _floats(A)
    if a.ndim < 2:
        return jnp.any(a != 0).astype(int)
    values = _svd(a, compute_uv=False, hermitian=hermitian)
    if tol is None:
        share = max(a.shape[-2:]) * jnp.finfo(values.dtype).eps if rtol is None else jnp.asarray(rtol)[..., None]
        limit = values.max(axis=-1, keepdims=True) * share
    else:
        limit = jnp.asarray(tol)[..., None]
    return jnp.count_nonzero(values > limit, axis=-1)


@functools.wraps(jnp.linalg.tensorsolve)
def _tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    a = jnp.asarray(a)
    if axes is not None:
        kept = [axis for axis in range(a.ndim) if axis not in axes]
        a = jnp.transpose(a, [*kept, *axes])
    return jnp.linalg.tensorsolve(a, b)


@functools.wraps(jnp.linalg.lstsq)
def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    x, residuals, rank, values = jnp.linalg.lstsq(a, b, rcond)
    rows, columns = jnp.shape(a)
    residuals = jnp.zeros(0, residuals.dtype) if rows <= columns else jnp.atleast_1d(residuals)
    return x, residuals, rank.astype(np.int32), values


@functools.wraps(jnp.polyfit)
def _polyfit(
    x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    x = _floats(x)
    found: Any = jnp.polyfit(x, _floats(y), deg, rcond, full, w, cov)
    if not full:
        return found
    factors, residuals, rank, values, tolerance = found
    return factors, residuals, rank.astype(np.int32), values, jnp.asarray(tolerance, x.dtype)


@functools.wraps(jnp.polyder)
def _polyder(p: Any, m: int = 1) -> Any:
    p = jnp.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@functools.wraps(jnp.polymul)
def _polymul(a1: Any, a2: Any) -> Any:
    a1, a2 = jnp.asarray(a1), jnp.asarray(a2)
    product = jnp.polymul(a1, a2)
    kind = jnp.result_type(a1, a2)
    return product if jnp.issubdtype(kind, jnp.inexact) else jnp.rint(product).astype(int).astype(kind)


@functools.wraps(jnp.vander)
def _vander(x: Any, N: Any = None, increasing: bool = False) -> Any:  # noqa: N803  # NumPy's name of it
    x = jnp.asarray(x)
    return jnp.vander(x.astype(jnp.promote_types(x.dtype, jnp.result_type(int))), N, increasing)


@functools.wraps(jnp.reciprocal)
def _reciprocal(x: Any, /) -> Any:
    x = jnp.asarray(x)
    x = x.astype(np.int8) if x.dtype == bool else x
    return jnp.reciprocal(x) if jnp.issubdtype(x.dtype, jnp.inexact) else lax.div(jnp.ones_like(x), x)


@functools.wraps(jnp.trapezoid)
def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = jnp.asarray(y)
    if x is not None or jnp.issubdtype(y.dtype, jnp.inexact):
        return jnp.trapezoid(y, x, dx, axis)
    y = jnp.moveaxis(y, axis, -1)
    return (dx * (y[..., 1:] + y[..., :-1]) / 2.0).sum(-1)


def _of_truth(found: Any, /, a: Any, *args: Any, **kwargs: Any) -> Any:
    """Stands for a function that asks for truth: a complex number is true where either part is."""
    return found(a != 0 if jnp.iscomplexobj(a) else a, *args, **kwargs)


def _indices(found: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Returns the indices that a function returns, as integers as wide as Python's are in the program."""
    return found(*args, **kwargs).astype(int)


def _parted(found: Any, sort: Any, /, a: Any, kth: Any, axis: Any = -1, *args: Any, **kwargs: Any) -> Any:
    """Stands for a function that parts an array at known places: one that is sorted is parted at every place."""
    if not holds_traced(kth):
        return found(a, kth, axis, *args, **kwargs)
    ordered, kth = sort(a, axis), jnp.asarray(kth)
    size = ordered.shape[-1 if axis is None else axis]
    return guard_index(ordered, jnp.all((kth >= -size) & (kth < size)), ValueError(f"kth is out of bounds ({size})"))


def _floats(a: Any) -> Any:
    a = jnp.asarray(a)
    return a if jnp.issubdtype(a.dtype, jnp.inexact) else a.astype(float)


VERSIONS: dict[str, Callable[..., Any]] = {
    "linalg.eigh": _eigh,
    "linalg.eigvalsh": _eigvalsh,
    "linalg.lstsq": _lstsq,
    "linalg.matrix_rank": _matrix_rank,
    "linalg.pinv": _pinv,
    "linalg.svd": _svd,
    "linalg.tensorsolve": _tensorsolve,
    "linalg.vector_norm": _vector_norm,
    "polyder": _polyder,
    "polyfit": _polyfit,
    "polymul": _polymul,
    "reciprocal": _reciprocal,
    "trapezoid": _trapezoid,
    "vander": _vander,
    **versions_of("all any", _of_truth),
    **versions_of("digitize", _indices),
    **versions_of("partition", _parted, jnp.sort),
    "argpartition": functools.partial(_indices, versions_of("argpartition", _parted, jnp.argsort)["argpartition"]),
}
"""The versions of functions, by the names in NumPy."""

METHODS: dict[Any, Callable[..., Any]] = {
    getattr(jax.core.Tracer, name): VERSIONS[name] for name in ("all", "any", "argpartition")
}
"""The versions of methods of traced arrays."""
