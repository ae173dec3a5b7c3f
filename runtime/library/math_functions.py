"""The functions of `math` and `cmath` on traced scalars.

Arguments become what `float(x)` (or, where `math` asks for integers, `operator.index(x)`) makes of them, so results are
weakly typed, as the Python floats are that `math` returns.

NB `fsum` and `sumprod` add in floating point, not exactly. `factorial`, `comb` and `perm` are exact; where the result does
not fit the default int type, or Python raises `ValueError`, the program fails when it runs: an integer has no NaN.

>>> float(MATH["hypot"](jnp.float32(3.0), 4.0)), int(MATH["isqrt"](jnp.int32(99)))
(5.0, 9)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial, reduce
from typing import Any, cast

import jax
import jax.numpy as jnp
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.checks import guards
from autograph.runtime.tracing.array_types import is_integer, scalar
from autograph.runtime.tracing.context import PerThread
from autograph.runtime.tracing.integer_ranges import check_exact, range_of
from autograph.runtime.tracing.staging import is_traced


def real(x: Any) -> Any:
    """`float(x)`."""
    aval = jax.typeof(x)
    if not aval.shape and jnp.issubdtype(aval.dtype, jnp.complexfloating):
        raise TypeError("must be real number, not complex")
    return scalar(x, float)


def index_of_integer(x: Any) -> Any:
    """`operator.index(x)`."""
    if not is_integer(x):
        raise TypeError(f"'{jax.typeof(x).dtype}' object cannot be interpreted as an integer")
    return convert_weak(x, jnp.result_type(int))


def _reals(fn: Callable[..., Any], /, *args: Any) -> Any:
    result = fn(*map(real, args))
    return result if result.dtype == jnp.bool_ else real(result)


def _integers(fn: Callable[..., Any], /, *args: Any) -> Any:
    return convert_weak(fn(*map(index_of_integer, args)), jnp.result_type(int))


def _rounded(fn: Callable[[Any], Any], x: Any, /) -> Any:
    if jnp.issubdtype(jax.typeof(x).dtype, jnp.inexact):
        x = fn(real(x))
    return convert_weak(x, jnp.result_type(int)) if not jax.typeof(x).shape else real(x)



def _isclose(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    a, b = real(a), real(b)
    gap = jnp.abs(b - a)
    near = (gap <= jnp.abs(rel_tol * b)) | (gap <= jnp.abs(rel_tol * a)) | (gap <= abs_tol)
    return (a == b) | (near & jnp.isfinite(a) & jnp.isfinite(b))


def _hypot(*xs: Any) -> Any:
    if len(xs) == 2:
        return jnp.hypot(real(xs[0]), real(xs[1]))
    return jnp.sqrt(reduce(operator.add, (jnp.square(real(x)) for x in xs), 0.0))


def _dist(p: Any, q: Any, /) -> Any:
    p, q = list(p), list(q)
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    return _hypot(*(real(a) - real(b) for a, b in zip(p, q, strict=True)))


def _prod(iterable: Any, /, *, start: Any = 1) -> Any:
    if is_traced(iterable) and jax.typeof(iterable).shape and iterable.shape[0]:
        if iterable.dtype == jnp.bool_:
            iterable = iterable + 0
        return start * jnp.prod(iterable, axis=0, promote_integers=False)
    return reduce(operator.mul, iterable, start)


def _fsum(iterable: Any, /) -> Any:
    if is_traced(iterable):
        if len(jax.typeof(iterable).shape) != 1:
            raise TypeError("must be real number, not Array")
        return real(jnp.sum(iterable.astype(jnp.result_type(float))))
    return reduce(operator.add, map(real, iterable), 0.0)


def _isqrt(n: Any) -> Any:
    # A float root may be off by one where the float type holds fewer bits than the integer.
    root = lax.convert_element_type(jnp.floor(jnp.sqrt(lax.convert_element_type(n, jnp.result_type(float)))), n.dtype)
    largest = 46340 if n.dtype == jnp.int32 else 3037000499  # its square still fits
    root = jnp.minimum(root, largest)
    root = lax.while_loop(lambda r: r * r > n, lambda r: r - 1, root)
    return lax.while_loop(lambda r: (r < largest) & ((r + 1) * (r + 1) <= n), lambda r: r + 1, root)


attempts = PerThread(int)
"""How many calls of functions whose failure was tested before are running (`arithmetic_errors`)."""


def _natural(name: str, text: str, fn: Callable[..., Any], /, *args: Any) -> Any:
    """A function of natural numbers; the program fails where one of them is negative, with the message that Python has for it."""
    args = tuple(map(index_of_integer, args))
    # In a `try` whose handler catches it, a test before the call tells (`arithmetic_errors`).
    if not attempts.value:
        args = tuple(guards.guard_index(n, n >= 0, ValueError(text)) if _lowest(n) < 0 else n for n in args)
    if name != "isqrt":
        check_exact(f"math.{name}() of the number of an iteration soon outgrows the integers of an array")
    return convert_weak(fn(*args), jnp.result_type(int))


def _lowest(n: Any) -> float:
    bounds = range_of(n)
    return -math.inf if bounds is None else bounds[0]


def _fitting(name: str, result: Any, fits: Any) -> Any:
    text = f"math.{name}() outgrows {result.dtype}, the integers of a compiled program; compute with floats, as math.lgamma() does"
    return guards.guard_index(result, fits, OverflowError(text))


def _factorial(n: Any) -> Any:
    largest = 12 if jnp.result_type(int) == jnp.int32 else 20  # its factorial still fits
    bounds = range_of(n)
    if bounds is None or bounds[1] > largest:
        n = _fitting("factorial", n, n <= largest)
    return lax.fori_loop(1, n + 1, lambda i, total: total * i, jnp.ones((), n.dtype))



def _comb(n: Any, k: Any) -> Any:
    # After i + 1 iterations the total is comb(n, i + 1), so each division is exact.
    return _product("comb", n, k, jnp.minimum(k, n - k), lambda i: i + 1)


def _product(name: str, n: Any, k: Any, length: Any, divisor: Callable[[Any], Any]) -> Any:
    """The product of `(n - i) / divisor(i)` for each `i` below `length`; 0 where `k` is above `n`."""
    largest = jnp.iinfo(n.dtype).max

    def step(i: Any, state: Any) -> Any:
        total, fits = state
        by = divisor(i)
        # The rest of the division is multiplied by itself: no product is larger than the next total.
        rest = total % by * (n - i) // by
        fits &= total // by <= (largest - rest) // (n - i)
        return total // by * (n - i) + rest, fits

    length = jnp.where(k > n, 0, length)
    total, fits = lax.fori_loop(0, length, step, (jnp.ones((), n.dtype), jnp.ones((), bool)))
    return jnp.where(k > n, 0, _fitting(name, total, fits))


def _modf(x: Any) -> Any:
    x = real(x)
    whole = jnp.trunc(x)
    return jnp.copysign(jnp.where(jnp.isinf(x), 0.0, x - whole), x), whole


def _frexp(x: Any) -> Any:
    fraction, exponent = jnp.frexp(real(x))
    return real(fraction), convert_weak(exponent, jnp.result_type(int))


def _remainder(x: Any, y: Any) -> Any:
    x, y = real(x), real(y)
    r = lax.rem(x, y)  # exact, with the sign of x
    half = jnp.abs(r) * 2
    size = jnp.abs(y)
    odd = lax.rem(jnp.floor(jnp.abs(x) / size), 2.0) == 1
    over = (half > size) | ((half == size) & odd)
    return jnp.where(jnp.isinf(y) & jnp.isfinite(x), x, jnp.where(over, r - jnp.sign(x) * size, r))


# `jax.scipy.special` is imported by the first `gamma`.
_ONE_TO_ONE: dict[str, Callable[..., Any]] = {
    "acos": jnp.arccos, "acosh": jnp.arccosh, "asin": jnp.arcsin, "asinh": jnp.arcsinh, "atan": jnp.arctan,
    "atan2": jnp.arctan2, "atanh": jnp.arctanh, "cbrt": jnp.cbrt, "copysign": jnp.copysign, "cos": jnp.cos,
    "cosh": jnp.cosh, "degrees": jnp.degrees, "erf": lax.erf, "erfc": lax.erfc,
    "exp": jnp.exp, "exp2": jnp.exp2, "expm1": jnp.expm1, "fabs": jnp.abs, "fma": lambda x, y, z: x * y + z,
    "fmod": jnp.fmod, "gamma": lambda x: jax.scipy.special.gamma(x), "isfinite": jnp.isfinite, "isinf": jnp.isinf,
    "isnan": jnp.isnan, "lgamma": lax.lgamma, "log10": jnp.log10, "log1p": jnp.log1p, "log2": jnp.log2,
    "pow": jnp.power, "radians": jnp.radians, "sin": jnp.sin, "sinh": jnp.sinh, "sqrt": jnp.sqrt, "tan": jnp.tan,
    "tanh": jnp.tanh,
}  # fmt: skip

MATH: dict[str, Callable[..., Any]] = {
    **{name: partial(_reals, fn) for name, fn in _ONE_TO_ONE.items()},
    "ceil": partial(_rounded, jnp.ceil),
    "comb": partial(_natural, "comb", "n must be a non-negative integer", _comb),
    "dist": _dist,
    "factorial": partial(_natural, "factorial", "factorial() not defined for negative values", _factorial),
    "floor": partial(_rounded, jnp.floor),
    "frexp": _frexp,
    "fsum": _fsum,
    "gcd": partial(_integers, lambda *ns: reduce(cast(Any, jnp.gcd), ns, 0)),
    "hypot": _hypot,
    "isclose": _isclose,
    "isqrt": partial(_natural, "isqrt", "isqrt() argument must be nonnegative", _isqrt),
    "lcm": partial(_integers, lambda *ns: reduce(cast(Any, jnp.lcm), ns, 1)),
    "ldexp": lambda x, i: real(jnp.ldexp(real(x), index_of_integer(i))),
    "log": lambda x, base=None: jnp.log(real(x)) if base is None else jnp.log(real(x)) / jnp.log(real(base)),
    "modf": _modf,
    "nextafter": partial(_reals, jnp.nextafter),
    "perm": partial(
        _natural, "perm", "n must be a non-negative integer",
        lambda n, k=None: _factorial(n) if k is None else _product("perm", n, k, k, lambda i: 1),
    ),
    "prod": _prod,
    "remainder": _remainder,
    "sumprod": lambda p, q, /: reduce(operator.add, (a * b for a, b in zip(p, q, strict=True)), 0),
    "trunc": partial(_rounded, jnp.trunc),
}
"""What each function of `math` is on traced scalars."""


def _complexes(fn: Callable[..., Any], /, *args: Any) -> Any:
    if any(jax.typeof(x).shape for x in args):
        raise TypeError("only scalars can be converted to Python scalars")
    return fn(*(convert_weak(x, jnp.result_type(complex)) for x in args))


_COMPLEX_NAMES = "acos acosh asin asinh atan atanh cos cosh exp log10 sin sinh sqrt tan tanh isfinite isinf isnan"

CMATH: dict[str, Callable[..., Any]] = {
    **{
        name: partial(_complexes, getattr(jnp, name if not name.startswith("a") else "arc" + name[1:]))
        for name in _COMPLEX_NAMES.split()
    },
    "log": lambda x, base=None: (
        _complexes(jnp.log, x) if base is None else _complexes(jnp.log, x) / _complexes(jnp.log, base)
    ),
    "phase": partial(_complexes, jnp.angle),
    "polar": partial(_complexes, lambda z: (jnp.abs(z), jnp.angle(z))),
    "rect": lambda r, phi: real(r) * (jnp.cos(real(phi)) + 1j * jnp.sin(real(phi))),
}
"""What each function of `cmath` is on traced scalars."""
