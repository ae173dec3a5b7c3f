"""Functions of NumPy, and methods of arrays, for which JAX's own give another answer: what stands for them on traced values.

| function | JAX's own |
| --- | --- |
| `less`, `equal`, ... beside a number | see `sequences.narrow_integers` |
| `clip` of narrow integers | casts a bound that their type cannot hold |
| `a.sum(initial=10)`, `a.max(initial=300)` | the methods ignore, or cast, the start |
| `cumsum`, `cumprod` and their like of narrow integers | wrap around |
| `mean`, `std`, `var`, ... of bools and integers of 32 bits | computes in 32 bits where the program has 64 |
| `histogram` | counts in floats, between edges that are rounded otherwise; `histogram2d` counts in integers |
| `percentile(a, 130)` | returns something |
| `poly` of a matrix of real numbers | complex, though its coefficients are real |
| `polyval` of integers | computes in floats, before JAX 0.10 |
| `meshgrid`, `gradient`, `broadcast_arrays`, `atleast_1d(a, b)` | returns a list |

>>> import jax
>>> [int(n) for n in jax.jit(VERSIONS["histogram"], static_argnums=1)(jnp.arange(5), 2)[0]]
[2, 3]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer

from autograph.runtime.checks.guards import guard_index
from autograph.runtime.library import bounded_calls, numpy_checks, numpy_matrices
from autograph.runtime.library.numpy_matrices import versions_of
from autograph.runtime.sequences import narrow_integers
from autograph.runtime.sequences.large_integers import COMPARISONS
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced, is_tracer

# --- narrow integers ---


def _comparison(found: Any, compare: Any, x: Any, y: Any, /) -> Any:
    """Stands for a function that compares: the operator, which looks at narrow integers."""
    are_operands = all(is_tracer(n) or type(n) is int for n in (x, y))
    return compare(x, y) if are_operands else found(x, y)


@functools.wraps(jnp.clip)
def _clip(arr: Any, min: Any = None, max: Any = None) -> Any:
    limits = narrow_integers.limits_of(getattr(arr, "dtype", None))
    if limits is not None:
        # NumPy ignores a bound that bounds nothing, and raises for one beyond the type on the other side.
        min = None if type(min) is int and min <= limits[0] else _near(min, arr.dtype)
        max = None if type(max) is int and max >= limits[1] else _near(max, arr.dtype)
    return jnp.clip(arr, min, max)


def _near(n: Any, dtype: Any) -> Any:
    """Returns a number as it is; of a traced Python int the nearest number of a narrow type."""
    if type(n) is int and narrow_integers.is_refused(n, dtype):
        raise narrow_integers.out_of_bounds(n, dtype)
    if not is_tracer(n) or not n.aval.weak_type or n.dtype.kind != "i":
        return n
    return lax.convert_element_type(narrow_integers.clamped(n, dtype), dtype)


def _of_arrays(found: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Stands for a function for which NumPy makes an array of a Python int before it looks at the dtypes."""
    for array in args[:2]:
        default = np.dtype(jnp.result_type(int))
        if is_tracer(array) and array.dtype.kind in "iu" and array.dtype.itemsize < default.itemsize:
            args = (*(_whole_number(x) for x in args[:2]), *args[2:])
            kwargs = {key: _whole_number(x) if key in ("append", "prepend") else x for key, x in kwargs.items()}
    return found(*args, **kwargs)


def _whole_number(x: Any) -> Any:
    """Returns an array of the default type of integers for a Python int, known or traced; anything else as it is."""
    if type(x) is int:
        return np.asarray(x)
    is_traced_number = is_tracer(x) and x.aval.weak_type and not x.shape and x.dtype.kind == "i"
    return lax.convert_element_type(x, x.dtype) if is_traced_number else x


@functools.wraps(jnp.searchsorted)
def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    def found(v: Any) -> Any:
        return jnp.searchsorted(a, v, side, sorter).astype(int)

    if _is_beside_number(a, v):
        (low, high), size = narrow_integers.limits_of(a.dtype) or (0, 0), jnp.asarray(a.shape[0])
        if type(v) is int:
            return found(v) if low <= v <= high else size if v > high else 0 * size
        above, below = narrow_integers.beyond(v, a.dtype)
        return jnp.where(above, size, jnp.where(below, 0, found(_near(v, a.dtype))))
    return found(v)


@functools.wraps(jnp.isin)
def _isin(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    for array, number in ((element, test_elements), (test_elements, element)):
        if _is_beside_number(array, number):
            found = array == number if array is element else (array == number).any()
            return ~found if invert else found
    return jnp.isin(element, test_elements, assume_unique, invert)


def _is_beside_number(x: Any, n: Any) -> bool:
    """Whether two operands are an array of integers and a Python int, known or traced."""
    is_number = type(n) is int or (is_tracer(n) and n.aval.weak_type and not n.shape and n.dtype.kind == "i")
    return is_number and is_tracer(x) and not x.aval.weak_type and narrow_integers.limits_of(x.dtype) is not None


# --- numbers in the width of NumPy's ---


def _wide(found: Any, /, a: Any, *args: Any, **kwargs: Any) -> Any:
    """Stands for a function that returns floats: of integers and bools it computes in the default width."""
    name, dtype = found.__name__, kwargs.get("dtype")
    if dtype is not None and np.dtype(dtype).kind in "biu":
        if name.startswith("nan") and jnp.issubdtype(jnp.result_type(a), jnp.inexact):
            raise TypeError("If a is inexact, then dtype must be inexact")
        if name.endswith(("std", "var")):
            raise refusal(
                f"numpy.{name}(dtype={np.dtype(dtype)}) of a traced array",
                why="NumPy cuts each step of it to an integer",
                instead=f"leave out `dtype`, and convert the result: `x.{name.removeprefix('nan')}().astype(int)`",
                page="numpy-function-without-counterpart",
            )
    if is_tracer(a) and a.dtype.kind in "biu" and np.dtype(jnp.result_type(float)).itemsize == 8:
        a = lax.convert_element_type(a, float)
    return found(a, *args, **kwargs)


def _counting(found: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Stands for a running sum or product: NumPy counts narrow integers in wide ones, as `sum` does."""
    args, kwargs = jax.tree.map(_counted, (args, kwargs), is_leaf=is_tracer)
    return found(*args, **kwargs)


def _counted(x: Any) -> Any:
    """An array of narrow integers or bools in the type in which NumPy adds them up."""
    if not is_tracer(x) or x.dtype.kind not in "biu":
        return x
    return lax.convert_element_type(x, jax.dtypes.canonicalize_dtype(np.add.reduce(np.empty(0, x.dtype)).dtype))


@functools.wraps(jnp.angle)
def _angle(z: Any, deg: bool = False) -> Any:
    kind = jnp.result_type(z)
    found = jnp.angle(z, deg)
    return found.astype(jnp.finfo(kind).dtype) if jnp.issubdtype(kind, jnp.inexact) else found


@functools.wraps(np.histogram_bin_edges)
def _histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    return jnp.histogram_bin_edges(a, bins, range, weights) if np.ndim(bins) == 0 else jnp.asarray(bins)


@functools.wraps(np.histogram)
def _histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    a = jnp.asarray(a)
    if isinstance(bins, int | np.integer) and bins > 0:
        first, last = (a.min(), a.max()) if range is None else range
        is_float = jnp.issubdtype(a.dtype, jnp.inexact)
        bins = _edges(first, last, int(bins), a.dtype if is_float else np.dtype(jnp.result_type(float)))
    edges = jnp.asarray(bins)
    counts, _ = jnp.histogram(a, edges, None, None if weights is None else jnp.asarray(weights), density)
    kind = int if weights is None else jnp.asarray(weights).dtype
    return (counts if density else counts.astype(kind)), edges


def _many_histograms(found: Any, /, sample: Any, *args: Any, **kwargs: Any) -> Any:
    """Stands for a histogram of several axes, which counts in floats, unlike that of one."""
    if found is jnp.histogramdd and type(sample) in (list, tuple):
        sample = jnp.atleast_2d(jnp.asarray(sample)).T  # one array for each axis
    counts, *edges = found(sample, *args, **kwargs)
    return counts if jnp.issubdtype(counts.dtype, jnp.inexact) else counts.astype(float), *edges


def _edges(first: Any, last: Any, bins: int, dtype: Any) -> Any:
    """The edges between bins of one width, rounded as those of NumPy."""
    first, last = jnp.asarray(first, dtype), jnp.asarray(last, dtype)
    more = jnp.where(first == last, dtype.type(0.5), dtype.type(0))
    first, last = first - more, last + more
    # Else XLA multiplies by the reciprocal of a constant, and rounds product and sum once. No other kernel is fused with a sort.
    step = (last - first) / lax.optimization_barrier(dtype.type(bins))
    products = lax.sort(jnp.arange(bins, dtype=dtype) * step)
    return jnp.append(products + first, last)


# --- parts of a sorted array ---


def _within(found: Any, scale: int, text: str, /, a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    """Stands for `percentile` and its like, which refuses a part that is none."""
    error, method = ValueError(text), kwargs.get("method", "linear")
    if not is_traced(q):
        if np.any(np.asarray(q) < 0) or np.any(np.asarray(q) > scale):
            raise error
    else:
        q = guard_index(q, jnp.all((q >= 0) & (q <= scale)), error)
    kind = a.dtype if is_tracer(a) else np.dtype(float)
    if kind.kind == "b" and method == "linear":
        np.subtract(np.True_, np.True_)  # says what is wrong
    result = _wide(found, a, q, *args, **kwargs)
    return result.astype(kind) if method in _PICKING and kind.kind in "biu" else result


_PICKING = frozenset(("closest_observation", "higher", "inverted_cdf", "lower", "nearest"))
"""The methods that give one of the elements."""


def _type_of_bools(found: Any, /, x: Any = False, *args: Any) -> Any:
    """Stands for `bool`, where JAX looks at the real part of a complex number."""
    return found(x != 0 if jnp.iscomplexobj(x) else x, *args)


# --- other types of results ---


@functools.wraps(jnp.poly)
def _poly(seq_of_zeros: Any) -> Any:
    found = jnp.poly(seq_of_zeros)
    return found if jnp.iscomplexobj(seq_of_zeros) else found.real  # the eigenvalues of a real matrix come in pairs


@functools.wraps(jnp.polyval)
def _polyval(p: Any, x: Any, *, unroll: int = 16) -> Any:
    p, x = jnp.asarray(_whole_number(p)), jnp.asarray(_whole_number(x))
    if p.dtype.kind not in "iu" or x.dtype.kind not in "iu":
        return jnp.polyval(p, x, unroll=unroll)
    start = jnp.zeros(jnp.broadcast_shapes(x.shape, p.shape[1:]), jnp.result_type(p, x))
    return lax.scan(lambda y, factor: (y * x + factor, None), start, p.astype(start.dtype), unroll=unroll)[0]


def _in_tuple(found: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Stands for a function that returns a tuple in NumPy, and a list in JAX."""
    result = found(*args, **kwargs)
    return tuple(result) if type(result) is list else result


VERSIONS: dict[str, Callable[..., Any]] = {
    **numpy_matrices.VERSIONS,
    **numpy_checks.VERSIONS,
    **versions_of("less", _comparison, COMPARISONS["<"]),
    **versions_of("less_equal", _comparison, COMPARISONS["<="]),
    **versions_of("greater", _comparison, COMPARISONS[">"]),
    **versions_of("greater_equal", _comparison, COMPARISONS[">="]),
    **versions_of("equal", _comparison, COMPARISONS["=="]),
    **versions_of("not_equal", _comparison, COMPARISONS["!="]),
    **versions_of("append diff dot inner kron outer vdot", _of_arrays),
    **versions_of("bool bool_", _type_of_bools),
    **versions_of("average mean median nanmean nanmedian nanstd nanvar std var", _wide),
    **versions_of("quantile nanquantile", _within, 1, "Quantiles must be in the range [0, 1]"),
    **versions_of("percentile nanpercentile", _within, 100, "Percentiles must be in the range [0, 100]"),
    **versions_of("meshgrid gradient broadcast_arrays atleast_1d atleast_2d atleast_3d", _in_tuple),
    **versions_of("cumprod cumsum cumulative_prod cumulative_sum nancumprod nancumsum", _counting),
    "angle": _angle,
    "clip": _clip,
    "histogram_bin_edges": _histogram_bin_edges,
    "histogram": _histogram,
    **versions_of("histogram2d histogramdd", _many_histograms),
    "isin": _isin,
    "poly": _poly,
    "polyval": _polyval,
    "searchsorted": _searchsorted,
}
"""The versions of functions, by the names in NumPy."""

METHODS: dict[Any, Callable[..., Any]] = numpy_matrices.METHODS | {
    getattr(Tracer, name): VERSIONS[name] for name in "clip cumprod cumsum dot max mean min prod searchsorted std sum var".split()
}
METHODS[Tracer.nonzero] = bounded_calls.maker("nonzero", jnp.nonzero)
_compress = bounded_calls.maker("compress", jnp.compress)
METHODS[Tracer.compress] = lambda a, condition, *args, **kwargs: _compress(condition, a, *args, **kwargs)
"""The versions of methods of traced arrays."""
