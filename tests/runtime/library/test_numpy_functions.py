"""`math`, `cmath` and `numpy` functions on traced arguments."""

import cmath
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from autograph.errors import StagingError
from autograph.runtime.library.numpy_functions import counterpart

CASES = [
    ("acos", 0.3), ("acosh", 1.7), ("asin", 0.3), ("asinh", 0.3), ("atan", 0.3), ("atan2", 1.0, -2.0), ("atanh", 0.3),
    ("cbrt", 2.0), ("ceil", 2.3), ("ceil", -2.3), ("ceil", 4), ("comb", 10, 3), ("comb", 3, 5), ("copysign", 2.0, -1.0),
    ("cos", 1.0), ("cosh", 1.0), ("degrees", 1.0), ("erf", 0.4), ("erfc", 0.4), ("exp", 1.5), ("exp2", 1.5),
    ("expm1", 1e-3), ("fabs", -2.0), ("factorial", 10), ("factorial", 0), ("floor", 2.7), ("floor", -2.7),
    ("fmod", -7.5, 2.0), ("frexp", 10.0), ("gamma", 4.5), ("gcd", 12, -18), ("gcd", 12, 18, 27), ("hypot", 3.0, 4.0),
    ("hypot", 1.0, 2.0, 3.0), ("isclose", 1.0, 1.0000001), ("isclose", 1.0, 1.5), ("isfinite", math.inf),
    ("isinf", -math.inf), ("isnan", math.nan), ("isqrt", 99), ("isqrt", 2**31 - 1), ("isqrt", 46340**2), ("isqrt", 0),
    ("lcm", 4, 6), ("ldexp", 0.75, 3), ("lgamma", 4.5), ("log", 3.0), ("log", 8.0, 2.0), ("log10", 3.0),
    ("log1p", 1e-3), ("log2", 3.0), ("modf", -2.75), ("perm", 6, 2), ("perm", 5), ("pow", 2.0, -0.5),
    ("radians", 90.0), ("remainder", 7.5, 2.0), ("remainder", -5.0, 2.0), ("remainder", 3.0, 2.0), ("sin", 1),
    ("sinh", 1.0),    ("sqrt", 2), ("tan", 1.0), ("tanh", 1.0), ("trunc", -2.7),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args"), [(name, args) for name, *args in CASES])
def test_math(name, args):
    fn = getattr(math, name)
    expected = fn(*args)
    assert counterpart(fn)(*args) == expected or expected != expected
    result = jax.jit(lambda *xs: counterpart(fn)(*xs))(*args)
    for found, known in zip(jax.tree.leaves(result), jax.tree.leaves(expected), strict=True):
        assert float(found) == pytest.approx(float(known), rel=3e-6, nan_ok=True)
        assert found.dtype == jnp.asarray(known).dtype
        assert found.weak_type or type(known) is bool


def test_math_on_sequences():
    assert jax.jit(lambda a, b: counterpart(math.prod)([a, b, 2]))(3, 4) == 24
    assert jax.jit(counterpart(math.prod))(jnp.array([2.0, 5.0])) == 10.0
    assert jax.jit(lambda a, b: counterpart(math.fsum)([a, b, 0.5]))(1, 2) == 3.5
    assert jax.jit(counterpart(math.fsum))(jnp.array([2.0, 5.0])) == 7.0
    assert jax.jit(lambda a: counterpart(math.dist)((a, 0.0), (0.0, 4.0)))(3.0) == 5.0
    with pytest.raises(ValueError, match="dimensions"):
        jax.jit(lambda a: counterpart(math.dist)((a, 0.0), (0.0,)))(3.0)


def test_math_names_what_it_refuses():
    with pytest.raises(StagingError, match=r"math.ulp\(\) has no traced counterpart"):
        jax.jit(counterpart(math.ulp))(1.0)
    assert counterpart(math.ulp)(1.0) == math.ulp(1.0)


def test_math_refuses_what_python_refuses():
    with pytest.raises(TypeError, match="Only scalar arrays"):
        jax.jit(counterpart(math.sin))(jnp.ones(3))
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        jax.jit(counterpart(math.gcd))(1.0, 2)
    with pytest.raises(ValueError, match="math domain error|nonnegative"):
        counterpart(math.sqrt)(-1.0)


def test_math_of_an_array_beside_a_half_array_stays_half():
    half = jnp.ones(2, jnp.float16)
    assert jax.jit(lambda x: half * counterpart(math.sin)(x))(jnp.float32(1.0)).dtype == half.dtype


@pytest.mark.parametrize(
    "f",
    [
        lambda k, f, y: counterpart(np.maximum)(k, 3) * y,
        lambda k, f, y: counterpart(np.where)(k > 1, k, 2) * y,
        lambda k, f, y: counterpart(np.asarray)(k) * y,
        lambda k, f, y: counterpart(np.full)(3, k) * y,
        lambda k, f, y: counterpart(np.add)(y, k),
        lambda k, f, y: counterpart(np.maximum)(jnp.full(3, k), y),
        lambda k, f, y: counterpart(np.clip)(jnp.full(3, k), 0, 100) * y,
        lambda k, f, y: counterpart(np.reshape)(jnp.full(3, k), (3, 1)) * y,
        lambda k, f, y: counterpart(np.reshape)(k, (1, 1)) * y,
        lambda k, f, y: counterpart(np.sqrt)(f) * jnp.float16(2),
        lambda k, f, y: counterpart(np.modf)(f)[0] * jnp.float16(2),
    ],
)
def test_numpy_makes_its_own_numbers_of_python_s(f):
    args = 100, 100.25, jnp.int8(100)
    expected = f(*args)
    found = jax.jit(f)(*args)
    assert found.dtype == expected.dtype
    assert np.allclose(found, expected, rtol=1e-3)


def test_math_has_derivatives_and_batches():
    f = jax.jit(jax.vmap(jax.grad(lambda x: counterpart(math.sin)(x) ** 2)))
    assert f(jnp.array([0.0, 1.0])).tolist() == pytest.approx([0.0, math.sin(2.0)], rel=1e-5)


@pytest.mark.parametrize("name", ["acos", "asinh", "exp", "log", "phase", "polar", "sqrt", "tanh", "isnan"])
def test_cmath(name):
    fn = getattr(cmath, name)
    expected = fn(0.5 + 0.25j)
    result = jax.jit(lambda z: counterpart(fn)(z))(0.5 + 0.25j)
    for found, known in zip(jax.tree.leaves(result), jax.tree.leaves(expected), strict=True):
        assert complex(found) == pytest.approx(complex(known), rel=1e-5)


def test_cmath_rect():
    assert complex(jax.jit(counterpart(cmath.rect))(2.0, 1.0)) == pytest.approx(cmath.rect(2.0, 1.0), rel=1e-5)


def test_numpy_functions_become_jax_s():
    xs = jnp.arange(6.0).reshape(2, 3)
    for fn in (np.sin, np.sum, np.cumsum, np.linalg.norm, np.fft.fft, np.sort, np.add.accumulate):
        call = counterpart(fn) or fn
        if call is fn:
            continue  # a method of a ufunc
        np.testing.assert_allclose(jax.jit(call)(xs), fn(np.asarray(xs)), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(call(np.asarray(xs)), fn(np.asarray(xs)))
    assert jax.jit(lambda x: counterpart(np.array)([[x, 1], [2, x]]))(5).tolist() == [[5, 1], [2, 5]]
    assert jax.jit(lambda x: counterpart(np.concatenate)([x, x[:1]]))(xs).shape == (3, 3)
    assert jax.jit(lambda x: counterpart(np.sum)([x, x, 1.0]))(2.0) == 5.0
    assert jax.jit(lambda x: counterpart(np.float16)(x))(2).dtype == jnp.float16
    assert jax.jit(lambda x: counterpart(np.clip)(x, 1, a_max=2))(3) == 2
    assert type(counterpart(np.zeros)(3)) is np.ndarray


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int32, np.float32, bool])
def test_numpy_counts_in_wide_integers_and_convolves_integers_to_integers(kind):
    xs = np.array([1, 2, 100], kind)
    calls = [
        lambda f, x: f(np.cumsum)(x),
        lambda f, x: f(np.cumprod)(a=x),
        lambda f, x: f(np.nancumsum)(x),
        lambda f, x: f(np.convolve)(x, x),
        lambda f, x: f(np.convolve)(x, [1, 2], "same"),
        lambda f, x: f(np.correlate)(x, v=x),
    ]
    for call in calls:
        expected = call(lambda fn: fn, xs)
        found = jax.jit(lambda x, call=call: call(counterpart, x))(xs)
        assert found.dtype == jax.dtypes.canonicalize_dtype(expected.dtype)
        assert found.tolist() == expected.tolist()


def test_numpy_functions_that_jax_names_otherwise():
    def f(x, of=lambda fn: fn):
        kind = of(np.common_type)(x)
        return of(np.asanyarray)(x), of(np.ascontiguousarray)(x[0]), of(np.asfortranarray)(x, np.float32), np.zeros(2, kind)

    given = np.arange(3, dtype=np.int32)
    for got, wanted in zip(jax.jit(lambda x: f(x, counterpart))(given), f(given), strict=True):
        assert np.array_equal(got, wanted) and got.dtype.kind == wanted.dtype.kind


def test_numpy_names_what_it_refuses():
    with pytest.raises(StagingError, match=r"numpy.busday_count\(\) has no counterpart"):
        jax.jit(counterpart(np.busday_count))(1, 2)
    with pytest.raises(StagingError, match=r"numpy.random.normal\(\) is called with a traced argument"):
        jax.jit(counterpart(np.random.normal))(1.0)
    with pytest.raises(StagingError, match=r"out=\.\.\."):
        jax.jit(lambda x: counterpart(np.sin)(x, out=np.zeros(2)))(jnp.ones(2))
    with pytest.raises(StagingError, match=r"numpy.add\(out=\.\.\.\)"):
        jax.jit(lambda x: counterpart(np.add)(x, 1, np.zeros(2)))(jnp.ones(2))


@pytest.mark.parametrize(
    ("fn", "arguments", "options"),
    [
        (np.fill_diagonal, (2,), {}), (np.put, ([0], 2), {}), (np.place, (np.eye(2) > 0, 2), {}),
    ],
)  # fmt: skip
def test_what_changes_an_array_in_place_is_refused(fn, arguments, options):
    with pytest.raises(StagingError, match=rf"numpy\.{fn.__name__}\(\) changes an array in place"):
        jax.jit(lambda x: counterpart(fn)(x, *arguments, **options))(jnp.ones((2, 2)))


def test_other_functions_have_no_counterpart():
    assert counterpart(print) is None and counterpart(jnp.fft.fft) is None and counterpart([]) is None


def test_a_list_that_is_no_array_in_numpy_is_none_here() -> None:
    x = jnp.arange(2.0)
    for argument, error in ((["one", "two"], TypeError), ([[1], [1, 2]], ValueError), (None, TypeError)):
        with pytest.raises(error):
            jax.jit(lambda x, given=argument: counterpart(np.add)(x, given))(x)
    with pytest.raises(OverflowError):  # as an array of JAX says itself, and not another number
        jax.jit(lambda x: counterpart(np.add)(x, [2**40, 1]))(x)


def factorial(n):
    return math.factorial(n)


def comb(n, k):
    return math.comb(n, k)


def perm(n, k):
    return math.perm(n, k)


def isqrt(n):
    return math.isqrt(n)


def small_factorial(n):
    return math.factorial(n % 7)


@pytest.mark.parametrize(
    ("f", "args"),
    [(factorial, (12,)), (comb, (33, 16)), (comb, (5, 7)), (comb, (40, 38)), (perm, (12, 12)), (perm, (20, 3)), (perm, (2, 3))],
)
def test_products_of_integers_are_exact_as_long_as_the_result_fits(f, args):
    assert int(ag.function(f)(*map(jnp.int32, args))) == f(*args)


@pytest.mark.parametrize(("f", "args"), [(factorial, (13,)), (comb, (34, 17)), (comb, (68, 34)), (perm, (13, 12))])
def test_products_of_integers_that_outgrow_the_type_fail_instead_of_wrapping_around(f, args):
    with pytest.raises(OverflowError, match=rf"math\.{f.__name__}\(\) outgrows int32"):
        ag.function(f)(*map(jnp.int32, args))


@pytest.mark.parametrize(("f", "args"), [(factorial, (-1,)), (comb, (-1, 2)), (comb, (3, -2)), (perm, (3, -1)), (isqrt, (-4,))])
def test_functions_of_natural_numbers_fail_on_a_negative_one_as_pythons_do(f, args):
    with pytest.raises(ValueError, match="negative"):
        ag.function(f)(*map(jnp.int32, args))


def test_a_factorial_of_what_is_known_to_be_small_needs_no_check():
    assert "callback" not in str(jax.make_jaxpr(ag.convert(small_factorial))(3))
    assert "callback" in str(jax.make_jaxpr(ag.convert(factorial))(3))
