"""`**` of integers: Python's numbers are weakly typed when they are traced, arrays are not."""

import jax
import jax.numpy as jnp
import pytest

import autograph as ag


def test_a_known_negative_exponent_gives_a_float() -> None:
    f = ag.jit(lambda n: n**-2)
    assert float(f(4)) == 0.0625
    assert f(4).dtype == jnp.float32
    with pytest.raises(TypeError, match="negative power"):  # as without jit
        f(jnp.int32(4))


def test_a_traced_negative_exponent_fails_when_the_program_runs() -> None:
    f = ag.jit(lambda a, b: a**b)
    assert int(f(2, 10)) == 1024
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="an integer is raised to a negative power"):
        f(2, -1).block_until_ready()
    assert f(2.0, -1) == 0.5
    assert int(f(jnp.int32(2), jnp.int32(3))) == 8


def test_a_branch_not_taken_may_have_one() -> None:
    f = ag.jit(lambda a, b: a**b if b >= 0 else -1)
    assert int(f(2, -3)) == -1
    assert int(f(2, 3)) == 8


def test_the_number_of_an_iteration_needs_no_check() -> None:
    def f(n):
        t = 0
        for j in range(n):
            t += 2**j
        return t

    assert "callback" not in str(jax.make_jaxpr(ag.convert(f))(5))
    assert int(ag.jit(f)(5)) == 31


def test_a_range_of_unknown_length_may_be_long() -> None:
    def f(n):
        t = 0
        for j in range(n):
            t += 3**j % 7
        return t

    assert int(ag.jit(f)(4)) == f(4)


def test_the_result_is_a_number_of_python_s() -> None:
    for f in (
        lambda k, m, y: k**m * y,
        lambda k, m, y: pow(k, m) * y,
        lambda k, m, y: 2**k * y,
        lambda k, m, y: k**3 * y,
    ):
        args = 6, 3, jnp.int8(100)
        found, expected = ag.jit(f)(*args), f(*args)
        assert (int(found), found.dtype) == (int(expected), expected.dtype)
    assert not jax.jit(ag.convert(lambda a, b: a**b))(jnp.int32(2), 3).weak_type
