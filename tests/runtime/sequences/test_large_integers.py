"""Arrays beside Python integers that no integer of the program holds; derivatives and lanes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag

BIG = 10**12


def scaled(x):
    y = x * 10**10 + BIG
    y /= 2**40
    return y if x < 10**400 else -y


def test_derivatives_and_lanes() -> None:
    assert ag.jit(jax.grad(ag.convert(scaled)))(1.5) == jnp.float32(1e10 / 2**40)
    assert ag.jit(jax.vmap(ag.convert(scaled)))(jnp.arange(3.0)).tolist() == [
        ag.jit(scaled)(float(n)) for n in range(3)
    ]
    assert ag.function(scaled)(2.0) == jnp.float32(scaled(2.0))


def of_an_array(xs, ns):
    return xs < BIG, 2**40 == xs, ns < 2**40, xs * 10**10, ns / 10**10, BIG != ns


def test_an_array_is_compared_and_computed_with() -> None:
    xs, ns = np.float32([1.5, 3e12]), np.int32([3, -4])
    for found, expected in zip(ag.jit(of_an_array)(xs, ns), of_an_array(xs.astype(float), ns.astype(int)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def hashed(h):
    for k in range(3):
        h = (h ^ 0x9E3779B9) * 0x85EBCA6B
        h &= 0xFFFFFFFF - k
    return h, h == 0xDEADBEEF, h > 0x80000000


def test_an_unsigned_integer_takes_what_its_type_holds() -> None:
    h = np.arange(4, dtype=np.uint32)
    jax.tree.map(np.testing.assert_array_equal, ag.jit(hashed)(h), hashed(h))


def test_an_integer_that_needs_more_bits_is_refused() -> None:
    for fn in (lambda n: n & 0xAAAAAAAA, lambda n: n + BIG, lambda n: n * 10**400):
        with pytest.raises(
            ag.StagingError, match=r"no integer of the program can hold(.|\n)*instead: `jax.config.update"
        ):
            ag.jit(fn)(3)


def test_a_float_beyond_all_floats_is_refused_as_in_python() -> None:
    with pytest.raises(OverflowError, match="int too large to convert to float"):
        ag.jit(lambda x: x * 10**400)(1.5)


def test_an_integer_whose_form_does_not_show_that_it_is_large() -> None:
    def fn(x):
        a, b, s = 1, 1, 0.0
        for _ in range(60):
            a, b = b, a + b  # up to 2504730781961
            s = s + a * x
        return s, b / x, divmod(x, b), x < b, b <= x, [b * x for _ in range(2)], max(x, b - 0.5)

    for a, b in zip(jax.tree.leaves(ag.jit(fn)(3.0)), jax.tree.leaves(fn(3.0)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
