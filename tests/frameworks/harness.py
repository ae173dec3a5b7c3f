"""One harness for programs that use a library: run as they are, and under `ag.jit`, with the same result.

    @program
    def test_early_exit(jit):
        net = Net()
        params = net.init(KEY, x)
        return jit(net.apply)(params, x)

`jit` leaves a function as it is the first time, so that plain Python runs the program, and is `ag.jit` the second time.
"""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import autograph as ag

Test = Callable[[], None]


def framework(name: str) -> Any:
    """The module of a library; without it, the tests of the file are left out. Its own warnings are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(name.partition(".")[0])
        return importlib.import_module(name)


def program(test: Callable[[Any], Any] | None = None, *, reference: Callable[[], Any] | None = None) -> Any:
    """A test of what a program returns, plain and under `ag.jit`.

    Args:
        test: the program; it is given `jit`.
        reference: computes the same, where plain Python cannot run the program (a library traces it by itself).
    """
    if test is None:
        return functools.partial(program, reference=reference)

    def run() -> None:
        expected = reference() if reference else test(lambda f, **_: f)
        assert_same(test(ag.jit), expected)

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    run.__module__ = test.__module__
    return run


def refused(test: Callable[[Any], Any] | None = None, *, match: str) -> Any:
    """A test that a program is refused under `ag.jit`, with a message that `match` is found in."""
    if test is None:
        return functools.partial(refused, match=match)

    def run() -> None:
        with pytest.raises(ag.AutoGraphError, match=match):
            test(ag.jit)

    run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
    return run


def is_ours(jit: Any) -> bool:
    """Whether `jit` is this library's: a program that a library would trace runs plainly otherwise."""
    return jit is ag.jit


def convert(jit: Any) -> Any:
    """`ag.convert` beside `ag.jit`."""
    return ag.convert if is_ours(jit) else jit


def assert_same(found: Any, expected: Any) -> None:
    """Compares structure and numbers; the types of numbers are JAX's."""
    left, right = jax.tree.flatten(found), jax.tree.flatten(expected)
    assert left[1] == right[1], f"{left[1]}\nand not\n{right[1]}"
    for x, y in zip(left[0], right[0]):
        assert np.shape(x) == np.shape(y), f"{x}\nand not\n{y}"
        np.testing.assert_allclose(_numbers(x), _numbers(y), rtol=2e-4, atol=1e-5)


def _numbers(x: Any) -> np.ndarray:
    if isinstance(x, jax.Array) and jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        x = jax.random.key_data(x)
    return np.asarray(x)
