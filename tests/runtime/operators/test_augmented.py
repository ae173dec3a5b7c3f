"""`x += v` where the result is of another type than `x`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag


def added(x, v):
    x += v
    return x


@pytest.mark.parametrize(
    ("x", "v"),
    [
        (np.uint8([1, 2]), np.int8([1, 2])),
        ([1, 2], 0.5),
        ([True, False], 1),
        ([1.0, 2.0], 2j),
        ([1, 2], np.float32([0.5, 1])),
    ],
)
def test_an_array_that_would_need_a_higher_kind_of_number_is_refused(x: list[complex], v: object) -> None:
    with pytest.raises(TypeError, match="Cannot cast ufunc 'add' output"):
        added(np.array(x), v)
    with pytest.raises(ag.StagingError, match=r"x = x \+ v"):
        ag.jit(added)(np.array(x), v)
    assert ag.jit(lambda x, v: x + v)(np.array(x), v).shape == (2,)


def test_numbers_and_arrays_of_one_kind_are_added() -> None:
    assert ag.jit(added)(1, 0.5) == 1.5
    assert ag.jit(added)(np.int32(1), 0.5) == 1.5
    assert ag.jit(added)(np.int8([1, 2]), np.uint8([1, 0])).tolist() == [2, 2]
    assert ag.jit(jax.vmap(ag.convert(added)))(jnp.arange(3), jnp.ones(3)).tolist() == [1.0, 2.0, 3.0]


def test_the_zero_of_a_remainder_has_the_sign_of_jax() -> None:
    """The row of `docs/limits.md`: the other sign than Python's, the derivative of JAX."""
    remainder = ag.convert(lambda x: x % 0.5)
    assert np.signbit(ag.jit(remainder)(-2.5)) and not np.signbit(-2.5 % 0.5)
    assert jax.grad(ag.jit(remainder))(-2.5) == 1.0
