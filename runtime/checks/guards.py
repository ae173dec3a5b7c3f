"""Errors that Python raises for a bad index, on indices that are traced: raised when the compiled program runs.

The guard passes an index through a conditional whose seldom branch calls the host: a comparison, with no side effect
that would slow the call down, and gone when nothing uses the index. Under `vmap` one bad lane is enough, and the
conditional stays a conditional. Inside a hot loop on a CPU it costs about 0.1 microseconds an iteration: use an array there.

>>> import jax
>>> f = jax.jit(lambda i: guard_index(i, i < 3, IndexError("list index out of range")))
>>> int(f(2))
2
>>> try:
...     f(7).block_until_ready()
... except (jax.errors.JaxRuntimeError, ValueError) as error:
...     "IndexError: list index out of range" in str(error)
True
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph.runtime.checks import runtime_checks
from autograph.runtime.checks.failures import FailedCheck, FailedGuard
from autograph.runtime.heap import path_conditions


def guard_index(index: Any, ok: Any, error: Exception) -> Any:
    """`index`; the program fails with `error` where `ok` is false and the code that reads it is reached.

    Args:
        index: integer scalar.
        ok: boolean scalar.
        error: what Python would raise; its message, with the user's line, becomes the message of the error.
    Raises:
        StagingError: a handler around it would catch the error.
    """
    conditions = path_conditions.conditions()
    runtime_checks.refuse_to_handle_later(error)
    if not runtime_checks.are_enabled():
        return index
    runtime_checks.note_check()
    if conditions:
        ok = lax.bitwise_or(ok, lax.bitwise_not(functools.reduce(lax.bitwise_and, conditions)))
    check, _ = FailedGuard.of(error, runtime_checks.user_place())
    checked = _tied(check)(ok, index)
    path_conditions.ended(checked)
    path_conditions.checked_index(checked, index)
    return checked


def _tied(fail: FailedCheck) -> Callable[[Any, Any], Any]:
    def call(ok: Any, index: Any) -> Any:
        result = jax.ShapeDtypeStruct(index.shape, index.dtype)
        return jax.pure_callback(fail, result, ok, index, vmap_method="expand_dims")

    @jax.custom_batching.custom_vmap
    def tie(ok: Any, index: Any) -> Any:
        return lax.cond(ok, lambda ok, index: index, call, ok, index)

    @tie.def_vmap
    def _batched(size: int, is_batched: Any, ok: Any, index: Any) -> Any:
        return tie(jnp.all(ok), index), is_batched[1]

    @jax.custom_jvp
    def through(ok: Any, index: Any) -> Any:
        return tie(ok, index)

    @through.defjvp
    def _tangent(primals: Any, tangents: Any) -> Any:
        return through(*primals), tangents[1]

    return through
