"""Variables that only closures made in the branches of a staged `if` may read later."""

import jax
import jax.numpy as jnp
import pytest

import autograph as ag
from autograph.errors import StagingError

KEPT = {}


def test_a_closure_that_is_left_keeps_its_variable_joined():
    """`KEPT` is told of by the closure of one branch, through C code that no journal sees."""

    def f(x, ok):
        if ok > 0:
            x = x[:2]
            jax.tree.map(lambda key: KEPT.__init__({key: lambda: x}), "a")
        else:
            x = x[:1]
        return 0.0

    try:
        with pytest.raises(StagingError, match="different values in 'x'"):
            ag.jit(f)(jnp.arange(3.0), 1.0)
    finally:
        KEPT.clear()
